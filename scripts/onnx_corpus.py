#!/usr/bin/env python3
"""The table of docs/import.md of how the models of libonnx-testdata import.

    scripts/onnx_corpus.py --check | --update

It is made of tests/interchange/corpus/counts.csv, which the test onnx_corpus holds against the
importer. --check exits with 1 where the page has another table.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import defaultdict
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
COUNTS = PROJECT / "tests/interchange/corpus/counts.csv"
PAGE = PROJECT / "docs/import.md"
START = "<!-- figures held by tests/interchange/corpus/corpus_test.cpp -->\n"
END = "\n## Sizes\n"
WIDTH = 140


def rows_of(path: Path) -> dict[str, dict[str, int]]:
    """Import -> outcome -> models."""
    rows: dict[str, dict[str, int]] = defaultdict(dict)
    with path.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            rows[row["import"]][row["outcome"]] = int(row["models"])
    return rows


def wrapped(words: list[str]) -> str:
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) >= WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def section(rows: dict[str, dict[str, int]]) -> str:
    """What stands between the marks of the page."""
    text = "\n| import into | whole | the others |\n|---|---|---|\n"
    for kind in ("network", "case"):
        others = sorted(((count, reason) for reason, count in rows[kind].items() if reason != "whole"),
                        reverse=True)
        text += f"| a {kind} | {rows[kind]['whole']} | "
        text += "; ".join(f"{count} {reason}" for count, reason in others) + " |\n"
    unknown = sorted(rows["unknown"].items(), key=lambda row: (-row[1], row[0]))
    words = "Nobody knows, with the models that have them:".split()
    words += [f"`{name}` {count}," for name, count in unknown]
    return text + "\n" + wrapped(words)[:-1] + ".\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="hold the page against the table")
    what.add_argument("--update", action="store_true", help="write the table into the page")
    chosen = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    start = page.index(START) + len(START)
    made = page[:start] + section(rows_of(COUNTS)) + page[page.index(END, start):]
    if chosen.update:
        PAGE.write_text(made, encoding="utf-8")
    elif page != made:
        print(f"{PAGE.relative_to(PROJECT)}: differs from {COUNTS.relative_to(PROJECT)}: "
              "scripts/onnx_corpus.py --update", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
