"""scripts/compare_bench.py on tables and reports like those that it compares."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "compare_bench.py"

# case -> totals by seed from 1 on; None: no placement
Totals = dict[str, list[float | None]]


def table(totals: Totals) -> str:
    """A CSV file of waferloom bench, with some of its columns."""
    lines = ["case,kernels,seed,total,wall_s,failure"]
    for case, values in totals.items():
        for seed, value in enumerate(values, 1):
            lines.append(f"{case},16,{seed},,1.5,none fits" if value is None
                         else f"{case},16,{seed},{value},1.5,")
    return "\n".join(lines) + "\n"


def report(totals: Totals) -> str:
    """A JSON report of it, totals beyond a double's digits as text."""
    rows = [{"case": case, "seed": seed, "failure": None if value else "none fits"}
            | ({"total": str(value) if seed == 2 else value} if value else {})
            for case, values in totals.items() for seed, value in enumerate(values, 1)]
    return json.dumps({"schema": "waferloom/bench/1", "rows": rows})


class CompareBenchTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def run_script(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-B", SCRIPT, *arguments], capture_output=True,
                              text=True, check=False, cwd=self.folder)

    def compare(self, base: str, new: str, *options: str) -> subprocess.CompletedProcess[str]:
        self.write("base", base)
        self.write("new", new)
        return self.run_script("base", "new", *options)

    def assert_bad(self, done: subprocess.CompletedProcess[str], part: str) -> None:
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(part, done.stderr)

    def test_ratios_of_medians_their_mean_and_the_extremes(self) -> None:
        # medians 100 -> 121, 200 -> 200 (the lower of two), 50 -> 50 / 1.21: geometric mean 1
        base = {"A": [90, 300, 100], "B": [300, 200], "C": [50]}
        new = {"A": [121, 1, 500], "B": [200, 999], "C": [50 / 1.21]}
        for form in (table, report):
            done = self.compare(form(base), form(new))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout, (
                "case  base          new   ratio\n"
                "A      100          121  1.2100\n"
                "B      200          200  1.0000\n"
                "C       50  41.32231405  0.8264\n"
                "\n"
                "Median total of 3 cases, NEW over BASE:\n"
                "  geometric mean  1.0000\n"
                "  worst           1.2100  A\n"
                "  best            0.8264  C\n"
                "  better 1, equal 1, worse 1\n"))

    def test_worse_by_more_than_the_tolerance_is_exit_1(self) -> None:
        base = table({"A": [1000], "B": [1000]})
        for total, options, code in ((1010, (), 0), (1011, (), 1), (900, (), 0),
                                     (1010, ("--tolerance", "0.4"), 1),
                                     (1030, ("--tolerance", "2"), 0),
                                     (1000, ("--tolerance", "0"), 0),
                                     (1001, ("--tolerance", "0"), 1)):
            done = self.compare(base, table({"A": [1000], "B": [total]}), *options)
            self.assertEqual(done.returncode, code, (total, options, done.stderr))
            self.assertEqual("the geometric mean worsened by" in done.stderr, code == 1)

    def test_ratios_close_to_one_do_not_look_like_it(self) -> None:
        done = self.compare(table({"A": [100000]}), table({"A": [100001]}))
        self.assertIn(" 1.00001\n", done.stdout)

    def test_runs_without_a_placement_count_as_the_highest(self) -> None:
        base = table({"A": [10], "B": [10, 20, None]})
        fine = self.compare(base, table({"A": [10], "B": [None, 20, 10]}))
        self.assertEqual((fine.returncode, fine.stderr), (0, ""))
        lost = self.compare(base, table({"A": [10], "B": [None, 20, None]}))
        self.assertEqual(lost.returncode, 1)
        self.assertIn("placed in BASE alone: B", lost.stderr)
        self.assertRegex(lost.stdout, r"(?m)^B +20 +none$")
        gained = self.compare(table({"A": [10], "B": [None]}), table({"A": [10], "B": [3]}))
        self.assertEqual(gained.returncode, 0)
        self.assertIn("placed in NEW alone: B", gained.stderr)

    def test_cases_that_one_file_lacks(self) -> None:
        base, new = table({"A": [10], "B": [10]}), table({"B": [10], "D": [1]})
        done = self.compare(base, new)
        self.assertEqual(done.returncode, 1)
        for part in ("only in BASE: A\n", "only in NEW: D\n", "missing in NEW"):
            self.assertIn(part, done.stderr)
        done = self.compare(base, new, "--common")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Median total of 1 cases", done.stdout)

    def test_different_seeds_are_told(self) -> None:
        done = self.compare(table({"A": [10, 11]}), table({"A": [10]}))
        self.assertEqual(done.returncode, 0)
        self.assertIn("seeds differ: A", done.stderr)

    def test_totals_of_zero(self) -> None:
        self.assertEqual(self.compare(table({"A": [0]}), table({"A": [0]})).returncode, 0)
        self.assertEqual(self.compare(table({"A": [0]}), table({"A": [1]})).returncode, 1)
        self.assertEqual(self.compare(table({"A": [1]}), table({"A": [0]})).returncode, 0)

    def test_other_quantities_and_medians_of_bench_py(self) -> None:
        base, new = table({"A": [10]}), table({"A": [20]})
        done = self.compare(base, new, "--quantity", "wall_s")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Median wall_s of 1 cases", done.stdout)
        def medians(total: float, nanoseconds: float) -> str:
            return json.dumps({"runs": 3, "medians": {"case A": {"total": total, "wall_s": 1.5},
                                                      "kernels/front": {"ns": nanoseconds}}})
        done = self.compare(medians(10, 100), medians(10, 300))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("case A  ", done.stdout)
        self.assertNotIn("front", done.stdout)
        done = self.compare(medians(10, 100), medians(10, 300), "--quantity", "ns")
        self.assertEqual(done.returncode, 1)
        self.assertIn("3.0000  kernels/front", done.stdout)
        self.assert_bad(self.compare(medians(1, 1), medians(1, 1), "--quantity", "time"),
                        "expected the quantity 'time' (see --quantity), found ns, total, wall_s")

    def test_lines_have_80_columns(self) -> None:
        totals: Totals = {"a-long-name-" * 9: [123456789.25], "vgg-10": [1.5]}
        done = self.compare(table(totals), table(totals))
        self.assertIn("a-long-name-a", done.stdout)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_bad_files_and_options(self) -> None:
        good = table({"A": [10]})
        self.write("base", good)
        self.assert_bad(self.run_script("base", "none.csv"), "none.csv: No such file")
        self.assert_bad(self.run_script("base", "."), ".: Is a directory")
        for new, part in (
            ("", "new: expected a column 'case', found none"),
            ("case,kernels\nA,16\n", "new: expected a column 'total', found case, kernels"),
            ("case,total\n", "new: expected results, found none"),
            ("case,total\nA,10\nB,ten\n", "new:3: total: expected a number of at least 0, found"),
            ("case,total\nA,10\nB,ten\n", "found 'ten'"),
            ("case,total\nA\n", "new:2: total: expected a number"),
            ("case,total\nA,nan\n", "found 'nan'"), ("case,total\nA,-1\n", "found '-1'"),
            (table({"B": [1]}), "new: expected a case that base has a value for"),
            ("{", "new:1:2: not JSON"), ("{}", "expected a report of"),
            ('{"schema": "waferloom/bench/1"}', "not of the form"),
            ('{"schema": "waferloom/bench/1", "rows": [3]}', "not of the form"),
            ('{"medians": {"case A": {"total": null}}}', "found None"),
        ):
            self.assert_bad(self.compare(good, new), part)
        self.assert_bad(self.compare(good, good, "--quantity", "cost"), "a column 'cost'")
        self.assert_bad(self.compare(good, good, "--tolerance", "-1"), "at least 0, found '-1'")
        self.assertEqual(self.run_script("base").returncode, 2)

    def test_help_has_examples(self) -> None:
        done = self.run_script("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("scripts/compare_bench.py base.csv new.csv --tolerance 0.1", done.stdout)
        self.assertIn("Exit codes: 0", done.stdout)


if __name__ == "__main__":
    unittest.main()
