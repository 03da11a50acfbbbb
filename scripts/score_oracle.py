#!/usr/bin/env python3
"""Judges a placement by the ISPD 2020 contest's rules, written from the problem statement alone.

    score_oracle.py CASE SOL [--wafer FILE] [--constraints FILE]

prints {legal, violations[], time, distance, adapter, preference, total} as JSON. Exit codes:
0 legal, 4 illegal, 2 bad input. Everything is computed in integers and fractions; nothing is shared with
the program that this is compared with (tests/property/score_agrees_with_oracle.py). One file in
spite of its length, so that the whole judge can be read, copied and trusted alone.

What counts where a solution contradicts itself:
  * The first parameter line and the first place line of a kernel count; each further one is a
    duplicate. A line that names no kernel of the case is one `unknown_kernel`.
  * Execution parameters are judged where the type is right, against the case's formal parameters;
    one `nonpositive_parameter` and one `oversized_parameter` a kernel.
  * Memory is judged where the execution parameters are within their limits, bounds, overlaps, dead
    tiles and regions where there is a place as well. One `dead_tiles` a kernel and dead rectangle,
    one `inside` or `outside` a kernel and region.
  * A fixed kernel is judged by its first place line, and by its first parameter line if that has
    the right type; one `fixed` for each that differs.
  * time, distance and adapter are given if every kernel has exactly one parameter line of the
    right type and formal parameters, within limits, and exactly one place, unless it lies absurdly
    far off the wafer (FARTHEST); total also needs the placement to be legal.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, lcm
from pathlib import Path
from typing import TypeVar

# --- What one kernel costs --------------------------------------------------------------------


@dataclass(frozen=True)
class Conv:
    """conv(H, W, R, S, C, K, T) with U beside T; blocks have fractional H, W, C and K."""

    H: Fraction
    W: Fraction
    R: int
    S: int
    C: Fraction
    K: Fraction
    T: int
    U: int

    def height(self, h: int, w: int, c: int) -> int:
        """Tiles upwards, unrotated."""
        return h * w * (c + 1)

    def width(self, k: int) -> int:
        """Tiles to the right, unrotated."""
        return 3 * k

    def time(self, h: int, w: int, c: int, k: int) -> Fraction:
        """Compute time in the contest's units."""
        steps = ceil(self.H / h) * ceil(self.W / w) * ceil(self.C / c) * ceil(self.K / k)
        return Fraction(steps * self.R * self.S, self.T * self.U)

    def memory(self, h: int, w: int, c: int, k: int) -> Fraction:
        """Words a tile needs, before rounding down."""
        weights = self.C / c * self.K / k * self.R * self.S
        image = (self.W + self.S - 1) / w * (self.H + self.R - 1) / h * self.K / k
        return weights + image


def conv(
    H: Fraction | int, W: Fraction | int, R: int, S: int, C: Fraction | int, K: Fraction | int,
    T: int, U: int,
) -> Conv:
    """A convolution from ints or fractions."""
    return Conv(Fraction(H), Fraction(W), R, S, Fraction(C), Fraction(K), T, U)


def convolutions(kind: str, formal: tuple[int, ...]) -> tuple[Conv, ...]:
    """The convolutions of a kernel, side by side; formals in the order of solution files."""
    if kind == "conv":
        H, W, C, K, R, S, T, U = formal
        return (conv(H, W, R, S, C, K, T, U),)
    H, W, F = formal
    half, quarter = Fraction(F, 2), Fraction(F, 4)
    if kind == "dblock":
        return (
            conv(H, W, 1, 1, F, quarter, 1, 1),
            conv(H, W, 3, 3, quarter, quarter, 1, 1),
            conv(H, W, 1, 1, quarter, F, 1, 1),
        )
    assert kind == "cblock"
    return (
        conv(H, W, 1, 1, half, quarter, 1, 1),
        conv(H, W, 3, 3, quarter, quarter, 2, 2),
        conv(Fraction(H, 2), Fraction(W, 2), 1, 1, quarter, F, 1, 1),
        conv(H, W, 1, 1, half, F, 2, 2),
    )


