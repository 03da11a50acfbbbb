"""What a machine's ports take, what of it is dead, and what bounds each result."""

import json
import unittest
from typing import Any

from program import SLOW_LINKS, SMALL_CASE, ProgramTest

# Ports of 64 and 200 GB/s on tiles whose links take 32 GB/s.
OWN_MESH: dict[str, Any] = {
    "name": "own", "columns": 100, "rows": 80, "clock_hz": 10**9, "element_bytes": 2,
    "link": {"bytes_per_s": 32 * 10**9, "latency_ps": 1000}, "sram_bytes_per_tile": 1 << 20,
    "peak_flop_per_s_per_tile": {"fp16": 512 * 10**9},
    "host_ports": [{"side": "south", "position": 50, "bytes_per_s": 64 * 10**9,
                    "response_ps": 10**6}],
    "dram_ports": [{"side": side, "position": 10, "last": 70, "every": 20,
                    "bytes_per_s": 200 * 10**9, "response_ps": 10**5,
                    "capacity_bytes": 64 * 10**9} for side in ("west", "east")]}
# With what a tile's program takes, in cycles, and links of half the rate: the host port binds.
OWN_TILES: dict[str, Any] = {
    **{key: value for key, value in OWN_MESH.items() if key != "peak_flop_per_s_per_tile"},
    "link": {"bytes_per_s": 16 * 10**9}, "hop_cycles": 1, "ramp_cycles": 2,
    "multiply_adds_per_cycle": {"fp16": 256}, "sram_read_words_per_cycle": 4,
    "sram_write_words_per_cycle": 2,
    "tile_cycles": {"fp16": {"start": 49, "phase": 31, "exchange": 47, "relay": 66,
                             "relay_word": 1.15, "chain_stage": 5.4, "update": 38, "vector": 1.4,
                             "issue": 1, "step": 251, "exponential": 164}}}
IMAGE = 224 * 224 * 3 * 2  # bytes of an input of ResNet-50
LINK = 16e9


