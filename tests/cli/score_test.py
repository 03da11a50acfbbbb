"""waferloom score: summary, report, exit codes, exact decimals."""

import unittest

from program import SMALL_CASE, SMALL_SOLUTION, SMALL_TOTAL, ProgramTest


class ScoreTest(ProgramTest):
    def test_summary_of_a_legal_solution(self) -> None:
        done = self.run_here("score", "small.kgraph", "small.sol")
        self.assertEqual(done.code, 0)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.splitlines(), [
            "small.sol: legal", "  time      4608", "  distance  12", "  adapter   0",
            "  total     4632"])

    def test_report_on_stdout_is_all_of_stdout(self) -> None:
        done = self.run_here("score", "small.kgraph", "small.sol", "--report", "-")
        self.assertEqual(done.code, 0)
        self.assert_valid("score", done.stdout)
        self.assertEqual(done.findings(), {
            "schema": "waferloom/score/1", "legal": True, "violations": [], "time": 4608,
            "distance": 12, "adapter": 0, "preference": 0, "total": SMALL_TOTAL,
            "warnings": []})

    def test_report_to_a_file_leaves_the_summary(self) -> None:
        done = self.run_here("score", "small.kgraph", "small.sol", "--report", "report.json")
        self.assertIn("small.sol: legal", done.stdout)
        self.assert_valid("score", (self.folder / "report.json").read_text())

    def test_overlap_is_exit_4_with_names_line_and_rectangle(self) -> None:
        self.write("small.sol", SMALL_SOLUTION.replace("place(6 0", "place(4 0"))
        done = self.run_here("score", "small.kgraph", "small.sol", "--report", "-")
        self.assertEqual(done.code, 4)
        self.assert_valid("score", done.stdout)
        report = done.json()
        self.assertFalse(report["legal"])
        self.assertIsNone(report["total"])
        self.assertEqual((report["time"], report["distance"], report["adapter"]), (4608, 12, 0))
        (violation,) = report["violations"]
        self.assertEqual(violation["kind"], "overlap")
        self.assertEqual(violation["kernels"], ["k1", "k2"])
        self.assertEqual(violation["rectangle"], {"x": 4, "y": 0, "width": 2, "height": 8})
        summary = self.run_here("score", "small.kgraph", "small.sol")
        self.assertEqual(summary.code, 4)
        self.assertIn("small.sol: illegal, 1 violation\n", summary.stdout)
        self.assertNotIn("total", summary.stdout)

    def test_a_solution_as_cometplacer_writes_it_scores_the_same(self) -> None:
        lines = ['include "common.paint"']
        for kernel, place in zip(SMALL_SOLUTION.splitlines()[:3], SMALL_SOLUTION.splitlines()[3:]):
            name = kernel.split()[0]
            lines += [kernel, f"{name} : name('{name})", place]
        self.write("comet.sol", "\n".join([*lines, "kmap = union( k1 k2 k3 )"]))
        totals = [self.run_here("score", "small.kgraph", solution, "--report", "-").json()["total"]
                  for solution in ("small.sol", "comet.sol")]
        self.assertEqual(totals, [SMALL_TOTAL, SMALL_TOTAL])
        self.write("comet.sol", SMALL_SOLUTION + "kmap = onion( k1 k2 k3 )\n")
        self.assert_fails(self.run_here("score", "small.kgraph", "comet.sol"), 2,
                          "comet.sol:7:8: expected conv, dblock, cblock or shapes, found 'onion'")

    def test_a_place_far_off_the_wafer_has_parts_but_no_total(self) -> None:
        # Times are multiples of 1/(2^30 * 3^18), so that a total of this distance is above 2^127.
        kernel = "conv[{0}] W=1 H=1 R=1 S=1 C=1 K=1 T={1} U={1} name='k{0}'\n"
        self.write("far.kgraph", SMALL_CASE[:SMALL_CASE.index("input[0]")].replace(
            "wlength=2", "wlength=9000000000") + kernel.format(1, 32768) +
            kernel.format(2, 19683) + "conv[1]:y -> conv[2]:x, shape:[1][1][1]\n")
        self.write("far.sol", "k1 = conv( 1 1 1 1 1 1 32768 32768 1 1 1 1 )\n"
                   "k2 = conv( 1 1 1 1 1 1 19683 19683 1 1 1 1 )\n"
                   "k1 : place(0 0 R0)\nk2 : place(1000000000000 1000000000000 R0)\n")
        done = self.run_here("score", "far.kgraph", "far.sol", "--report", "-")
        self.assertEqual(done.code, 4, done.stderr)
        report = done.json()
        self.assertEqual(report["distance"], 2_000_000_000_000)
        self.assertIsNone(report["total"])
        self.assertNotIn("total", self.run_here("score", "far.kgraph", "far.sol").stdout)

    def test_parts_are_null_where_a_kernel_has_no_one_meaning(self) -> None:
        for text in (SMALL_SOLUTION.replace("k3 : place(12 0 R0)\n", ""),
                     SMALL_SOLUTION.replace("1 1 2 2 1 2 )\nk3", "1 1 9 2 1 2 )\nk3"),
                     SMALL_SOLUTION.replace("k2 = conv( 8 8 8", "k2 = conv( 8 8 7"),
                     SMALL_SOLUTION + "k3 : place(20 0 R0)\n"):
            self.write("small.sol", text)
            done = self.run_here("score", "small.kgraph", "small.sol", "--report", "-")
            self.assertEqual(done.code, 4)
            self.assert_valid("score", done.stdout)
            report = done.json()
            for key in ("time", "distance", "adapter", "total"):
                self.assertIsNone(report[key], text)

    def test_an_unknown_kernel_does_not_hide_the_parts(self) -> None:
        self.write("small.sol", SMALL_SOLUTION + "k9 : place(20 0 R0)\n")
        report = self.run_here("score", "small.kgraph", "small.sol", "--report", "-").json()
        self.assertEqual([v["kind"] for v in report["violations"]], ["unknown_kernel"])
        self.assertEqual(report["time"], 4608)
        self.assertIsNone(report["total"])

    def test_decimals_are_exact(self) -> None:
        case = SMALL_CASE.replace("wdeltat=1", "wdeltat=0.000001").replace("wlength=2",
                                                                           "wlength=0.5")
        self.write("small.kgraph", case)
        done = self.run_here("score", "small.kgraph", "small.sol", "--report", "-")
        self.assertEqual(done.json()["total"], 6.004608)
        self.assertIn('"total": 6.004608', done.stdout)

    def test_decimals_are_printed_as_short_as_they_are(self) -> None:
        for weight in ("708.24606", "0.1", "0.3", "12345678.901234", "999999.999999"):
            self.write("one.kgraph", f"(* wdeltat={weight} *)\nconv[1] W=1 H=1 R=1 S=1 C=1 K=1 T=1\n")
            self.write("one.sol", "k1 = conv( 1 1 1 1 1 1 1 1 1 1 1 1 )\nk1 : place(0 0 R0)\n")
            done = self.run_here("score", "one.kgraph", "one.sol", "--report", "-")
            self.assertIn(f'"total": {weight},\n', done.stdout)

    def test_a_number_that_no_double_holds_is_a_string(self) -> None:
        case = SMALL_CASE.replace("wdeltat=1", "wdeltat=8999999999.999999")
        self.write("small.kgraph", case)
        report = self.run_here("score", "small.kgraph", "small.sol", "--report", "-").json()
        # 4608 * 8999999999.999999 + 2 * 12
        self.assertEqual(report["total"], "41472000000023.995392")

    def test_either_operand_may_be_stdin_but_not_both(self) -> None:
        self.assertEqual(self.run_here("score", "-", "small.sol", stdin=SMALL_CASE).code, 0)
        done = self.run_here("score", "small.kgraph", "-", stdin=SMALL_SOLUTION)
        self.assertIn("standard input: legal", done.stdout)
        self.assert_fails(self.run_here("score", "-", "-"), 2, "standard input")

    def test_a_cyclic_graph_can_be_scored(self) -> None:
        self.write("small.kgraph", SMALL_CASE + "conv[3]:y -> conv[1]:x, shape:[8][8][4]\n")
        report = self.run_here("score", "small.kgraph", "small.sol", "--report", "-").json()
        self.assertEqual(report["distance"], 24)

    def test_long_lists_are_cut_unless_verbose(self) -> None:
        self.write("small.sol", "\n".join(f"x{i} : place(0 0 R0)" for i in range(60)) + "\n")
        short = self.run_here("score", "small.kgraph", "small.sol").stdout
        self.assertIn("more: --verbose", short)
        self.assertNotIn("'x59'", short)
        long = self.run_here("score", "small.kgraph", "small.sol", "-v").stdout
        self.assertIn("'x59'", long)
        self.assertNotIn("more: --verbose", long)


if __name__ == "__main__":
    unittest.main()