FORMALS = {"conv": 8, "dblock": 3, "cblock": 3, "shapes": 0}
CONVOLUTIONS = {"conv": 1, "dblock": 3, "cblock": 4, "shapes": 0}


@dataclass(frozen=True)
class Option:
    """One shape of a kernel that is given as a list of shapes."""

    width: int
    height: int
    time: Fraction
    memory: int = 0
    signature: tuple[int, int, int] | None = None


@dataclass(frozen=True)
class Execution:
    """How a kernel is cut: h and w for all its convolutions, c and k for each; or which option of
    its list of shapes it takes, from 1."""

    h: int
    w: int
    c: tuple[int, ...]
    k: tuple[int, ...]
    option: int | None = None

    def values(self) -> tuple[int, ...]:
        """All parameters in the order of solution files."""
        if self.option is not None:
            return (self.option,)
        return (self.h, self.w, *self.c, *self.k)


@dataclass(frozen=True)
class Kernel:
    """A node of the case that has to be placed."""

    name: str
    kind: str
    formal: tuple[int, ...]
    convs: tuple[Conv, ...]
    options: tuple[Option, ...] = ()

    def taken(self, e: Execution) -> Option:
        """The option of a list of shapes."""
        assert e.option is not None
        return self.options[e.option - 1]

    def limits(self) -> tuple[Fraction, ...]:
        """The largest legal execution parameters, in the order of Execution.values()."""
        if self.kind == "shapes":
            return (Fraction(len(self.options)),)
        image = (Fraction(self.formal[0]), Fraction(self.formal[1]))
        return image + tuple(v.C for v in self.convs) + tuple(v.K for v in self.convs)

    def height(self, e: Execution) -> int:
        if self.kind == "shapes":
            return self.taken(e).height
        return max(v.height(e.h, e.w, c) for v, c in zip(self.convs, e.c))

    def width(self, e: Execution) -> int:
        if self.kind == "shapes":
            return self.taken(e).width
        return sum(v.width(k) for v, k in zip(self.convs, e.k))

    def time(self, e: Execution) -> Fraction:
        if self.kind == "shapes":
            return self.taken(e).time
        return max(v.time(e.h, e.w, c, k) for v, c, k in zip(self.convs, e.c, e.k))

    def memory(self, e: Execution) -> int:
        """Words a tile needs, rounded down."""
        if self.kind == "shapes":
            return self.taken(e).memory
        return floor(max(v.memory(e.h, e.w, c, k) for v, c, k in zip(self.convs, e.c, e.k)))

    def input_signature(self, e: Execution) -> tuple[int, int, int] | None:
        """(h, w, c) as the producer of this kernel's input sees it, if it shows any."""
        if self.kind == "shapes":
            return self.taken(e).signature
        return (e.h, e.w, e.c[0])

    def output_signature(self, e: Execution) -> tuple[int, int, int] | None:
        """(h, w, c) as the consumers of this kernel's output see it: c3 of a block."""
        if self.kind == "shapes":
            return self.taken(e).signature
        return (e.h, e.w, e.c[0] if self.kind == "conv" else e.c[2])


def make_kernel(name: str, kind: str, formal: tuple[int, ...]) -> Kernel:
    """A kernel with its convolutions."""
    return Kernel(name, kind, formal, convolutions(kind, formal))


# --- What a problem is ------------------------------------------------------------------------


class BadInput(Exception):
    """A file that is not of its format."""


@dataclass(frozen=True)
class Rectangle:
    """Tiles x ≤ column < x + width, y ≤ row < y + height."""

    x: int
    y: int
    width: int
    height: int

    def within(self, case: Case) -> bool:
        return self.inside(Rectangle(0, 0, case.width, case.height))

    def inside(self, other: Rectangle) -> bool:
        right, top = self.x + self.width, self.y + self.height
        beside = self.x >= other.x and right <= other.x + other.width
        return beside and self.y >= other.y and top <= other.y + other.height

    def overlaps(self, other: Rectangle) -> bool:
        aside = self.x + self.width <= other.x or other.x + other.width <= self.x
        above = self.y + self.height <= other.y or other.y + other.height <= self.y
        return not aside and not above

    def distance(self, other: Rectangle) -> Fraction:
        """L1 distance between the centres."""
        across = (2 * self.x + self.width) - (2 * other.x + other.width)
        along = (2 * self.y + self.height) - (2 * other.y + other.height)
        return Fraction(abs(across) + abs(along), 2)

    def distance_to_area(self, area: Rectangle) -> Fraction:
        """L1 distance from the centre to the nearest point of the area."""
        x, y = self.x + Fraction(self.width, 2), self.y + Fraction(self.height, 2)
        nearest_x = min(max(x, area.x), area.x + area.width)
        nearest_y = min(max(y, area.y), area.y + area.height)
        return abs(x - nearest_x) + abs(y - nearest_y)


