#!/usr/bin/env python3
"""Makes the tables of keys in docs/ from the schemas that `waferloom schema` writes.

    scripts/format_tables.py --check
    scripts/format_tables.py --update docs/formats.md
    scripts/format_tables.py --check --schemas FOLDER      # as `waferloom schema -o FOLDER` writes them

Each build leaves them in build/release/schemas. A page has them between two comments, and --update writes what stands between:

    <!-- rows: hardware -->
    <!-- /rows -->

`<!-- rows: simulate made_by -->` has the type of one key alone. Every type has a table: key, meaning,
values and, of files that are read, default. A meaning is a row's (model/describe.h). A cell has at most
200 characters; terms link to the pages that explain them (scripts/tables/terms.py).

Exit code: 0; 1 where a page says otherwise, a row makes no cell, or no page of docs/ has a schema; 2 for wrong usage.
"""

import argparse
import difflib
import json
import re
import sys
from pathlib import Path

from tables.schema_tables import Page, SchemaTables, TableError, identity, keys_of, slug
from tables.values import Schema

ROOT = Path(__file__).resolve().parent.parent
BEGIN = re.compile(r"<!-- rows: (?P<name>\w+)(?: (?P<path>[\w.]+))? -->\n")
END = "<!-- /rows -->\n"
ENDING = ".schema.json"
HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)


class Schemas:
    """Schemas by name, of a folder: "file" is FOLDER/file.schema.json."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, Schema] = {}

    def named(self, name: str) -> Schema:
        if name not in self.known:
            path = self.folder / f"{name}{ENDING}"
            if not path.exists():
                raise TableError(f"{path}: there is no such schema")
            self.known[name] = json.loads(path.read_text())
        return self.known[name]

    def names(self) -> set[str]:
        return {path.name.removesuffix(ENDING) for path in self.folder.glob(f"*{ENDING}")}


def heading_before(text: str, place: int) -> tuple[int, str]:
    """Level and text of the last heading before a place. Throws TableError."""
    headings = HEADING.findall(text[:place])
    if not headings:
        raise TableError("no heading before " + text[place:].split("\n")[0])
    return len(headings[-1][0]), headings[-1][1]


def shared_types(folder: Path, schemas: Schemas) -> dict[str, str]:
    """The types of single keys that pages of the folder have: other tables link to them."""
    shared: dict[str, str] = {}
    for path in sorted(folder.glob("*.md")):
        text = path.read_text()
        for begin in BEGIN.finditer(text):
            if not begin["path"]:
                continue
            keys = keys_of(begin["path"])
            tables = SchemaTables(begin["name"], schemas.named(begin["name"]), Page(path.name), 1)
            _, heading = heading_before(text, begin.start())
            shared.setdefault(identity(tables.type_at(keys)),
                              f"{keys[-1]}]({path.name}#{slug(heading)}")
    return shared


def made_page(text: str, page: Page, schemas: Schemas) -> str:
    """The page with the tables that it should have. Throws TableError."""
    made, end = "", 0
    for begin in BEGIN.finditer(text):
        if begin.start() < end:
            raise TableError(f"a table begins inside of another: {begin[0].strip()}")
        close = text.find(END, begin.end())
        if close < 0:
            raise TableError(f"no {END.strip()} behind {begin[0].strip()}")
        level, heading = heading_before(text, begin.start())
        tables = SchemaTables(begin["name"], schemas.named(begin["name"]), page, level + 1)
        made += text[end:begin.end()] + tables.text(begin["path"] or "", heading) + "\n"
        end = close
    return made + text[end:]


def pages_with_tables(paths: list[Path]) -> list[Path]:
    paths = paths or sorted((ROOT / "docs").glob("*.md"))
    return [path for path in paths if BEGIN.search(path.read_text())]


def without_page(schemas: Schemas, pages: list[Path]) -> list[str]:
    """Names of the schemas whose tables no page has."""
    shown = {begin["name"] for page in pages for begin in BEGIN.finditer(page.read_text())}
    return sorted(schemas.names() - shown)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="compare, and print what differs")
    action.add_argument("--update", action="store_true", help="write the tables into the pages")
    parser.add_argument("--schemas", type=Path, default=ROOT / "build/release/schemas", help="their folder")
    parser.add_argument("pages", nargs="*", type=Path, help="default: those of docs/ that have tables")
    args = parser.parse_args()
    schemas = Schemas(args.schemas)
    pages = pages_with_tables(args.pages)
    faults = 0
    if not args.pages:
        for name in without_page(schemas, pages):
            print(f"{name}: no page of docs/ has its tables", file=sys.stderr)
            faults += 1
    shared: dict[Path, dict[str, str]] = {}
    for path in pages:
        text = path.read_text()
        try:
            if path.parent not in shared:
                shared[path.parent] = shared_types(path.parent, schemas)
            made = made_page(text, Page(path.name, shared[path.parent]), schemas)
        except TableError as error:
            print(f"{path}: {error}", file=sys.stderr)
            faults += 1
            continue
        if args.update:
            path.write_text(made)
        elif made != text:
            sys.stdout.writelines(difflib.unified_diff(
                text.splitlines(keepends=True), made.splitlines(keepends=True), str(path), "its rows"))
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
