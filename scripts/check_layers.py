#!/usr/bin/env python3
"""Checks that every #include obeys the arrows of docs/architecture.md.

    cli --> placer, planner, sim, viz, benchmarks_ispd2020 --> model --> kernels

Prints one line an offence, `file:line: what is wrong`, and exits with 1 if there is any.
Also held: project headers are included by their path from the project's top in quotes, and exist;
nothing but tests includes tests; libraries neither print nor open files.
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
    "viz": {"model", "kernels"},
    "benchmarks_ispd2020": {"model", "kernels"},
    "cli": {"placer", "planner", "sim", "viz", "benchmarks_ispd2020", "model", "kernels"},
    "tests": {"cli", "placer", "planner", "sim", "viz", "benchmarks_ispd2020", "model", "kernels"},
}

# Single headers that a folder may include beyond that: viz draws the plain reports of others.
ALLOWED_HEADERS: dict[str, set[str]] = {
    "viz": {"sim/report.h", "planner/report.h"},
}

# Only cli prints and opens files, and tests do.
STREAM_HEADERS = {"iostream", "fstream", "cstdio", "stdio.h", "filesystem", "print", "fcntl.h",
                  "unistd.h"}
STREAM_FOLDERS = {"cli", "tests"}

TEST_ONLY = {"doctest", "benchmark", "valijson"}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


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


def check(root: Path) -> tuple[list[str], int]:
    """All offences under `root`, in order of path and line, and the number of files read."""
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
    return found, count


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
