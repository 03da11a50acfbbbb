"""The judge of routes in scripts/ takes what `waferloom route` writes and refuses what is changed,
as `waferloom simulate --routes` does."""

import copy
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, Callable

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "support")]

import verify_routes as judge  # noqa: E402
from program import SMALL_CASE, SMALL_SOLUTION  # noqa: E402

PROGRAM = os.environ.get("WAFERLOOM_PROGRAM", str(ROOT / "build/release/waferloom"))

# 40 x 30 tiles, as SMALL_CASE has: kernels on 6 x 8 tiles at (0, 0), (6, 0) and (12, 0).
SMALL_HARDWARE: dict[str, Any] = {
    "name": "small", "columns": 40, "rows": 30, "clock_hz": 1_000_000_000,
    "link": {"bytes_per_s": 1_000_000_000, "latency_ps": 1_000},
    "host_ports": [{"side": "west", "position": 0, "last": 29, "every": 3},
                   {"side": "east", "position": 5}],
    "dead": [{"x": 19, "y": 4, "width": 2, "height": 1}],
    "dead_links": [{"x": 5, "y": 2, "direction": "east"}]}

# Two kernels as lists of shapes, joined twice, with a tile between and an input at a named port.
PAIR_CASE = """(* width=12 height=6 wdeltat=1 wlength=1 wadapter=0 memlimit=100 *)
input[0] n=[4 4 4] name='in'
shapes[1] options=[3x4:900:10] name='a'
shapes[2] options=[3x4:700:10] name='b'
output[3] n=[2 2 2] name='out'
input[0]:y -> shapes[1]:x
shapes[1]:y -> shapes[2]:x, shape:[8][8][8]
shapes[1]:z -> shapes[2]:u, shape:[4][4][8]
shapes[2]:y -> output[3]:x, shape:[8][4][2]
"""
PAIR_SOLUTION = "a = shapes( 1 )\nb = shapes( 1 )\na : place(1 1 R0)\nb : place(6 1 R0)\n"
PAIR_HARDWARE: dict[str, Any] = {
    "name": "pair", "columns": 12, "rows": 6, "clock_hz": 1_000_000_000, "element_bytes": 4,
    "link": {"bytes_per_s": 100_000_000, "latency_ps": 1_000},
    "routing": {"colours": 12, "kernel_colours": 3, "lanes_max": 3},
    "host_ports": [{"side": "south", "position": 2, "last": 10, "every": 4},
                   {"side": "north", "position": 0}],
    "host_port_of": {"in": 3}}

Change = Callable[[dict[str, Any]], None]


class RoutedCase:
    """A case in a folder, with its routes."""

    def __init__(self, folder: Path, case: str, solution: str, hardware: dict[str, Any],
                 *more: str) -> None:
        self.folder, self.more = folder, more
        self.write("case.kgraph", case)
        self.write("case.sol", solution)
        self.write("hardware.json", json.dumps(hardware))
        done = self.run("route", "case.kgraph", "case.sol", "-o", "routes.json", *more)
        assert done.returncode == 0, done.stderr
        self.routes = json.loads((folder / "routes.json").read_text())

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([PROGRAM, *arguments, "--hardware", "hardware.json"],
                              cwd=self.folder, capture_output=True, text=True, check=False)

    def put(self, routes: dict[str, Any]) -> None:
        self.write("routes.json", json.dumps(routes))

    def faults(self) -> list[str]:
        """What the judge says of routes.json; BadInput for its form."""
        paths = [self.folder / name
                 for name in ("case.kgraph", "case.sol", "routes.json", "hardware.json")]
        return judge.judge_files(*paths, training="--training" in self.more)["faults"]

    def is_taken(self) -> bool:
        """Whether the program takes routes.json."""
        done = self.run("simulate", "case.kgraph", "case.sol", "--routes", "routes.json",
                        "--samples", "2", *self.more)
        assert done.returncode in (0, 2, 3), done.stderr
        return done.returncode == 0

    def lane(self, tensor: str, place: int = 0) -> dict[str, Any]:
        """A lane of the routes."""
        return self.lanes(self.routes, tensor)[place]

    @staticmethod
    def lanes(routes: dict[str, Any], tensor: str) -> list[dict[str, Any]]:
        return next(one["lanes"] for one in routes["tensors"] if one["name"] == tensor)


class VerifyRoutesTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def small(self, *more: str) -> RoutedCase:
        return RoutedCase(self.folder, SMALL_CASE, SMALL_SOLUTION, SMALL_HARDWARE, *more)

    def pair(self, *more: str) -> RoutedCase:
        return RoutedCase(self.folder, PAIR_CASE, PAIR_SOLUTION, PAIR_HARDWARE, *more)

    def refused(self, case: RoutedCase, fault: str, change: Change) -> None:
        """A change of the routes has one fault at least, of which one says so."""
        routes = copy.deepcopy(case.routes)
        change(routes)
        case.put(routes)
        self.assertIn(fault, "; ".join(case.faults()))
        self.assertFalse(case.is_taken(), fault)

    def test_what_the_program_writes_is_legal(self) -> None:
        for make in (self.small, self.pair):
            for more in ((), ("--training",)):
                case = make(*more)
                self.assertEqual(case.faults(), [])
                self.assertTrue(case.is_taken())

    def test_tensors_and_their_bytes_are_as_by_hand(self) -> None:
        case = self.pair()
        fabric = judge.read_fabric((self.folder / "hardware.json").read_text())
        self.assertEqual(fabric.ports, [(2, 0), (6, 0), (10, 0), (0, 5)])
        tensors = judge.tensors_of(PAIR_CASE, judge.oracle.read_case(PAIR_CASE), fabric, True)
        every = frozenset([0, 1, 2, 3])
        self.assertEqual(tensors, {
            "in -> a": judge.Tensor(None, "a", 4 * 4 * 4 * 4, frozenset([3])),
            "a -> b": judge.Tensor("a", "b", 4 * 4 * 8 * 4),
            "a -> b #2": judge.Tensor("a", "b", 8 * 8 * 8 * 4),
            "b -> out": judge.Tensor("b", None, 8 * 4 * 2 * 4, every),
            "gradient of a -> b": judge.Tensor("b", "a", 4 * 4 * 8 * 4),
            "gradient of a -> b #2": judge.Tensor("b", "a", 8 * 8 * 8 * 4)})
        self.assertEqual({one["name"]: one["bytes"] for one in case.routes["tensors"]},
                         {"in -> a": 256, "a -> b": 512, "a -> b #2": 2048, "b -> out": 256})

    def test_other_meshes_and_tensors_are_refused(self) -> None:
        case = self.pair()

        def rename(routes: dict[str, Any]) -> None:
            routes["tensors"][0]["name"] = "a -> c"

        self.refused(case, "another mesh, of 13 x 6", lambda routes: routes.update(columns=13))
        self.refused(case, "tensor a -> c is unknown", rename)
        self.refused(case, "is missing", rename)
        self.refused(case, "is missing", lambda routes: routes["tensors"].pop())
        self.refused(case, "is there twice",
                     lambda routes: routes["tensors"].append(routes["tensors"][0]))

    def test_bytes_that_do_not_add_up_are_refused(self) -> None:
        case = self.pair()
        self.refused(case, "do not carry its 2048 bytes",
                     lambda routes: case.lanes(routes, "a -> b #2")[0].update(bytes=1))

        def more(routes: dict[str, Any]) -> None:
            routes["tensors"][0]["bytes"] += 1
            routes["tensors"][0]["lanes"][0]["bytes"] += 1

        self.refused(case, " bytes, not ", more)

    def test_other_ends_are_refused(self) -> None:
        case = self.pair()
        self.refused(case, "is not one of kernel a", lambda routes: case.lanes(
            routes, "a -> b")[0].update({"from": [4, 2], "to": [6, 2], "path": "E2"}))
        self.refused(case, "is not one of kernel b", lambda routes: case.lanes(
            routes, "a -> b")[0].update({"from": [3, 2], "to": [5, 2], "path": "E2"}))
        self.refused(case, "leads to", lambda routes: case.lanes(
            routes, "a -> b")[0].update({"from": [3, 2], "to": [6, 2], "path": "E2"}))

    def test_other_ports_are_refused(self) -> None:
        case = self.pair()
        self.refused(case, "port 0, which the tensor may not use",
                     lambda routes: case.lanes(routes, "in -> a")[0].update(port=0))
        self.refused(case, "port None, which the tensor may not use",
                     lambda routes: case.lanes(routes, "b -> out")[0].pop("port"))
        self.refused(case, "port 4, which the tensor may not use",
                     lambda routes: case.lanes(routes, "b -> out")[0].update(port=4))
        now = case.lane("b -> out")["port"]
        self.refused(case, "but its port is at", lambda routes: case.lanes(
            routes, "b -> out")[0].update(port=(now + 1) % 3))

    def test_paths_beyond_the_mesh_are_refused(self) -> None:
        case = self.pair()
        self.refused(case, "leaves the mesh at (2, 6)", lambda routes: case.lanes(
            routes, "a -> b")[0].update({"from": [2, 4], "to": [6, 4], "path": "N2 E4 S2"}))

    def test_dead_tiles_and_links_are_refused(self) -> None:
        # Of the pair all lanes from a to b cross column 4.
        case = self.pair()
        begin = case.lane("a -> b")["from"]
        for dead, fault in (({"dead": [{"x": 4, "y": 0, "width": 1, "height": 6}]},
                             "crosses the dead tile (4, "),
                            ({"dead_links": [{"x": 4, "y": y, "direction": "east"}
                                             for y in range(6)]}, "takes a dead link, E of (4, ")):
            self.assertLess(begin[0], 4)
            case.write("hardware.json", json.dumps({**PAIR_HARDWARE, **dead}))
            self.refused(case, fault, lambda routes: None)

    def test_lanes_of_one_colour_on_one_tile_are_refused(self) -> None:
        case = self.pair()
        lane = case.lane("a -> b")

        def follow(routes: dict[str, Any]) -> None:
            other = case.lanes(routes, "a -> b #2")
            other[:] = [{**lane, "bytes": 2048}]

        self.refused(case, f"in colour {lane['colour']}", follow)

        def apart(routes: dict[str, Any]) -> None:
            follow(routes)
            case.lanes(routes, "a -> b #2")[0]["colour"] = 8

        routes = copy.deepcopy(case.routes)
        apart(routes)
        case.put(routes)
        self.assertEqual((case.faults(), case.is_taken()), ([], True))

        def own_way_back(routes: dict[str, Any]) -> None:
            case.lanes(routes, "a -> b")[0].update(
                {"from": [3, 2], "to": [6, 2], "path": "E1 W1 E3", "colour": 8})

        self.refused(case, "in colour 8", own_way_back)

    def test_kernels_colours_and_others_that_there_are_not_are_refused(self) -> None:
        case = self.pair()
        self.refused(case, "meets kernel a at",
                     lambda routes: case.lanes(routes, "a -> b")[0].update(colour=9))
        self.refused(case, "has colour 12 of 12",
                     lambda routes: case.lanes(routes, "a -> b")[0].update(colour=12))

    def test_other_forms_are_bad_input(self) -> None:
        case = self.pair()

        def bad(change: Change) -> None:
            routes = copy.deepcopy(case.routes)
            change(routes)
            case.put(routes)
            with self.assertRaises(judge.BadInput):
                case.faults()
            self.assertFalse(case.is_taken())

        def lane(**values: object) -> Change:
            return lambda routes: routes["tensors"][0]["lanes"][0].update(values)

        for path in ("X3", "E3N1", "E3 ", "3E", "E1  N1"):
            bad(lane(path=path))
        bad(lane(path=3))
        bad(lane(hops=3))
        bad(lane(to=[1]))
        bad(lane(colour="0"))
        bad(lambda routes: routes["tensors"][0]["lanes"][0].pop("bytes"))
        bad(lambda routes: routes["tensors"][0].update(lanes=3))
        bad(lambda routes: routes["tensors"][0].update(bytes=1.5))
        bad(lambda routes: routes.update(tensors={}))
        bad(lambda routes: routes.update(schema="waferloom/plan/1"))
        bad(lambda routes: routes.pop("rows"))

    def test_judge_and_program_agree_on_random_changes(self) -> None:
        refused = 0
        for make in (self.small, self.pair):
            case = make("--training")
            for seed in range(60):
                with self.subTest(case=make.__name__, seed=seed):
                    routes = copy.deepcopy(case.routes)
                    change_one(random.Random(seed), routes)
                    case.put(routes)
                    try:
                        legal = not case.faults()
                    except judge.BadInput:
                        legal = False
                    refused += not legal
                    self.assertEqual(legal, case.is_taken(), json.dumps(routes))
        self.assertGreater(refused, 60)
        self.assertLess(refused, 120)

    def test_exit_codes(self) -> None:
        case = self.pair()
        call = [sys.executable, "-B", ROOT / "scripts" / "verify_routes.py", "case.kgraph",
                "case.sol", "routes.json", "hardware.json"]

        def code() -> tuple[int, str]:
            done = subprocess.run(call, cwd=self.folder, capture_output=True, text=True,
                                  check=False)
            return done.returncode, done.stdout

        self.assertEqual(code()[0], 0)
        self.assertTrue(json.loads(code()[1])["legal"])
        case.put({**case.routes, "rows": 7})
        self.assertEqual(code()[0], 4)
        self.assertFalse(json.loads(code()[1])["legal"])
        case.put({})
        self.assertEqual(code(), (2, ""))
        case.put(case.routes)
        case.write("case.sol", PAIR_SOLUTION.replace("6 1", "3 1"))
        self.assertEqual(code(), (2, ""))


def change_one(draw: random.Random, routes: dict[str, Any]) -> None:
    """Changes one figure of one lane: an end, a piece of its path, its bytes, colour or port. Some
    changes leave the routes legal."""
    tensor = draw.choice(routes["tensors"])
    lane = draw.choice(tensor["lanes"])
    what = draw.choice(["from", "to", "bytes", "path", "colour", "colour", "port", "detour"])
    if what in ("from", "to"):
        lane[what][draw.randrange(2)] += draw.choice([-1, 1])
    elif what == "bytes":
        lane["bytes"] += draw.choice([-1, 1])
    elif what == "colour":
        lane["colour"] = draw.randrange(14)
    elif what == "port":
        lane["port"] = draw.randrange(6)
    elif what == "path":
        lane["path"] = draw.choice(["", "E1", "N1 E2", lane["path"].replace("1", "2")])
    else:
        lane["path"] = " ".join([draw.choice(["N1 E1 S1 W1", "S1 E1 N1 W1"]), lane["path"]])


if __name__ == "__main__":
    unittest.main()