@dataclass(frozen=True)
class Fixed:
    """A kernel whose place is given, and perhaps how it is cut."""

    kernel: str
    x: int
    y: int
    rotated: bool
    execution: Execution | None = None


@dataclass(frozen=True)
class Region:
    """A rectangle that kernels have to be inside or outside of, or prefer to be near."""

    kernels: tuple[str, ...]
    area: Rectangle
    rule: str
    weight: Fraction = Fraction(1)


@dataclass
class Case:
    """A contest case: wafer, weights, kernels by name and edges between kernels by name, the
    weights of the edges beside them; dead rectangles, fixed kernels and regions."""

    width: int = 633
    height: int = 633
    memory_limit: int = 24576
    time_weight: Fraction = Fraction(1)
    distance_weight: Fraction = Fraction(1)
    adapter_weight: Fraction = Fraction(0)
    kernels: dict[str, Kernel] = field(default_factory=dict)
    edges: list[tuple[str, str]] = field(default_factory=list)
    edge_weights: list[Fraction] = field(default_factory=list)
    dead: list[Rectangle] = field(default_factory=list)
    fixed: list[Fixed] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)


# --- Reading a case ---------------------------------------------------------------------------

COMMENT = re.compile(r"\(\*(.*?)\*\)", re.S)
TYPE = "(input|output|conv|cblock|dblock|shapes)"
NODE = re.compile(TYPE + r"\s*\[\s*(\d+)\s*\]\s*((?!\s|:).*)?$")
END = TYPE + r"\s*\[\s*(\d+)\s*\]\s*:\s*\w+"
EDGE = re.compile(END + r"\s*->\s*" + END + r"\s*(,.*)?$")
DECIMAL = r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
ATTRIBUTE = re.compile(rf"(\w+)\s*=\s*('[^']*'|\[[^\]]*\]|{DECIMAL})\s*")
EDGE_WEIGHT = re.compile(rf".*,\s*weight\s*=\s*({DECIMAL})$")
OPTION = re.compile(
    rf"\s*(\d+)\s*x\s*(\d+)\s*:\s*({DECIMAL})\s*(?::\s*(\d+)\s*)?"
    r"(?:@\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*)?"
)
HEADER = re.compile(r"(\w+)\s*=\s*(\S+)")
FORMAL_KEYS = {"conv": "H W C K R S T U", "dblock": "h w f", "cblock": "h w f"}


def without_comments(text: str) -> str:
    """The text with comments blanked out and its lines kept."""
    return COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group(0)), text)


def read_header(text: str) -> dict[str, str]:
    """key=value of all comments before the first node."""
    first = re.search(r"\w+\s*\[", without_comments(text))
    head = text[: first.start()] if first else text
    return {
        key: value for block in COMMENT.findall(head) for key, value in HEADER.findall(block)
    }


def read_attributes(text: str, where: str) -> dict[str, str]:
    """The key=value list of a node line; the last value of a key wins."""
    attributes: dict[str, str] = {}
    position = 0
    while position < len(text):
        found = ATTRIBUTE.match(text, position)
        if not found:
            raise BadInput(f"{where}: expected key=value, found {text[position:]!r}")
        attributes[found.group(1)] = found.group(2).strip("'")
        position = found.end()
    return attributes


def whole(text: str | int) -> int:
    """A whole number, perhaps with an exponent: 6e2; ValueError for another one."""
    value = Fraction(text)
    if value.denominator != 1 or ("." in str(text) and "e" not in str(text).lower()):
        raise ValueError(f"{text} is not whole")
    return value.numerator