class LivingTest(ProgramTest):
    def machine(self, **changes: Any) -> dict[str, Any]:
        self.write("own.json", json.dumps({**OWN_MESH, **changes}))
        done = self.run_here("hardware", "own.json", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("machines", done.stdout)
        return done.json()["machines"][0]

    def fails(self, *arguments: str, text: str) -> None:
        done = self.run_here(*arguments)
        self.assertEqual(done.code, 3, done.stdout + done.stderr)
        self.assertIn(text, done.stderr)

    def test_ports_are_as_fast_as_one_link_and_hardware_says_so(self) -> None:
        ports = self.machine()["dram_ports"]
        self.assertEqual((ports["count"], ports["lost"]), (8, 0))
        self.assertEqual(ports["bytes_per_s"], 8 * 32 * 10**9)
        self.assertEqual(ports["own_bytes_per_s"], 8 * 200 * 10**9)
        text = self.run_here("hardware", "own.json").stdout
        self.assertIn("256 GB/s in all", text)
        self.assertIn("a port enters by one link of its tile, 32 GB/s: by themselves 1.6 TB/s",
                      " ".join(text.split()))
        self.assertLessEqual(max(len(line) for line in text.splitlines()), 80)

    def test_ports_at_dead_and_cut_off_tiles_do_not_count(self) -> None:
        # A dead column behind the eastern edge cuts its 80 tiles and 4 ports off.
        machine = self.machine(dead=[{"x": 98, "y": 0, "width": 1, "height": 80}])
        self.assertEqual(machine["cut_off_tiles"], 80)
        ports = machine["dram_ports"]
        self.assertEqual((ports["count"], ports["lost"]), (8, 4))
        self.assertEqual(ports["bytes_per_s"], 4 * 32 * 10**9)
        self.assertEqual(ports["capacity_bytes"], 4 * 64 * 10**9)
        text = self.run_here("hardware", "own.json").stdout
        self.assertIn("4 of them on tiles that are dead or cut off", text)
        self.assertIn("80 cut off from the rest", text)

    def test_planned_routes_pass_tiles_that_compute_nothing(self) -> None:
        """A column of them between the ports and the stages, then below the ports."""
        self.write("net.json", json.dumps({"name": "net", "operators": [
            {"name": f"fc{i}", "kind": "linear", "in": 64, "out": 64} for i in range(4)]}))
        self.write("plan.json", json.dumps({"tensor": 2, "pipeline": 4, "micro_batches": 4,
                                            "schedule": "inference"}))
        for column in (1, 0):
            passing = {"passing": [{"x": column, "y": 0, "width": 1, "height": 8}]}
            self.write("own.json", json.dumps({
                **OWN_MESH, "columns": 8, "rows": 8, "dram_ports": [], **passing,
                "host_ports": [{"side": "west", "position": 0, "last": 7}]}))
            for routing in ("planned", "xy"):
                done = self.run_here("simulate", "net.json", "--plan", "plan.json", "--hardware",
                                     "own.json", "--routing", routing, "--report", "-", "-q")
                self.assertEqual(done.code, 0, done.stderr)
                self.assertEqual(done.json()["routing"], routing)

    def test_plan_route_and_simulate_of_resnet_agree_and_name_the_host_port(self) -> None:
        self.write("own.json", json.dumps(OWN_TILES))
        done = self.run_here("plan", "resnet50", "--way", "pipeline", "--hardware", "own.json",
                             "--case", "r.kgraph", "--replicas", "4", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("wafer_plan", done.stdout)
        plan = done.json()
        self.assertEqual(plan["replicas"], 4)
        period = plan["period_cycles"] / 1e9
        # Four images of 301,056 bytes through a port at its link's 16 GB/s: 75.264 us.
        self.assertAlmostEqual(period / (4 * IMAGE / LINK), 1, delta=0.01)
        self.assertAlmostEqual(plan["roofline"]["ports_samples_per_s"] / (LINK / IMAGE), 1, 6)
        self.assertEqual(self.run_here("place", "r.kgraph", "-o", "r.sol", "--effort", "1").code, 0)
        route = self.run_here("route", "r.kgraph", "r.sol", "--hardware", "own.json", "-o",
                              "r.routes.json", "--report", "-")
        self.assertEqual(route.code, 0, route.stderr)
        self.assert_valid("route", route.stdout)
        run = self.run_here("simulate", "r.kgraph", "r.sol", "--routes", "r.routes.json",
                            "--hardware", "own.json", "--report", "-")
        self.assertEqual(run.code, 0, run.stderr)
        self.assert_valid("simulate", run.stdout)
        found = run.json()
        simulated = found["period_ps"] / found["period_samples"] * 1e-12
        for report in (plan, route.json(), found):
            bottleneck = report["bottleneck"]
            # The port, or the link by which it enters, which is as near.
            self.assertRegex(bottleneck["name"],
                             r"^port host 0$|^(link \w+ of )?tile \(50, 0\)$")
            self.assertAlmostEqual(bottleneck["seconds"] / (IMAGE / LINK), 1, delta=0.01)
        # Of four replicas a sample each.
        self.assertAlmostEqual(simulated / (IMAGE / LINK), 1, delta=0.01)

    def test_connected_kernels_keep_to_one_side_of_a_cut(self) -> None:
        # Columns 14 to 39 are the larger part of 40.
        self.write("cut.json", json.dumps({"width": 40, "height": 30, "dead": [
            {"x": 13, "y": 0, "width": 1, "height": 30}]}))
        done = self.run_here("place", "small.kgraph", "-o", "cut.sol", "--wafer", "cut.json",
                             "--effort", "1")
        self.assertEqual(done.code, 0, done.stderr)
        places = [line for line in (self.folder / "cut.sol").read_text().splitlines()
                  if "place(" in line]
        self.assertEqual(len(places), 3)
        for line in places:
            self.assertGreaterEqual(int(line.split("place(")[1].split()[0]), 14)
        self.assertEqual(self.run_here("score", "small.kgraph", "cut.sol", "--wafer",
                                       "cut.json").code, 0)

    def test_what_joins_both_sides_of_a_cut_ends_with_3_in_every_command(self) -> None:
        # small.sol has k3 at x = 12 to 17; a wall at x = 18 and k3 behind it.
        solution = (self.folder / "small.sol").read_text().replace("place(12 0", "place(20 0")
        self.write("both.sol", solution)
        wall = {"width": 40, "height": 30, "dead": [{"x": 18, "y": 0, "width": 1, "height": 30}]}
        self.write("cut.json", json.dumps(wall))
        self.write("hw.json", json.dumps({**SLOW_LINKS, "dead": wall["dead"]}))
        text = "no way from k2 to k3: what is dead cuts tile (6, 0) off"
        self.fails("score", "small.kgraph", "both.sol", "--wafer", "cut.json", text=text)
        for command in ("simulate", "route"):
            self.fails(command, "small.kgraph", "both.sol", "--hardware", "hw.json", text=text)

    def test_tiles_that_are_dead_on_the_hardware_are_named(self) -> None:
        self.write("hw.json", json.dumps({**SLOW_LINKS, "dead": [
            {"x": 7, "y": 3, "width": 1, "height": 1}]}))
        for command in ("simulate", "route"):
            self.fails(command, "small.kgraph", "small.sol", "--hardware", "hw.json",
                       text="kernel k2 needs tile (7, 3) of")

    def test_optimize_of_a_case_keeps_off_dead_tiles_of_the_hardware(self) -> None:
        dead = {"x": 0, "y": 0, "width": 36, "height": 20}
        self.write("hw.json", json.dumps({**SLOW_LINKS, "dead": [dead]}))
        done = self.run_here("optimize", "small.kgraph", "--hardware", "hw.json", "-o", "best",
                             "--effort", "1", "-q")
        self.assertEqual(done.code, 0, done.stderr)
        report = json.loads((self.folder / "best" / "report.json").read_text())
        best = next(one for one in report["candidates"] if one["name"] == report["best"])
        self.assertIsNotNone(best["measured"]["bottleneck"])
        self.assertEqual(self.run_here("simulate", "small.kgraph", "best/solution.sol",
                                       "--hardware", "hw.json").code, 0)

    def test_a_wafer_whose_ports_are_all_dead_is_refused_before_the_search(self) -> None:
        dead = [{"x": 50, "y": 0, "width": 1, "height": 1}]
        self.write("own.json", json.dumps({**OWN_TILES, "dead": dead}))
        self.fails("plan", "resnet50", "--way", "pipeline", "--hardware", "own.json",
                   text="all of its 1 host ports are at tiles that are dead or cut off")

    def test_a_mesh_of_ones_own_is_used_in_the_fastest_way(self) -> None:
        # An image by a port whose tile's links take 32 GB/s: 106,293 images/s. Of multiply-adds
        # 8,000 tiles of 512 GFLOP/s allow five times as many.
        ports = 32e9 / IMAGE
        for dead in ([], [{"x": 0, "y": 30, "width": 60, "height": 1}]):
            self.machine(dead=dead)
            done = self.run_here("plan", "resnet50", "--inference", "--hardware", "own.json", "-o",
                                 "plan.json", "--report", "r.json")
            self.assertEqual(done.code, 0, done.stderr)
            self.assertTrue(done.stdout.startswith("ResNet-50 on own: 106"), done.stdout)
            self.assertIn("  upper bound own tells no programs", done.stdout)
            text = (self.folder / "r.json").read_text()
            self.assert_valid("wafer_ways", text)
            report = json.loads(text)
            self.assertIn("own tells no programs", report["upper_bound"])
            best = report["ways"][0]
            self.assertEqual(best["way"], "pipeline")
            self.assertAlmostEqual(report["roofline"]["ports_samples_per_s"] / ports, 1)
            self.assertLessEqual(best["samples_per_s"], ports)
            self.assertGreater(best["samples_per_s"], 0.99 * ports)
            self.assertEqual(json.loads((self.folder / "plan.json").read_text())["way"],
                             "pipeline")

    def test_a_network_is_planned_around_a_dead_row(self) -> None:
        # Rows 0 to 5 alone have room for 4 stages of 8 tiles, which simulate runs there.
        self.machine(columns=10, rows=10, dead=[{"x": 0, "y": 6, "width": 10, "height": 1}],
                     host_ports=[{"side": "west", "position": 3}],
                     dram_ports=[{"side": side, "position": 1, "last": 9, "every": 2,
                                  "bytes_per_s": 24 * 10**9, "capacity_bytes": 10**9}
                                 for side in ("west", "east")])
        self.write("given.json", json.dumps({"tensor": 2, "data": 4, "pipeline": 4,
                                             "micro_batch": 4, "micro_batches": 16,
                                             "schedule": "inference"}))
        given = self.run_here("simulate", "bert_base", "--plan", "given.json", "--hardware",
                              "own.json", "--report", "-")
        self.assertEqual(given.code, 0, given.stderr)
        done = self.run_here("plan", "bert_base", "--inference", "--hardware", "own.json", "--way",
                             "cut", "--top", "4", "-o", "plan.json", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        best = max(row["simulated_per_s"] or 0 for row in done.json()["simulated"])
        self.assertGreater(best, given.json()["plan"]["samples_per_s"])

    def test_no_way_to_use_a_wafer_is_faster_than_its_ports(self) -> None:
        # Without DRAM the model of the way "cut" knows nothing that comes in.
        self.write("own.json", json.dumps({**OWN_TILES, "dram_ports": []}))
        done = self.run_here("plan", "resnet50", "--way", "all", "--inference", "--hardware",
                             "own.json", "--report", "-", "-q")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("wafer_ways", done.stdout)
        report = done.json()
        roof = report["roofline"]["ports_samples_per_s"]
        self.assertAlmostEqual(roof / (LINK / IMAGE), 1, places=5)
        rates = {way["way"]: way["samples_per_s"] for way in report["ways"]
                 if "samples_per_s" in way}
        self.assertGreaterEqual(len(rates), 3)
        for name, rate in rates.items():
            self.assertLessEqual(rate, roof * (1 + 1e-5), name)

    def test_a_pipelines_case_holds_what_dead_links_cut_off(self) -> None:
        # Links both ways between columns 59 and 60 are dead; the port is at column 80.
        links = [{"x": x, "y": y, "direction": side} for y in range(80)
                 for x, side in ((59, "east"), (60, "west"))]
        port = {**OWN_TILES["host_ports"][0], "position": 80}
        self.write("own.json", json.dumps({**OWN_TILES, "dead_links": links,
                                           "host_ports": [port]}))
        done = self.run_here("plan", "resnet50", "--way", "pipeline", "--hardware", "own.json",
                             "--case", "r.kgraph", "--replicas", "1", "-o", "r.json", "-q")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("dead=60x80:0:0", (self.folder / "r.kgraph").read_text())

    def test_one_error_is_all_that_score_writes_of_kernels_on_both_sides(self) -> None:
        self.write("both.sol", (self.folder / "small.sol").read_text()
                   .replace("place(12 0", "place(20 0"))
        self.write("cut.json", json.dumps({"width": 40, "height": 30, "dead": [
            {"x": 18, "y": 0, "width": 1, "height": 30}]}))
        done = self.run_here("score", "small.kgraph", "both.sol", "--wafer", "cut.json",
                             "--report", "-")
        self.assertEqual(done.code, 3)
        self.assertEqual(done.json()["error"]["class"], "infeasible")

    def test_a_collective_on_a_dead_tile_names_it(self) -> None:
        self.write("hw.json", json.dumps({**SLOW_LINKS, "dead": [
            {"x": 2, "y": 1, "width": 1, "height": 1}]}))
        self.fails("collective", "all-reduce", "--tiles", "0,0,4x4", "--hardware", "hw.json",
                   text="needs tile (2, 1), which is dead")

    def test_routes_that_take_what_has_died_since_end_with_3(self) -> None:
        self.write("hw.json", json.dumps(SLOW_LINKS))
        self.assertEqual(self.run_here("route", "small.kgraph", "small.sol", "--hardware",
                                       "hw.json", "-o", "r.json", "-q").code, 0)
        links = [{"x": x, "y": y, "direction": "east"} for x in range(5, 13) for y in range(9)]
        self.write("hw.json", json.dumps({**SLOW_LINKS, "dead_links": links}))
        done = self.run_here("simulate", "small.kgraph", "small.sol", "--hardware", "hw.json",
                             "--routes", "r.json")
        self.assertEqual(done.code, 3, done.stderr)
        self.assertRegex(done.stderr, r"takes the dead link east of tile|needs tile|cuts tile")

    def test_kernels_keep_to_the_side_of_a_cut_where_one_is_fixed(self) -> None:
        self.write("cut.json", json.dumps({"width": 40, "height": 30, "dead": [
            {"x": 18, "y": 0, "width": 1, "height": 30}]}))
        self.write("fixed.json", json.dumps({"fixed": [{"kernel": "k1", "x": 0, "y": 0}]}))
        done = self.run_here("place", "small.kgraph", "-o", "cut.sol", "--wafer", "cut.json",
                             "--constraints", "fixed.json", "--effort", "1")
        self.assertEqual(done.code, 0, done.stderr)
        for line in (self.folder / "cut.sol").read_text().splitlines():
            if "place(" in line:
                self.assertLess(int(line.split("place(")[1].split()[0]), 18)

    def test_the_small_case_stands_as_these_tests_take_it(self) -> None:
        self.assertIn("width=40", SMALL_CASE)


if __name__ == "__main__":
    unittest.main()
