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
        self.write("cli/files/output_file.cpp", *lines)
        self.assertEqual(self.run_script(), (0, []))
        self.write("viz/canvas/canvas.cpp", *lines)
        code, found = self.run_script()
        self.assertEqual((code, len(found)), (1, len(headers)))

    def test_test_libraries_stay_in_tests(self) -> None:
        self.write("model/problem/score.cpp", "#include <doctest/doctest.h>")
        self.expect_offence("model/problem/score.cpp:1: model/ may not include <doctest/doctest.h>: "
                            "it is for tests alone")

    def test_json_is_known_in_one_place(self) -> None:
        for place in ("model/describe/json_sink.cpp", "tests/sim/report_test.cpp"):
            self.write(place, "#include <nlohmann/json.hpp>")
        self.assertNotIn("nlohmann", str(self.run_script()))
        self.write("sim/reports/report.cpp", "#include <nlohmann/json.hpp>")
        self.assertIn("sim/reports/report.cpp:1: <nlohmann/json.hpp> is for model/describe: "
                      "write by rows or into a ValueSink", self.run_script()[1])

    def test_project_headers_are_named_from_the_top(self) -> None:
        self.write("cli/main.cpp", '#include "model/score.h"')
        self.write("model/score.h", "#pragma once")
        self.write("model/problem/score.cpp", '#include "score.h"')
        self.expect_offence(
            'model/problem/score.cpp:1: "score.h" does not start with a folder of the project')

    def test_project_headers_are_quoted(self) -> None:
        self.write("cli/main.cpp", '#include "model/score.h"')
        self.write("model/score.h", "#pragma once")
        self.write("model/problem/score.cpp", "#include <model/score.h>")
        self.expect_offence("model/problem/score.cpp:1: <model/score.h> is the project's own: "
                            'write "model/score.h"')

    def test_a_missing_header_is_found(self) -> None:
        self.write("model/problem/score.cpp", '#include "model/scoer.h"')
        self.expect_offence('model/problem/score.cpp:1: "model/scoer.h" does not exist')

    def test_a_private_header_is_for_its_library_alone(self) -> None:
        self.write("placer/starts/rows.h", "#pragma once")
        self.write("placer/place.cpp", '#include "placer/starts/rows.h"')
        self.write("tests/placer/starts/rows_test.cpp", '#include "placer/starts/rows.h"')
        self.assertEqual(self.run_script(), (0, []))
        self.write("optimize/cases/search.cpp", '#include "placer/starts/rows.h"')
        self.expect_offence("optimize/cases/search.cpp:1: optimize/ may not include "
                            "placer/starts/rows.h: it is private to placer/")

    def test_rooms_lie_in_one_direction(self) -> None:
        self.write("placer/search/stop.h", "#pragma once")
        self.write("placer/free/space.h", '#include "placer/search/stop.h"')
        self.assertEqual(self.run_script(), (0, []))
        self.write("placer/free/space.h", "#pragma once")
        self.write("placer/search/stop.h", "// preface", '#include "placer/free/space.h"')
        code, found = self.run_script()
        self.assertEqual(code, 1)
        self.assertEqual([line.split(": search <")[0] for line in found],
                         ["placer/search/stop.h:2: search/ may not include placer/free/space.h "
                          "of free/"])

    def test_rooms_side_by_side_do_not_know_each_other(self) -> None:
        self.write("placer/bounds/area.h", "#pragma once")
        self.write("placer/annealing/moves.cpp", '#include "placer/bounds/area.h"')
        code, found = self.run_script()
        self.assertEqual((code, len(found)), (1, 1))
        self.assertIn("annealing/ may not include placer/bounds/area.h of bounds/", found[0])

    def test_a_public_header_belongs_to_the_room_of_its_source(self) -> None:
        self.write("sim/plan_run.h", "#pragma once")
        self.write("sim/from_plan/plan_run.cpp", '#include "sim/plan_run.h"')
        self.write("sim/pipeline/stages.cpp", '#include "sim/plan_run.h"')
        self.write("cli/main.cpp", '#include "sim/plan_run.h"')
        code, found = self.run_script()
        self.assertEqual((code, len(found)), (1, 1))
        self.assertIn("sim/pipeline/stages.cpp:1: pipeline/ may not include sim/plan_run.h of "
                      "from_plan/", found[0])

    def test_a_public_header_belongs_to_the_rooms_that_define_what_it_declares(self) -> None:
        self.write("cli/main.cpp", '#include "optimize/trial.h"')
        self.write("optimize/trial.h", "struct Ground {", "  Ground();", "};", "int front(int n);")
        self.write("optimize/search/pareto.cpp", '#include "optimize/trial.h"', "int front(int n) {")
        self.write("optimize/search/stop.h", '#include "optimize/trial.h"')
        self.assertEqual(self.run_script(), (0, []))
        # Its own rooms may include it; for a room between them it is of the highest.
        self.write("optimize/cases/tried.cpp", '#include "optimize/trial.h"',
                   "Ground::Ground() {}")
        self.assertEqual(self.run_script(), (0, []))
        self.write("optimize/plans/plan.cpp", '#include "optimize/trial.h"', "  front(2);")
        code, found = self.run_script()
        self.assertEqual((code, len(found)), (1, 1))
        self.assertIn("optimize/plans/plan.cpp:1: plans/ may not include optimize/trial.h of "
                      "cases/", found[0])

    def test_who_calls_or_names_what_a_header_declares_does_not_define_it(self) -> None:
        self.write("cli/main.cpp", '#include "sim/report.h"')
        self.write("sim/report.h", "class Network;", "// front(1)", "int front(int n);")
        self.write("sim/reports/report_lines.cpp", '#include "sim/report.h"',
                   "const int kFirst = front(1);", "  front(2);", "Network::Network() {}",
                   'const char* text = "front(";')
        self.write("sim/engine/queue.cpp", '#include "sim/report.h"')
        self.assertEqual(self.run_script(), (0, []))

    def test_a_public_header_of_types_stands_for_what_it_includes(self) -> None:
        self.write("sim/report.h", "#pragma once")
        self.write("sim/engine/queue.h", '#include "sim/report.h"')
        self.write("cli/main.cpp", '#include "sim/report.h"')
        self.assertEqual(self.run_script(), (0, []))
        self.write("sim/report.h", '#include "sim/network_kind.h"')
        self.write("sim/network_kind.h", "#pragma once")
        self.write("sim/network/network_kind.cpp", '#include "sim/network_kind.h"')
        code, found = self.run_script()
        self.assertEqual((code, len(found)), (1, 1))
        self.assertIn("sim/engine/queue.h:1: engine/ may not include sim/report.h of network/",
                      found[0])

    def test_a_library_stands_above_or_among_its_rooms(self) -> None:
        self.write("placer/place.h", "#pragma once")
        self.write("placer/place.cpp", '#include "placer/place.h"', '#include "placer/ports/p.h"')
        self.write("placer/ports/p.h", "#pragma once")
        self.write("cli/main.cpp", '#include "placer/place.h"')
        self.assertEqual(self.run_script(), (0, []))
        self.write("placer/ports/p.h", '#include "placer/place.h"')
        code, found = self.run_script()
        self.assertEqual((code, len(found)), (1, 1))
        self.assertIn("placer/ports/p.h:1: ports/ may not include placer/place.h of ./", found[0])

    def test_a_room_needs_a_place_in_the_order(self) -> None:
        self.write("sim/cellar/wine.cpp", "")
        self.expect_offence("sim/cellar/:0: has no place in the order of rooms (ROOMS)")

    def test_a_public_header_that_no_other_library_needs_is_found(self) -> None:
        self.write("placer/rows.h", "#pragma once")
        self.write("placer/place.cpp", '#include "placer/rows.h"')
        self.write("tests/placer/rows_test.cpp", '#include "placer/rows.h"')
        self.expect_offence("placer/rows.h:1: no other library includes it; it belongs in a room "
                            "of placer/")
        self.write("placer/place.h", '#include "placer/rows.h"')
        self.write("cli/main.cpp", '#include "placer/place.h"')
        self.assertEqual(self.run_script(), (0, []))

    def test_a_public_header_includes_no_header_of_a_room(self) -> None:
        self.write("cli/main.cpp", '#include "placer/place.h"')
        self.write("placer/place.h", "#pragma once", '#include "placer/starts/rows.h"')
        self.write("placer/starts/rows.h", "#pragma once")
        self.expect_offence("placer/place.h:2: a public header may not include "
                            "placer/starts/rows.h, which is private: move the types that it needs "
                            "up")
        self.write("placer/place.h", '#include "placer/place_result.h"')
        self.write("placer/place_result.h", "#pragma once")
        self.write("placer/starts/rows.h", '#include "placer/place_result.h"')
        self.assertEqual(self.run_script(), (0, []))

    def test_a_library_has_at_most_fourteen_public_headers(self) -> None:
        for i in range(14):
            self.write(f"sim/a{i}.h", "#pragma once")
        self.write("cli/main.cpp", *(f'#include "sim/a{i}.h"' for i in range(14)))
        self.assertEqual(self.run_script(), (0, []))
        self.write("sim/a14.h", "#pragma once")
        self.write("cli/other.cpp", '#include "sim/a14.h"')
        self.expect_offence("sim/:0: 15 public headers, more than 14")

    def test_a_file_is_in_the_namespace_of_its_library(self) -> None:
        self.write("model/problem/score.cpp", "namespace waferloom {")
        self.write("sim/mesh/mesh.cpp", "// namespace waferloom {", "namespace waferloom::sim {")
        self.assertEqual(self.run_script(), (0, []))
        self.write("sim/mesh/mesh.cpp", "namespace waferloom {")
        self.expect_offence("sim/mesh/mesh.cpp:1: expected namespace waferloom::sim, found "
                            "waferloom")

    def test_tests_that_nobody_builds(self) -> None:
        self.write("tests/sim/mesh/links_test.cpp", "")
        self.write("tests/CMakeLists.txt", "waferloom_test(sim SOURCES mesh/all_links_test.cpp)\n")
        self.expect_offence("tests/sim/mesh/links_test.cpp:0: stands in no CMakeLists.txt, so nobody runs it")
        # Nor does the name of another folder's test count, or a line that is commented out.
        self.write("tests/sim/CMakeLists.txt", "# mesh/links_test.cpp", "SOURCES other/links_test.cpp")
        self.expect_offence("tests/sim/mesh/links_test.cpp:0: stands in no CMakeLists.txt, so nobody runs it")
        self.write("tests/sim/CMakeLists.txt", "waferloom_test(sim SOURCES", "mesh/links_test.cpp)")
        self.assertEqual(self.run_script(), (0, []))

    def test_a_folder_holds_at_most_forty_files(self) -> None:
        for i in range(40):
            self.write(f"sim/mesh/a{i}.cpp", "")
        self.assertEqual(self.run_script(), (0, []))
        self.write("sim/mesh/README.md", "")
        self.expect_offence("sim/mesh/:0: 41 files, more than 40")

    def test_approx_is_refused_in_tests_wherever_it_is_written(self) -> None:
        self.write("tests/model/problem/score_test.cpp", "#include <doctest/doctest.h>",
                   "CHECK(a == doctest::Approx(b));")
        self.expect_offence("tests/model/problem/score_test.cpp:2: doctest's Approx adds its epsilon to "
                            "the size; use close_to")
        self.write("tests/model/problem/score_test.cpp", "using doctest::Approx;",
                   "CHECK(a == Approx(b).epsilon(0.1));")
        code, found = self.run_script()
        self.assertEqual((code, len(found)), (1, 2))

    def test_approx_may_be_spoken_of_and_names_may_hold_it(self) -> None:
        self.write("cli/main.cpp", '#include "model/score.h"')
        self.write("tests/support/close_to.h", "/// Not doctest::Approx.",
                   'const char* kText = "Approx";', "bool isApproximate();")
        self.write("model/score.h", "struct Approx {};")
        self.assertEqual(self.run_script(), (0, []))

    def test_errors_that_do_not_say_whose_fault_they_are_are_refused(self) -> None:
        self.write("sim/time.cpp", "// not std::invalid_argument",
                   'void fail() { throw std::invalid_argument("text"); }')
        self.expect_offence("sim/time.cpp:2: does not say whose fault it is; throw an error of "
                            "model/errors.h, or std::logic_error for a bug")

    def test_retired_names_are_refused_in_code(self) -> None:
        self.write("sim/time.cpp", "// one meeting", "int meeting_ = 0;")
        self.expect_offence("sim/time.cpp:2: is a retired name; docs/glossary.md has the field's "
                            "terms")
        self.write("sim/time.cpp", "void f(int one);")
        self.expect_offence("sim/time.cpp:1: 'one' does not say what it is")

    def test_a_folder_without_sources_is_a_usage_error(self) -> None:
        self.assertEqual(self.run_script(), (2, []))


if __name__ == "__main__":
    unittest.main()
