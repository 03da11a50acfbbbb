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
        wafer = json.loads((PRESETS / "palm_wafer.json").read_text())
        self.write("wafer.json", json.dumps({**wafer, "dead": dead}))
        done = self.run_here("plan", "T-18B", "--hardware", "wafer.json", "-o", "plan.json")
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

    def test_no_stage_fits_around_dead_tiles_in_every_column_and_row(self) -> None:
        # Blocks of 64 tiles are as wide and high as 8 x 8 or 4 x 16, and every fourth tile is dead.
        dead = [{"x": x, "y": y, "width": 1, "height": 1}
                for x in range(0, 20, 4) for y in range(0, 16, 4)]
        wafer = json.loads((PRESETS / "palm_wafer.json").read_text())
        self.write("wafer.json", json.dumps({**wafer, "dead": dead}))
        self.write("plan.json", json.dumps({"tensor": 64}))
        done = self.run_here("simulate", "T-18B", "--plan", "plan.json", "--hardware", "wafer.json")
        self.assert_fails(done, 2, "1 stages of 64 tiles do not fit", "around its dead tiles")


if __name__ == "__main__":
    unittest.main()
