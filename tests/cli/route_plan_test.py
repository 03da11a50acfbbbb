"""waferloom route WORKLOAD --plan, and simulations of plans on routes."""

import json
import os
import unittest
from pathlib import Path
from typing import Any

from program import ProgramTest

# Two stages of 2 x 2 tiles beside one another; weights do not fit and stream from two ports.
HARDWARE: dict[str, Any] = {
    "name": "grid", "columns": 6, "rows": 4, "clock_hz": 1_000_000_000,
    "sram_bytes_per_tile": 20_000, "link": {"bytes_per_s": 4_000_000_000, "latency_ps": 500},
    "peak_flop_per_s_per_tile": {"fp16": 1_000_000_000_000},
    "host_ports": [{"side": "south", "position": 0}],
    "dram_ports": [{"side": side, "position": 1, "bytes_per_s": 1_000_000_000,
                    "capacity_bytes": 1_000_000_000} for side in ("west", "east")]}
WORKLOAD = {"name": "mlp", "operators": [
    {"name": "a", "kind": "linear", "in": 256, "out": 256},
    {"name": "b", "kind": "linear", "in": 256, "out": 256}]}
PLAN = {"tensor": 4, "pipeline": 2, "micro_batches": 8}
SHARED = Path(os.environ.get("WAFERLOOM_SHARED", Path(__file__).parents[3] / "shared"))
MORE_TILES = SHARED / "cases" / "more_tiles_slower"


class RoutePlanTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("grid.json", json.dumps(HARDWARE))
        self.write("mlp.json", json.dumps(WORKLOAD))
        self.write("plan.json", json.dumps(PLAN))

    def route(self, *more: str) -> dict[str, Any]:
        done = self.run_here("route", "mlp.json", "--plan", "plan.json", "--hardware", "grid.json",
                             "-o", "routes.json", *more)
        self.assertEqual(done.code, 0, done.stderr)
        text = (self.folder / "routes.json").read_text()
        self.assert_valid("routes", text)
        return json.loads(text)

    def simulate(self, *more: str, plan: str = "plan.json") -> Any:
        return self.run_here("simulate", "mlp.json", "--plan", plan, "--hardware", "grid.json",
                             "-q", *more)

    def report(self, *more: str, plan: str = "plan.json") -> dict[str, Any]:
        done = self.simulate("--report", "r.json", *more, plan=plan)
        self.assertEqual(done.code, 0, done.stderr)
        report = json.loads((self.folder / "r.json").read_text())
        del report["made_by"]
        return report

    def test_streams_use_both_ports_alike(self) -> None:
        routes = self.route()
        names = [tensor["name"] for tensor in routes["tensors"]]
        for name in ("s0 -> s1", "gradient of s0 -> s1", "memory -> s0", "s1 -> memory"):
            self.assertIn(name, names)
        read = [0, 0]
        ports = sorted({lane["port"] for tensor in routes["tensors"]
                        if tensor["name"].startswith("memory") for lane in tensor["lanes"]})
        for tensor in routes["tensors"]:
            if not tensor["name"].startswith("memory"):
                continue
            for lane in tensor["lanes"]:
                read[ports.index(lane["port"])] += lane["bytes"]
        self.assertEqual(len(ports), 2)
        self.assertAlmostEqual(read[0] / read[1], 1, delta=0.01)

    def test_simulate_takes_the_routes_that_it_would_plan(self) -> None:
        self.route()
        own = self.report()
        self.assertEqual(own["routing"], "planned")
        self.assertEqual(self.report("--routes", "routes.json"), own)
        self.write("filed.json", json.dumps({**PLAN, "routing": "routes.json"}))
        self.assertEqual(self.report(plan="filed.json"), own)
        rule = self.report("--routing", "xy")
        self.assertEqual(rule["routing"], "xy")
        self.assertLess(rule["samples_per_s"], own["samples_per_s"])
        self.write("xy.json", json.dumps({**PLAN, "routing": "xy"}))
        self.assertEqual(self.report(plan="xy.json"), rule)

    def test_routes_of_another_plan_are_refused_with_the_place(self) -> None:
        routes = self.route()
        routes["tensors"][0]["lanes"][0]["from"] = [5, 3]
        routes["tensors"][0]["lanes"][0]["path"] = ""
        routes["tensors"][0]["lanes"][0]["to"] = [5, 3]
        self.write("routes.json", json.dumps(routes, indent=1))
        self.assert_fails(self.simulate("--routes", "routes.json"), 2, "routes.json:",
                          "s0 -> s1")

    def test_the_placement_of_stages_is_routed(self) -> None:
        placement = {"schema": "waferloom/placement/1", "stages": [
            {"name": "s0", "x": 4, "y": 0, "width": 2, "height": 2, "rotation": 0},
            {"name": "s1", "x": 0, "y": 2, "width": 2, "height": 2, "rotation": 0}]}
        self.write("placed.json", json.dumps(placement))
        routes = self.route("--placement", "placed.json")
        lane = next(t for t in routes["tensors"] if t["name"] == "s0 -> s1")["lanes"][0]
        self.assertGreaterEqual(lane["from"][0], 4)
        self.assertLess(lane["to"][0], 2)

    @unittest.skipUnless(MORE_TILES.is_dir(), "no ../shared/cases/more_tiles_slower")
    def test_a_plan_is_not_slower_on_more_columns(self) -> None:
        hardware = json.loads((MORE_TILES / "c10.json").read_text())
        most = 0.0
        for columns in (10, 11, 12, 14, 16, 20):
            self.write("wide.json", json.dumps({**hardware, "columns": columns}))
            done = self.run_here("simulate", "resnet50", "--plan", MORE_TILES / "pc10.json",
                                 "--hardware", "wide.json", "--no-extrapolation", "-q",
                                 "--report", "r.json")
            self.assertEqual(done.code, 0, done.stderr)
            rate = json.loads((self.folder / "r.json").read_text())["samples_per_s"]
            self.assertGreaterEqual(rate, 0.99 * most, f"{columns} columns")
            most = max(most, rate)

    def test_the_bound_is_told_alone(self) -> None:
        done = self.run_here("route", "mlp.json", "--plan", "plan.json", "--hardware", "grid.json",
                             "--bound")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("bound", done.stdout)
        self.assertFalse((self.folder / "routes.json").exists())

    def test_what_does_not_go_together_is_refused(self) -> None:
        for arguments, message in (
                (("mlp.json", "x.sol", "--plan", "plan.json"), "SOL: goes without --plan"),
                (("mlp.json",), "mlp.json is a network: add --plan FILE"),
                (("small.kgraph",), "expected SOL"),
                (("small.kgraph", "small.sol", "--placement", "p.json"),
                 "--placement: needs --plan"),
                (("mlp.json", "--plan", "plan.json", "--hardware", "a100_cluster"),
                 "the router takes meshes, not switched hardware")):
            self.assert_fails(self.run_here("route", *arguments), 2, message)
        self.write("plan.json", json.dumps({**PLAN, "routing": "yz"}))
        self.assert_fails(self.simulate(), 2, "plan.json:1:",
                          "expected routing as planned, xy, yx, o1turn, adaptive or a file")


if __name__ == "__main__":
    unittest.main()
