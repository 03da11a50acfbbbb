"""scripts/fit_gpu.py: its batches are those of the reference, and what is far off is told."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("WAFERLOOM_SHARED", ROOT / ".." / "shared"))
REFERENCE = SHARED / "published" / "calculon_validation.json"
PUBLISHED = ROOT / "optimize" / "validation" / "megatron.json"
NAMES = {"22B": "megatron-22B", "175B": "gpt3-175B", "530B": "turing-530B", "1T": "megatron-1T"}


class FitGpuTest(unittest.TestCase):
    def fit(self, *more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-B", ROOT / "scripts" / "fit_gpu.py", "--program",
             os.environ["WAFERLOOM_PROGRAM"], "--check", *more],
            capture_output=True, text=True, check=False)

    def test_the_batches_are_those_of_the_reference_data(self) -> None:
        if not REFERENCE.exists():
            print("SKIPPED fit_gpu: published/calculon_validation.json is not beside the project")
            self.skipTest("no reference data")
        reference = json.loads(REFERENCE.read_text(encoding="utf-8"))["end_to_end_s"]
        batches = json.loads(PUBLISHED.read_text(encoding="utf-8"))["batches"]
        kinds = {"full": "full", "selective": "seqsel"}
        self.assertEqual(
            [row["batch_s"] for row in batches],
            [reference[NAMES[row["model"]]][kinds[row["plan"]["recompute"]]]["profile"]
             for row in batches])
        self.assertEqual(len(batches), sum(map(len, reference.values())))

    def test_batches_that_are_far_off_are_told(self) -> None:
        """Two small rows of either set; the whole check is a deep test."""
        file = json.loads(PUBLISHED.read_text(encoding="utf-8"))
        few = {"batches": file["batches"][:2], "rows": file["rows"][:2]}
        self.assertIn("the machine has [0.72, 0.42]", self.fitted_on(few))
        for row in few["batches"]:
            row["batch_s"] *= 1.4
        self.assertIn("FAILS: batches, simulated: mean ", self.fitted_on(few))

    def fitted_on(self, published: dict) -> str:
        with tempfile.TemporaryDirectory() as folder:
            rows = Path(folder) / "rows.json"
            rows.write_text(json.dumps(published), encoding="utf-8")
            done = self.fit("--published", str(rows))
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        return done.stdout


if __name__ == "__main__":
    unittest.main()