def read_options(attributes: dict[str, str], where: str) -> tuple[Option, ...]:
    """The list behind options=, in brackets."""
    text, position, options = attributes.get("options", "[]")[1:-1], 0, []
    while position < len(text):
        found = OPTION.match(text, position)
        if not found:
            raise BadInput(f"{where}: expected an option, found {text[position:]!r}")
        width, height, time, memory, *shown = found.groups()
        signature = None if shown[0] is None else (int(shown[0]), int(shown[1]), int(shown[2]))
        option = Option(int(width), int(height), Fraction(time), int(memory or 0), signature)
        options.append(option)
        position = found.end()
    if not options:
        raise BadInput(f"{where}: no options")
    return tuple(options)


def read_formal(kind: str, attributes: dict[str, str], where: str) -> tuple[int, ...]:
    """The formal parameters of a kernel, in the order of solution files."""
    values = dict(attributes)
    if kind == "conv":
        values.setdefault("U", values.get("T", ""))
    try:
        formal = tuple(whole(values[key]) for key in FORMAL_KEYS[kind].split())
    except (KeyError, ValueError) as error:
        raise BadInput(f"{where}: missing or malformed parameter {error}") from error
    if min(formal) < 1:
        raise BadInput(f"{where}: parameters must be positive")
    return formal


def apply_header(case: Case, header: dict[str, str]) -> None:
    """Fills wafer, memory limit and weights from the header's keys."""
    try:
        case.width = whole(header.get("width", case.width))
        case.height = whole(header.get("height", case.height))
        case.memory_limit = whole(header.get("memlimit", case.memory_limit))
        case.time_weight = Fraction(header.get("wdeltat", case.time_weight))
        case.distance_weight = Fraction(header.get("wlength", case.distance_weight))
        case.adapter_weight = Fraction(header.get("wadapter", case.adapter_weight))
    except ValueError as error:
        raise BadInput(f"header: {error}") from error


def read_case(text: str) -> Case:
    """Parses a .kgraph file; BadInput if it is none."""
    case = Case()
    apply_header(case, read_header(text))
    names: dict[tuple[str, int], str] = {}
    edges: list[tuple[tuple[str, int], tuple[str, int], Fraction]] = []
    for number, raw in enumerate(without_comments(text).lstrip("\ufeff").splitlines(), 1):
        line, where = raw.strip(), f"line {number}"
        if not line:
            continue
        if edge := EDGE.match(line):
            weight = EDGE_WEIGHT.match(edge[5] or "")
            value = Fraction(weight[1]) if weight else Fraction(1)
            edges.append(((edge[1], int(edge[2])), (edge[3], int(edge[4])), value))
        elif node := NODE.match(line):
            attributes = read_attributes(node[3] or "", where)
            kind, name = node[1], attributes.get("name", "k" + str(int(node[2])))
            if name in names.values():
                raise BadInput(f"{where}: the name {name} is taken")
            names[kind, int(node[2])] = name
            if kind == "shapes":
                options = read_options(attributes, where)
                case.kernels[name] = Kernel(name, kind, (), (), options)
            elif kind in FORMALS:
                case.kernels[name] = make_kernel(name, kind, read_formal(kind, attributes, where))
        else:
            raise BadInput(f"{where}: expected a node or an edge, found {line!r}")
    resolve_edges(case, names, edges)
    return case


def resolve_edges(
    case: Case,
    names: dict[tuple[str, int], str],
    edges: list[tuple[tuple[str, int], tuple[str, int], Fraction]],
) -> None:
    """Keeps the edges between two kernels: those at inputs and outputs do not count."""
    for producer, consumer, weight in edges:
        for end in (producer, consumer):
            if end not in names:
                raise BadInput(f"an edge names {end[0]}[{end[1]}], which is not a node")
        if names[producer] in case.kernels and names[consumer] in case.kernels:
            case.edges.append((names[producer], names[consumer]))
            case.edge_weights.append(weight)
    if not case.kernels:
        raise BadInput("no kernels")


# --- Reading a wafer and constraints ----------------------------------------------------------


def exact_number(text: str) -> int | Fraction:
    """A number with a point or an exponent: 6e2 is the whole number 600."""
    value = Fraction(text)
    return value.numerator if value.denominator == 1 else value


