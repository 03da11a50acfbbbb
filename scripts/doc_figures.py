#!/usr/bin/env python3
"""Holds the figures of README.md and docs/ against what the program prints today.

    scripts/doc_figures.py --check
    scripts/doc_figures.py --check --within 1 docs/tutorial.md
    scripts/doc_figures.py --write README.md

A page says in comments what makes its figures: scripts/figures/marks.py says how. --check runs the
commands and compares, --write puts in the page what is not as it says. A table that is full of numbers
without such a comment is a fault, too. --list prints what holds what.

Exit code: 0; 2 for wrong usage or a wrong comment; 4 where a page says otherwise.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from figures.commands import ROOT, Ran
from figures.marks import (END, FIGURE, NUMBER, Command, Mark, MarkError, Template, Tolerance, bare,
                           marks_of, unmarked)

LEAST_LIMIT_S, LIMIT_FACTOR = 1200, 10  # of what a mark says: a busy machine is slow
# Pages that a command writes whole, and the test that compares them.
WHOLE = {"docs/validation.md": "tests/cli/validate_test.py"}


def named(rows: list[Any], name: str) -> Any:
    """The row of this name."""
    return next(row for row in rows if row.name == name)


HELPERS = {each.__name__: each for each in (named, abs, len, max, min, round, sum, sorted, zip, list, float)}


class Fault(Exception):
    """What is wrong with one mark."""


class Node:
    """A JSON value whose members are attributes."""

    def __init__(self, members: dict[str, Any]) -> None:
        self.__dict__.update(members)

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]


class Pages:
    """Runs the marks of pages; `is_written` says whether pages are put right."""

    def __init__(self, program: Path, is_written: bool) -> None:
        self.ran, self.is_written = Ran(program), is_written

    def treat(self, path: Path, within_s: float) -> list[str]:
        """The faults of a page."""
        if path.resolve() in (ROOT / page for page in WHOLE):
            return []
        text = path.read_text(encoding="utf-8")
        faults = [f"{path}:{line}: expected a comment `<!-- figures …` before this table, which is "
                  "full of numbers" for line in unmarked(text)]
        for at in range(len(marks_of(text))):
            mark = marks_of(text)[at]  # earlier ones may have been written
            begin = time.monotonic()
            try:
                if mark.held_by and not (ROOT / mark.held_by).is_file():
                    raise Fault(f"there is no {mark.held_by}")
                if mark.commands and mark.seconds <= within_s:
                    text = self.held(text, mark)
                    print(f"{path}:{mark.line}: {time.monotonic() - begin:.1f} s, "
                          f"{mark.seconds:g} s expected", file=sys.stderr)
            except (Fault, subprocess.TimeoutExpired) as fault:
                faults.append(f"{path}:{mark.line}: {fault}")
        if self.is_written and text != path.read_text(encoding="utf-8"):
            path.write_text(text, encoding="utf-8")
        return faults

    def held(self, page: str, mark: Mark) -> str:
        """The page with the figures of a mark put right."""
        printed, reports = self.run(mark)
        faults = []
        for template in mark.templates:
            try:
                page = self.with_template(page, template, reports)
            except Fault as fault:
                faults.append(str(fault))
        if mark.prints is not None:
            try:
                page = self.with_block(page, mark.end, mark.prints, printed)
            except Fault as fault:
                faults.append(str(fault))
        if faults:
            raise Fault("\n  ".join(faults))
        return page

    def run(self, mark: Mark) -> tuple[str, dict[str, Any]]:
        """What the last command printed, and the reports by name."""
        printed, reports = "", {}
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for own in ("scripts", "model"):
                (folder / own).symlink_to(ROOT / own)
            for command in mark.commands:
                done = self.ran(folder, with_report(command),
                                max(LEAST_LIMIT_S, LIMIT_FACTOR * mark.seconds))
                if done.code != 0:
                    raise Fault(f"{command.text}: {done.failure()}")
                printed = done.stdout
                if command.name:
                    reports[command.name] = read_report(folder, command, printed)
        return printed, reports

    def with_template(self, page: str, template: Template, reports: dict[str, Any]) -> str:
        found = list(template.pattern.finditer(bare(page)))
        if len(found) != 1:
            raise Fault(f"expected once on the page, found {len(found)} times: {template.text}")
        match = found[0]
        wrong, pieces, at = [], [], 0
        for place, figure in enumerate(template.figures, 1):
            now = figure.text(value_of(figure.expression, reports))
            if not figure.tolerance.admits(match[place], now):
                wrong.append(f"{match[place]} is {now} now")
                pieces += [page[at:match.start(place)], now]
                at = match.end(place)
        if wrong and not self.is_written:
            raise Fault(f"{', '.join(wrong)}: {template.text}")
        return "".join(pieces) + page[at:]

    def with_block(self, page: str, begin: int, tolerance: Tolerance, printed: str) -> str:
        end = page.find(END, begin)
        if end < 0:
            raise Fault(f"expected `{END}` behind it")
        old = page[begin:end]
        made = in_form_of(old, printed)
        if is_close(old.strip("\n"), made.strip("\n"), tolerance):
            return page
        if not self.is_written:
            raise Fault(f"now it is\n{made}")
        return page[:begin] + "\n\n" + made.strip("\n") + "\n\n" + page[end:]


def has_report(command: Command) -> bool:
    """Of a named command of the program; others print JSON."""
    return bool(command.name) and command.text.startswith("waferloom ") \
        and "--json" not in command.text.split()


def with_report(command: Command) -> str:
    if has_report(command):
        return f"{command.text} --report {command.name}.report.json"
    return command.text


def read_report(folder: Path, command: Command, printed: str) -> Any:
    text = printed
    if has_report(command):
        text = (folder / f"{command.name}.report.json").read_text(encoding="utf-8")
    try:
        return json.loads(text, object_hook=Node)
    except json.JSONDecodeError as error:
        raise Fault(f"{command.text}: expected JSON: {error}") from error


def value_of(expression: str, reports: dict[str, Any]) -> Any:
    try:
        # The expressions are the project's own, as its scripts are.
        return eval(expression, {"__builtins__": {}, **HELPERS, **reports})
    except Exception as error:
        raise Fault(f"{expression}: {type(error).__name__}: {error}") from error


def in_form_of(old: str, printed: str) -> str:
    """What was printed as the page has it: fenced, indented by four, or as it is."""
    lines = printed.strip("\n").split("\n")
    shown = old.strip("\n")
    if shown.startswith("```"):
        return "\n".join(["```", *lines, "```"])
    if shown.startswith("    "):
        return "\n".join(f"    {line}".rstrip() for line in lines)
    return "\n".join(lines)


def is_close(old: str, now: str, tolerance: Tolerance) -> bool:
    """Whether texts are the same but for figures that may be off. White space counts as one blank where
    figures may be off, since columns move with them."""
    if tolerance.off == 0:
        return old == now
    words, others = (re.split(rf"({NUMBER})", " ".join(text.split())) for text in (old, now))
    return len(words) == len(others) and all(
        tolerance.admits(word, other) for word, other in zip(words, others))


def listed(path: Path) -> list[str]:
    """A line for each mark of a page."""
    found = [f"{path.name}: all of it held by {test}" for page, test in WHOLE.items()
             if path.resolve() == ROOT / page]
    for mark in marks_of(path.read_text(encoding="utf-8")):
        what = f"held by {mark.held_by}" if mark.held_by else f"not held: {mark.reason}"
        if mark.commands:
            count = sum(len(FIGURE.findall(template.text)) for template in mark.templates)
            shown = ", all that it prints" if mark.prints else ""
            what = f"{mark.seconds:g} s, {count} figures{shown}: {mark.commands[-1].text}"
        found.append(f"{path.name}:{mark.line}: {what}")
    return found


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path,
                        help="pages (README.md and all of docs/)")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--check", action="store_true", help="compare")
    action.add_argument("--write", action="store_true", help="put right what differs")
    action.add_argument("--list", action="store_true", help="print what holds what; run nothing")
    parser.add_argument("--within", type=float, default=float("inf"), metavar="S",
                        help="only what takes at most S seconds")
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/waferloom")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parsed(arguments)
    paths = options.files or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    faults = []
    try:
        if options.list:
            print("\n".join(line for path in paths for line in listed(path)))
            return 0
        if not options.program.exists():
            print(f"doc_figures.py: {options.program} does not exist; build it or name it with "
                  "--program", file=sys.stderr)
            return 2
        pages = Pages(options.program.resolve(), options.write)
        for path in paths:
            faults += pages.treat(path, options.within)
    except (OSError, MarkError) as error:
        print(f"doc_figures.py: {error}", file=sys.stderr)
        return 2
    print("\n".join(faults) if faults else "All figures are as the pages say.")
    return 4 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
