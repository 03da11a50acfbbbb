#!/usr/bin/env python3
"""Checks that the sources obey docs/architecture.md: arrows, rooms, namespaces.

    cli --> optimize --> placer, planner, router, sim --> model --> kernels
    cli --> cluster --> optimize, sweep, viz
    cli --> sweep, viz, interchange, benchmarks_ispd2020 --> model

Prints one line an offence, `file:line: what is wrong`, and exits with 1 if there is any. Held are
- the arrows: what a folder includes; project headers are included by their path from the project's
  top in quotes, and exist; nothing but tests includes tests;
- the rooms: a header at the top of a library's folder is public, one further down is private to the
  library; a public header is included by another library, or by a public one of its own, and
  includes no header of a room; a library has at most 14 of them; no folder holds more than 40 files;
- the order of rooms inside of each library (ROOMS);
- the namespaces: waferloom::LIBRARY, and waferloom for model and kernels, which all others speak;
- a unit test (*_test.cpp) stands in a CMakeLists.txt of its folder or one above;
- only cli prints, only cli and cluster open files; tests compare doubles by
  tests/support/close_to.h alone; errors say whose fault they are (model/errors.h).
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# What a folder may include besides itself. model's users see kernels through its headers.
ALLOWED: dict[str, set[str]] = {
    "kernels": set(),
    "model": {"kernels"},
    "placer": {"model", "kernels"},
    "planner": {"model", "kernels"},
    "router": {"model", "kernels"},
    "sim": {"model", "kernels"},
    "optimize": {"placer", "planner", "router", "sim", "model", "kernels"},
    "sweep": {"model", "kernels"},
    "interchange": {"model", "kernels"},
    "cluster": {"optimize", "sweep", "viz", "model", "kernels"},
    "viz": {"model", "kernels"},
    "benchmarks_ispd2020": {"model", "kernels"},
    "cli": {"optimize", "placer", "planner", "router", "sim", "sweep", "cluster", "viz",
            "interchange", "benchmarks_ispd2020", "model", "kernels"},
    "tests": {"cli", "optimize", "placer", "planner", "router", "sim", "sweep", "cluster", "viz",
              "interchange", "benchmarks_ispd2020", "model", "kernels"},
}

# The rooms of each library, lowest first; "." is what lies at its top. A room includes those in front
# of its own "<", and none beside it. A public header belongs to the rooms of the sources that define
# what it declares: these may include it, for all others it stands for the highest of them. Without
# such a source it holds only types, and stands for what it includes.
ROOMS: dict[str, str] = {
    "kernels": ". < operators",
    "model": "text, run < describe < network < machine < problem, routes, plan",
    "placer": "search < shapes < ports < bounds, annealing < free, gigaplacer < starts < "
              "portfolio < .",
    "planner": "network < dfmodel < amped, centimani, serving, wafer < pipeline < plans < published",
    "router": "flow, ports, buffers, symmetry < detailed, relaxation < colours < attempt < . < "
              "reports",
    "sim": "engine, mesh < network, traces < collective, inside, pipeline < . < from_placement, from_plan "
           "< reports",
    "optimize": "search < plans < cases < runs < ., bench, reports, validation < ways",
    "sweep": "space < points < results, page",
    "interchange": "networks < . < huggingface, onnx",
    "cluster": "folder < engines < tasks, islands < results, space",
    "viz": "canvas < floorplan < charts < routes",
    "benchmarks_ispd2020": "cases < generated, published",
    "cli": "console < options < files < summaries < commands < .",
}

NAMESPACES: dict[str, str] = {
    "kernels": "waferloom", "model": "waferloom",
    "benchmarks_ispd2020": "waferloom::ispd2020",
    **{folder: f"waferloom::{folder}"
       for folder in ("placer", "planner", "router", "sim", "optimize", "sweep", "cluster",
                      "interchange", "viz", "cli")},
}

SPECIALISED_ROWS = "const TypeRows& rows_of<"

MOST_FILES = 40
MOST_PUBLIC_HEADERS = 14

# Only cli prints; it and cluster open files, and tests do.
STREAM_HEADERS = {"iostream", "fstream", "cstdio", "stdio.h", "filesystem", "print", "fcntl.h",
                  "unistd.h"}
STREAM_FOLDERS = {"cli", "cluster", "tests"}

# Where JSON is known; it costs each unit that includes it seconds to compile.
JSON_HEADER = "nlohmann/json.hpp"
JSON_PLACES = ("model/describe/", "model/text/report.cpp", "tests/")

TEST_ONLY = {"doctest", "benchmark", "valijson"}

class Refused(NamedTuple):
    """A word that code may not use in some folders, and what to do instead."""
    pattern: re.Pattern[str]
    folders: frozenset[str]
    message: str


REFUSED = (
    Refused(re.compile(r"\bApprox\b"), frozenset({"tests"}),
            "doctest's Approx adds its epsilon to the size; use close_to"),
    Refused(re.compile(r"\bstd::invalid_argument\b"), frozenset(NAMESPACES),
            "does not say whose fault it is; throw an error of model/errors.h, or "
            "std::logic_error for a bug"),
    Refused(re.compile(r"\bone\b"), frozenset({*NAMESPACES, "tests"}),
            "'one' does not say what it is"),
    # The field's terms: contention, water-filling, metrics, liveness, infeasible, wafer ports.
    Refused(re.compile(r"(?i)\b(meeting|waterline|worth|tensor_?walk|misfits?|misplacement|"
                       r"edge_?ports)_?\b"), frozenset(NAMESPACES),
            "is a retired name; docs/glossary.md has the field's terms"),
)

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')

COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<end>[^\s()\\]*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"', re.DOTALL)

NAMESPACE = re.compile(r"^namespace (waferloom[\w:]*) \{")

# Functions that the templates of a header call for the types of others.
FOUND_BY_ARGUMENT = {"words_of"}
# What a header declares, and the beginning of a definition in a source: `Type name(`, `Type A::b(`.
DECLARED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
DECLARED_TYPE = re.compile(r"\b(?:class|struct)\s+(\w+)\b(?!;)")
DEFINITION = re.compile(r"^(?:[A-Za-z_][\w:<>,&* ]*[\s&*])?((?:\w+::)*)~?(\w+)\(", re.MULTILINE)


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
    if target == folder:
        return None
    if target not in ALLOWED[folder]:
        return f"{folder}/ may not include {target}/ ({header})"
    if header.count("/") > 1 and folder != "tests":
        return f"{folder}/ may not include {header}: it is private to {target}/"
    return None


def misplaced_json(path: str, header: str) -> str | None:
    """What is wrong with a file that knows JSON."""
    if header != JSON_HEADER or path.startswith(JSON_PLACES):
        return None
    return f"<{JSON_HEADER}> is for model/describe: write by rows or into a ValueSink"


def room_of(path: str) -> str:
    """The room of a file that is not a public header: "mesh" of "sim/mesh/route.h"."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else "."