def read_json(text: str) -> dict:
    """A JSON object, its decimals exact; BadInput if it is none."""
    try:
        value = json.loads(text, parse_float=exact_number)
    except ValueError as error:
        raise BadInput(str(error)) from error
    if not isinstance(value, dict):
        raise BadInput("expected an object")
    return value


def read_rectangle(value: dict) -> Rectangle:
    """{x, y, width, height}."""
    return Rectangle(value["x"], value["y"], value["width"], value["height"])


def apply_wafer(case: Case, text: str) -> None:
    """Puts a wafer file in place of the case's wafer: {width, height, memory_limit, dead}. What
    of a dead rectangle lies beyond the wafer is cut off, and dropped if that is all of it."""
    try:
        wafer = read_json(text)
        case.width, case.height = wafer["width"], wafer["height"]
        case.memory_limit = wafer.get("memory_limit", case.memory_limit)
        for dead in map(read_rectangle, wafer.get("dead", [])):
            left, bottom = max(dead.x, 0), max(dead.y, 0)
            right = min(dead.x + dead.width, case.width)
            top = min(dead.y + dead.height, case.height)
            if left < right and bottom < top:
                case.dead.append(Rectangle(left, bottom, right - left, top - bottom))
    except (KeyError, TypeError) as error:
        raise BadInput(f"wafer: {error!r}") from error


def read_execution(kernel: Kernel, numbers: list[int]) -> Execution:
    """Execution parameters in the order of solution files."""
    if kernel.kind == "shapes":
        (option,) = numbers
        return Execution(0, 0, (), (), option)
    h, w, *rest = numbers
    parts = CONVOLUTIONS[kernel.kind]
    if len(rest) != 2 * parts:
        raise BadInput(f"{kernel.name} has {2 + 2 * parts} execution parameters")
    return Execution(h, w, tuple(rest[:parts]), tuple(rest[parts:]))


def apply_constraints(case: Case, text: str) -> None:
    """Adds the constraints of a file: {fixed, regions}."""
    try:
        constraints = read_json(text)
        lines: list[str] = []
        for item in constraints.get("fixed", []):
            if isinstance(item, str):
                lines.append(item)
                continue
            kernel, execution = case.kernels[item["kernel"]], None
            if "execution" in item:
                execution = read_execution(kernel, item["execution"])
            rotated = item.get("orientation", "R0") == "R90"
            case.fixed.append(Fixed(kernel.name, item["x"], item["y"], rotated, execution))
        given = read_solution("\n".join(lines))
        executions = {line.name: line.execution for line in given.definitions}
        for place in given.places:
            execution = executions.get(place.name)
            case.fixed.append(Fixed(place.name, place.x, place.y, place.rotated, execution))
        for item in constraints.get("regions", []):
            names = tuple(case.kernels) if item["kernels"] == "*" else tuple(item["kernels"])
            weight = Fraction(item.get("weight", 1))
            area = read_rectangle(item["rectangle"])
            case.regions.append(Region(names, area, item["rule"], weight))
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"constraints: {error!r}") from error


# --- Reading a solution -----------------------------------------------------------------------


@dataclass(frozen=True)
class Definition:
    """`k1 = conv( … )`."""

    name: str
    kind: str
    formal: tuple[int, ...]
    execution: Execution


@dataclass(frozen=True)
class Place:
    """`k1 : place(x y R0)`."""

    name: str
    x: int
    y: int
    rotated: bool


@dataclass
class Solution:
    """The lines of a solution file, unchecked."""

    definitions: list[Definition] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)


DEFINITION = re.compile(r"(\S+)\s*=\s*(conv|cblock|dblock|shapes)\s*\(([\s\d.eE+-]*)\)$")
PLACE = re.compile(
    rf"(\S+)\s*:\s*place\s*\(\s*(-?{DECIMAL})\s+(-?{DECIMAL})\s+(R0|R90)\s*\)$")
IGNORED = re.compile(
    r"include\b|name\s*\(|\S+\s*:\s*name\s*\(\s*['\"]?[^\s'\"()]+['\"]?\s*\)$"
    r"|\S+\s*=\s*union\s*\([^()]*\)$")


