#!/usr/bin/env python3
"""Judges the routes of a placement, written from the words of docs/formats.md and docs/router.md.

    verify_routes.py CASE SOL ROUTES HARDWARE [--wafer FILE] [--training]

prints {legal, faults[], tensors, lanes, hops} as JSON. `waferloom hardware NAME -o HARDWARE` writes
a preset's hardware file with every key. Exit codes: 0 legal, 4 faults, 2 bad input. Nothing is
shared with the program that this is compared with (tests/scripts/verify_routes_test.py); how cases
and solutions are read is score_oracle.py's.

What is asked of routes:
  * They are of the hardware's mesh and have the placement's tensors, each once: every edge, from
    kernel to kernel, from a network input or to an output; with --training, a gradient back for
    every edge between kernels. Tensors are named "producer -> consumer"; of several alike the
    second is "producer -> consumer #2", those with fewer bytes first.
  * The lanes of a tensor carry its bytes together: elements of its shape times element_bytes.
  * A lane begins on a tile of its producer and ends on one of its consumer; at a network input or
    output, on the tile of a port that is live and that the terminal may use.
  * Its path leads from the one to the other by live links over live tiles of the mesh.
  * Lanes that share a tile have different colours, all below the hardware's routing.colours. The
    last routing.kernel_colours of these are the kernels' own on their tiles. A lane that comes to a
    tile twice meets itself there.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import score_oracle as oracle
from score_oracle import BadInput, Rectangle

Tile = tuple[int, int]

STEPS = {"E": (1, 0), "W": (-1, 0), "N": (0, 1), "S": (0, -1)}
LETTERS = {"east": "E", "west": "W", "north": "N", "south": "S"}
PATH = re.compile(r"([EWNS]\d+( [EWNS]\d+)*)?")
SHAPE = re.compile(r"shape\s*:\s*\[\s*(\d+)\s*\]\s*\[\s*(\d+)\s*\]\s*\[\s*(\d+)\s*\]")

# --- What is to be routed ---------------------------------------------------------------------


@dataclass(frozen=True)
class Tensor:
    """What goes from one kernel to another; None: the wafer's edge, by one of some ports."""

    producer: str | None
    consumer: str | None
    size: int
    ports: frozenset[int] = frozenset()


@dataclass
class Fabric:
    """What a hardware file says of tiles, links, ports and colours."""

    width: int
    height: int
    element_bytes: int
    colours: int
    kernel_colours: int
    ports: list[Tile]
    port_of: dict[str, int]
    dead_tiles: set[Tile] = field(default_factory=set)
    dead_links: set[tuple[Tile, str]] = field(default_factory=set)

    def holds(self, tile: Tile) -> bool:
        return 0 <= tile[0] < self.width and 0 <= tile[1] < self.height

    def bury(self, area: Rectangle) -> None:
        """Marks tiles as dead."""
        self.dead_tiles.update(tile for tile in tiles_of(area) if self.holds(tile))

    def ports_for(self, terminal: str) -> frozenset[int]:
        """The ports that an input or output may use, by place in the list of ports."""
        if terminal in self.port_of:
            return frozenset([self.port_of[terminal]])
        return frozenset(i for i, tile in enumerate(self.ports) if tile not in self.dead_tiles)


def tiles_of(area: Rectangle) -> Iterator[Tile]:
    for y in range(area.y, area.y + area.height):
        for x in range(area.x, area.x + area.width):
            yield x, y


def port_tiles(entry: dict[str, Any], width: int, height: int) -> list[Tile]:
    """The tiles of an entry of host_ports or dram_ports, which stands for several."""
    first = entry["position"]
    tiles: list[Tile] = []
    for position in range(first, entry.get("last", first) + 1, entry.get("every", 1)):
        tiles.append({"west": (0, position), "east": (width - 1, position),
                      "south": (position, 0), "north": (position, height - 1)}[entry["side"]])
    return tiles


