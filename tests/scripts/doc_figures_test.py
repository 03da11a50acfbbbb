"""scripts/doc_figures.py on pages of a stand-in for the program, and what the project's pages name."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Prints its first word and the file `n` of its folder; its report has both rates of a plan.
STAND_IN = """#!/bin/sh
[ "$1" = fail ] && { echo "no such plan" >&2; exit 3; }
echo "$1: 1,234.5 samples"
[ -f n ] && cat n
while [ $# -gt 1 ]; do
  [ "$1" = --report ] && echo '{"plan": {"rate": 1234.5, "loss": -2.25}, "n": [1, 2], "name": "T-1"}' > "$2"
  shift
done
exit 0
"""


class DocFiguresTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.program = self.folder / "waferloom"
        self.program.write_text(STAND_IN, encoding="utf-8")
        self.program.chmod(0o755)
        self.page = self.folder / "page.md"

    def run_on(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-B", ROOT / "scripts/doc_figures.py", *words, "--program",
             self.program, self.page], capture_output=True, text=True, check=False)

    def check(self, text: str, code: int, *said: str) -> None:
        self.page.write_text(text, encoding="utf-8")
        done = self.run_on("--check")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for each in said:
            self.assertIn(each, done.stdout + done.stderr)
        self.assertEqual(self.page.read_text(encoding="utf-8"), text)

    def written(self, text: str) -> str:
        """The page after --write, with which --check agrees."""
        self.page.write_text(text, encoding="utf-8")
        done = self.run_on("--write")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        made = self.page.read_text(encoding="utf-8")
        self.check(made, 0)
        return made

    def marked(self, template: str, text: str) -> str:
        return f"<!-- figures, 1 s\na = waferloom simulate\n{template}\n-->\n\n{text}\n"

    def test_a_figure_that_differs_is_told_and_put_right(self) -> None:
        template = "runs at {a.plan.rate:,.1f} samples, {a.plan.loss:.1f} % less"
        right = self.marked(template, "It runs at\n  1,234.5 samples, \N{MINUS SIGN}2.2 % less.")
        self.check(right, 0, "All figures are as the pages say.")
        wrong = right.replace("1,234.5 samples,", "1,234.6 samples,")
        self.check(wrong, 4, f"{self.page}:1: 1,234.6 is 1,234.5 now: {template}")
        self.assertEqual(self.written(wrong), right)
        self.assertEqual(self.written(right.replace("2.2 % less.", "12 % less.")), right)

    def test_a_figure_may_be_off_by_its_tolerance_and_no_more(self) -> None:
        for spec, admitted, refused in (("± 2 %", "1259.1", "1259.2"), ("± 0.5", "1235.0", "1235.1")):
            template = f"rate {{a.plan.rate:.1f {spec}}}"
            self.check(self.marked(template, f"rate {admitted}"), 0)
            self.check(self.marked(template, f"rate {refused}"), 4, f"{refused} is 1234.5 now")
            kept = self.marked(template, f"rate {admitted}")
            self.assertEqual(self.written(kept), kept)

    def test_a_text_stands_once_on_the_page(self) -> None:
        template = "rate {a.plan.rate:.1f}"
        self.check(self.marked(template, "no such text"), 4, "found 0 times")
        self.check(self.marked(template, "rate 1234.5, rate 1234.5"), 4, "found 2 times")
        # A comment is none, nor is a part of a longer word; a longer number is the figure.
        self.check(self.marked(template, "a crate 1234.5 <!-- rate 1234.5 -->"), 4, "found 0 times")
        self.check(self.marked(template, "rate 1234.55"), 4, "1234.55 is 1234.5 now")
        self.check(self.marked("{a.n[1]:d} of them", "2 of them"), 0)
        self.check(self.marked("it is {a.name} now", "So it is T-1 now."), 0)
        self.check(self.marked("it is {a.name} now", "It it is T-2 now."), 4, "T-2 is T-1 now")

    def test_an_expression_or_a_command_that_fails_is_told(self) -> None:
        self.check(self.marked("rate {a.speed:.1f}", "rate 1"), 4, "a.speed: AttributeError")
        failing = "<!-- figures, 1 s\na = waferloom fail\nrate {a.n}\n-->\n\nrate 1\n"
        self.check(failing, 4, "waferloom fail: exit code 3: no such plan")

    def test_all_that_is_printed_stands_in_the_form_of_the_page(self) -> None:
        begin = "<!-- figures, 1 s\necho '7 kernels' > n\nwaferloom place\nprints\n-->\n\n"
        end = "\n\n<!-- end of figures -->\n"
        shown = ("place: 1,234.5 samples", "7 kernels")
        for made in ("```\n" + "\n".join(shown) + "\n```", "\n".join(f"    {s}" for s in shown),
                     "\n".join(shown)):
            right = begin + made + end
            self.check(right, 0)
            wrong = right.replace("7 kernels\n", "8 kernels\n").replace("34.5 s", "34.6 s")
            self.check(wrong, 4, "now it is")
            self.assertEqual(self.written(wrong), right)
        self.check(begin + "place", 4, "<!-- end of figures -->")
        loose = begin.replace("prints", "prints ± 1 %")
        self.check(loose + "place: 1,240.5 samples\n7 kernels" + end, 0)
        self.check(loose + "place: 1,250.5 samples\n7 kernels" + end, 4, "now it is")
        self.check(loose + "place: 1,234.5 samples\n8 kernels" + end, 4, "now it is")
        self.check(loose + "score: 1,234.5 samples\n7 kernels" + end, 4, "now it is")

    def test_a_table_full_of_numbers_has_a_mark(self) -> None:
        table = "| a | b | c |\n|---|---|---|\n| x | 1 | 2.5 % |\n| y | 3 | 4 |\n| z | 5 | 6 |\n"
        fence = "```\ncase total\nA 1 2 3\nB 4 5 6\n```\n"
        for shown in (table, fence):
            self.check(f"text\n\n{shown}", 4, f"{self.page}:3: expected a comment")
            self.check(f"<!-- figures not held: of version 0.1.0 -->\n\n{shown}", 0)
            self.check(f"<!-- figures held by README.md -->\n\n{shown}", 0)
            self.check(f"<!-- figures held by tests/no.cpp -->\n\n{shown}", 4, "no tests/no.cpp")
            self.check(f"<!-- figures not held: old -->\n\ntext\n\n{shown}", 4, "page.md:5: ")
        self.check(table.replace("1", "one").replace("3", "three"), 0)

    def test_a_mark_that_is_none_is_told_with_its_line(self) -> None:
        for mark, said in (("", "expected `figures, N s`"), (", 2 s", "expected a command and what"),
                           (", 2 s\nwaferloom x\n", "expected a command and what"),
                           (", 2 s\nwaferloom x\nrate of it\n", "found 'rate of it'")):
            self.page.write_text(f"text\n\n<!-- figures{mark} -->\n", encoding="utf-8")
            done = self.run_on("--check")
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("line 3: ", done.stderr)
            self.assertIn(said, done.stderr)

    def test_what_takes_longer_than_asked_for_is_left_out(self) -> None:
        self.page.write_text(self.marked("rate {a.plan.rate:.1f}", "rate 1"), encoding="utf-8")
        self.assertEqual(self.run_on("--check", "--within", "0.9").returncode, 0)
        self.assertEqual(self.run_on("--check", "--within", "1").returncode, 4)

    def test_the_list_names_what_holds_what(self) -> None:
        done = subprocess.run([sys.executable, "-B", ROOT / "scripts/doc_figures.py", "--list"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("validation.md: all of it held by tests/cli/validate_test.py", done.stdout)
        self.assertRegex(done.stdout, r"tutorial\.md:\d+: 60 s, \d+ figures: .*waferloom optimize")


if __name__ == "__main__":
    unittest.main()
