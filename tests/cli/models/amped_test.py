"""waferloom model amped: how long transformers train, by degrees and part."""

import csv
import io
import json
import unittest

from program import ProgramTest, Run

# One layer of hidden size 4 on two nodes of two chips: small enough for sums by hand.
WORKLOAD = {"name": "tiny", "tokens": 8, "operators": [
    {"name": "embedding", "kind": "embedding", "sequence": 8, "vocabulary": 16, "hidden": 4},
    {"name": "layer", "kind": "transformer", "repeat": 4, "sequence": 8, "hidden": 4, "heads": 2},
    {"name": "head", "kind": "head", "sequence": 8, "vocabulary": 16, "hidden": 4}]}
SYSTEM = {"name": "pair", "chip": {"flop_per_s": 1000, "sram_bytes": 1},
          "memories": [{"name": "hbm", "bytes": 3000, "bytes_per_s": 1000}],
          "dimensions": [
              {"topology": "ring", "size": 2, "link_bytes_per_s": 64, "latency_s": 0.5},
              {"topology": "ring", "size": 2, "link_bytes_per_s": 16, "latency_s": 1}]}
LAYER_FLOP = 24 * 8 * 4 * 4 + 4 * 8 * 8 * 4
CASE_I = ("--recompute", "--matrix-only", "--layers-only", "--efficiency", "0.8", "--bubble",
          "literal", "--micro-batches", "stages", "--tokens", "300e9", "--any-degrees")


class AmpedTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("tiny.json", json.dumps(WORKLOAD))
        self.write("pair.json", json.dumps(SYSTEM))

    def amped(self, *words: str) -> Run:
        return self.run_here("model", "amped", *words)

    def tiny(self, *words: str) -> Run:
        return self.amped("tiny.json", "--system", "pair.json", *words)

    def report(self, done: Run) -> dict:
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("amped", done.stdout)
        return done.json()

    def test_a_batch_by_hand(self) -> None:
        report = self.report(self.tiny("--batch", "4", "--tp", "2", "--dp", "2", "--matrix-only",
                                       "--layers-only", "--micro-batches", "1", "--report", "-"))
        (one,) = report["candidates"]
        parts = one["parts"]
        self.assertAlmostEqual(parts["forward"], 4 * 4 * LAYER_FLOP / 1000 / 4)
        self.assertAlmostEqual(parts["backward"], 2 * parts["forward"])
        # b = 2 samples of 8 · 4 activations, two bytes each, twice, forward and backward, T = 1.
        self.assertAlmostEqual(parts["tensor_inside"], 4 * 2 * (0.5 * 2 + 2 * 2 * 32 * 2 / 64))
        self.assertEqual(parts["bubble"], 0)
        self.assertAlmostEqual(sum(parts.values()), one["batch_s"])
        self.assertEqual(one["degrees"]["inside"], {"tensor": 2, "pipeline": 1, "data": 1})
        self.assertEqual(one["degrees"]["among"], {"tensor": 1, "pipeline": 1, "data": 2})
        self.assertFalse(report["explored"])
        self.assertIsNone(one["training_s"])

    def test_case_study_i(self) -> None:
        """The settings of docs/amped.md give the days of AMPeD's first case study."""
        for degrees, days in ((("--tp", "8", "--dp", "128"), 17.74),
                              (("--tp", "8", "--pp", "128"), 18.99),
                              (("--tp", "8x2", "--pp", "1x64"), 55.42)):
            done = self.amped("T-145B", "--batch", "16384", *CASE_I, *degrees, "--report", "-")
            (one,) = self.report(done)["candidates"]
            self.assertAlmostEqual(one["training_s"] / 86400, days, places=2)

    def test_everything_is_explored_and_ranked(self) -> None:
        words = ("T-145B", "--batch", "2048", "--explore", "--recompute", "--top", "500")
        done = self.amped(*words, "--csv", "all.csv", "--report", "-")
        report = self.report(done)
        times = [one["batch_s"] for one in report["candidates"]]
        self.assertEqual(report["combinations"], 360)
        self.assertEqual(report["ranked"], len(times))
        self.assertEqual(times, sorted(times))
        rows = list(csv.DictReader(io.StringIO((self.folder / "all.csv").read_text())))
        self.assertEqual(len(rows), 360)
        self.assertEqual([float(row["batch_s"]) for row in rows[:len(times)]], times)
        self.assertEqual(rows[0]["refusal"], "")
        self.assertTrue(all(row["refusal"] for row in rows[len(times):]))
        one_thread = self.amped(*words, "--threads", "1", "--report", "-")
        self.assertEqual(one_thread.findings(), done.findings())

    def test_a_narrow_summary_and_a_picture(self) -> None:
        for words in (("--explore", "--tokens", "300e9", "--heatmap", "days.svg"),
                      ("--tp", "8", "--pp", "8"), ("--explore", "--top", "3")):
            done = self.amped("T-145B", "--batch", "2048", *words)
            self.assertEqual(done.code, 0, done.stderr)
            self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
            self.assertIn("compute, backward", done.stdout)
        picture = (self.folder / "days.svg").read_text()
        for text in ("TP8 PP1 DP1", "days, by ratio", "refused", "128 stages are more than 80"):
            self.assertIn(text, picture)
        help_text = self.run_here("model", "amped", "--help").stdout
        self.assertTrue(all(len(line) <= 80 for line in help_text.splitlines()), help_text)

    def test_experts_and_their_all_to_alls(self) -> None:
        words = ("T-18B", "--system", "h100_ndr", "--nodes", "8", "--batch", "1024", "--tp", "8")
        plain = self.report(self.amped(*words, "--report", "-"))
        mixed = self.report(self.amped(*words, "--experts", "64", "--experts-every", "2",
                                       "--report", "-"))
        self.assertEqual(mixed["workload"]["experts"], {"experts": 64, "active": 1, "every": 2})
        self.assertGreater(mixed["workload"]["parameters"], 10 * plain["workload"]["parameters"])
        self.assertEqual(plain["candidates"][0]["parts"]["experts"], 0)
        self.assertGreater(mixed["candidates"][0]["parts"]["experts"], 0)
        forward = [each["candidates"][0]["parts"]["forward"] for each in (plain, mixed)]
        self.assertLess(forward[1], 1.01 * forward[0])  # the matrix that chooses, and no more

    def test_memory_that_is_short_is_infeasible(self) -> None:
        done = self.amped("T-145B", "--batch", "2048", "--tp", "8", "--dp", "128", "--fits")
        self.assert_fails(done, 3, "T-145B on a100_hdr: a chip needs ", " bytes of hbm, which has 80,000,000,000")
        self.assertEqual(self.amped("T-145B", "--batch", "2048", "--tp", "8", "--pp", "16", "--fits",
                                    "--recompute").code, 0)
        done = self.amped("T-1T", "--batch", "8", "--nodes", "1", "--explore", "--fits")
        self.assert_fails(done, 3, "none of 10 ways to cut T-1T for a100_hdr will do", "hbm")

    def test_degrees_that_do_not_divide_are_told_with_their_numbers(self) -> None:
        for words, message in [
            (["--tp", "8", "--pp", "3"],
             "degrees 8 x 3 x 1 = 24 (tensor, pipeline, data) do not make the 1024 chips"),
            (["--tp", "4x1", "--dp", "1x128"], "degrees inside a node: 4 x 1 x 1 = 4 (tensor, pipeline, "
             "data) do not make its 8 chips"),
            (["--tp", "8x1", "--dp", "1x64"], "do not make the 128 nodes"),
            (["--tp", "128", "--dp", "8"], "128 ways of tensor parallelism do not divide 96 heads"),
            (["--tp", "8", "--pp", "128"], "128 stages are more than 80 layers"),
            (["--tp", "1", "--dp", "1024"], "1024 replicas do not divide a batch of 1000"),
            (["--tp", "8", "--pp", "16", "--micro-batches", "7"],
             "7 micro-batches do not divide a replica's batch of 125"),
            (["--tp", "8x1", "--dp", "128"], "--dp: expected INSIDExAMONG, as other degrees are"),
            (["--tp", "0"], "--tp: expected a whole number"),
        ]:
            self.assert_fails(self.amped("T-145B", "--batch", "1000", *words), 2, message)

    def test_what_cannot_be_is_told(self) -> None:
        for words, message in [
            (["T-145B", "--batch", "8"], "expected --explore, or degrees"),
            (["T-145B", "--explore"], "--batch N"),
            (["T-145B", "--batch", "8", "--explore", "--tp", "8"], "have no say"),
            (["T-145B", "--batch", "8", "--tp", "8", "--top", "3"], "--top: needs --explore"),
            (["T-145B", "--batch", "8", "--explore", "--experts-every", "2"],
             "--experts-every: needs --experts"),
            (["T-145B", "--batch", "8", "--explore", "--bubble", "litteral"],
             "did you mean 'literal'?"),
            (["T-145B", "--batch", "8", "--explore", "--efficiency", "1.5"], "--efficiency: expected A"),
            (["T-145B", "--batch", "8", "--explore", "--bits", "16,,"], "--bits: expected"),
            (["T-145B", "--batch", "8", "--explore", "--tokens", "many"], "--tokens: expected"),
            (["T-145B", "--batch", "8", "--explore", "--experts", "4", "--experts-active", "5"],
             "5 work on a token, but a layer has 4"),
            (["T-145B", "--batch", "8", "--explore", "--heatmap", "x.jpg"], "--heatmap: expected"),
            (["T-145B", "--batch", "8", "--explore", "--system", "a100_hrd"], "did you mean 'a100_hdr'?"),
            (["T-145B", "--batch", "8", "--explore", "--system", "sn10_8x1", "--nodes", "4"],
             "--nodes: sn10_8x1 has 1 dimensions"),
            (["resnet50", "--batch", "8", "--explore"], "ResNet-50 has no transformer layers"),
            (["tiny.json", "--batch", "8", "--explore", "--csv", "tiny.json"], "tiny.json"),
        ]:
            self.assert_fails(self.amped(*words), 2, message)
        self.write("three.json", json.dumps(SYSTEM | {"dimensions": SYSTEM["dimensions"][:1] * 3}))
        self.assert_fails(self.amped("tiny.json", "--batch", "8", "--explore", "--system",
                                     "three.json"), 2, "pair has 3 dimensions (ring 2 x ring 2 x ring 2)")
        self.write("bad.json", json.dumps(SYSTEM).replace('"sram_bytes": 1', '"sram_byte": 1'))
        self.assert_fails(self.amped("tiny.json", "--batch", "8", "--explore", "--system",
                                     "bad.json"), 2, "bad.json:1:", "sram_byte")


if __name__ == "__main__":
    unittest.main()