def read_fabric(text: str) -> Fabric:
    """The mesh of a machine's file, or a hardware file; BadInput if it is none."""
    try:
        file = oracle.read_json(text)
        file = file.get("fabric", file)
        if file.get("topology", "mesh") != "mesh":
            raise BadInput("hardware: routes are of meshes")
        rules = file.get("routing", {})
        width, height = file["columns"], file["rows"]
        memory = file.get("edge_io", "host") == "dram"
        ports: list[Tile] = []
        for entry in file.get("dram_ports" if memory else "host_ports", []):
            ports += port_tiles(entry, width, height)
        fabric = Fabric(width, height, file.get("element_bytes", 2), rules.get("colours", 21),
                        rules.get("kernel_colours", 8), ports,
                        {} if memory else file.get("host_port_of", {}))
        for area in file.get("dead", []):
            fabric.bury(oracle.read_rectangle(area))
        for link in file.get("dead_links", []):
            fabric.dead_links.add(((link["x"], link["y"]), LETTERS[link["direction"]]))
    except (AttributeError, KeyError, TypeError) as error:
        raise BadInput(f"hardware: {error!r}") from error
    return fabric


def elements(text: str | None) -> int:
    """Of a shape behind an edge; 0 if there is none."""
    found = SHAPE.search(text or "")
    return prod(map(int, found.groups())) if found else 0


def read_edges(text: str) -> Iterator[tuple[str, str, int]]:
    """Producer, consumer and elements of every edge of a .kgraph file; at an input or output that
    gives no shape, those of the terminal."""
    names: dict[tuple[str, int], str] = {}
    sizes: dict[str, int] = {}
    edges = []
    for raw in oracle.without_comments(text).lstrip("\ufeff").splitlines():
        line = raw.strip()
        if edge := oracle.EDGE.match(line):
            edges.append(((edge[1], int(edge[2])), (edge[3], int(edge[4])), elements(edge[5])))
        elif node := oracle.NODE.match(line):
            attributes = oracle.read_attributes(node[3] or "", line)
            name = attributes.get("name", "k" + str(int(node[2])))
            names[node[1], int(node[2])] = name
            if node[1] in ("input", "output"):
                sizes[name] = prod(map(int, attributes.get("n", "[0]")[1:-1].split()))
    for producer, consumer, size in edges:
        ends = names[producer], names[consumer]
        yield *ends, size or sizes.get(ends[0], 0) or sizes.get(ends[1], 0)


def tensors_of(text: str, case: oracle.Case, fabric: Fabric, training: bool) -> dict[str, Tensor]:
    """What a sample moves, by name."""
    alike: dict[str, list[Tensor]] = {}
    for producer, consumer, count in read_edges(text):
        ports: frozenset[int] = frozenset()
        for end in (producer, consumer):
            if end not in case.kernels:
                ports = fabric.ports_for(end)
        tensor = Tensor(producer if producer in case.kernels else None,
                        consumer if consumer in case.kernels else None,
                        count * fabric.element_bytes, ports)
        alike.setdefault(f"{producer} -> {consumer}", []).append(tensor)
    tensors: dict[str, Tensor] = {}
    for name, several in alike.items():
        for place, tensor in enumerate(sorted(several, key=lambda one: one.size), 1):
            tensors[name if place == 1 else f"{name} #{place}"] = tensor
    if training:
        for name, tensor in list(tensors.items()):
            if tensor.producer and tensor.consumer:
                back = Tensor(tensor.consumer, tensor.producer, tensor.size)
                tensors["gradient of " + name] = back
    return tensors


def kernel_tiles(case: oracle.Case, solution: oracle.Solution) -> dict[str, Rectangle]:
    """Where the kernels of a legal solution lie."""
    verdict = oracle.judge(case, solution)
    if not verdict.legal:
        raise BadInput(f"the solution is illegal: {verdict.violations[0].message}")
    places = {place.name: place for place in solution.places}
    return {given.name: oracle.rectangle(case.kernels[given.name], given.execution,
                                         places[given.name])
            for given in solution.definitions}


# --- The routes -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lane:
    """A lane of a routes file."""

    begin: Tile
    end: Tile
    size: int
    path: str
    colour: int
    port: int | None


@dataclass(frozen=True)
class Routes:
    """A routes file; tensors in its order, a name perhaps twice."""

    mesh: tuple[int, int]
    tensors: list[tuple[str, int, list[Lane]]]


