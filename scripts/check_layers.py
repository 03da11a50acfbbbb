#!/usr/bin/env python3
"""Checks that every #include obeys the arrows of docs/architecture.md.

    cli --> placer, planner, sim, viz, benchmarks_ispd2020 --> model --> kernels

Prints one line an offence, `file:line: what is wrong`, and exits with 1 if there is any.
Also held: project headers are included by their path from the project's top in quotes, and exist;
nothing but tests includes tests; libraries neither print nor open files; no two headers of the
program define types of one name, which linking would take for the same; tests compare doubles by
tests/support/close_to.h alone.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

# What a folder may include besides itself. model's users see kernels through its headers.
ALLOWED: dict[str, set[str]] = {
    "kernels": set(),
    "model": {"kernels"},
    "placer": {"model", "kernels"},
    "planner": {"model", "kernels"},
    "sim": {"model", "kernels"},
    "optimize": {"placer", "planner", "sim", "model", "kernels"},
    "viz": {"model", "kernels"},
    "benchmarks_ispd2020": {"model", "kernels"},
    "cli": {"optimize", "placer", "planner", "sim", "viz", "benchmarks_ispd2020", "model", "kernels"},
    "tests": {"cli", "optimize", "placer", "planner", "sim", "viz", "benchmarks_ispd2020", "model", "kernels"},
}

# Single headers that a folder may include beyond that: viz draws the plain reports of others.
ALLOWED_HEADERS: dict[str, set[str]] = {
    "viz": {"sim/report.h"},
}

# Only cli prints and opens files, and tests do.
STREAM_HEADERS = {"iostream", "fstream", "cstdio", "stdio.h", "filesystem", "print", "fcntl.h",
                  "unistd.h"}
STREAM_FOLDERS = {"cli", "tests"}

TEST_ONLY = {"doctest", "benchmark", "valijson"}

APPROX = re.compile(r"\bApprox\b")

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# A namespace, a type that is defined, any other brace.
SCOPE = re.compile(r"\bnamespace\b\s*(?P<space>[\w:]*)\s*\{"
                   r"|\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+(?P<type>\w+)"
                   r"(?:\s+final)?\s*(?::(?!:)[^;{}()]*)?\{"
                   r"|[{}]")


def includes(source: Path) -> Iterator[tuple[int, str, bool]]:
    """Yields (line, header, in quotes) of each #include."""
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), start=1):
        if match := INCLUDE.match(line):
            yield number, match[1] or match[2], match[1] is not None


def offence(root: Path, folder: str, header: str, quoted: bool) -> str | None:
    """What is wrong with a file of `folder` including `header`; None if nothing is."""
    target = header.split("/")[0]
    if not quoted:
        if target in ALLOWED and (root / header).exists():
            return f'<{header}> is the project\'s own: write "{header}"'
        if header in STREAM_HEADERS and folder not in STREAM_FOLDERS:
            return f"{folder}/ may not include <{header}>: libraries neither print nor open files"
        if target in TEST_ONLY and folder != "tests":
            return f"{folder}/ may not include <{header}>: it is for tests alone"
        return None
    if target not in ALLOWED:
        return f'"{header}" does not start with a folder of the project'
    if not (root / header).is_file():
        return f'"{header}" does not exist'
    if target == folder or target in ALLOWED[folder] or header in ALLOWED_HEADERS.get(folder, ()):
        return None
    return f"{folder}/ may not include {target}/ ({header})"


def blanked(source: Path) -> str:
    """A file's text with spaces for comments and literals, line by line as long as before."""
    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    return COMMENT_OR_TEXT.sub(blank, source.read_text(encoding="utf-8"))


def types(header: Path) -> Iterator[tuple[int, str]]:
    """Yields (line, name with its namespaces) of each type that a header defines outside others."""
    text = blanked(header)
    open_scopes: list[str | None] = []  # None: of anything but a namespace
    for match in SCOPE.finditer(text):
        if match[0] == "}":
            if open_scopes:
                open_scopes.pop()
            continue
        if match["type"] is not None and None not in open_scopes:
            line = text.count("\n", 0, match.start()) + 1
            yield line, "::".join([*(scope for scope in open_scopes if scope), match["type"]])
        open_scopes.append(match["space"])


def same_types(root: Path) -> list[str]:
    """An offence for each definition of a type whose name another header has given already."""
    found: list[str] = []
    known: dict[str, str] = {}
    for folder in ALLOWED:
        if folder == "tests":  # not linked with one another
            continue
        for header in sorted((root / folder).rglob("*.h")):
            for line, name in types(header):
                place = f"{header.relative_to(root)}:{line}"
                if name in known:
                    found.append(f"{place}: {name} is another type in {known[name]}")
                known.setdefault(name, place)
    return found


def lax_comparisons(root: Path) -> list[str]:
    """An offence for each use of doctest's Approx, which takes all small numbers for 0."""
    found: list[str] = []
    for source in sorted((root / "tests").rglob("*")):
        if source.suffix not in {".h", ".cpp"}:
            continue
        for number, line in enumerate(blanked(source).splitlines(), start=1):
            if APPROX.search(line):
                found.append(f"{source.relative_to(root)}:{number}: doctest's Approx adds its "
                             "epsilon to the size; use close_to")
    return found


def check(root: Path) -> tuple[list[str], int]:
    """All offences under `root`, includes in order of path and line first, and the number of files
    read."""
    found: list[str] = []
    count = 0
    for folder in ALLOWED:
        for source in sorted((root / folder).rglob("*")):
            if source.suffix not in {".h", ".cpp"}:
                continue
            count += 1
            for line, header, quoted in includes(source):
                if message := offence(root, folder, header, quoted):
                    found.append(f"{source.relative_to(root)}:{line}: {message}")
    return found + same_types(root) + lax_comparisons(root), count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent,
                        help="the project's folder (default: the one this script belongs to)")
    root = parser.parse_args().root
    found, count = check(root)
    for line in found:
        print(line)
    if count == 0:
        print(f"{root}: no sources here", file=sys.stderr)
        return 2
    print(f"{count} files, {len(found)} offences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