def whole_numbers(words: list[str], where: str) -> list[int]:
    try:
        return [whole(word) for word in words]
    except ValueError as error:
        raise BadInput(f"{where}: {error}") from error


def read_definition(name: str, kind: str, numbers: list[int], where: str) -> Definition:
    """Splits the numbers of a parameter line into formals, h, w, c's and k's."""
    if kind == "shapes":
        if len(numbers) != 1:
            raise BadInput(f"{where}: shapes has one parameter")
        return Definition(name, kind, (), Execution(0, 0, (), (), numbers[0]))
    formals, parts = FORMALS[kind], CONVOLUTIONS[kind]
    if len(numbers) != formals + 2 + 2 * parts:
        raise BadInput(f"{where}: {kind} has {formals + 2 + 2 * parts} parameters")
    h, w, *rest = numbers[formals:]
    execution = Execution(h, w, tuple(rest[:parts]), tuple(rest[parts:]))
    return Definition(name, kind, tuple(numbers[:formals]), execution)


def read_solution(text: str) -> Solution:
    """Parses a solution file; BadInput if it is none."""
    solution = Solution()
    for number, raw in enumerate(without_comments(text).lstrip("\ufeff").splitlines(), 1):
        line, where = raw.strip(), f"line {number}"
        if not line or IGNORED.match(line):
            continue
        if found := DEFINITION.match(line):
            numbers = whole_numbers(found[3].split(), where)
            solution.definitions.append(read_definition(found[1], found[2], numbers, where))
        elif found := PLACE.match(line):
            x, y = whole_numbers([found[2], found[3]], where)
            place = Place(found[1], x, y, found[4] == "R90")
            solution.places.append(place)
        else:
            raise BadInput(f"{where}: expected parameters or a place, found {line!r}")
    return solution


# --- Judging ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Violation:
    """One broken rule and the kernels that it concerns."""

    kind: str
    kernels: tuple[str, ...]
    message: str = ""


@dataclass
class Judgement:
    """What the contest says of a solution; None for what cannot be computed."""

    violations: list[Violation]
    time: Fraction | None = None
    distance: Fraction | None = None
    adapter: int | None = None
    preference: Fraction | None = None
    total: Fraction | None = None

    @property
    def legal(self) -> bool:
        return not self.violations


def rectangle(kernel: Kernel, execution: Execution, place: Place) -> Rectangle:
    """The tiles that a kernel covers."""
    width, height = kernel.width(execution), kernel.height(execution)
    if place.rotated:
        width, height = height, width
    return Rectangle(place.x, place.y, width, height)


def book_keeping(case: Case, solution: Solution) -> Iterator[Violation]:
    """Missing, duplicate and unknown kernels."""
    for what, lines in (("kernel", solution.definitions), ("place", solution.places)):
        seen: set[str] = set()
        for line in lines:
            if line.name not in case.kernels:
                yield Violation("unknown_kernel", (line.name,), f"{line.name} is not in the case")
            elif line.name in seen:
                yield Violation(f"duplicate_{what}", (line.name,), f"a second {what} line")
            seen.add(line.name)
        for name in case.kernels:
            if name not in seen:
                yield Violation(f"missing_{what}", (name,), f"no {what} line")


def parameter_violations(kernel: Kernel, given: Definition) -> Iterator[Violation]:
    """Wrong types, formals and execution parameters of one parameter line."""
    name = (kernel.name,)
    if given.kind != kernel.kind:
        yield Violation("wrong_type", name, f"{given.kind}, not {kernel.kind}")
        return
    if given.formal != kernel.formal:
        yield Violation("wrong_formal", name, f"{given.formal}, not {kernel.formal}")
    values, limits = given.execution.values(), kernel.limits()
    if any(value < 1 for value in values):
        yield Violation("nonpositive_parameter", name, f"{min(values)} is below 1")
    if any(value > limit for value, limit in zip(values, limits)):
        yield Violation("oversized_parameter", name, f"{values} above {limits}")


def memory_violations(
    case: Case, kernel: Kernel, given: Definition
) -> Iterator[Violation]:
    """Too much memory; the execution parameters are within limits."""
    words = kernel.memory(given.execution)
    if words > case.memory_limit:
        yield Violation("memory", (kernel.name,), f"{words} words above {case.memory_limit}")


