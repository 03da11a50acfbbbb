"""Markdown tables of a JSON Schema, as `waferloom schema NAME` prints it: one for each type.

A page has each type once. Where a second schema of the page has the same type, its table links to
the first. Types are the same if their keys are: meanings included, what is said of the whole not.
"""

import json
import re
from dataclasses import dataclass, field

from tables.terms import linked
from tables.values import Schema, is_exact, list_text, number_text, plain_text, words_text

MOST = 200         # characters of a cell
LONG_WORDS = 90    # characters of a list of words that stands in a cell
FORM = ("anyOf", "oneOf")
SAID = ("description", "default", "title", "$schema")


class TableError(Exception):
    """A row that makes no cell."""


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and most readers of Markdown make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def identity(schema: Schema) -> str:
    return json.dumps({key: value for key, value in schema.items() if key not in SAID}, sort_keys=True)


def keys_of(path: str) -> tuple[str, ...]:
    """Of "plan.stages"; "" is the root."""
    return tuple(path.split(".")) if path else ()


def has_default(schema: object) -> bool:
    """Whether anything in it has a default: then it is of a file that is read."""
    if isinstance(schema, list):
        return any(has_default(item) for item in schema)
    if not isinstance(schema, dict):
        return False
    return "default" in schema or any(has_default(value) for value in schema.values())


def is_read(schema: Schema) -> bool:
    """Whether it is of a file that people write, and not of a report, whose title says so."""
    forms = schema.get("oneOf", [schema])
    is_report = any("made_by" in form.get("properties", {}) for form in forms)
    return has_default(schema) or not is_report and not schema.get("title", "").startswith("Report")


def may_be_null(schema: Schema) -> bool:
    kinds = schema.get("type")
    return kinds == "null" or isinstance(kinds, list) and "null" in kinds or any(
        may_be_null(form) for kind in FORM for form in schema.get(kind, []))


def key_word(form: Schema, common: list[str]) -> str:
    """The key, none of the common ones, and word by which a form is told apart: "kind `linear`"; empty without one."""
    for key, value in form.get("properties", {}).items():
        words = [value["const"]] if "const" in value else value.get("enum", [])
        if key not in ("schema", *common) and len(words) == 1 and words[0] is not None:
            return f"{key} `{words[0]}`"
    return ""


@dataclass
class Page:
    """What a page has so far, and the types that all pages share."""
    name: str                                               # "formats.md"
    shared: dict[str, str] = field(default_factory=dict)    # identity → "made_by](reports.md#made-by"
    types: dict[str, str] = field(default_factory=dict)     # identity → "link](#hardware-link"
    headings: set[str] = field(default_factory=set)

    def link(self, schema: Schema) -> str:
        """To the table of the type; empty if there is none."""
        known = self.types.get(identity(schema)) or self.shared.get(identity(schema), "")
        return f"[{known.replace(self.name + '#', '#')})" if known else ""


