"""What may differ between a recorded output and a new one, and under which name.

Three tables, each a file beside this one:

varies.json      what no two runs share: {"keys": {TABLE: {KEY: why}}, "texts": [{"in", "pattern", "why"}],
                 "pictures": [{"in", "rows": [first, last], "why"}]}. The group (?P<varies>...) of a
                 pattern is what varies; "in" is a name of an output with wildcards, "*.svg",
                 "bench/*/stdout". Rows are of pictures too large to be kept whole.
renames.json     {TABLE: {OLD KEY: NEW KEY}}
rewordings.json  [{"old": text, "new": text}] or [{"pattern": regular expression, "new": replacement}],
                 with "in" where it holds for some outputs alone

TABLE is a report's schema, "waferloom/place/1", or "csv" for columns, or "*" for all of these. KEY is a
key or the end of its path, "score/total"; indices do not count. A rule that fits no recorded output
is stale and an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

VARIES = "<varies>"


class RuleError(Exception):
    """A table that is wrong, or a rule in it that fits nothing."""


def fits(name: str, pattern: str) -> bool:
    return fnmatch(name, pattern) or fnmatch(name.rsplit("/", 1)[-1], pattern)


@dataclass
class KeyRules:
    """Values by table and by the end of a key's path; remembers which were used."""

    file: str
    tables: dict[str, dict[str, str]]
    used: set[tuple[str, str]] = field(default_factory=set)

    def find(self, table: str, path: tuple[str, ...]) -> str | None:
        for name in (table, "*"):
            rules = self.tables.get(name, {})
            for length in range(min(len(path), 4), 0, -1) if rules else ():
                key = "/".join(path[-length:])
                if key in rules:
                    self.used.add((name, key))
                    return rules[key]
        return None

    def stale(self) -> Iterable[str]:
        for table, rules in self.tables.items():
            for key in rules:
                if (table, key) not in self.used:
                    yield f"{self.file}: stale rule: no recorded output of '{table}' has '{key}'"


@dataclass
class TextRule:
    """Replaces what a pattern finds in outputs of some names."""

    file: str
    shown: str
    where: str
    pattern: re.Pattern[str]
    new: str | None = None  # None: the group `varies` gives way to VARIES
    used: bool = False

    def apply(self, name: str, text: str) -> tuple[str, bool]:
        if not fits(name, self.where):
            return text, False
        changed, count = self.pattern.subn(self._replacement, text)
        self.used = self.used or count > 0
        return changed, count > 0

    def _replacement(self, match: re.Match[str]) -> str:
        if self.new is not None:
            return match.expand(self.new)
        begin, end = (place - match.start() for place in match.span("varies"))
        return match[0][:begin] + VARIES + match[0][end:]

    def stale(self) -> Iterable[str]:
        if not self.used:
            yield f"{self.file}: stale rule: no recorded output has '{self.shown}'"


@dataclass
class PictureRule:
    """Rows of a picture that vary."""

    where: str
    rows: range
    used: bool = False


@dataclass
class Rules:
    varying_keys: KeyRules
    varying_pictures: list[PictureRule]
    varying_texts: list[TextRule]
    renames: KeyRules
    rewordings: list[TextRule]

    def scrubbed(self, name: str, text: str) -> str:
        for rule in self.varying_texts:
            text, _ = rule.apply(name, text)
        return text

    def varying_rows(self, name: str) -> range:
        for rule in self.varying_pictures:
            if fits(name, rule.where):
                rule.used = True
                return rule.rows
        return range(0)

    def reworded(self, name: str, text: str) -> tuple[str, bool]:
        """The text in its new words, and whether that changed it."""
        touched = False
        for rule in self.rewordings:
            text, changed = rule.apply(name, text)
            touched = touched or changed
        return text, touched

    def stale(self) -> list[str]:
        """The rules that nothing used, after all recorded outputs went through."""
        found = [*self.varying_keys.stale(), *self.renames.stale()]
        for rule in [*self.varying_texts, *self.rewordings]:
            found += rule.stale()
        return found + [f"varies.json: stale rule: no large picture is called '{rule.where}'"
                        for rule in self.varying_pictures if not rule.used]


def read_rules(folder: Path) -> Rules:
    varies = _read(folder / "varies.json", dict)
    keys = KeyRules("varies.json", varies.get("keys", {}))
    texts = [_varying_text(entry) for entry in varies.get("texts", [])]
    pictures = [PictureRule(entry["in"], range(entry["rows"][0], entry["rows"][1] + 1))
                for entry in varies.get("pictures", [])]
    renames = KeyRules("renames.json", _read(folder / "renames.json", dict))
    for table, pairs in renames.tables.items():
        for old, new in pairs.items():
            if "/" in new:
                raise RuleError(f"renames.json: {table}: {old}: expected a key without '/', found '{new}'")
    rewordings = [_rewording(entry) for entry in _read(folder / "rewordings.json", list)]
    return Rules(keys, pictures, texts, renames, rewordings)


def _read(path: Path, kind: type) -> Any:
    try:
        content = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise RuleError(f"{path.name}: {error}") from error
    if not isinstance(content, kind):
        raise RuleError(f"{path.name}: expected {'an object' if kind is dict else 'a list'}")
    return content


def _compiled(file: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise RuleError(f"{file}: '{pattern}': {error}") from error


def _varying_text(entry: dict[str, str]) -> TextRule:
    """The pattern also finds what it left in a recorded output, which shows that it is not stale."""
    given = entry["pattern"]
    if "(?P<varies>" not in given:
        raise RuleError(f"varies.json: '{given}': expected a group (?P<varies>...)")
    pattern = given.replace("(?P<varies>", f"(?P<varies>{VARIES}|")
    return TextRule("varies.json", given, entry["in"], _compiled("varies.json", pattern))


def _rewording(entry: dict[str, str]) -> TextRule:
    where = entry.get("in", "*")
    if "old" in entry:
        pattern, new = re.escape(entry["old"]), entry["new"].replace("\\", "\\\\")
    else:
        pattern, new = entry["pattern"], entry["new"]
    return TextRule("rewordings.json", entry.get("old", entry.get("pattern", "")), where,
                    _compiled("rewordings.json", pattern), new)