def whole(value: object, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadInput(f"routes: {what} is not a whole number")
    return value


def keyed(value: object, what: str, needed: str, optional: str = "") -> dict[str, Any]:
    """An object with all of some keys, and no others but the optional ones."""
    if not isinstance(value, dict):
        raise BadInput(f"routes: {what} is not an object")
    if missing := set(needed.split()) - set(value):
        raise BadInput(f"routes: {what} has no {sorted(missing)[0]}")
    if others := set(value) - set(needed.split()) - set(optional.split()):
        raise BadInput(f"routes: {what} has an unknown key, {sorted(others)[0]}")
    return value


def read_tile(value: object, what: str) -> Tile:
    if not isinstance(value, list) or len(value) != 2:
        raise BadInput(f"routes: {what} is not [x, y]")
    return whole(value[0], what), whole(value[1], what)


def read_lane(value: object) -> Lane:
    lane = keyed(value, "a lane", "from to bytes path colour", "port")
    if not isinstance(lane["path"], str) or not PATH.fullmatch(lane["path"]):
        raise BadInput(f"routes: {lane['path']!r} is no path")
    port = whole(lane["port"], "port") if "port" in lane else None
    return Lane(read_tile(lane["from"], "from"), read_tile(lane["to"], "to"),
                whole(lane["bytes"], "bytes"), lane["path"], whole(lane["colour"], "colour"), port)


def read_routes(text: str) -> Routes:
    """A file of schema waferloom/routes/1; BadInput if it is none."""
    file = keyed(oracle.read_json(text), "the file", "columns rows tensors", "schema hardware")
    if file.get("schema", "waferloom/routes/1") != "waferloom/routes/1":
        raise BadInput(f"routes: the schema is {file['schema']!r}")
    tensors = []
    if not isinstance(file["tensors"], list):
        raise BadInput("routes: tensors is not an array")
    for value in file["tensors"]:
        tensor = keyed(value, "a tensor", "name bytes lanes", "buffer_samples price")
        if not isinstance(tensor["lanes"], list) or not isinstance(tensor["name"], str):
            raise BadInput("routes: a tensor's lanes or name are of another type")
        lanes = [read_lane(lane) for lane in tensor["lanes"]]
        tensors.append((tensor["name"], whole(tensor["bytes"], "bytes"), lanes))
    return Routes((whole(file["columns"], "columns"), whole(file["rows"], "rows")), tensors)


# --- Judging ----------------------------------------------------------------------------------


class Judge:
    """Goes over all routes once; keeps who has which colour on which tile."""

    def __init__(self, fabric: Fabric, kernels: dict[str, Rectangle],
                 tensors: dict[str, Tensor]) -> None:
        self.fabric, self.kernels, self.tensors = fabric, kernels, tensors
        self.taken: dict[tuple[Tile, int], str] = {}  # by whom
        own = range(max(0, fabric.colours - fabric.kernel_colours), fabric.colours)
        for name, area in kernels.items():
            for tile in tiles_of(area):
                self.taken.update({(tile, colour): f"kernel {name}" for colour in own})

    def judge(self, routes: Routes) -> Iterator[str]:
        """All faults, a sentence each."""
        if routes.mesh != (self.fabric.width, self.fabric.height):
            yield f"the routes are of another mesh, of {routes.mesh[0]} x {routes.mesh[1]} tiles"
            return
        seen: set[str] = set()
        for name, size, lanes in routes.tensors:
            if name in seen:
                yield f"tensor {name} is there twice"
            seen.add(name)
            if name in self.tensors:
                yield from self.judge_tensor(name, size, lanes)
            else:
                yield f"tensor {name} is unknown"
        yield from (f"tensor {name} is missing" for name in self.tensors if name not in seen)

    def judge_tensor(self, name: str, size: int, lanes: list[Lane]) -> Iterator[str]:
        tensor = self.tensors[name]
        if size != tensor.size:
            yield f"tensor {name} has {tensor.size} bytes, not {size}"
        if sum(lane.size for lane in lanes) != size:
            yield f"the lanes of tensor {name} do not carry its {size} bytes"
        for place, lane in enumerate(lanes):
            faults = [*self.judge_ends(tensor, lane), *self.judge_path(f"{name}/{place}", lane)]
            if lane.size < 0:
                faults.append("carries less than nothing")
            yield from (f"lane {place} of tensor {name} {fault}" for fault in faults)

    def judge_ends(self, tensor: Tensor, lane: Lane) -> Iterator[str]:
        for verb, kernel, tile in (("begins", tensor.producer, lane.begin),
                                   ("ends", tensor.consumer, lane.end)):
            if kernel is not None:
                if not Rectangle(*tile, 1, 1).inside(self.kernels[kernel]):
                    yield f"{verb} at {tile}, which is not one of kernel {kernel}"
            elif lane.port not in tensor.ports:
                yield f"uses port {lane.port}, which the tensor may not use"
            elif self.fabric.ports[lane.port] != tile:
                yield f"{verb} at {tile}, but its port is at {self.fabric.ports[lane.port]}"

    def judge_path(self, name: str, lane: Lane) -> Iterator[str]:
        if not 0 <= lane.colour < self.fabric.colours:
            yield f"has colour {lane.colour} of {self.fabric.colours}"
            return
        tile = lane.begin
        yield from self.enter(name, lane, tile)
        for leg in lane.path.split():
            for _ in range(int(leg[1:])):
                if (tile, leg[0]) in self.fabric.dead_links:
                    yield f"takes a dead link, {leg[0]} of {tile}"
                tile = tile[0] + STEPS[leg[0]][0], tile[1] + STEPS[leg[0]][1]
                yield from self.enter(name, lane, tile)
                if not self.fabric.holds(tile):
                    return
            if int(leg[1:]) < 1:
                yield f"has a leg without hops, {leg}"
        if tile != lane.end:
            yield f"leads to {tile}, not to {lane.end}"

    def enter(self, name: str, lane: Lane, tile: Tile) -> Iterator[str]:
        if not self.fabric.holds(tile):
            yield f"leaves the mesh at {tile}"
        if tile in self.fabric.dead_tiles:
            yield f"crosses the dead tile {tile}"
        if other := self.taken.get((tile, lane.colour)):
            yield f"meets {other} at {tile} in colour {lane.colour}"
        self.taken[tile, lane.colour] = name


def judge_files(case_path: str | Path, solution_path: str | Path, routes_path: str | Path,
                hardware_path: str | Path, wafer_path: str | Path | None = None,
                training: bool = False) -> dict[str, Any]:
    """Reads and judges; BadInput or OSError if a file cannot be read."""
    try:
        text = Path(case_path).read_text("utf-8-sig")
        case = oracle.read_case(text)
        fabric = read_fabric(Path(hardware_path).read_text("utf-8-sig"))
        if wafer_path is not None:
            oracle.apply_wafer(case, Path(wafer_path).read_text("utf-8-sig"))
        for area in case.dead:
            fabric.bury(area)
        solution = oracle.read_solution(Path(solution_path).read_text("utf-8-sig"))
        routes = read_routes(Path(routes_path).read_text("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadInput(str(error)) from error
    tensors = tensors_of(text, case, fabric, training)
    faults = list(Judge(fabric, kernel_tiles(case, solution), tensors).judge(routes))
    lanes = [lane for _, _, several in routes.tensors for lane in several]
    return {"legal": not faults, "faults": faults, "tensors": len(routes.tensors),
            "lanes": len(lanes),
            "hops": sum(int(leg[1:]) for lane in lanes for leg in lane.path.split())}


def main(arguments: list[str]) -> int:
    """Command line: CASE SOL ROUTES HARDWARE and options."""
    parser = argparse.ArgumentParser(prog="verify_routes.py", description="Judges routes.",
                                     allow_abbrev=False)
    for name in ("case", "solution", "routes", "hardware"):
        parser.add_argument(name)
    parser.add_argument("--wafer", help="JSON file in place of the case's wafer")
    parser.add_argument("--training", action="store_true", help="gradients are routed, too")
    given = parser.parse_args(arguments)
    try:
        verdict = judge_files(given.case, given.solution, given.routes, given.hardware,
                              given.wafer, given.training)
    except (BadInput, OSError) as error:
        print(f"verify_routes.py: {error}", file=sys.stderr)
        return 2
    print(json.dumps(verdict, indent=2))
    return 0 if verdict["legal"] else 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
