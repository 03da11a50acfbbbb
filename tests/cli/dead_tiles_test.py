"""waferloom plan on a wafer with dead tiles: a network runs nearly as fast as without them."""

import json
import unittest
from pathlib import Path

from program import ProgramTest

PRESETS = Path(__file__).resolve().parents[2] / "model" / "presets"
MIDDLE = {"x": 9, "y": 7, "width": 1, "height": 1}


class DeadTilesTest(ProgramTest):
    def run_of(self, dead: list) -> dict:
        """What the plan that is chosen with these tiles dead does in simulation."""
        wafer = json.loads((PRESETS / "palm_wafer.json").read_text())["fabric"]
        self.write("wafer.json", json.dumps({**wafer, "dead": dead}))
        done = self.run_here("plan", "T-18B", "--hardware", "wafer.json", "-o", "plan.json",
                             "--top", "8")
        self.assertEqual(done.code, 0, done.stderr)
        done = self.run_here("simulate", "T-18B", "--plan", "plan.json", "--hardware",
                             "wafer.json", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        return done.json()["plan"]

    def test_a_dead_tile_of_320_costs_a_twentieth_at_most(self) -> None:
        whole = self.run_of([])
        one_dead = self.run_of([MIDDLE])
        self.assertGreater(one_dead["samples_per_s"], 0.95 * whole["samples_per_s"])
        for stage in one_dead["stages"]:
            beside = not stage["x"] <= MIDDLE["x"] < stage["x"] + stage["width"]
            above = not stage["y"] <= MIDDLE["y"] < stage["y"] + stage["height"]
            self.assertTrue(beside or above, stage)

    def test_optimize_steps_around_a_dead_tile_too(self) -> None:
        # Layers of 64 wide tensors on 6 x 4 tiles, of which one in the middle is dead.
        layer = {"name": "layer", "kind": "transformer", "repeat": 8, "sequence": 64, "hidden": 64,
                 "heads": 4}
        self.write("net.json", json.dumps({"name": "eight", "tokens": 64, "operators": [layer]}))
        wafer = json.loads((PRESETS / "palm_wafer.json").read_text())["fabric"]
        ports = {"host_ports": [{"side": "south", "position": 0}],
                 "dram_ports": [{**wafer["dram_ports"][0], "position": 0, "last": 3}]}
        rates = []
        for dead in ([], [{"x": 3, "y": 2, "width": 1, "height": 1}]):
            self.write("wafer.json", json.dumps({**wafer, **ports, "columns": 6, "rows": 4,
                                                 "group_columns": 6, "group_rows": 4,
                                                 "dead": dead}))
            done = self.run_here("optimize", "net.json", "--hardware", "wafer.json", "--batch",
                                 "16", "--effort", "1", "--top", "3", "-o", "best", "-q")
            self.assertEqual(done.code, 0, done.stderr)
            rates.append(json.loads((self.folder / "best" / "report.json").read_text())
                         ["samples_per_s"])
        # Stages have 16 of 24 tiles at work; of the 23 that are left as many can be.
        self.assertGreater(rates[1], 0.8 * rates[0])

    def test_no_stage_fits_around_dead_tiles_in_every_column_and_row(self) -> None:
        # Blocks of 64 tiles are as wide and high as 8 x 8 or 4 x 16, and every fourth tile is dead.
        dead = [{"x": x, "y": y, "width": 1, "height": 1}
                for x in range(0, 20, 4) for y in range(0, 16, 4)]
        wafer = json.loads((PRESETS / "palm_wafer.json").read_text())["fabric"]
        self.write("wafer.json", json.dumps({**wafer, "dead": dead}))
        self.write("plan.json", json.dumps({"tensor": 64}))
        done = self.run_here("simulate", "T-18B", "--plan", "plan.json", "--hardware", "wafer.json")
        self.assert_fails(done, 3, "1 stages of 64 tiles do not fit", "around its dead tiles",
                          "20 are dead or cut off, the first (0, 0)")


if __name__ == "__main__":
    unittest.main()
