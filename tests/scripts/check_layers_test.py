"""scripts/check_layers.py finds includes against the arrows and passes those along them."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SCRIPT = PROJECT / "scripts" / "check_layers.py"


class CheckLayersTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, path: str, *lines: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def run_script(self, root: Path | None = None) -> tuple[int, list[str]]:
        """Exit code and the lines that name a file."""
        done = subprocess.run([sys.executable, SCRIPT, "--root", root or self.root],
                              capture_output=True, text=True, check=False)
        return done.returncode, [line for line in done.stdout.splitlines() if ":" in line]

    def expect_offence(self, line: str) -> None:
        self.assertEqual(self.run_script(), (1, [line]))

    def test_the_project_itself_passes(self) -> None:
        self.assertEqual(self.run_script(PROJECT), (0, []))

    def test_includes_along_the_arrows_pass(self) -> None:
        self.write("kernels/kernel.h", "#include <cstdint>")
        self.write("model/score.h", '#include "kernels/kernel.h"')
        self.write("placer/place.h", '#include "model/score.h"', '#include "kernels/kernel.h"')
        self.write("placer/gigaplacer/rows.cpp", '#include "placer/place.h"')
        self.write("cli/main.cpp", "#include <iostream>", '#include "placer/place.h"')
        self.write("tests/support/cases.h", '#include "model/score.h"')
        self.write("tests/placer/place_test.cpp", "#include <doctest/doctest.h>",
                   '#include "placer/place.h"', '#include "tests/support/cases.h"')
        self.assertEqual(self.run_script(), (0, []))

    def test_an_include_upwards_is_found_with_its_line(self) -> None:
        self.write("model/score.h", "#pragma once")
        self.write("kernels/kernel.cpp", "// preface", ' #  include "model/score.h"')
        self.expect_offence("kernels/kernel.cpp:2: kernels/ may not include model/ (model/score.h)")

    def test_an_include_sideways_is_found(self) -> None:
        self.write("viz/floorplan.h", "#pragma once")
        self.write("placer/place.cpp", '#include "viz/floorplan.h"')
        self.expect_offence("placer/place.cpp:1: placer/ may not include viz/ (viz/floorplan.h)")

    def test_pictures_may_read_plain_reports_and_nothing_else_of_the_simulator(self) -> None:
        self.write("sim/report.h", "#pragma once")
        self.write("sim/event_queue.h", "#pragma once")
        self.write("viz/timeline.cpp", '#include "sim/report.h"', '#include "sim/event_queue.h"')
        self.expect_offence("viz/timeline.cpp:2: viz/ may not include sim/ (sim/event_queue.h)")

    def test_nothing_includes_tests(self) -> None:
        self.write("tests/support/cases.h", "#pragma once")
        self.write("cli/main.cpp", '#include "tests/support/cases.h"')
        self.expect_offence(
            "cli/main.cpp:1: cli/ may not include tests/ (tests/support/cases.h)")

    def test_libraries_do_not_print(self) -> None:
        self.write("placer/place.cpp", "#include <sstream>", "#include <iostream>")
        self.expect_offence("placer/place.cpp:2: placer/ may not include <iostream>: "
                            "libraries neither print nor open files")

    def test_libraries_do_not_open_files(self) -> None:
        headers = ("fstream", "cstdio", "filesystem", "print", "fcntl.h", "unistd.h")
        lines = [f"#include <{header}>" for header in headers]
        self.write("cli/output_file.cpp", *lines)
        self.assertEqual(self.run_script(), (0, []))
        self.write("viz/canvas.cpp", *lines)
        code, found = self.run_script()
        self.assertEqual((code, len(found)), (1, len(headers)))

    def test_test_libraries_stay_in_tests(self) -> None:
        self.write("model/score.cpp", "#include <doctest/doctest.h>")
        self.expect_offence("model/score.cpp:1: model/ may not include <doctest/doctest.h>: "
                            "it is for tests alone")

    def test_project_headers_are_named_from_the_top(self) -> None:
        self.write("model/score.h", "#pragma once")
        self.write("model/score.cpp", '#include "score.h"')
        self.expect_offence(
            'model/score.cpp:1: "score.h" does not start with a folder of the project')

    def test_project_headers_are_quoted(self) -> None:
        self.write("model/score.h", "#pragma once")
        self.write("model/score.cpp", "#include <model/score.h>")
        self.expect_offence("model/score.cpp:1: <model/score.h> is the project's own: "
                            'write "model/score.h"')

    def test_a_missing_header_is_found(self) -> None:
        self.write("model/score.cpp", '#include "model/scoer.h"')
        self.expect_offence('model/score.cpp:1: "model/scoer.h" does not exist')

    def test_types_of_one_name_in_two_headers_are_found(self) -> None:
        self.write("planner/mapping.h", "namespace waferloom {", "", "enum class Bound { a, b };",
                   "}  // namespace waferloom")
        self.write("sim/report.h", "namespace waferloom {", "/// struct Bound {};",
                   "struct Bound final : Base {", "  int x = 0;", "};", "}")
        self.expect_offence("sim/report.h:3: waferloom::Bound is another type in "
                            "planner/mapping.h:3")

    def test_types_inside_others_and_in_other_namespaces_may_have_one_name(self) -> None:
        self.write("model/plan.h", "namespace waferloom {", "struct Key { int a; };",
                   "struct Plan {", "  enum class Phase { one };", "  struct Part {};",
                   "  void run() {}", "};", "struct Later;", "template <class Value>",
                   "Value first(Value one) { return one; }", "}")
        self.write("sim/plan.h", "namespace waferloom {", "class Later;", "struct Run {",
                   "  enum class Phase { one };", "  struct Part {};", "};",
                   "template <class Value>", "Value last(Value one) { return one; }",
                   "namespace detail {", "struct Key {};", "}", "}")
        self.write("placer/late.h", "namespace waferloom::placing { class Key { char c = 0; }; }",
                   "namespace waferloom {", 'const char* kText = "struct Plan {";',
                   "// struct Plan {", "/* struct Plan {", "*/", "struct Later {};", "}")
        self.assertEqual(self.run_script(), (0, []))

    def test_types_of_tests_may_have_one_name(self) -> None:
        for folder in ("model", "sim"):
            self.write(f"tests/{folder}/fixture.h", "namespace waferloom {", "struct Fixture {};",
                       "}")
        self.assertEqual(self.run_script(), (0, []))

    def test_types_of_one_name_in_one_folder_are_found(self) -> None:
        self.write("viz/a.h", "namespace waferloom {", "struct Canvas {", "};", "}")
        self.write("viz/b.h", "namespace waferloom { class Canvas { int x; }; }")
        self.expect_offence("viz/b.h:1: waferloom::Canvas is another type in viz/a.h:2")

    def test_approx_is_refused_in_tests_wherever_it_is_written(self) -> None:
        self.write("tests/model/score_test.cpp", "#include <doctest/doctest.h>",
                   "CHECK(a == doctest::Approx(b));")
        self.expect_offence("tests/model/score_test.cpp:2: doctest's Approx adds its epsilon to "
                            "the size; use close_to")
        self.write("tests/model/score_test.cpp", "using doctest::Approx;",
                   "CHECK(a == Approx(b).epsilon(0.1));")
        code, found = self.run_script()
        self.assertEqual((code, len(found)), (1, 2))

    def test_approx_may_be_spoken_of_and_names_may_hold_it(self) -> None:
        self.write("tests/support/close_to.h", "/// Not doctest::Approx.",
                   'const char* kText = "Approx";', "bool isApproximate();")
        self.write("model/score.h", "struct Approx {};")
        self.assertEqual(self.run_script(), (0, []))

    def test_a_folder_without_sources_is_a_usage_error(self) -> None:
        self.assertEqual(self.run_script(), (2, []))


if __name__ == "__main__":
    unittest.main()
