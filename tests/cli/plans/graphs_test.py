"""`plan` of graphs of kernels: cut, and as pipelines."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))

from program import ProgramTest, part_of_wse2  # noqa: E402

# The presets, small enough to stay on tiles: 2^18 points; 4,096 equations in 4 panels, of which
# two updates; 64 tables of 1,000 rows.
POINTS = 2 * 2**18
FFT = [{"name": "columns", "kind": "exchange", "elements": POINTS},
       {"name": "down", "kind": "element", "elements": POINTS, "operations": 23},
       {"name": "rows", "kind": "exchange", "elements": POINTS},
       {"name": "across", "kind": "element", "elements": POINTS, "operations": 22},
       {"name": "order", "kind": "exchange", "elements": POINTS}]
HPL = [{"name": f"update{i}", "kind": "gemm", "m": m, "k": 256, "n": m, "weights": False,
        "after": ["input"]} for i, m in enumerate((768, 512, 256))]
DLRM = [{"name": "tables", "kind": "embedding", "sequence": 320, "vocabulary": 64000, "hidden": 16},
        {"name": "pooling", "kind": "reduce", "elements": 5120, "out": 1024},
        {"name": "vectors", "kind": "exchange", "elements": 1024},
        {"name": "interaction", "kind": "reduce", "elements": 1024, "out": 64},
        {"name": "entry", "kind": "linear", "rows": 1, "in": 64, "out": 256},
        {"name": "layer", "kind": "linear", "repeat": 3, "rows": 1, "in": 256, "out": 256}]
GRAPHS = {"fft": FFT, "hpl": HPL, "dlrm": DLRM}

WAYS: dict[tuple[str, str], dict[str, dict]] = {}


class PlanGraphsTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        for name, operators in GRAPHS.items():
            self.write(f"{name}.json", json.dumps({"name": name, "operators": operators}))
        self.write("part.json", part_of_wse2(240))

    def run_well(self, *words: str):
        done = self.run_here(*words)
        self.assertEqual(done.code, 0, done.stderr)
        return done

    def ways(self, network: str, hardware: str) -> dict[str, dict]:
        """Each pair is planned once for all tests."""
        if (network, hardware) not in WAYS:
            self.run_well("plan", network, "--for", "infer", "--hardware", hardware, "--report",
                          "r.json")
            text = (self.folder / "r.json").read_text()
            self.assert_valid("wafer_ways", text)
            WAYS[network, hardware] = {row["way"]: row for row in json.loads(text)["ways"]}
        return WAYS[network, hardware]

    def test_graphs_are_cut_and_pipelined(self) -> None:
        for name in GRAPHS:
            for hardware in ("grayskull", "part.json"):
                with self.subTest(graph=name, hardware=hardware):
                    rows = self.ways(f"{name}.json", hardware)
                    self.assertEqual({way for way, row in rows.items() if row["lacks"] is None},
                                     {"cut", "pipeline", "resident"})
                    for way in ("cut", "pipeline", "resident"):
                        self.assertLessEqual(rows[way]["share_of_peak"], 1)
                    self.assertEqual(rows["streaming"]["lacks"],
                                     f"plan --way streaming: {name} has kernels of graphs, which "
                                     "streaming does not know yet")

    def test_ports_bound_what_a_sample_brings_and_takes(self) -> None:
        # Grayskull's port moves 31.5 GB/s either way: a transform's numbers of two bytes in, and
        # the outputs of all three updates out, m^2 numbers each.
        port = 31.5e9
        self.assertAlmostEqual(self.ways("fft.json", "grayskull")["pipeline"]["samples_per_s"],
                               port / (2 * POINTS), delta=1)
        out = 2 * (768**2 + 512**2 + 256**2)
        self.assertAlmostEqual(self.ways("hpl.json", "grayskull")["pipeline"]["samples_per_s"],
                               port / out, delta=1)

    def test_a_graph_file_of_kernels_is_cut_and_pipelined(self) -> None:
        self.write("own.json", json.dumps({"name": "own", "kernels": [
            {"name": "a", "type": "gemm", "m": 512, "k": 256, "n": 128, "weight_bytes": 262144},
            {"name": "b", "m": 512, "n": 128},
            {"name": "c", "type": "gemm", "m": 64, "k": 512, "n": 128, "weight_bytes": 65536}],
            "tensors": [{"from": "a", "to": "b", "bytes": 131072},
                        {"from": "b", "to": "c", "bytes": 131072}]}))
        rows = self.ways("own.json", "grayskull")
        # The right side of the first product, 256 x 128 numbers, comes through the port.
        self.assertAlmostEqual(rows["cut"]["samples_per_s"], 31.5e9 / (256 * 128 * 2), delta=1)
        self.assertGreater(rows["pipeline"]["samples_per_s"],
                           0.99 * rows["cut"]["samples_per_s"])

    def test_presets_are_cut_or_say_what_they_lack(self) -> None:
        done = self.run_here("plan", "dlrm", "--for", "infer", "--hardware", "grayskull")
        # 792,989,925,625 numbers: 8,617,088,000 rows of 92, 1,025 of 3,375, 20 layers.
        weights = 2 * (8617088000 * 92 + 1025 * 3375 + 20 * 3376 * 3375)
        self.assert_fails(done, 3, f"weights alone need {weights:,} bytes of edge memory",
                          f"needs {weights} bytes for weights alone")
        for name in ("fft", "dlrm"):  # HPL takes ten seconds
            with self.subTest(graph=name):
                rows = self.ways(name, "wse2")
                self.assertEqual([way for way, row in rows.items() if row["lacks"] is None],
                                 ["cut"])

    def test_plans_are_placed_routed_and_simulated(self) -> None:
        for name in GRAPHS:
            for hardware, *way in (("grayskull", "cut", "--inference"), ("part.json", "pipeline")):
                with self.subTest(graph=name, way=way):
                    words = (f"{name}.json", "--plan", "plan.json", "--hardware", hardware)
                    planned = self.run_well("plan", f"{name}.json", "--way", *way, "--hardware",
                                            hardware, "-o", "plan.json", "--report", "-").json()
                    self.run_well("place", *words, "--effort", "1", "-o", "placed.json")
                    at = (*words, "--placement", "placed.json")
                    self.run_well("route", *at, "-o", "routes.json")
                    done = self.run_well("simulate", *at, "--routes", "routes.json", "--report",
                                         "-")
                    placed = done.json()["samples_per_s"]
                    if way == ["pipeline"]:
                        self.assertAlmostEqual(placed / planned["samples_per_s"], 1, delta=0.15)
                        continue
                    # In its own layout as planned; where place lays it, whose score is of areas and
                    # wires, it may be slower.
                    expected = planned["simulated"][0]["simulated_per_s"]
                    own = self.run_well("simulate", *words, "--report", "-").json()
                    self.assertEqual(own["plan"]["samples_per_s"], expected)
                    self.assertGreater(placed, 0.5 * expected)
                    self.assertLess(placed, 1.1 * expected)

    def test_a_sort_is_refused_by_its_name(self) -> None:
        self.write("sort.json", json.dumps({"name": "net", "operators": [
            {"name": "order", "kind": "sort", "elements": 65536}]}))
        rows = self.ways("sort.json", "wse2")
        self.assertIsNone(rows["cut"]["lacks"])
        self.assertEqual(rows["pipeline"]["lacks"],
                         "plan --way pipeline: net has a sort, order, which pipelining does not "
                         "know yet")
        done = self.run_here("plan", "sort.json", "--for", "train", "--hardware", "grayskull")
        self.assert_fails(done, 3, "net: order is a sort, which training by a cut does not know yet")


if __name__ == "__main__":
    unittest.main()
