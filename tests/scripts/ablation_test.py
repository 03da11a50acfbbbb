"""scripts/ablation.py with a stand-in for the program: its table fits 80 columns."""

import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "ablation.py"

# Writes a bench's CSV: case A takes 100, without any part 102, and case B is not placed without.
STAND_IN = f"""#!{sys.executable}
import sys
words = dict(zip(sys.argv, sys.argv[1:]))
without = "-no-" in words["--strategy"]
with open(words["--csv"], "w") as file:
    file.write("case,total,wall_s,gigaplacer,best_published\\n")
    file.write(f"A,{{102 if without else 100}},1.5,125,200\\n")
    file.write(f"B,{{'' if without else 300}},31415.9,,\\n")
"""


class AblationTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.program = self.folder / "waferloom"
        self.program.write_text(STAND_IN, encoding="utf-8")
        self.program.chmod(0o755)

    def table(self, *options: str) -> list[str]:
        done = subprocess.run([sys.executable, "-B", SCRIPT, "--program", self.program, *options],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def test_the_table_of_each_strategy_fits_80_columns(self) -> None:
        for strategy in ("gigaplacer", "gigaplacer-plus", "auto"):
            lines = self.table("--strategy", strategy)
            self.assertEqual([line for line in lines if len(line) > 80], [], strategy)

    def test_parts_are_held_against_the_whole(self) -> None:
        lines = self.table("--csv", str(self.folder / "a.csv"))
        self.assertEqual(lines[0].split(), ["strategy", "published", "whole", "worse", "better",
                                            "failed", "slowest_s"])
        # 100 / 125 and 102 / 125; B has no published total, and without the part none at all.
        self.assertEqual(lines[1].split()[1:6], ["0.8000", "1.0000", "0", "0", "0"])
        self.assertEqual(lines[2].split()[:7],
                         ["no", "row-limit", "0.8160", "1.0200", "1", "0", "1"])
        with (self.folder / "a.csv").open(newline="", encoding="utf-8") as file:
            self.assertEqual(next(csv.reader(file))[:3],
                             ["case", "gigaplacer", "gigaplacer-no-row-limit"])


if __name__ == "__main__":
    unittest.main()
