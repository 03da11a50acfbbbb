"""scripts/fit_training.py: presets have its fit, rates are its formulas', the page has its errors."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
ROWS = (Path(os.environ.get("WAFERLOOM_SHARED", SOURCE.parent / "shared"))
        / "published" / "wse_measured_2026.json")
NOT_FITTED = "train-cs-3-llama-2-7b-b1024-15"
ERROR = r"-?\d+\.\d"
PRINTED = re.compile(rf"(CS-\d)\s+.*?\s(\d+)\s+(\d+)\s+\d+\s+\+?({ERROR}) %\s+(?:not fitted|\+?({ERROR}) %)")


def of_page() -> dict[tuple[str, int, int, str], str]:
    """Machine, batch, tokens and error of each row, with the error by a fit without it."""
    section = (SOURCE / "docs" / "wafer_plans.md").read_text().split("### What training programs take")[1]
    rows = {}
    for line in section.split("###")[0].replace("\N{MINUS SIGN}", "-").splitlines():
        cells = [cell.strip(" +%") for cell in line.strip("|").split("|")]
        if len(cells) == 8 and cells[0].startswith("CS-"):
            batch, tokens = (int(cell.split()[0].replace(",", "")) for cell in cells[2:4])
            rows[cells[0], batch, tokens, cells[6]] = cells[7]
    return rows


class FitTrainingTest(unittest.TestCase):
    def test_program_presets_and_page_have_the_fit(self) -> None:
        if not ROWS.exists():
            print("SKIPPED fit_training: published/wse_measured_2026.json is not beside the project")
            self.skipTest("no measured rows")
        done = subprocess.run(
            [sys.executable, "-B", str(SOURCE / "scripts" / "fit_training.py"), str(ROWS),
             os.environ["WAFERLOOM_PROGRAM"], "--without", NOT_FITTED, "--check"],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = {}
        for line in done.stdout.splitlines():
            if row := PRINTED.match(line):
                printed[row[1], int(row[2]), int(row[3]), row[4].replace("-0.0", "0.0")] = \
                    row[5] or "not fitted"
        self.assertEqual(len(printed), 7, done.stdout)
        page = of_page()
        for key, without in printed.items():
            self.assertEqual(page.get(key), without, key)


if __name__ == "__main__":
    unittest.main()
