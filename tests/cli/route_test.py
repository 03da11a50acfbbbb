"""waferloom route, and simulate on the routes that it wrote."""

import json
import re
import sys
import unittest
import xml.etree.ElementTree as ElementTree
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
SVG = "{http://www.w3.org/2000/svg}"
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

    def assert_refused(self, routes: dict[str, Any], *parts: str, code: int = 2) -> None:
        self.put(routes)
        self.assert_fails(self.simulate("--routes", "routes.json"), code, "routes.json:", *parts)

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

    def test_packets_go_by_routes_as_the_file_has_them(self) -> None:
        # k2 takes 4,608 cycles of a nanosecond; links need less.
        self.route()
        packets = ("--network", "packet", "--report", "-")
        given = self.simulate("--routes", "routes.json", *packets)
        self.assertEqual(given.code, 0, given.stderr)
        self.assert_valid("simulate", given.stdout)
        report = given.json()
        self.assertEqual((report["network"], report["routing"]), ("packet", "planned"))
        self.assertEqual(report["period_ps"], 4_608_000 * report["period_samples"])
        self.assertEqual((report["bound"], report["bound_by"]), ("compute", "stage k2"))
        self.assertEqual(self.simulate("--routes", "routes.json", *packets).stdout, given.stdout)
        self.assertEqual(self.simulate(*packets).findings(), given.findings())

    def test_packets_of_one_lane_take_what_its_bytes_take(self) -> None:
        # A tensor of 1,024 bytes on one lane of a tenth of a byte a nanosecond: 10,240 ns.
        self.write("slow.json", json.dumps({
            **HARDWARE, "link": {"bytes_per_s": 100_000_000, "latency_ps": 1_000},
            "routing": {"lanes_max": 1}}))
        routes = self.route()
        self.assertEqual([len(one["lanes"]) for one in routes["tensors"]], [1] * 4)
        for network in ("packet", "fair"):
            done = self.simulate("--routes", "routes.json", "--network", network, "--report", "-")
            self.assertEqual(done.code, 0, done.stderr)
            report = done.json()
            self.assertEqual(report["period_ps"], 10_240_000 * report["period_samples"])
            self.assertEqual(report["bound"], "link")

    def place(self, *more: str) -> Any:
        return self.run_here("place", "small.kgraph", "-o", "again.sol", "--effort", "1",
                             "--prices", "routes.json", *more)

    def test_kernels_are_placed_under_the_prices_of_their_tensors(self) -> None:
        routes = self.route()
        self.assertTrue(all(0 <= one["price"] <= 1 for one in routes["tensors"]))
        done = self.place("--start", "small.sol")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^  priced +[0-9.]+, with edges that weigh as their")
        self.assertRegex(done.stdout, r"(?m)^  given up +-?[0-9.]+ of the total, which was")
        # The total is under the case's own weights.
        total = re.search(r"(?m)^  total +([0-9.]+)$", done.stdout)[1]
        score = self.run_here("score", "small.kgraph", "again.sol")
        self.assertEqual(score.code, 0, score.stdout)
        self.assertRegex(score.stdout, rf"(?m)^  total +{re.escape(total)}$")

    def test_prices_of_other_tensors_are_refused_with_their_place(self) -> None:
        self.route()
        text = (self.folder / "routes.json").read_text()
        line = next(i for i, one in enumerate(text.splitlines()) if '"k1 -> k2"' in one) + 1
        self.write("routes.json", text.replace('"k1 -> k2"', '"k1 -> k9"'))
        self.assert_fails(self.place(), 2, f"routes.json:{line}:5: ", "found k1 -> k9")
        self.write("routes.json", re.sub(r', "price": [^,]*', "", text))
        self.assert_fails(self.place(), 2, "routes.json: ", "a price of some tensor")
        self.write("routes.json", re.sub(r'"price": [^,]*', '"price": 2', text))
        self.assert_fails(self.place(), 2, "routes.json:", "price")

    def test_the_bound_alone_is_no_more_than_the_busiest_link(self) -> None:
        inputs = ("small.kgraph", "small.sol", "--hardware", "slow.json")
        report = self.run_here("route", *inputs, "--report", "-")
        busiest = json.loads(report.stdout)["busiest_link"]["time_ps"]
        (self.folder / "routes.json").unlink()
        done = self.run_here("route", *inputs, "--bound")
        self.assertEqual(done.code, 0, done.stderr)
        found = re.search(r"(?m)^  bound +at least ([0-9.]+) (ns|us) a sample$", done.stdout)
        self.assertIsNotNone(found, done.stdout)
        bound = float(found[1]) * {"ns": 1e3, "us": 1e6}[found[2]]
        self.assertGreater(bound, 0)
        self.assertLessEqual(bound, busiest * 1.0001)  # four digits
        self.assertRegex(done.stdout, r"(?m)^  proof +\S")
        self.assertFalse((self.folder / "routes.json").exists())
        for option in ("-o", "r.json"), ("--svg", "r.svg"), ("--report", "r.json"):
            self.assert_fails(self.run_here("route", *inputs, "--bound", *option), 2,
                              "--bound: finds no routes, so it goes without")

    def test_routes_of_another_placement_are_refused(self) -> None:
        routes = self.route()
        self.write("small.sol", APART)
        self.assert_refused(routes, "tensor k1 -> k2", "which is not one of k2")
        # With the place of the lane, in a file as `route` writes it.
        self.write("small.sol", SMALL_SOLUTION)
        self.route()
        text = (self.folder / "routes.json").read_text().splitlines()
        line = next(i for i, one in enumerate(text) if '"k1 -> k2"' in one) + 2
        self.write("small.sol", APART)
        self.assert_fails(self.simulate("--routes", "routes.json"), 2, f"routes.json:{line}:7: ",
                          "lane 0 of tensor k1 -> k2")

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
        self.assert_refused(routes, "lane 0 of tensor k3 -> k4 crosses the dead tile (9, 8)", code=3)

    def test_routes_go_with_planned_routing_alone(self) -> None:
        self.route()
        done = self.simulate("--routes", "routes.json", "--routing", "xy")
        self.assert_fails(done, 2, "--routes", "planned", "xy")
        self.assert_fails(self.simulate("--routes", "none.json"), 2, "none.json")

    def picture(self, name: str) -> ElementTree.Element:
        return ElementTree.fromstring((self.folder / name).read_text())

    @staticmethod
    def groups(svg: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
        return [one for one in svg.iter(SVG + "g") if one.get("class") == kind]

    def test_pictures_are_drawn_of_the_routes_that_are_written(self) -> None:
        routes = self.route("--svg", "r.svg", "--png", "r.png", "--draw", "r.pdf", "--draw",
                            "again.svg")
        for name, begin in (("r.png", b"\x89PNG"), ("r.pdf", b"%PDF")):
            self.assertTrue((self.folder / name).read_bytes().startswith(begin))
        self.assertEqual((self.folder / "r.svg").read_bytes(),
                         (self.folder / "again.svg").read_bytes())
        svg = self.picture("r.svg")
        self.assertEqual(svg.findtext(SVG + "title"), "Routes of small.kgraph")
        told = [group.findtext(SVG + "title") or "" for group in self.groups(svg, "tensor")]
        self.assertEqual(len(told), 4)
        for tensor in routes["tensors"]:
            count = len(tensor["lanes"])
            begin = f"{tensor['name'].replace('->', '→')}: {count} lane{'s' * (count > 1)} in "
            self.assertEqual(sum(one.startswith(begin) for one in told), 1, begin)

    def test_a_picture_tells_the_busiest_links_of_both_routings(self) -> None:
        done = self.run_here("route", "small.kgraph", "small.sol", "--hardware", "slow.json",
                             "--svg", "r.svg", "--report", "-")
        report = done.json()
        after = report["busiest_link"]["time_ps"] / report["stage_ps"]
        # In dimension order 1,024 bytes go over eight lanes at a nanosecond a byte; the slowest
        # stage takes 4,608 ns.
        texts = [one.text or "" for one in self.picture("r.svg").iter(SVG + "text")]
        self.assertIn(f"4 tensors in {report['lanes']} lanes · busiest link {after:.3g} of the "
                      f"slowest stage's time, before {128 / 4608:.3g}", texts)
        self.assertEqual(len(self.groups(self.picture("r.svg"), "loads")), 2)
        self.assertIn("Before: dimension order (xy), 64 lanes", texts)
        self.assertIn("After: planned, kernels keep 50 % of their links", texts)

    def test_dead_tiles_of_wafer_and_hardware_are_in_the_picture(self) -> None:
        dead = {"dead": [{"x": 30, "y": 20, "width": 2, "height": 1}]}
        self.write("slow.json", json.dumps({**HARDWARE, **dead}))
        self.write("wafer.json", json.dumps({
            "width": 40, "height": 30, "dead": [{"x": 20, "y": 9, "width": 1, "height": 1}]}))
        self.route("--svg", "r.svg", "--wafer", "wafer.json")
        dead_groups = self.groups(self.picture("r.svg"), "dead")
        self.assertEqual(len(dead_groups), 3)  # the plan and both maps
        self.assertEqual({len(list(one.iter(SVG + "rect"))) for one in dead_groups}, {2})

    def test_pictures_that_cannot_be_written_are_refused_before_anything_is(self) -> None:
        for words, parts in (
                (("--svg", "r.png"), ("--svg: expected a name that ends in .svg", "r.png")),
                (("--png", "r.svg"), ("--png: expected a name that ends in .png", "r.svg")),
                (("--draw", "r.gif"), ("--draw: expected a name that ends in .svg, .png or .pdf",)),
                (("--svg", "none/r.svg"), ("none",)),
                (("--svg", "x.svg", "--draw", "x.svg"), ("x.svg",)),
                (("--svg", "x.svg", "-o", "x.svg"), ("x.svg",)),
                (("--svg",), ("--svg",))):
            with self.subTest(words):
                before = self.names()
                done = self.run_here("route", "small.kgraph", "small.sol", "--hardware",
                                     "slow.json", *words)
                self.assert_fails(done, 2, *parts)
                self.assertEqual(self.names(), before)

    def test_no_routes_no_picture(self) -> None:
        self.write("small.sol", APART)
        self.write("slow.json", json.dumps({**HARDWARE, "dead": [WALL]}))
        done = self.run_here("route", "small.kgraph", "small.sol", "--hardware", "slow.json",
                             "--svg", "cut.svg")
        self.assert_fails(done, 3, "no way from k1 to k2")
        self.assertNotIn("cut.svg", self.names())
        self.assertNotIn("routes.json", self.names())

    def test_a_picture_goes_beside_routes_on_stdout_and_without_a_name_for_them(self) -> None:
        routes = self.route("--svg", "r.svg")
        done = self.run_here("route", "small.kgraph", "small.sol", "--hardware", "slow.json", "-o",
                             "-", "--svg", "other.svg")
        self.assertEqual((done.code, json.loads(done.stdout)), (0, routes))
        self.assertEqual((self.folder / "r.svg").read_bytes(),
                         (self.folder / "other.svg").read_bytes())
        (self.folder / "routes.json").unlink()
        done = self.run_here("route", "small.kgraph", "small.sol", "--hardware", "slow.json",
                             "--svg", "r.svg")
        self.assertEqual(done.code, 0)
        self.assertIn("routes.json", self.names())

    def test_a_limit_that_leaves_no_time_for_routes_writes_nothing(self) -> None:
        done = self.run_here("route", "small.kgraph", "small.sol", "--hardware", "slow.json", "-o",
                             "late.json", "--time-limit", "0.000001")
        self.assert_fails(done, 5, "the time limit passed before there was a result")
        self.assertFalse((self.folder / "late.json").exists())

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