def is_public(path: str) -> bool:
    """Whether a path is that of a header at the top of a library's folder."""
    return path.endswith(".h") and path.count("/") == 1


def blanked(source: Path) -> str:
    """A file's text with spaces for comments and literals, line by line as long as before."""
    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    return COMMENT_OR_TEXT.sub(blank, source.read_text(encoding="utf-8"))


class Rooms:
    """The rooms of a library and the arrows among them."""

    def __init__(self, root: Path, library: str) -> None:
        self.library = library
        levels = [level.split(", ") for level in ROOMS[library].split(" < ")]
        self.level = {room: i for i, rooms in enumerate(levels) for room in rooms}
        self.included: dict[str, list[tuple[int, str]]] = {}
        for source in sorted((root / library).rglob("*")):
            if source.suffix in {".h", ".cpp"}:
                self.included[source.relative_to(root).as_posix()] = [
                    (line, header) for line, header, quoted in includes(source)
                    if quoted and header.startswith(library + "/")]
        self.sources = self.rooms_of_sources(root)

    def rooms_of_sources(self, root: Path) -> dict[str, set[str]]:
        """For each public header the rooms of X.cpp and of all that defines what it declares."""
        functions: dict[str, set[str]] = {}
        types: dict[str, set[str]] = {}
        for path in filter(is_public, self.included):
            text = blanked(root / path)
            functions[path] = set(DECLARED.findall(text)) - FOUND_BY_ARGUMENT
            types[path] = set(DECLARED_TYPE.findall(text))
        found: dict[str, set[str]] = {}
        for path, lines in self.included.items():
            if not path.endswith(".cpp"):
                continue
            defined = DEFINITION.findall(blanked(root / path))
            for _, header in lines:
                if header in functions and (
                        Path(path).stem == Path(header).stem or any(
                            scope.split("::")[0] in types[header] if scope
                            else name in functions[header] for scope, name in defined)):
                    found.setdefault(header, set()).add(room_of(path))
        return found

    def own(self, path: str) -> set[str]:
        """The rooms that a file belongs to; none for a public header of types."""
        return self.sources.get(path, set()) if is_public(path) else {room_of(path)}

    def behind(self, path: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """The rooms that an include of `path` leads to."""
        return self.own(path) or set().union(
            *(self.behind(header, seen | {path})
              for _, header in self.included.get(path, []) if header not in seen))

    def highest(self, rooms: set[str]) -> str | None:
        """The room of the highest level; None if no room has one."""
        return max(sorted(rooms & set(self.level)), key=self.level.__getitem__, default=None)

    def offences(self) -> Iterator[str]:
        """One for each room without a level, and for each arrow back or sideways."""
        unknown = {room_of(path) for path in self.included} - set(self.level) - {"."}
        for room in sorted(unknown):
            yield f"{self.library}/{room}/:0: has no place in the order of rooms (ROOMS)"
        for path, lines in self.included.items():
            own = self.highest(self.own(path))
            if own is None:
                continue
            for line, header in lines:
                if own in self.own(header):
                    continue
                for room in sorted(self.behind(header) & set(self.level) - {own}):
                    if self.level[room] >= self.level[own]:
                        yield (f"{path}:{line}: {own}/ may not include {header} of {room}/: "
                               f"{ROOMS[self.library]}")


def arrows_back(root: Path) -> list[str]:
    """An offence for each include against the order of rooms."""
    return [text for library in ROOMS for text in Rooms(root, library).offences()]


def idle_public_headers(root: Path) -> list[str]:
    """An offence for each public header that neither another library nor a public header needs."""
    needed: set[str] = set()
    for folder in ALLOWED:
        for source in sorted((root / folder).rglob("*")):
            if source.suffix not in {".h", ".cpp"} or folder == "tests":
                continue
            path = source.relative_to(root).as_posix()
            for _, header, quoted in includes(source):
                if quoted and (is_public(path) or header.split("/")[0] != folder):
                    needed.add(header)
    found = []
    for folder in NAMESPACES:
        for header in sorted((root / folder).glob("*.h")):
            path = header.relative_to(root).as_posix()
            if path not in needed:
                found.append(f"{path}:1: no other library includes it; it belongs in a room of "
                             f"{folder}/")
    return found


def wide_public_headers(root: Path) -> list[str]:
    """An offence for each library with more than MOST_PUBLIC_HEADERS, and for each header of a room
    that a public one includes."""
    found = []
    for folder in NAMESPACES:
        headers = sorted((root / folder).glob("*.h"))
        if len(headers) > MOST_PUBLIC_HEADERS:
            found.append(f"{folder}/:0: {len(headers)} public headers, more than "
                         f"{MOST_PUBLIC_HEADERS}")
        for header in headers:
            found += [f"{header.relative_to(root)}:{line}: a public header may not include {other}, "
                      "which is private: move the types that it needs up"
                      for line, other, quoted in includes(header)
                      if quoted and other.startswith(folder + "/") and not is_public(other)]
    return found


def wrong_namespaces(root: Path) -> list[str]:
    """An offence for each file of a library in another library's namespace. Rows of a type are a
    specialisation, which stands in the namespace of its template."""
    found = []
    for folder, expected in NAMESPACES.items():
        for source in sorted((root / folder).rglob("*")):
            if source.suffix not in {".h", ".cpp"}:
                continue
            text = blanked(source)
            allowed = {expected, "waferloom"} if SPECIALISED_ROWS in text else {expected}
            for number, line in enumerate(text.splitlines(), start=1):
                match = NAMESPACE.match(line)
                if match and match[1] not in allowed:
                    found.append(f"{source.relative_to(root)}:{number}: expected namespace "
                                 f"{expected}, found {match[1]}")
    return found


def crowded_folders(root: Path) -> list[str]:
    """An offence for each folder with more than MOST_FILES files; recorded outputs are no sources."""
    found = []
    for top in [*ALLOWED, "docs", "scripts", "cmake"]:
        for folder in sorted([root / top, *(root / top).rglob("*")]):
            if not folder.is_dir() or folder.name == "__pycache__":
                continue
            count = sum(1 for entry in folder.iterdir() if entry.is_file())
            if count > MOST_FILES:
                found.append(f"{folder.relative_to(root)}/:0: {count} files, more than {MOST_FILES}")
    return found


def unbuilt_tests(root: Path) -> list[str]:
    """An offence for each unit test that no list of sources names: it would never run."""
    found = []
    tests = root / "tests"
    for source in sorted(tests.rglob("*_test.cpp")):
        lists = [folder / "CMakeLists.txt" for folder in source.parents
                 if folder.is_relative_to(tests)]
        named = any(source.relative_to(path.parent).as_posix() in
                    re.split(r"[\s()]+", re.sub(r"#.*", "", path.read_text()))
                    for path in lists if path.is_file())
        if not named and (tests / "CMakeLists.txt").is_file():
            found.append(f"{source.relative_to(root)}:0: stands in no CMakeLists.txt, so nobody runs it")
    return found


def refused_words(root: Path) -> list[str]:
    """An offence for each use of a word of REFUSED; comments and texts may hold them."""
    found: list[str] = []
    for top in sorted(frozenset().union(*(word.folders for word in REFUSED))):
        words = [word for word in REFUSED if top in word.folders]
        for source in sorted((root / top).rglob("*")):
            if source.suffix not in {".h", ".cpp"}:
                continue
            for number, line in enumerate(blanked(source).splitlines(), start=1):
                found += [f"{source.relative_to(root)}:{number}: {word.message}"
                          for word in words if word.pattern.search(line)]
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
                message = (misplaced_json(str(source.relative_to(root)), header) or
                           offence(root, folder, header, quoted))
                if message:
                    found.append(f"{source.relative_to(root)}:{line}: {message}")
    found += arrows_back(root) + idle_public_headers(root) + wide_public_headers(root)
    found += wrong_namespaces(root) + crowded_folders(root) + unbuilt_tests(root)
    return found + refused_words(root), count


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
