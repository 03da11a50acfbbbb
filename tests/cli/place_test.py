"""waferloom place: what it writes, says and reports."""

import json
import unittest

from program import SMALL_CASE, ProgramTest, run


class PlaceTest(ProgramTest):
    def test_solution_is_legal_and_has_the_reported_score(self) -> None:
        done = self.run_here("place", "small.kgraph", "-o", "out.sol", "--effort", "1",
                             "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("place", done.stdout)
        report = done.json()
        self.assertEqual(report["case"], "small")
        self.assertEqual(report["source"], "small.kgraph")
        self.assertEqual(report["wafer"], {"width": 40, "height": 30, "usable_tiles": 1200})
        self.assertEqual((report["seed"], report["effort"]), (1, 1))
        self.assertIn(report["stopped_by"], ("effort", "optimal"))
        score = self.run_here("score", "small.kgraph", "out.sol", "--report", "-")
        self.assertEqual(score.code, 0)
        judged = score.json()
        for key in ("schema", "made_by", "warnings"):
            del judged[key]
        self.assertEqual(report["score"], judged)

    def test_what_rules_is_reported(self) -> None:
        report = self.run_here("place", "small.kgraph", "-o", "out.sol", "--effort", "1",
                               "--time-limit", "200", "--report", "-").json()
        self.assertEqual((report["effort"], report["time_limit_s"]), (1, 200))
        done = self.run_here("place", "small.kgraph", "-o", "out.sol", "--time-limit", "200.5",
                             "--report", "-")
        self.assert_valid("place", done.stdout)
        self.assertEqual((done.json()["effort"], done.json()["time_limit_s"]), (None, 200.5))
        report = self.run_here("place", "small.kgraph", "-o", "out.sol", "--report", "-").json()
        self.assertEqual((report["effort"], report["time_limit_s"]), (5, None))

    def test_mistyped_header_keys_are_warned_of(self) -> None:
        self.write("small.kgraph", SMALL_CASE.replace("wlength=", "wlenght="))
        warning = "small.kgraph:6:1: unknown header key 'wlenght', did you mean 'wlength'?"
        place = ("place", "small.kgraph", "-o", "out.sol", "--effort", "1")
        for arguments in (place, ("score", "small.kgraph", "small.sol"),
                          ("draw", "small.kgraph", "small.sol", "-o", "out.svg"),
                          ("bench", "--from", ".", "--effort", "1"),
                          ("kgraph=small.kgraph", "output=out.sol", "--effort", "1")):
            done = self.run_here(*arguments, "--report", "-")
            self.assertEqual(done.code, 0, done.stderr)
            self.assertIn(f"waferloom: warning: {warning.replace('small', './small')}\n"
                          if "bench" in arguments else f"waferloom: warning: {warning}\n",
                          done.stderr)
            self.assertEqual(len(done.json()["warnings"]), 1)
            self.assert_valid(done.json()["schema"].split("/")[1], done.stdout)
        self.assertEqual(self.run_here(*place, "-q").stderr, "")

    def test_bound_gap_and_optimal_agree(self) -> None:
        report = self.run_here("place", "small.kgraph", "-o", "out.sol", "--effort", "1",
                               "--report", "-").json()
        total, bound = report["score"]["total"], report["bound"]["total"]
        self.assertLessEqual(bound, total)
        self.assertAlmostEqual(report["gap"], total / bound - 1, places=12)
        self.assertEqual(report["optimal"], total == bound)

    def test_a_gap_that_is_not_zero_does_not_look_like_it(self) -> None:
        self.write("small.kgraph", SMALL_CASE.replace("wdeltat=1", "wdeltat=1000000"))
        done = self.run_here("place", "small.kgraph", "-o", "out.sol", "--effort", "1",
                             "--strategy", "rows", "--report", "out.json")
        gap = json.loads((self.folder / "out.json").read_text())["gap"]
        self.assertTrue(0 < gap < 0.00005, gap)
        shown = done.stdout.split("(gap ")[1].split(" %)")[0]
        self.assertGreater(float(shown), 0)

    def test_improvements_only_improve_and_end_at_the_score(self) -> None:
        self.write("A.kgraph", run("cases", "A").stdout)
        report = self.run_here("place", "A.kgraph", "-o", "out.sol", "--effort", "1",
                               "--report", "-").json()
        totals = [note["total"] for note in report["improvements"]]
        self.assertTrue(totals)
        self.assertEqual(totals, sorted(set(totals), reverse=True))
        self.assertEqual(totals[-1], report["score"]["total"])

    def test_no_start_of_the_strategy_finds_a_placement(self) -> None:
        # Four kernels of 2x3 tiles fit 5x5 as a pinwheel only, which is neither rows nor slicing.
        header = SMALL_CASE[:SMALL_CASE.index("input[0]")]
        self.write("pinwheel.kgraph", header.replace("=40", "=5").replace("=30", "=5") + "".join(
            f"conv[{i}] W=1 H=1 R=1 S=1 C=1 K=1 T=1 U=1 name='k{i}'\n" for i in range(1, 5)))
        starts = ("signature-rows, rows, signature-dp, gigaplacer-plus, stack-rows, bisection, "
                  "chain-row, slicing-dp, annealing")
        for strategy, hint in (("rows", "rows; --strategy auto tries more\n"),
                               ("auto", f"{starts}; a higher --effort or another --seed may find "
                                        "one\n")):
            done = self.run_here("place", "pinwheel.kgraph", "-o", "out.sol", "-q",
                                 "--strategy", strategy)
            self.assert_fails(done, 3, "no legal placement was found, nor a proof that there is "
                                       f"none; tried: {hint}")

    def test_what_cannot_lie_together_is_proven_before_the_search(self) -> None:
        header = SMALL_CASE[:SMALL_CASE.index("input[0]")].replace("=40", "=100").replace(
            "=30", "=100")
        flat = "".join(f"shapes[{i}] options=[90x10:100] name='w{i}'\n" for i in range(1, 5))
        self.write("flat.kgraph", header + flat)
        self.write("large.kgraph", header + "".join(
            f"shapes[{i}] options=[70x55:100] name='b{i}'\n" for i in range(1, 3)))
        self.write("fixed.json", json.dumps({"fixed": [{"kernel": "w1", "x": 0, "y": 0},
                                                       {"kernel": "w2", "x": 0, "y": 0}]}))
        self.write("inside.json", json.dumps({"regions": [
            {"kernels": "*", "rule": "inside",
             "rectangle": {"x": 0, "y": 0, "width": 90, "height": 35}}]}))
        for arguments, message in (
                (("flat.kgraph", "--constraints", "fixed.json"),
                 "kernel w1 is fixed on 90x10 tiles at (0, 0), kernel w2 on 90x10 tiles at (0, 0), "
                 "and these overlap"),
                # 4 · 90 · 10 = 3600 of 90 · 35 = 3150.
                (("flat.kgraph", "--constraints", "inside.json"),
                 "(w1, w2, w3, w4) need 3600 tiles together, and 3150 are free there"),
                # 55 + 55 = 110 of 100, either way.
                (("large.kgraph",), "kernels b1 and b2 overlap wherever they lie in 100x100 tiles "
                                    "at (0, 0): side by side they need at least 110 columns, one "
                                    "above the other 110 rows")):
            for command in (("place", *arguments, "-o", "out.sol", "-q"),
                            ("optimize", *arguments, "-o", "out", "-q")):
                with self.subTest(command=command):
                    self.assert_fails(self.run_here(*command), 3, message)

    def test_summary_on_stdout_progress_on_stderr(self) -> None:
        done = self.run_here("place", "small.kgraph", "-o", "out.sol", "--effort", "1")
        self.assertEqual(done.stdout.splitlines()[0], "small.kgraph: placed in out.sol")
        self.assertIn("  wafer     40x30 tiles, 24576 words each\n", done.stdout)
        self.assertIn("  weights   time 1, distance 2, adapter 3\n", done.stdout)
        for word in ("time", "distance", "adapter", "total", "bound", "seed 1"):
            self.assertIn(word, done.stdout)
        self.assertIn("placing 3 kernels", done.stderr)
        self.assertNotIn("\r", done.stderr)
        self.assertNotIn("\033", done.stderr)
        quiet = self.run_here("place", "small.kgraph", "-o", "out.sol", "--effort", "1", "-q")
        self.assertEqual(quiet.stderr, "")
        self.assertIn("placed in out.sol", quiet.stdout)

    def test_pictures_are_drawn(self) -> None:
        done = self.run_here("place", "small.kgraph", "-o", "out.sol", "--effort", "1",
                             "--svg", "out.svg", "--png", "out.png", "--report", "out.json")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("<svg", (self.folder / "out.svg").read_text()[:400])
        self.assertEqual((self.folder / "out.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.assert_valid("place", (self.folder / "out.json").read_text())
        self.assertEqual(self.names(), {"small.kgraph", "small.sol", "out.sol", "out.svg",
                                        "out.png", "out.json"})

    def test_pictures_follow_their_endings(self) -> None:
        place = ("place", "small.kgraph", "-o", "out.sol", "--effort", "1", "-q")
        self.assertEqual(self.run_here(*place, "--draw", "a.pdf", "--draw", "b.SVG", "--draw",
                                       "c.png").code, 0)
        self.assertEqual((self.folder / "a.pdf").read_bytes()[:5], b"%PDF-")
        self.assertIn("<svg", (self.folder / "b.SVG").read_text()[:400])
        self.assertEqual((self.folder / "c.png").read_bytes()[:4], b"\x89PNG")
        for option, path, part in (("--svg", "x.png", "ends in .svg, found 'x.png'"),
                                   ("--png", "x.svg", "ends in .png, found 'x.svg'"),
                                   ("--svg", "x", "ends in .svg"),
                                   ("--draw", "x.gif", "ends in .svg, .png or .pdf")):
            self.assert_fails(self.run_here(*place, option, path), 2, f"{option}: expected", part)
            self.assertNotIn(path, self.names())

    def test_animation_shows_the_improvements(self) -> None:
        place = ("place", "small.kgraph", "-o", "out.sol", "--effort", "1")
        done = self.run_here(*place, "--animation", "how.png", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        png = (self.folder / "how.png").read_bytes()
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        control = png.index(b"acTL") + 4
        frames = int.from_bytes(png[control:control + 4], "big")
        self.assertEqual(frames, min(24, len(done.json()["improvements"])))
        self.assertEqual(png.count(b"fcTL"), frames)
        self.assert_fails(self.run_here(*place, "--animation", "how.svg"), 2,
                          "--animation: expected", "ends in .png")
        self.assert_fails(self.run_here(*place, "--png", "x.png", "--animation", "x.png"), 2)
        self.assertNotIn("x.png", self.names())

    def test_case_from_stdin(self) -> None:
        done = self.run_here("place", "-", "-o", "out.sol", "--effort", "1", stdin=SMALL_CASE)
        self.assertEqual(done.code, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("small from standard input: placed in out.sol"))

    def test_place_is_a_filter(self) -> None:
        place = ("place", "-", "-o", "-", "--effort", "1")
        before = self.names()
        done = self.run_here(*place, stdin=SMALL_CASE)
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("small from standard input: placed in standard output\n", done.stderr)
        self.assertIn("  total ", done.stderr)
        self.assertEqual(self.names(), before)
        score = self.run_here("score", "small.kgraph", "-", stdin=done.stdout)
        self.assertEqual(score.code, 0, score.stdout)
        # The same bytes as in a file, once, and nothing else anywhere.
        self.run_here("place", "small.kgraph", "-o", "out.sol", "--effort", "1")
        self.assertEqual(done.stdout, (self.folder / "out.sol").read_text())
        quiet = self.run_here(*place, "-q", "--draw", "out.svg", "--report", "r.json",
                              stdin=SMALL_CASE)
        self.assertEqual((quiet.code, quiet.stdout, quiet.stderr), (0, done.stdout, ""))
        self.assert_valid("place", (self.folder / "r.json").read_text())
        self.assertNotIn("-", self.names())

    def test_a_filter_that_is_ambiguous_or_fails_has_no_solution_on_stdout(self) -> None:
        both = self.run_here("place", "-", "-o", "-", "--report", "-", stdin=SMALL_CASE)
        self.assertEqual(both.code, 2)
        self.assertIn("-o - and --report -", both.stderr)
        self.assertEqual(both.json()["error"]["class"], "usage")
        self.assert_fails(self.run_here("place", "-", "-o", "-", stdin="nonsense"), 2,
                          "standard input")

    def test_same_seed_same_bytes(self) -> None:
        for name in ("a.sol", "b.sol"):
            self.run_here("place", "small.kgraph", "-o", name, "--effort", "2", "--seed", "7")
        self.assertEqual((self.folder / "a.sol").read_bytes(),
                         (self.folder / "b.sol").read_bytes())

    def test_time_limit_alone_rules(self) -> None:
        self.write("C.kgraph", run("cases", "C").stdout)
        done = self.run_for("place", "C.kgraph", "-o", "out.sol", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertEqual(done.json()["stopped_by"], "time_limit")

    def test_with_both_limits_the_earlier_stops(self) -> None:
        report = self.run_here("place", "small.kgraph", "-o", "out.sol", "--time-limit", "200",
                               "--effort", "1", "--report", "-").json()
        self.assertIn(report["stopped_by"], ("effort", "optimal"))

    def test_time_limit_before_any_solution_is_exit_5(self) -> None:
        self.write("C.kgraph", run("cases", "C").stdout)
        done = self.run_here("place", "C.kgraph", "-o", "out.sol", "--time-limit", "0.000001")
        self.assert_fails(done, 5, "time limit")
        self.assertNotIn("out.sol", self.names())

    def test_cycle_is_exit_2_with_its_names(self) -> None:
        self.write("small.kgraph", SMALL_CASE + "conv[3]:y -> conv[1]:x, shape:[8][8][4]\n")
        done = self.run_here("place", "small.kgraph", "-o", "out.sol")
        self.assert_fails(done, 2, "k1 -> k2 -> k3 -> k1")
        self.assertNotIn("out.sol", self.names())

    def test_kernel_that_cannot_fit_is_exit_3_by_name(self) -> None:
        self.write("small.kgraph", SMALL_CASE.replace("memlimit=24576", "memlimit=1"))
        done = self.run_here("place", "small.kgraph", "-o", "out.sol")
        self.assert_fails(done, 3, "k1")
        self.assertNotIn("out.sol", self.names())

    def test_buffers_find_room_in_the_tiles_memory(self) -> None:
        # 60 words a tile: two samples of 512 words wait at k2 and at k3.
        self.write("tight.kgraph", SMALL_CASE.replace("memlimit=24576", "memlimit=60"))
        place = ("place", "tight.kgraph", "-o", "out.sol", "--effort", "1", "--report")
        plain = self.run_here(*place, "-").json()
        self.assertIsNone(plain["buffers"])
        done = self.run_here(*place, "out.json", "--buffers", "2")
        self.assertEqual(done.code, 0, done.stderr)
        text = (self.folder / "out.json").read_text()
        self.assert_valid("place", text)
        report = json.loads(text)
        buffers = report["buffers"]
        self.assertEqual((buffers["samples"], buffers["words"], buffers["tile_limit"]),
                         (2, 2 * 512 + 2 * 512, 60))
        self.assertLessEqual(buffers["words_of_its_tile"], 60)
        self.assertIn("  buffers   2048 words for 2 samples an edge; fullest tiles: "
                      f"{buffers['words_of_its_tile']} of 60, {buffers['fullest_kernel']}\n",
                      done.stdout)
        self.assertGreater(report["score"]["total"], plain["score"]["total"])
        self.assertEqual(self.run_here("score", "tight.kgraph", "out.sol").code, 0)
        self.run_here(*place, "none.json", "--buffers", "0")
        none = json.loads((self.folder / "none.json").read_text())
        self.assertEqual((none["score"], none["buffers"]), (plain["score"], None))

    def test_buffers_without_room_and_without_sense(self) -> None:
        place = ("place", "small.kgraph", "-o", "out.sol", "--buffers")
        done = self.run_here(*place, "1000000")
        self.assert_fails(done, 3, "kernel k2 has no room for its buffers", "512000000 words",
                          "too few")
        self.assertNotIn("out.sol", self.names())
        for wrong in ("-1", "two", "1000000.5", "0.0000001"):
            self.assert_fails(self.run_here(*place, wrong), 2, "--buffers",
                              "expected samples of an edge, from 0 to 1000000", wrong)

    def test_unknown_strategy_is_exit_2_with_a_suggestion(self) -> None:
        done = self.run_here("place", "small.kgraph", "-o", "out.sol", "--strategy", "gigaplacr")
        self.assert_fails(done, 2, "did you mean 'gigaplacer'", "auto")

    def test_gigaplacer_alone(self) -> None:
        for strategy in ("gigaplacer", "gigaplacer-plus"):
            report = self.run_here("place", "small.kgraph", "-o", "out.sol", "--strategy",
                                   strategy, "--report", "-").json()
            self.assertEqual(report["strategy"], strategy)

    def test_failures_are_json_too(self) -> None:
        done = self.run_here("place", "missing.kgraph", "-o", "out.sol", "--report", "-")
        self.assertEqual(done.code, 2)
        self.assert_valid("error", done.stdout)
        error = json.loads(done.stdout)["error"]
        self.assertEqual((error["class"], error["exit_code"]), ("input", 2))
        self.assertIn(error["message"], done.stderr)


if __name__ == "__main__":
    unittest.main()
