"""The studies of scripts/ run without plotting, and what they claim holds."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import study  # noqa: E402

PROGRAM = os.environ.get("WAFERLOOM_PROGRAM", str(study.PROGRAM))


class StudiesTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.table = Path(holder.name) / "table.csv"

    def study(self, name: str, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-B", SCRIPTS / f"study_{name}.py", "--program", PROGRAM, *options],
            capture_output=True, text=True, check=False)

    def rows(self, name: str, *options: str) -> list[dict[str, str]]:
        """The table of a study all of whose claims hold."""
        done = self.study(name, "--csv", str(self.table), *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("holds  ", done.stdout)
        self.assertNotIn("FAILS", done.stdout)
        with self.table.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_all_reduces_are_at_their_formula(self) -> None:
        rows = self.rows("all_reduce", "--sizes", "1000", "1000000")
        self.assertEqual([row["tiles"] for row in rows], ["4", "4", "16", "16"])
        # 2 · 3/4 · 1 MB at 150 GB/s and six steps of half a microsecond.
        self.assertAlmostEqual(float(rows[1]["formula_us"]), 1.5e6 / 150e9 * 1e6 + 3, places=6)
        self.assertAlmostEqual(float(rows[1]["fair_us"]), 13, places=3)

    def test_the_analytic_gap_grows_with_stacked_tasks(self) -> None:
        rows = self.rows("stacking", "--tasks", "5", "--bytes", "100000")
        five = {row["series"]: row for row in rows if row["tasks"] == "5"}
        for row in five.values():
            self.assertGreaterEqual(float(row["exclusive_gap_%"]), 30)
        # Five rings on the same links take five times as long.
        self.assertAlmostEqual(float(five["all-reduce"]["exclusive_gap_%"]), 80, places=3)

    def test_strategies_and_adapters(self) -> None:
        rows = self.rows("adapters")
        self.assertEqual(len(rows), 2 * 2 * (12 + 13))

    def test_a_claim_that_does_not_hold_is_an_exit_code(self) -> None:
        done = self.study("adapters", "--bytes", "1")
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn("FAILS  ", done.stdout)

    def test_helps_have_examples_and_a_wrong_program_is_told(self) -> None:
        for path in sorted(SCRIPTS.glob("study_*.py")):
            done = self.study(path.stem.removeprefix("study_"), "--help")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"example:\n  scripts/{path.name}", done.stdout)
        done = self.study("all_reduce", "--program", "/nowhere")
        self.assertIn("/nowhere does not exist", done.stderr)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
