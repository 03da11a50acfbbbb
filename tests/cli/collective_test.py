"""waferloom collective: groups of tiles that exchange data, alone, at once, step by step."""

import json
import unittest

from program import ProgramTest, Run

# A byte in 1,000 ps and 1,000 ps a hop.
FABRIC = {"columns": 16, "rows": 8, "link": {"bytes_per_s": 10**9, "latency_ps": 1000},
          "dram_ports": [{"side": "west", "position": 0, "bytes_per_s": 10**9,
                          "response_ps": 5000}]}


class CollectiveTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("fabric.json", json.dumps(FABRIC))

    def collective(self, *words: str) -> Run:
        return self.run_here("collective", *words, "--hardware", "fabric.json")

    def report(self, *words: str) -> dict:
        done = self.collective(*words, "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("collective", done.stdout)
        return done.json()

    def test_the_closed_form_of_a_ring(self) -> None:
        report = self.report("all-reduce", "--tiles", "0,0,4x4", "--bytes", "16000", "--stepwise")
        formula = 30 * (16000 // 16 * 1000 + 1000)
        self.assertEqual(report["analytic_ps"], formula)
        self.assertEqual(report["macro_ps"], formula)
        self.assertEqual(report["stepwise"]["time_ps"], formula)
        self.assertEqual(report["stepwise"]["transfers"], 30 * 16)
        self.assertEqual(report["parts"], [{"name": "all-reduce", "steps": 30,
                                            "analytic_ps": formula, "macro_ps": formula}])

    def test_every_kind_by_every_algorithm(self) -> None:
        for kind in ("all-reduce", "reduce-scatter", "all-gather", "all-to-all", "broadcast",
                     "reduce"):
            for algorithm in ("ring", "bidirectional", "2-d", "tree", "hierarchical", "direct"):
                words = (kind, "--tiles", "1,1,4x3", "--algorithm", algorithm)
                if (kind, algorithm) == ("all-to-all", "tree"):
                    self.assert_fails(self.collective(*words), 2, "all-to-all tree: ")
                    continue
                report = self.report(*words)
                self.assertEqual(report["algorithm"], algorithm)
                self.assertGreater(report["analytic_ps"], 0)
                self.assertGreaterEqual(report["macro_ps"], report["analytic_ps"])

    def test_several_kinds_and_groups_at_once(self) -> None:
        words = ["all-reduce", "read", "write", "--tiles", "0,0,4x4", "--tiles", "4,0,2x2",
                 "--stepwise", "--bytes", "20000"]
        once = self.report(*words)
        self.assertEqual(once["groups"], [16, 4])
        self.assertEqual([part["name"] for part in once["parts"]], ["all-reduce", "read", "write"])
        self.assertEqual(len(once["stepwise"]["done_ps"]), 3)
        self.assertLess(once["analytic_ps"], once["stepwise"]["time_ps"])
        thrice = self.report(*words, "--count", "3")
        self.assertEqual(len(thrice["stepwise"]["done_ps"]), 9)
        self.assertEqual(thrice["analytic_ps"], once["analytic_ps"])
        self.assertGreater(thrice["stepwise"]["time_ps"], 2 * once["stepwise"]["time_ps"])
        # 20 tiles read through one port.
        self.assertGreater(once["stepwise"]["time_ps"], 20 * 20000 * 1000)

    def test_a_transfer_is_the_sum_of_its_terms(self) -> None:
        words = ["transfer", "--tiles", "0,0,4x3+0,3,1x1", "--to", "8,0,4x3", "--adapters", "3",
                 "--stepwise"]
        for strategy, adapters in (("1", 0), ("2", 4)):
            report = self.report(*words, "--strategy", strategy)
            parts = {part["name"]: part for part in report["parts"]}
            self.assertEqual(list(parts), ["source", "between", "adapters", "destination"])
            self.assertEqual(parts["adapters"]["steps"], adapters)
            self.assertEqual(report["macro_ps"],
                             sum(part["macro_ps"] for part in report["parts"]))
            self.assertLessEqual(report["stepwise"]["time_ps"], report["macro_ps"] * 1.3)
            self.assertEqual(report["groups"], [13])
            self.assertEqual(report["transfer"]["to"], 12)

    def test_the_same_bytes_and_a_narrow_summary(self) -> None:
        words = ["all-reduce", "all-to-all", "--tiles", "0,0,4x4", "--stepwise", "--network",
                 "exclusive"]
        one, other = self.collective(*words), self.collective(*words)
        self.assertEqual(one.stdout, other.stdout)
        self.assertIn("macro", one.stdout)
        self.assertTrue(all(len(line) <= 80 for line in one.stdout.splitlines()), one.stdout)

    def test_what_cannot_be_is_told(self) -> None:
        for words, message in [
            (["all-redcue", "--tiles", "0,0,2x2"], "did you mean 'all-reduce'?"),
            (["all-reduce", "--tiles", "0,0,2,2"], "--tiles: expected rectangles as X,Y,WxH"),
            (["all-reduce", "--tiles", "15,0,2x2"], "within the mesh of 16 x 8"),
            (["all-reduce", "--tiles", "0,0,2x2", "--tiles", "1,1,2x2"], "tile 1,1 is there twice"),
            (["all-reduce", "--tiles", "0,0,2x2", "--algorithm", "rings"], "did you mean 'ring'?"),
            (["all-reduce", "--tiles", "0,0,2x2", "--network", "fair"],
             "--network: needs --stepwise"),
            (["all-reduce", "--tiles", "0,0,2x2", "--adapters", "2"],
             "--adapters: needs KIND transfer"),
            (["transfer", "--tiles", "0,0,2x2"], "transfer: needs --to"),
            (["transfer", "reduce", "--tiles", "0,0,2x2", "--to", "4,0,2x2"], "goes alone"),
            (["transfer", "--tiles", "0,0,2x2", "--to", "1,0,2x2"], "share a tile"),
            (["transfer", "--tiles", "0,0,2x2", "--to", "4,0,2x2", "--adapters", "5"],
             "1 to 4 adapters, found 5"),
            (["transfer", "--tiles", "0,0,2x1", "--to", "4,0,2x1+4,0,2x1"],
             "--to: tile 4,0 is there twice"),
            (["all-reduce", "--tiles", "0,0,3x2+3,0,1x1", "--algorithm", "2-d"],
             "fabric.json: all-reduce 2-d: every row of the group"),
            (["all-reduce"], "--tiles"),
        ]:
            self.assert_fails(self.collective(*words), 2, message)

    def test_what_is_too_much_is_told_before_memory_runs_out(self) -> None:
        wafer = ["--tiles", "0,0,633x633", "--hardware", "wse1"]
        for words, message in [
            (["all-to-all", *wafer, "--algorithm", "2-d"],
             "wse1: there would be 506470896 flows, more than 20000000: choose fewer tiles"),
            # 3000 tiles all at once fit, but not three kinds of it.
            (["all-to-all", "all-gather", "reduce-scatter", "--tiles", "0,0,60x50", "--algorithm",
              "direct", "--hardware", "wse1"], "there would be 26991000 flows"),
            (["all-reduce", *wafer, "--count", "1000", "--stepwise"],
             "step by step there would be more than 20000000 transfers"),
        ]:
            self.assert_fails(self.run_here("collective", *words), 2, message)

    def test_many_alike_share_links(self) -> None:
        one, many = (self.run_here("collective", "all-reduce", "--tiles", "0,0,633x633",
                                   "--count", count, "--report", "-").json()
                     for count in ("1", "1000"))
        self.assertEqual(one["analytic_ps"], many["analytic_ps"])
        self.assertGreater(many["macro_ps"], one["macro_ps"])

    def test_words_stream_where_hardware_has_hops(self) -> None:
        words = ("collective", "all-reduce", "--bytes", "1024", "--hardware", "wse3", "--tiles")
        report = self.run_here(*words, "0,0,64x1", "--report", "-")
        self.assert_valid("collective", report.stdout)
        ways = report.json()["streamed"]
        times = [way["time_ps"] for way in ways]
        self.assertEqual(times, sorted(times))
        # A chain and a broadcast of 256 words over 63 links: ramps, adders and hops of two cycles.
        by_way = {way["way"]: way["time_ps"] for way in ways}
        cycles = 256 + 63 * 7 + 256 + 63 * 2 + 5
        self.assertAlmostEqual(by_way["chain"] * 1.1e-3, cycles, places=2)
        self.assertIn("snake", [way["way"] for way in self.run_here(
            *words, "0,0,8x8", "--report", "-").json()["streamed"]])
        for other in ("0,0,3x2+3,0,1x1",):  # no rectangle
            self.assertNotIn("streamed", self.run_here(*words, other, "--report", "-").json())


if __name__ == "__main__":
    unittest.main()