def geometry_violations(case: Case, tiles: dict[str, Rectangle]) -> Iterator[Violation]:
    """Kernels off the wafer and pairs that share tiles."""
    for name, own in tiles.items():
        if not own.within(case):
            yield Violation("out_of_bounds", (name,), f"{own} leaves the wafer")
    names = list(tiles)
    for index, first in enumerate(names):
        for second in names[index + 1 :]:
            if tiles[first].overlaps(tiles[second]):
                yield Violation("overlap", (first, second), f"{tiles[first]} {tiles[second]}")
    for name, own in tiles.items():
        for dead in case.dead:
            if own.overlaps(dead):
                yield Violation("dead_tiles", (name,), f"{own} covers {dead}")


def fixed_violations(
    case: Case, definitions: dict[str, Definition], places: dict[str, Place]
) -> Iterator[Violation]:
    """Fixed kernels that lie or are cut otherwise."""
    for fixed in case.fixed:
        name, place = (fixed.kernel,), places.get(fixed.kernel)
        definition = definitions.get(fixed.kernel)
        where = (fixed.x, fixed.y, fixed.rotated)
        if place is not None and (place.x, place.y, place.rotated) != where:
            yield Violation("fixed", name, f"{place}, not {where}")
        if fixed.execution is None or definition is None:
            continue
        if definition.kind != case.kernels[fixed.kernel].kind:
            continue
        if definition.execution != fixed.execution:
            yield Violation("fixed", name, f"{definition.execution}, not {fixed.execution}")


def region_violations(case: Case, tiles: dict[str, Rectangle]) -> Iterator[Violation]:
    """Kernels that are not inside, or not outside, a region."""
    for region in case.regions:
        for name in region.kernels:
            own = tiles.get(name)
            if own is None:
                continue
            if region.rule == "inside" and not own.inside(region.area):
                yield Violation("inside", (name,), f"{own} is not in {region.area}")
            if region.rule == "outside" and own.overlaps(region.area):
                yield Violation("outside", (name,), f"{own} is in {region.area}")


Line = TypeVar("Line", Definition, Place)


def first_lines(case: Case, lines: Sequence[Line]) -> dict[str, Line]:
    """The first line of each kernel of the case, by name."""
    first: dict[str, Line] = {}
    for line in lines:
        if line.name in case.kernels:
            first.setdefault(line.name, line)
    return first


def mismatches(a: tuple[int, int, int] | None, b: tuple[int, int, int] | None) -> int:
    """How many of (h, w, c) differ, if both are shown."""
    if a is None or b is None:
        return 0
    return sum(one != other for one, other in zip(a, b))


def judge(case: Case, solution: Solution) -> Judgement:
    """Lists all violations and computes the score where it is defined."""
    found = list(book_keeping(case, solution))
    definitions = first_lines(case, solution.definitions)
    places = first_lines(case, solution.places)
    executions: dict[str, Execution] = {}
    tiles: dict[str, Rectangle] = {}
    for name, kernel in case.kernels.items():
        if name not in definitions:
            continue
        wrong = list(parameter_violations(kernel, definitions[name]))
        found += wrong
        if any(violation.kind != "wrong_formal" for violation in wrong):
            continue
        found += memory_violations(case, kernel, definitions[name])
        executions[name] = definitions[name].execution
        if name in places:
            tiles[name] = rectangle(kernel, executions[name], places[name])
    found += geometry_violations(case, tiles)
    found += fixed_violations(case, definitions, places)
    found += region_violations(case, tiles)
    judgement = Judgement(found)
    uncountable = {"duplicate_kernel", "duplicate_place", "wrong_formal"}
    if len(tiles) == len(case.kernels) and not any(v.kind in uncountable for v in found):
        add_score(case, executions, tiles, judgement)
    return judgement


# Parts of a score beyond this, in half tiles of the edges' finest weight and in millionths of
# half a unit, are not told: only kernels far off the wafer have them.
FARTHEST = 2**62


