"""waferloom route, and simulate on the routes that it wrote."""

import json
import sys
import unittest
from typing import Any

from program import SMALL_SOLUTION, SOURCES, ProgramTest

sys.path.insert(0, str(SOURCES / "scripts"))

import verify_routes as judge  # noqa: E402

# 40 x 30 tiles for SMALL_CASE: kernels on 6 x 8 tiles at (0, 0), (6, 0) and (12, 0). A byte a
# nanosecond, so that links bind.
HARDWARE: dict[str, Any] = {
    "name": "slow", "columns": 40, "rows": 30, "clock_hz": 1_000_000_000,
    "link": {"bytes_per_s": 1_000_000_000, "latency_ps": 1_000},
    "host_ports": [{"side": "west", "position": 0, "last": 29}]}

# Every tile of the columns between k1 and k2, once k2 and k3 are moved east by two.
APART = SMALL_SOLUTION.replace("place(6 0", "place(8 0").replace("place(12 0", "place(14 0")
WALL = {"x": 6, "y": 0, "width": 2, "height": 30}


class RouteTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("slow.json", json.dumps(HARDWARE))

    def route(self, *more: str, output: str = "routes.json") -> dict[str, Any]:
        """The routes of the small case on slow links."""
        done = self.run_here("route", "small.kgraph", "small.sol", "--hardware", "slow.json", "-o",
                             output, *more)
        self.assertEqual(done.code, 0, done.stderr)
        return json.loads((self.folder / output).read_text())

    def put(self, routes: dict[str, Any]) -> None:
        self.write("routes.json", json.dumps(routes))

    def simulate(self, *more: str) -> Any:
        return self.run_here("simulate", "small.kgraph", "small.sol", "--hardware", "slow.json",
                             "--samples", "50", *more)

    def assert_refused(self, routes: dict[str, Any], *parts: str) -> None:
        self.put(routes)
        self.assert_fails(self.simulate("--routes", "routes.json"), 2, "routes.json: ", *parts)

    def test_routes_are_written_that_verify(self) -> None:
        for more in ((), ("--training",)):
            routes = self.route(*more)
            self.assert_valid("routes", (self.folder / "routes.json").read_text())
            found = judge.judge_files(*(self.folder / name for name in (
                "small.kgraph", "small.sol", "routes.json", "slow.json")), training=bool(more))
            self.assertEqual(found["faults"], [])
            names = ["k0 -> k1", "k1 -> k2", "k2 -> k3", "k3 -> k4"]
            if more:
                names += ["gradient of k1 -> k2", "gradient of k2 -> k3"]
            self.assertEqual({one["name"] for one in routes["tensors"]}, set(names))
            # 8 x 8 x 8 elements of two bytes.
            self.assertEqual({one["bytes"] for one in routes["tensors"]
                              if one["name"].endswith("k2 -> k3")}, {1024})
        self.assertEqual((routes["hardware"], routes["columns"], routes["rows"]),
                         ("slow", 40, 30))

    def test_a_preset_has_routes_that_verify(self) -> None:
        done = self.run_here("route", "small.kgraph", "small.sol", "-q")
        self.assertEqual((done.code, done.stderr), (0, ""))
        self.run_here("hardware", "wse1", "-o", "wse1.json")
        found = judge.judge_files(*(self.folder / name for name in (
            "small.kgraph", "small.sol", "routes.json", "wse1.json")))
        self.assertEqual(found["faults"], [])

    def test_the_same_bytes_come_out_every_time(self) -> None:
        self.route(output="one.json")
        self.route(output="two.json")
        one = (self.folder / "one.json").read_text()
        self.assertEqual(one, (self.folder / "two.json").read_text())
        done = self.run_here("route", "small.kgraph", "small.sol", "--hardware", "slow.json", "-o",
                             "-")
        self.assertEqual((done.code, done.stdout), (0, one))

    def test_the_report_is_valid_and_tells_of_the_routes(self) -> None:
        done = self.run_here("route", "small.kgraph", "small.sol", "--hardware", "slow.json",
                             "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("route", done.stdout)
        report = done.json()
        routes = json.loads((self.folder / "routes.json").read_text())
        lanes = [lane for tensor in routes["tensors"] for lane in tensor["lanes"]]
        hops = sum(int(leg[1:]) for lane in lanes for leg in lane["path"].split())
        self.assertEqual((report["lanes"], report["hops"]), (len(lanes), hops))
        self.assertEqual([one["name"] for one in report["tensors"]],
                         [one["name"] for one in routes["tensors"]])
        self.assertEqual(report["stage_ps"], 4_608_000)  # k2 takes 4,608 cycles of a nanosecond
        self.assertLessEqual(report["bound_ps"], report["busiest_link"]["time_ps"])
        self.assertEqual(report["busiest_link"]["time_ps"], self.busiest_ps(lanes, reserve=0.5))
        self.assertEqual(report["busiest_link_without_kernels"]["time_ps"],
                         self.busiest_ps(lanes, reserve=0))
        self.assertEqual(report["hardware"], "slow")

    @staticmethod
    def busiest_ps(lanes: list[dict[str, Any]], reserve: float) -> int:
        """What the busiest link needs for its bytes, at a nanosecond each; links inside a kernel
        longer. Kernels are six columns wide and eight rows high."""
        def inside(x: int, y: int) -> int | None:
            return x // 6 if x < 18 and y < 8 else None

        times: dict[tuple[int, int, str], float] = {}
        for lane in lanes:
            x, y = lane["from"]
            for leg in lane["path"].split():
                for _ in range(int(leg[1:])):
                    step = judge.STEPS[leg[0]]
                    kept = inside(x, y) is not None and inside(x, y) == inside(
                        x + step[0], y + step[1])
                    time = 1000 * lane["bytes"] / (1 - reserve if kept else 1)
                    times[x, y, leg[0]] = times.get((x, y, leg[0]), 0) + time
                    x, y = x + step[0], y + step[1]
        return round(max(times.values()))

    def test_simulate_takes_routes_and_gives_what_it_gives_without(self) -> None:
        for more in ((), ("--training",)):
            self.route(*more)
            given = self.simulate("--routes", "routes.json", "--report", "-", *more)
            own = self.simulate("--report", "-", *more)
            self.assertEqual((given.code, own.code), (0, 0), given.stderr + own.stderr)
            self.assertEqual(given.findings(), own.findings())
            self.assertGreater(given.json()["samples_per_s"], 0)

    def test_routes_of_another_placement_are_refused(self) -> None:
        routes = self.route()
        self.write("small.sol", APART)
        self.assert_refused(routes, "tensor k1 -> k2", "which is not one of k2")

    def test_routes_of_another_mesh_are_refused(self) -> None:
        self.assert_refused({**self.route(), "columns": 41},
                            "the routes are of a mesh of 41 x 30 tiles, the hardware has 40 x 30")

    def test_routes_of_unknown_tensors_and_without_known_ones_are_refused(self) -> None:
        routes = self.route()
        routes["tensors"].append({"name": "k1 -> k9", "bytes": 0, "lanes": []})
        self.assert_refused(routes, "tensor k1 -> k9 is not one of the placement's")
        training = self.route("--training")
        self.assert_refused(training, "gradient of k")
        self.route()
        done = self.simulate("--routes", "routes.json", "--training")
        self.assert_fails(done, 2, "routes.json: ", "tensor gradient of k", "has no lanes")

    def test_a_path_that_leaves_the_mesh_is_refused_with_its_line(self) -> None:
        routes = self.route()
        lane = routes["tensors"][0]["lanes"][0]
        lane["path"] = "S40 N40 " + lane["path"]
        self.put(routes)
        self.assert_fails(self.simulate("--routes", "routes.json"), 2, "routes.json:1:",
                          "expected a path on the mesh, found 'S40 N40")

    def test_a_lane_over_a_dead_tile_is_refused(self) -> None:
        routes = self.route()
        tensor = next(one for one in routes["tensors"] if one["name"] == "k3 -> k4")
        tensor["lanes"] = [{"from": [17, 7], "to": [0, 8], "bytes": tensor["bytes"],
                            "path": "N1 W17", "colour": 9, "port": 8}]
        self.put(routes)
        self.assertEqual(self.simulate("--routes", "routes.json").code, 0)
        dead = {"dead": [{"x": 9, "y": 8, "width": 1, "height": 1}]}
        self.write("slow.json", json.dumps({**HARDWARE, **dead}))
        self.assert_refused(routes, "lane 0 of tensor k3 -> k4 crosses the dead tile (9, 8)")

    def test_routes_go_with_planned_routing_alone(self) -> None:
        self.route()
        done = self.simulate("--routes", "routes.json", "--routing", "xy")
        self.assert_fails(done, 2, "--routes", "planned", "xy")
        self.assert_fails(self.simulate("--routes", "none.json"), 2, "none.json")

    def test_kernels_that_dead_tiles_cut_off_are_named(self) -> None:
        self.write("small.sol", APART)
        self.write("slow.json", json.dumps({**HARDWARE, "dead": [WALL]}))
        done = self.run_here("route", "small.kgraph", "small.sol", "--hardware", "slow.json", "-o",
                             "cut.json")
        self.assert_fails(done, 3, "no way from k1 to k2")
        self.assertNotIn("cut.json", self.names())
        self.assert_fails(self.simulate(), 3, "no way from k1 to k2")
        # One row of the wall open is enough.
        gap = {**WALL, "height": 29}
        self.write("slow.json", json.dumps({**HARDWARE, "dead": [gap]}))
        self.assertEqual(self.simulate().code, 0)

    def test_what_is_no_placement_of_the_case_is_refused(self) -> None:
        self.write("small.sol", SMALL_SOLUTION.replace("place(6 0", "place(5 0"))
        done = self.run_here("route", "small.kgraph", "small.sol", "--hardware", "slow.json")
        self.assert_fails(done, 4, "small.sol: illegal")
        self.assertNotIn("routes.json", self.names())
        self.write("small.sol", SMALL_SOLUTION)
        self.write("slow.json", json.dumps({**HARDWARE, "columns": 17}))
        done = self.run_here("route", "small.kgraph", "small.sol", "--hardware", "slow.json")
        self.assert_fails(done, 2, "slow.json", "k3")
        self.write("slow.json", json.dumps({**HARDWARE, "host_ports": []}))
        done = self.run_here("route", "small.kgraph", "small.sol", "--hardware", "slow.json")
        self.assert_fails(done, 2, "slow.json", "host_ports")


if __name__ == "__main__":
    unittest.main()
