"""scripts/fit_wafer.py: its forms are those of the program, and half of the rows tell the others."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("WAFERLOOM_SHARED", SOURCE.parent / "shared")) / "published"
ROWS = [SHARED / "wse_measured.json", SHARED / "wse_measured_2026.json"]
FITS = SOURCE / "model" / "presets" / "fits"
PROGRAM = os.environ["WAFERLOOM_PROGRAM"]


def fit(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-B", str(SOURCE / "scripts" / "fit_wafer.py"),
                           *arguments], capture_output=True, text=True, check=False)


class SmallFileTest(unittest.TestCase):
    """Rows of a shift that a relay of 10 cycles and 2 a word makes."""

    def rows(self, counts: list[int]) -> str:
        rows = []
        for distance in counts:
            for elements in (2, 4, 8):
                words = elements // 2
                value = 50 + distance * (words + 2 + 4 + 10 + 2 * words)
                rows.append({"id": f"{distance}-{elements}", "machine": "WSE-3", "how": "device",
                             "procedure": "shift_wse3", "unit": "cycles", "value": value,
                             "settings": {"P": 8 * distance, "dtype": "fp16",
                                          "elements_per_pe": elements,
                                          "distance_columns": distance}})
        file = Path(self.folder.name) / "rows.json"
        file.write_text(json.dumps({"moves": [], "collectives": rows}))
        return str(file)

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_figures_are_found(self) -> None:
        output = Path(self.folder.name) / "fit.json"
        done = fit(self.rows([1, 2, 4, 8]), "--machine", "WSE-3", "--on", "all",
                   "-o", str(output))
        self.assertEqual(done.returncode, 0, done.stderr)
        programs = json.loads(output.read_text())["programs"]
        self.assertEqual(programs["relay"], {"relay": 10.0, "relay_word": 2.0})
        self.assertAlmostEqual(programs["waferllm"]["start"], 50)

    def test_too_many_figures_for_the_rows(self) -> None:
        done = fit(self.rows([1, 2]), "--machine", "WSE-3", "--on", "all")
        self.assertEqual(done.returncode, 1)
        self.assertIn("relay: 2 figures are too many for 6 rows", done.stderr)


class MeasuredRowsTest(unittest.TestCase):
    def setUp(self) -> None:
        if not all(path.exists() for path in ROWS):
            print("SKIPPED fit_wafer: published/wse_measured*.json are not beside the project")
            self.skipTest("no measured rows")

    def judged(self, kind: str, printed: str) -> tuple[float, float]:
        found = re.search(rf"^{kind}: judged on \d+ rows?, median ([\d.]+)%, worst ([\d.]+)%$",
                          printed, re.MULTILINE)
        self.assertIsNotNone(found, printed)
        return float(found[1]), float(found[2])

    def test_half_of_the_rows_tell_the_others(self) -> None:
        for seed in ("1", "2"):
            done = fit(*map(str, ROWS), "--machine", "WSE-3", "--seed", seed)
            self.assertEqual(done.returncode, 0, done.stderr)
            for kind, median, worst in (("decode layer", 2, 5), ("prefill layer", 2, 5),
                                        ("meshgemm", 4, 10), ("meshgemv", 4, 10),
                                        ("gemv chain", 4, 10), ("summa 4 colours", 4, 10)):
                with self.subTest(seed=seed, kind=kind):
                    found = self.judged(kind, done.stdout)
                    self.assertLessEqual(found[0], median)
                    self.assertLessEqual(found[1], worst)

    def test_the_program_gives_what_the_forms_give(self) -> None:
        base = ("--base", str(FITS / "wse3.json"))
        for more in (("--machine", "WSE-3"), ("--machine", "WSE-2", *base),
                     ("--machine", "WSE-2", "--data-type", "fp32")):
            with self.subTest(more):
                done = fit(*map(str, ROWS), *more, "--on", "all", "--check", PROGRAM)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
