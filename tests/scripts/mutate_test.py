"""scripts/mutate.py on a made-up tree, with commands that stand in for building and testing."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPTS))

from mutation.faults import faults_in  # noqa: E402

# Anything builds; the tests pass while area() is what it was.
TEST = "sh -c 'echo TEST CASE:  the area; grep -q \"wide [*] high;\" shapes/area.cpp'"
AREA = """// wide * high
double area(double wide, double high) { return wide * high; }
double unseen(double a) { return a + 2; }
"""


def replacements(text: str, kind: str) -> list[str]:
    """The text after each fault of a kind."""
    return [fault.apply(text) for fault in faults_in("a.cpp", text) if fault.kind == kind]


class FaultsTest(unittest.TestCase):
    def expect(self, kind: str, text: str, *after: str) -> None:
        self.assertEqual(sorted(replacements(text, kind)), sorted(after), text)

    def test_operators(self) -> None:
        for one, others in {"+": "-", "-": "+", "*": "/", "/": "*", "==": "!=", "!=": "==",
                            "&&": "||", "||": "&&", "<": "<= >", "<=": "< >", ">": ">= <",
                            ">=": "> <", "+=": "-="}.items():
            after = [f"x = a {each} b;" for each in others.split()]
            self.expect("operator", f"x = a {one} b;", *after)

    def test_signs_that_are_no_operators_stay(self) -> None:
        for text in ("f(-a, *b, &c);", "T* p; T& q; T&& r;", "std::vector<int> v;", "p->x;",
                     "bool operator<(T a, T b);", "return -a;"):
            self.expect("operator", text)

    def test_extremes(self) -> None:
        self.expect("extreme", "x = std::min(a, b);", "x = std::max(a, b);")
        self.expect("extreme", "x = std::numeric_limits<int>::max();")

    def test_constants(self) -> None:
        self.expect("constant", "x = 8;", *(f"x = {n};" for n in (0, 9, 7, 16, 4)))
        self.expect("constant", "x = 0;", "x = 1;", "x = (-1);")
        self.expect("constant", "x = 1u;", "x = 0u;", "x = 2u;")
        self.expect("constant", "x = 0.5;", "x = 0.0;", "x = 1.5;", "x = (-0.5);", "x = 1.0;",
                    "x = 0.25;")
        self.expect("constant", "x = 0xff;")

    def test_loops(self) -> None:
        self.expect("loop", "for (int i = 0; i < n; ++i) f(i);",
                    "for (int i = 0 + 1; i < n; ++i) f(i);",
                    "for (int i = 0; i < n + 1; ++i) f(i);",
                    "for (int i = 0; i < n - 1; ++i) f(i);")
        self.expect("loop", "for (int i : all) f(i);")

    def test_terms(self) -> None:
        self.expect("term", "x = a + b * f(c);", "x = b * f(c);", "x = a;", "x = a + f(c);",
                    "x = a + b;")
        self.expect("term", "x = a - b / c;", "x = a;", "x = a - b;")
        self.expect("term", "x = a * b / c + d;", "x = b / c + d;", "x = a / c + d;",
                    "x = a * b + d;", "x = d;", "x = a * b / c;")
        self.expect("term", "x = static_cast<double>(a) * (b - 1);", "x = (b - 1);",
                    "x = static_cast<double>(a);", "x = static_cast<double>(a) * (b);")

    def test_statements(self) -> None:
        self.expect("statement", "void f() { a.b[1] = 2; g(a); ++c; }",
                    "void f() { ; g(a); ++c; }", "void f() { a.b[1] = 2; ; ++c; }",
                    "void f() { a.b[1] = 2; g(a); ; }")
        self.expect("statement", "if (a) b += 1;", "if (a) ;")
        self.expect("statement", "int f() { int a = 1; const auto b = 2; T c(3); return a; }")

    def test_arguments(self) -> None:
        self.expect("arguments", "x = f(a, g(b), c);", "x = f(g(b), a, c);", "x = f(a, c, g(b));")
        self.expect("arguments", "x = std::max(a, b);")
        self.expect("arguments", "double f(int a, const T& b);")

    def test_conditions(self) -> None:
        self.expect("condition", "if (a < b) return;", "if (!(a < b)) return;")
        self.expect("condition", "if (auto a = f(); a > 1) g();",
                    "if (auto a = f(); !(a > 1)) g();")
        self.expect("condition", "if (const auto* a = f()) g();")

    def test_results(self) -> None:
        self.expect("result", "return a + b;", "return {};")
        self.expect("result", "return true;", "return false;")
        self.expect("result", "return 0;")  # a constant already

    def test_what_is_no_code_is_left_alone(self) -> None:
        for text in ('#include "a/b+1.h"', "#define TWO 2", "// a + 1", "/* x = 1; */",
                     'f("a + 1");', 'f(R"(x = 1;)");', "c = '1';", "static_assert(sizeof(int) == 4);",
                     "assert(a < 2);", 'throw Error("wants " + std::to_string(n + 1));',
                     'text("at most " + std::to_string(n - 1) + " chips");',
                     "using T = std::array<int, 3>;"):
            changed = [fault for fault in faults_in("a.cpp", text) if fault.kind != "statement"]
            self.assertEqual(changed, [], text)

    def test_faults_know_their_lines(self) -> None:
        text = "int a;\nint f() {\n  return 1 +\n         g();\n}\n"
        fault = next(each for each in faults_in("a.cpp", text) if each.kind == "operator")
        self.assertEqual(fault.line, 3)
        self.assertEqual(fault.lines(text), ("  return 1 +", "  return 1 -"))


class MutateTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        (self.root / "shapes").mkdir()
        (self.root / "tests" / "shapes").mkdir(parents=True)
        (self.root / "shapes" / "area.cpp").write_text(AREA, encoding="utf-8")

    def mutate(self, *options: str, test: str = TEST) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-B", SCRIPTS / "mutate.py", "--root", self.root, "--configure", "",
             "--build", "true", "--near-test", "", "--test", test, "--program", "", "--recorded", "",
             *options],
            capture_output=True, text=True, check=False)

    def test_survivors_are_reported_by_file_and_line(self) -> None:
        written = self.root / "report.json"
        done = self.mutate("shapes", "--count", "99", "--jobs", "2", "--report", str(written))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("shapes/area.cpp:3 operator\n"
                      "  - double unseen(double a) { return a + 2; }\n"
                      "  + double unseen(double a) { return a - 2; }\n", done.stdout)
        report = json.loads(written.read_text(encoding="utf-8"))
        verdicts = {(each["line"], each["verdict"]) for each in report["faults"]}
        self.assertEqual(verdicts, {(2, "killed"), (3, "survived")})
        self.assertEqual({each["killed_by"] for each in report["faults"] if each["line"] == 2},
                         {"the area"})
        survived, killed = report["counts"]["survived"], report["counts"]["killed"]
        self.assertEqual(done.stdout.splitlines()[-1],
                         f"{survived + killed} faults, {killed} killed (0 by the time limit), "
                         f"{survived} survived; 0 more did not compile")

    def test_recorded_outputs_see_what_unit_tests_do_not(self) -> None:
        recorded = """sh -c 'grep -q "return a + 2" shapes/area.cpp || (echo DIFFERS a/b; exit 1)'"""
        written = self.root / "report.json"
        options = ["shapes", "--count", "99", "--recorded", recorded, "--report", str(written)]
        self.mutate(*options)
        report = json.loads(written.read_text(encoding="utf-8"))
        self.assertEqual({each["killed_by"] for each in report["faults"]}, {"the area", "a/b"})
        self.assertNotIn("survived", report["counts"])
        self.mutate(*options, "--unit-only")
        self.assertIn("survived", json.loads(written.read_text(encoding="utf-8"))["counts"])

    def test_sources_are_untouched_and_copies_clean(self) -> None:
        self.mutate("shapes", "--count", "5")
        for copy in (self.root, self.root / "build" / "mutants" / "1"):
            self.assertEqual((copy / "shapes" / "area.cpp").read_text(encoding="utf-8"), AREA)

    def test_what_a_killed_run_left_in_a_copy_is_mended(self) -> None:
        left = self.root / "build" / "mutants" / "1" / "shapes"
        left.mkdir(parents=True)
        (left / "area.cpp").write_text("broken", encoding="utf-8")
        (left / "gone.cpp").write_text("", encoding="utf-8")
        self.assertEqual(self.mutate("shapes", "--count", "1").returncode, 0)
        self.assertEqual([path.name for path in left.iterdir()], ["area.cpp"])

    def test_a_seed_gives_the_same_faults(self) -> None:
        lists = [self.mutate("shapes", "--list", "--count", "9", "--seed", seed).stdout
                 for seed in ("1", "1", "2")]
        self.assertEqual(lists[0], lists[1])
        self.assertNotEqual(lists[0], lists[2])
        self.assertFalse((self.root / "build").exists())

    def test_one_fault_is_tried_again(self) -> None:
        listed = self.mutate("shapes", "--list", "--count", "3").stdout
        done = self.mutate("shapes", "--only", "3", "--test", "true")
        self.assertIn(done.stdout.split("\n1 faults")[0], listed)
        self.assertIn("1 faults, 0 killed", done.stdout)

    def test_one_beyond_the_draw_is_refused_before_anything_is_copied(self) -> None:
        faults = len(faults_in("shapes/area.cpp", AREA))
        last = self.mutate("shapes", "--only", str(faults), "--list")
        self.assertEqual(last.returncode, 0)
        self.assertTrue(last.stdout.startswith(f"{faults} shapes/area.cpp:"), last.stdout)
        for more in ([], ["--list"]):
            done = self.mutate("shapes", "--only", str(faults + 1), *more)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, "")
            self.assertEqual(done.stderr,
                             f"mutate.py: --only {faults + 1}: the draw has {faults} faults\n")
        self.assertFalse((self.root / "build").exists())

    def test_help_tells_what_a_list_has(self) -> None:
        shown = " ".join(self.mutate("--help").stdout.split())
        self.assertIn("--list print the first COUNT faults of the draw, or the N-th: number, place, "
                      "kind and the lines before (-) and after (+); try none", shown)

    def test_what_does_not_compile_is_drawn_again(self) -> None:
        (self.root / "shapes" / "area.cpp").write_text(
            "int a() { x = y; }\nint b() { return wide * high; }\n", encoding="utf-8")
        build = "grep -q \"x = y\" shapes/area.cpp"
        done = self.mutate("shapes", "--count", "2", "--seed", "4", "--build", build)
        self.assertRegex(done.stdout, r"2 faults, .* [01] more did not compile")

    def test_too_few_killed_fails_a_gate(self) -> None:
        for percent, code in (("90", 1), ("10", 0)):
            done = self.mutate("shapes", "--count", "99", "--least-killed", percent)
            self.assertEqual(done.returncode, code, done.stderr)

    def test_wrong_usage_and_broken_sources(self) -> None:
        self.assertEqual(self.mutate("shapes/none.cpp").returncode, 2)
        self.assertEqual(self.mutate("shapes", "--count", "0").returncode, 2)
        done = self.mutate("shapes", test="false")
        self.assertEqual(done.returncode, 4)
        self.assertIn("without a fault, exit 1 of: false", done.stderr)


if __name__ == "__main__":
    unittest.main()