class SchemaTables:
    """The tables of a schema, or of the type of one of its keys, for a place of a page."""

    def __init__(self, name: str, schema: Schema, page: Page, level: int) -> None:
        self.name, self.schema, self.page, self.level = name, schema, page, level
        self.is_read = is_read(schema)
        self.lines: list[str] = []
        self.waiting: list[tuple[str, Schema, tuple[str, ...]]] = []

    def text(self, path: str, heading: str) -> str:
        """`path`: "" or the keys that lead to the type, with points between them. `heading`: the one
        that the place stands under, for links to the type. Throws TableError."""
        keys = keys_of(path)
        schema = self.type_at(keys)
        self.page.types[identity(schema)] = f"{keys[-1] if keys else self.name}](#{slug(heading)}"
        self.place_type(schema, keys)
        while self.waiting:
            title, schema, keys = self.waiting.pop(0)
            later, self.waiting = self.waiting, []
            self.lines += ["", f"{'#' * self.level} {title}"]
            self.place_type(schema, keys)
            self.waiting += later
        return "\n".join(self.lines) + "\n"

    def type_at(self, keys: tuple[str, ...]) -> Schema:
        at = self.schema
        for key in keys:
            if key not in at.get("properties", {}):
                raise TableError(f"{self.name}: there is no key {key}")
            at = self.inner(at["properties"][key])
        if not self.is_type(at):
            raise TableError(f"{self.name}: {'.'.join(keys)} has no keys")
        return at

    def inner(self, schema: Schema) -> Schema:
        """The type of the items of a list, or of values by name, or of what may be null."""
        while not self.is_type(schema):
            forms = [form for kind in FORM for form in schema.get(kind, []) if form.get("type") != "null"]
            item = schema.get("items") or schema.get("additionalProperties") or (forms[0] if forms else None)
            if not isinstance(item, dict):
                break
            schema = item
        return schema

    def resolved(self, schema: Schema) -> Schema:
        if "$ref" not in schema:
            return schema
        at: Schema = self.schema
        for part in schema["$ref"].removeprefix("#/").split("/"):
            at = at[part]
        return at

    def forms(self, schema: Schema) -> list[Schema]:
        """The forms of what may be one of several objects."""
        forms = [self.resolved(form) for kind in FORM for form in schema.get(kind, [])]
        return forms if len(forms) > 1 and all("properties" in form for form in forms) else []

    def is_type(self, schema: Schema) -> bool:
        """Whether it has a table: not an object of which the schema tells some keys alone."""
        properties = schema.get("properties", {})
        tells_all = bool(properties) and set(schema.get("required", [])) <= set(properties)
        return tells_all or bool(self.forms(schema))

    def link(self, schema: Schema, keys: tuple[str, ...]) -> str:
        """A link to the table of a type, which it gets unless the page has it."""
        known = self.page.link(schema)
        if known:
            return known
        title = self.new_heading(keys)
        self.page.types[identity(schema)] = f"{title.partition(': ')[2]}](#{slug(title)}"
        self.waiting.append((title, schema, keys))
        return self.page.link(schema)

    def new_heading(self, keys: tuple[str, ...]) -> str:
        """`NAME: KEY`, with the keys before it where another type has this name."""
        for first in range(len(keys) - 1, -1, -1):
            heading = f"{self.name}: {'.'.join(keys[first:])}"
            if heading not in self.page.headings:
                break
        assert heading not in self.page.headings, f"two types at {heading}"
        self.page.headings.add(heading)
        return heading

    def place_type(self, schema: Schema, keys: tuple[str, ...]) -> None:
        forms = self.forms(schema)
        if not forms:
            self.place_table(schema, schema["properties"], keys)
            return
        first = forms[0]["properties"]
        common = [key for key in first if all(
            form["properties"].get(key) == first[key] and
            (key in form.get("required", [])) == (key in forms[0].get("required", [])) for form in forms)]
        self.lines += ["", "Every form has these keys:" if common else "Each has a form of its own:"]
        if common:
            self.place_table(forms[0], {key: first[key] for key in common}, keys)
        for at, form in enumerate(forms):
            self.place_form(form, f"form {at + 1}", common, keys)

    def place_form(self, form: Schema, number: str, common: list[str], keys: tuple[str, ...]) -> None:
        word = key_word(form, common)
        # The title says the word.
        own = {key: value for key, value in form["properties"].items()
               if key not in common and not word.startswith(key + " ")}
        title = f"**{word or number}**"
        said = form.get("description", "")
        self.lines += ["", f"{title}: {said}" if said else title]
        if own:
            self.place_table(form, own, (*keys, word.partition("`")[2].strip("`") or number))

    def place_table(self, schema: Schema, properties: Schema, keys: tuple[str, ...]) -> None:
        required = schema.get("required", [])
        columns = ["key", "meaning", "values"] + (["default"] if self.is_read else [])
        self.lines += ["", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
        seen: set[str] = set()
        words: list[str] = []
        for key, value in properties.items():
            cells = [f"`{key}`", self.meaning(key, value, seen),
                     self.values(value, (*keys, key), words)]
            if self.is_read:
                cells.append(self.default(key, value, required))
            elif key not in required:
                cells[-1] += "; not always there"
            for cell in cells:
                if len(cell) > MOST:
                    raise TableError(f"{self.name}: key {key}: a cell of {len(cell)} characters, "
                                     f"at most {MOST}: {cell}")
            self.lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        if words:
            self.lines += ["", *words]

    def meaning(self, key: str, schema: Schema, seen: set[str]) -> str:
        said = schema.get("description", "")
        if not said:
            raise TableError(f"{self.name}: key {key} has no meaning")
        says_null = re.search(r"\bnull\b", said)
        if says_null and not may_be_null(schema):
            raise TableError(f"{self.name}: key {key} is never null, but its meaning speaks of null: {said}")
        if may_be_null(schema) and not says_null and "by default" not in said:
            raise TableError(f"{self.name}: key {key} may be null, and its meaning does not say what "
                             f"that means: {said}")
        return linked(said, self.page.name, seen, MOST)

    @staticmethod
    def default(key: str, schema: Schema, required: list[str]) -> str:
        if key in required:
            return "needed"
        if "default" not in schema or isinstance(schema["default"], dict):
            return ""
        value = schema["default"]
        if value == "":
            return "empty"
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return number_text(value)
        return f"`{value}`" if isinstance(value, str) else json.dumps(value)

    def values(self, schema: Schema, keys: tuple[str, ...], words: list[str]) -> str:
        """What a value may be. A long list of words is added to `words`, to stand below the table."""
        schema = self.resolved(schema)
        if is_exact(schema):
            return linked("exact number", self.page.name, set(), MOST)
        if self.is_type(schema):
            return self.link(schema, keys)
        for kind in FORM:
            if kind in schema:
                parts = [self.values(form, keys, words) for form in schema[kind]]
                joint = "; or " if any("," in part for part in parts) else " or "
                return joint.join(dict.fromkeys(parts))
        if schema.get("type") == "array":
            return list_text(schema, self.values(schema.get("items", {}), keys, words))
        if isinstance(schema.get("additionalProperties"), dict):
            return f"by name: {self.values(schema['additionalProperties'], keys, words)}"
        text = plain_text(schema)
        if "enum" not in schema or len(text) <= LONG_WORDS:
            return text
        words.append(f"Words of `{keys[-1]}`: {words_text(schema['enum'])}.")
        return "a word, below"
