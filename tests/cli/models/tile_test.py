"""waferloom model tile and validate --model wafer: operators on tiles, measured rows, errors."""

import json
import unittest

from program import ProgramTest, Run

GEMM = ("gemm", "--m", "256", "--k", "256", "--n", "256", "--tiles", "16x16")

EXPERTS = ("experts", "--experts", "8", "--tokens", "64", "--hidden", "256", "--feed-forward",
           "512", "--tiles", "16x16")


class TileTest(ProgramTest):
    def tile(self, *words: str) -> Run:
        return self.run_here("model", "tile", *words)

    def report(self, *words: str) -> dict:
        done = self.tile(*words, "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("tile", done.stdout)
        return done.json()

    def test_algorithms_stand_side_by_side(self) -> None:
        report = self.report(*GEMM)
        names = {row["algorithm"] for row in report["algorithms"]}
        self.assertEqual(names, {"weight-stationary", "summa", "pipelined-summa", "cannon", "meshgemm",
                                 "all-reduce"})
        # 256^3 multiply-adds on 256 tiles that do eight a cycle.
        self.assertEqual(report["roofline_cycles"], 256 ** 3 / (256 * 8))
        cycles = [row["cycles"] for row in report["algorithms"]]
        self.assertEqual(cycles, sorted(cycles))
        for row in report["algorithms"]:
            self.assertAlmostEqual(sum(row["parts"].values()), row["cycles"], places=6)
            self.assertAlmostEqual(row["seconds"] * 1.1e9, row["cycles"], places=3)
            self.assertLess(row["share_of_roofline"], 1)
        text = self.tile(*GEMM).stdout
        self.assertIn("gemm on 16x16 tiles of wse3: ", text)
        self.assertRegex(text, r"(?m)^meshgemm .* outside, 1.8 % off$")

    def test_columns_come_before_rows(self) -> None:
        tall = self.report("gemv", "--m", "4096", "--n", "64", "--tiles", "8x512")
        wide = self.report("gemv", "--m", "4096", "--n", "64", "--tiles", "512x8")
        self.assertEqual(tall["tiles"], {"rows": 512, "columns": 8})
        hops = [found["algorithms"][0]["parts"]["hops"] for found in (tall, wide)]
        self.assertGreater(hops[0], 20 * hops[1])

    def test_a_reduction_has_a_bound(self) -> None:
        report = self.report("reduce", "--elements", "512", "--tiles", "128x1", "--hardware", "wse2")
        # 256 words over 127 links of a cycle, one of which is in the words; five of ramps.
        self.assertGreaterEqual(report["bound_cycles"], 256 + 126 + 5)
        self.assertLessEqual(report["bound_cycles"], report["algorithms"][0]["cycles"])
        by_name = {row["algorithm"]: row["cycles"] for row in report["algorithms"]}
        self.assertEqual(by_name["chain"], 256 + 6 * 127)

    def test_every_operator_tells_its_cycles(self) -> None:
        one_token = ("--tokens", "4096", "--heads", "32", "--kv-heads", "8", "--head-size", "128")
        cycles = {}
        for words in (("norm", "--m", "1", "--n", "4096"), ("softmax", "--m", "32", "--n", "4096"),
                      ("element-wise", "--elements", "14336"), ("attention", *one_token),
                      ("transpose", "--m", "4096", "--n", "4096"),
                      ("shift", "--elements", "64", "--distance", "9"),
                      ("gemm-backward", "--m", "720", "--k", "720", "--n", "720"),
                      ("convolution", "--positions", "784", "--in-channels", "64",
                       "--out-channels", "64", "--kernel", "3"),
                      ("prefill", "--tokens", "512", "--heads", "32", "--head-size", "128"),
                      ("rotary", "--tokens", "64", "--features", "4096"),
                      ("embedding", "--tokens", "1", "--vocabulary", "32000", "--features", "4096"),
                      ("head", "--tokens", "1", "--features", "4096", "--vocabulary", "32000"),
                      ("experts", "--tokens", "64", "--experts", "8", "--chosen", "2", "--hidden",
                       "1024", "--feed-forward", "2048", "--load", "1.5"),
                      ("convert", "--m", "720", "--n", "720", "--to", "down-copied"),
                      ("all-reduce", "--elements", "64"), ("broadcast", "--elements", "64"),
                      ("block", *one_token, "--hidden", "4096", "--feed-forward", "14336")):
            report = self.report(*words, "--tiles", "360x360")
            self.assertEqual(report["operator"], words[0])
            cycles[words[0]] = report["algorithms"][0]["cycles"]
        self.assertGreater(cycles["attention"], cycles["softmax"])
        self.assertGreater(cycles["block"], cycles["attention"] + 2 * cycles["norm"])

    def test_words_may_move_beside_the_closed_form(self) -> None:
        report = self.report("all-reduce", "--elements", "64", "--tiles", "16x1", "--inside")
        for row in report["algorithms"]:
            closed, moved = row["inside"]["closed_form"], row["inside"]["moved"]
            self.assertLess(abs(closed / moved - 1), 0.05, row["algorithm"])
            self.assertGreaterEqual(moved, report["bound_cycles"])
        text = self.tile(*GEMM, "--algorithm", "meshgemm", "--inside").stdout
        self.assertRegex(text, r"(?m)^meshgemm +\d+ +\d+ +-?\d+\.\d %$")
        self.assertNotIn("inside", self.report(*GEMM)["algorithms"][0])
        self.assert_fails(self.tile("gemv", "--m", "64", "--n", "64", "--tiles", "64x64",
                                    "--inside"), 2, "at most 1024 tiles, not on 4096")

    def test_a_picture_shows_cycles_and_who_sends_to_whom(self) -> None:
        self.assertEqual(self.tile(*GEMM, "--draw", "tile.svg").code, 0)
        picture = (self.folder / "tile.svg").read_text()
        for part in ("gemm on 16 × 16 tiles of wse3", "meshgemm", "one step", "roofline"):
            self.assertIn(part, picture)
        self.assertEqual(picture.count('class="panel"'), 6)
        self.assertEqual(self.tile("all-reduce", "--elements", "64", "--tiles", "64x1", "--draw",
                                   "line.svg").code, 0)
        self.assertIn("no algorithm takes fewer", (self.folder / "line.svg").read_text())
        self.assert_fails(self.tile(*GEMM, "--draw", "tile.txt"), 2, "--draw")

    def test_a_file_may_be_the_hardware(self) -> None:
        self.write("mine.json", self.run_here("hardware", "wse3", "--json").stdout)
        mine = self.report(*GEMM, "--hardware", "mine.json")
        self.assertEqual(mine["algorithms"], self.report(*GEMM)["algorithms"])

    def test_what_does_not_go_is_told(self) -> None:
        for words, code, part in (
                (("gemm", "--m", "4", "--n", "4", "--tiles", "2x2"), 2, "gemm needs --k"),
                ((*GEMM, "--kv-heads", "3"), 2, "--kv-heads: of attention, prefill and block"),
                (("attention", "--tokens", "9", "--heads", "4", "--kv-heads", "3", "--head-size",
                  "8", "--tiles", "2x2"), 2, "expected a divisor of the 4 heads, found 3"),
                ((*GEMM, "--distance", "3"), 2, "--distance: not of gemm"),
                (("gemm", "--m", "4"), 2, "gemm needs --k, --n and --tiles"),
                ((*GEMM, "--to", "down-copied"), 2, "--from and --to: of convert alone"),
                ((*GEMM, "--load", "2"), 2, "--load: of experts alone"),
                (("shift", "--elements", "4", "--distance", "9", "--tiles", "4x4", "--inside"), 2,
                 "leaves a rectangle of 4 columns"),
                (("shift", "--elements", "4", "--distance", "4", "--tiles", "4x4"), 2,
                 "--distance: a shift by 4 tiles leaves a rectangle of 4 columns"),
                ((*EXPERTS, "--chosen", "9"), 2,
                 "--chosen: expected at most the 8 experts, found 9"),
                # An expert has all tokens at most: 8 / 2 times the even share.
                ((*EXPERTS, "--chosen", "2", "--load", "4.5"), 2,
                 "--load: expected at most 4, 8 experts over 2 chosen, found 4.5"),
                ((*GEMM, "--groups", "257"), 2,
                 "--groups: expected at most the 256 tiles of 16x16, found 257"),
                (("gem", "--tiles", "2x2"), 2, "found 'gem'"),
                ((*GEMM[:-1], "16"), 2, "--tiles"),
                ((*GEMM, "--data-type", "fp8"), 2, "it has fp16, fp32"),
                ((*GEMM, "--algorithm", "ring"), 2, "gemm has no algorithm ring"),
                ((*GEMM, "--hardware", "palm_wafer"), 2, "palm_wafer has no programs"),
                ((*GEMM[:-1], "16x9999"), 3, "16x9999 tiles are more than"),
                (("gemm", "--m", "9999", "--k", "9999", "--n", "9999", "--tiles", "9x9"), 3,
                 "bytes a tile of 49152; ")):
            self.assert_fails(self.tile(*words), code, part)


class WaferRowsTest(ProgramTest):
    def rows_file(self, **changed: object) -> None:
        row = {"id": "a", "machine": "WSE-3", "procedure": "meshgemv_wse3", "how": "device",
               "settings": {"P": 16, "tile": [8, 8], "groups": 8, "dtype": "fp16"},
               "value": 269.0, "unit": "cycles"}
        self.write("rows.json", json.dumps({"gemv": [row | changed]}))

    def judged(self) -> dict:
        done = self.run_here("validate", "--model", "wafer", "--rows", "rows.json", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("wafer_rows", done.stdout)
        return done.json()

    def test_a_row_stands_beside_ours(self) -> None:
        self.rows_file()
        report = self.judged()
        row = report["rows"][0]
        cycles = json.loads(self.run_here("hardware", "wse3", "--json").stdout)["fabric"]["programs"]["waferllm"]["fp16"]
        # In a group a chain of one tile: two ramps, an adder, a hop, four words. Four roots from the
        # left, three from the right, two hops apart; one ramp takes both in. Nine hops back.
        inside = 7 + 4
        among = inside + max(4 * 9 + 4, 3 * 9 + 8)
        ours = (cycles["start"] + 3 * cycles["phase"] + 5 * cycles["chain_stage"]
                + 4 * cycles["reduced_word"] + among + 5 + 9 * 2 + 4 + 8 * (cycles["vector"] + 2 * cycles["issue"]))
        self.assertAlmostEqual(row["ours"], ours, places=9)
        self.assertAlmostEqual(row["error_percent"], 100 * (ours / 269 - 1), places=9)
        self.assertEqual(report["kinds"][0]["judged"], 1)
        text = self.run_here("validate", "--model", "wafer", "--rows", "rows.json").stdout
        self.assertRegex(text, r"(?m)^meshgemv +device +1 +1 ")

    def test_a_row_that_is_not_judged_says_why(self) -> None:
        self.rows_file(how="a paper's model")
        report = self.judged()
        self.assertIsNone(report["rows"][0]["ours"])
        self.assertEqual(report["rows"][0]["reason"], "not measured: a paper's model")
        self.assertIsNone(report["kinds"][0]["median_percent"])

    def test_what_does_not_go_together_is_refused(self) -> None:
        self.rows_file()
        for words, part in ((("--model", "wafer"), "--model wafer: needs --rows FILE"),
                            (("--rows", "rows.json"), "--rows: needs --model wafer"),
                            (("--model", "wafer", "--model", "amped", "--rows", "rows.json"),
                             "--model: wafer goes alone"),
                            (("--model", "wafer", "--rows", "rows.json", "--csv", "x.csv"),
                             "--csv: not with --model wafer"),
                            (("--model", "wafer", "--rows", "no.json"), "no.json")):
            self.assert_fails(self.run_here("validate", *words), 2, part)
        self.write("rows.json", "[1")
        self.assert_fails(self.run_here("validate", "--model", "wafer", "--rows", "rows.json"), 2,
                          "rows.json:1:3: expected ',' or ']', found the end of the file")


if __name__ == "__main__":
    unittest.main()