def add_score(
    case: Case, executions: dict[str, Execution], tiles: dict[str, Rectangle], to: Judgement
) -> None:
    """Computes time, distance and adapter of a complete placement, and total of a legal one."""
    kernels = case.kernels
    time = max(kernels[name].time(executions[name]) for name in kernels)
    distance = sum(
        (
            weight * tiles[a].distance(tiles[b])
            for (a, b), weight in zip(case.edges, case.edge_weights)
        ),
        Fraction(0),
    )
    preference = sum(
        (
            region.weight * tiles[name].distance_to_area(region.area)
            for region in case.regions
            if region.rule == "prefer"
            for name in region.kernels
        ),
        Fraction(0),
    )
    adapter = sum(
        mismatches(
            kernels[a].output_signature(executions[a]), kernels[b].input_signature(executions[b])
        )
        for a, b in case.edges
    )
    units = 2 * lcm(*(weight.denominator for weight in case.edge_weights))
    if distance * units > FARTHEST or preference * 2 * 10**6 > FARTHEST:
        return
    to.time, to.distance, to.adapter, to.preference = time, distance, adapter, preference
    if to.legal:
        to.total = (
            case.time_weight * time
            + case.distance_weight * distance
            + case.adapter_weight * adapter
            + preference
        )


# --- Reporting --------------------------------------------------------------------------------


def decimal_text(value: Fraction | int) -> str:
    """Shortest exact decimal; rounded half up to 12 places where there is none. Value ≥ 0."""
    value = Fraction(value)
    places, rest = 0, value.denominator
    while rest % 10 == 0 or rest % 5 == 0 or rest % 2 == 0:
        rest = rest // 10 if rest % 10 == 0 else rest // 5 if rest % 5 == 0 else rest // 2
        places += 1
    if rest != 1:
        places = 12
    digits = str(floor(value * 10**places + Fraction(1, 2))).rjust(places + 1, "0")
    if places == 0:
        return digits
    return f"{digits[:-places]}.{digits[-places:]}".rstrip("0").rstrip(".")


def json_number(value: Fraction | int | None) -> int | float | str | None:
    """A JSON number where a double prints the value exactly, else its text."""
    if value is None:
        return None
    text = decimal_text(value)
    if "." not in text:
        return int(text) if abs(int(text)) <= 2**53 else text
    return float(text) if repr(float(text)) == text else text


def report(judgement: Judgement) -> dict[str, object]:
    """The judgement in the keys of `waferloom score --report -`."""
    return {
        "legal": judgement.legal,
        "violations": [
            {"kind": v.kind, "kernels": list(v.kernels), "message": v.message}
            for v in judgement.violations
        ],
        "time": json_number(judgement.time),
        "distance": json_number(judgement.distance),
        "adapter": judgement.adapter,
        "preference": json_number(judgement.preference),
        "total": json_number(judgement.total),
    }


def judge_files(
    case_path: str | Path,
    solution_path: str | Path,
    wafer_path: str | Path | None = None,
    constraints_path: str | Path | None = None,
) -> Judgement:
    """Reads and judges; BadInput or OSError if a file cannot be read."""
    try:
        case = read_case(Path(case_path).read_text("utf-8-sig"))
        if wafer_path is not None:
            apply_wafer(case, Path(wafer_path).read_text("utf-8-sig"))
        if constraints_path is not None:
            apply_constraints(case, Path(constraints_path).read_text("utf-8-sig"))
        solution = read_solution(Path(solution_path).read_text("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput(str(error)) from error
    return judge(case, solution)


def main(arguments: list[str]) -> int:
    """Command line: CASE SOL and options."""
    parser = argparse.ArgumentParser(
        prog="score_oracle.py", description="Judges a placement.", allow_abbrev=False
    )
    parser.add_argument("case")
    parser.add_argument("solution")
    parser.add_argument("--wafer", help="JSON file in place of the case's wafer")
    parser.add_argument("--constraints", help="JSON file of fixed kernels and regions")
    given = parser.parse_args(arguments)
    try:
        judgement = judge_files(given.case, given.solution, given.wafer, given.constraints)
    except (BadInput, OSError) as error:
        print(f"score_oracle.py: {error}", file=sys.stderr)
        return 2
    print(json.dumps(report(judgement), indent=2))
    return 0 if judgement.legal else 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
