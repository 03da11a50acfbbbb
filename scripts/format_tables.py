#!/usr/bin/env python3
"""Makes the tables of keys in docs/ from the schemas that `waferloom schema NAME` prints.

    scripts/format_tables.py --check
    scripts/format_tables.py --update docs/formats.md
    scripts/format_tables.py --check --schemas FOLDER      # as `waferloom schema -o FOLDER` writes them

A page has them between two comments, and --update writes what stands between:

    <!-- rows: hardware -->
    <!-- /rows -->

`<!-- rows: simulate made_by -->` has the type of one key alone. Every type has a table: key, meaning,
values and, of files that are read, default. A meaning is a row's (model/describe.h). A cell has at most
200 characters; terms link to the pages that explain them (scripts/tables/terms.py).

Exit code: 0; 1 where a page says otherwise, or a row makes no cell; 2 for wrong usage.
"""

import argparse
import difflib
import json
import re
import subprocess
import sys
from pathlib import Path

from tables.schema_tables import Page, SchemaTables, TableError, identity, keys_of, slug
from tables.values import Schema

ROOT = Path(__file__).resolve().parent.parent
BEGIN = re.compile(r"<!-- rows: (?P<name>\w+)(?: (?P<path>[\w.]+))? -->\n")
END = "<!-- /rows -->\n"
HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)


class Schemas:
    """Schemas by name: of the program, or of a folder."""

    def __init__(self, program: Path, folder: Path | None) -> None:
        self.program, self.folder = program, folder
        self.known: dict[str, Schema] = {}

    def named(self, name: str) -> Schema:
        if name not in self.known:
            self.known[name] = json.loads(self.text(name))
        return self.known[name]

    def text(self, name: str) -> str:
        if self.folder is not None:
            path = self.folder / f"{name}.schema.json"
            if not path.exists():
                raise TableError(f"{path}: there is no such schema")
            return path.read_text()
        done = subprocess.run([self.program, "schema", name], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise TableError(done.stderr.strip())
        return done.stdout


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="compare, and print what differs")
    action.add_argument("--update", action="store_true", help="write the tables into the pages")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/waferloom")
    parser.add_argument("--schemas", type=Path, help="folder of schemas in place of the program")
    parser.add_argument("pages", nargs="*", type=Path, help="default: those of docs/ that have tables")
    args = parser.parse_args()
    schemas = Schemas(args.program, args.schemas)
    faults = 0
    for path in pages_with_tables(args.pages):
        text = path.read_text()
        try:
            shared = shared_types(path.parent, schemas)
            made = made_page(text, Page(path.name, shared), schemas)
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
