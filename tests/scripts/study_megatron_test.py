"""scripts/study_megatron.py on three rows, as published and doctored."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("WAFERLOOM_SHARED", ROOT / ".." / "shared"))
REFERENCE = SHARED / "published" / "megatron_sc21_table1.json"
PUBLISHED = ROOT / "optimize" / "validation" / "megatron.json"


class StudyMegatronTest(unittest.TestCase):
    def test_the_rows_are_those_of_the_reference_data(self) -> None:
        if not REFERENCE.exists():
            print("SKIPPED study_megatron: published/megatron_sc21_table1.json is not beside the "
                  "project")
            self.skipTest("no reference data")
        names = {"model": "model", "layers": "layers", "hidden": "hidden", "heads": "heads",
                 "tensor": "tp", "pipeline": "pp", "data": "dp", "global_batch": "global_batch",
                 "tflops_per_gpu": "tflops_per_gpu"}
        reference = json.loads(REFERENCE.read_text(encoding="utf-8"))["rows"]
        rows = json.loads(PUBLISHED.read_text(encoding="utf-8"))["rows"]
        self.assertEqual([[row[key] for key in names] for row in rows],
                         [[row[key] for key in names.values()] for row in reference])

    def study(self, published: Path, *more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-B", ROOT / "scripts" / "study_megatron.py", "--program",
             os.environ["WAFERLOOM_PROGRAM"], "--published", published, "--rows", "18.4B",
             "--fit", "39.1B,76.1B", *more], capture_output=True, text=True, check=False)

    def test_claims_hold_and_the_table_is_written(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "rows.csv"
            done = self.study(PUBLISHED, "--csv", str(table))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(done.stdout.count("holds"), 4, done.stdout)
            lines = table.read_text(encoding="utf-8").splitlines()
        self.assertEqual(lines[0], "row,fitted,published,ours,error %,constant,constant error %")
        self.assertEqual([line.split(",")[:2] for line in lines[1:]],
                         [["18.4B", ""], ["39.1B", "yes"], ["76.1B", "yes"]])

    def test_a_row_that_is_far_off_is_told(self) -> None:
        file = json.loads(PUBLISHED.read_text(encoding="utf-8"))
        for row in file["rows"]:
            if row["model"] == "18.4B":
                row["tflops_per_gpu"] *= 1.2
        with tempfile.TemporaryDirectory() as folder:
            doctored = Path(folder) / "rows.json"
            doctored.write_text(json.dumps(file), encoding="utf-8")
            done = self.study(doctored)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("FAILS  the other rows", done.stdout)

    def test_a_share_that_is_slightly_off_its_closed_form_is_told(self) -> None:
        file = json.loads(PUBLISHED.read_text(encoding="utf-8"))
        for row in file["rows"]:
            if row["model"] == "18.4B":
                row["heads"] += 1  # of 48: softmax alone takes longer, in the closed form
        with tempfile.TemporaryDirectory() as folder:
            doctored = Path(folder) / "rows.json"
            doctored.write_text(json.dumps(file), encoding="utf-8")
            done = self.study(doctored)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("FAILS  every share", done.stdout)

    def test_a_row_that_there_is_not_is_told(self) -> None:
        done = self.study(PUBLISHED, "--fit", "18.4B,1B")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--fit: expected two rows", done.stderr)


if __name__ == "__main__":
    unittest.main()
