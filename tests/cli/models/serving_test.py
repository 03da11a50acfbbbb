"""waferloom model serving: TP x PP, speculative decoding, shares of a chip, errors."""

import json
import unittest

from program import ProgramTest, Run


class ServingTest(ProgramTest):
    def serving(self, *words: str) -> Run:
        return self.run_here("model", "serving", *words)

    def report(self, *words: str) -> dict:
        done = self.serving(*words, "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("serving", done.stdout)
        return done.json()

    def test_the_logged_decode_of_llama(self) -> None:
        report = self.report("llama3_8b_dfmodel")
        self.assertIsNone(report["speculation"])
        self.assertIsNone(report["areas"])
        self.assertEqual([(point["tensor"], point["pipeline"]) for point in report["points"]],
                         [(16, 1), (8, 2), (4, 4), (2, 8), (1, 16)])
        point = report["points"][0]
        self.assertAlmostEqual(point["decode_layer"]["total_s"] * 1e9, 26309.18408, places=2)
        layers = 32 * point["decode_layer"]["total_s"]
        self.assertAlmostEqual(1 / layers, 1187.798, places=2)
        # A 16th of the head's 128256 x 4096 and of a row, 2 bytes each, at 1638.4 GB/s.
        ends = point["decode_ends"]
        self.assertAlmostEqual(ends["memory_s"], (128256 + 1) * 4096 * 2 / 16 / 1638.4e9, places=15)
        self.assertAlmostEqual(point["tpot_s"], layers + ends["total_s"], places=15)
        for point in report["points"]:
            for layer in (point["prefill_layer"], point["decode_layer"]):
                parts = sum(value for key, value in layer.items() if key != "total_s")
                self.assertAlmostEqual(parts / layer["total_s"], 1, places=12)

    def test_stages_have_their_own_ends_and_weights_their_bits(self) -> None:
        kinds = [{"name": "e", "kind": "embedding", "sequence": 8, "vocabulary": 193800, "hidden": 4096},
                 {"name": "l", "kind": "transformer", "repeat": 32, "sequence": 8, "hidden": 4096,
                  "heads": 32, "key_value_heads": 8, "feed_forward": 14336, "gated": True,
                  "bias": False},
                 {"name": "h", "kind": "head", "sequence": 8, "vocabulary": 193800, "hidden": 4096,
                  "tied": False}]
        self.write("net.json", json.dumps({"name": "net", "tokens": 8, "operators": kinds}))
        chip = {"flop_per_s": 65e12, "element_bits": 8, "clock_hz": 1e9}
        system = {"name": "two", "chip": chip,
                  "memories": [{"name": "gddr6", "bytes": 10e9, "bytes_per_s": 288e9}],
                  "dimensions": [{"topology": "line", "size": 2, "link_bytes_per_s": 25e9}]}
        self.write("two.json", json.dumps(system))
        words = ("net.json", "--system", "two.json", "--prompt", "128", "--context", "128")
        done = self.serving(*words, "--report", "-")
        self.assertIn("two.json: no effect here of clock_hz, element_bits", done.stderr)
        stage = {point["pipeline"]: point for point in self.report(*words)["points"]}[2]
        # 16 layers of 2 h^2 + 2 h 1024 + 3 h 14336 weights, caches of two groups of 128 tokens of
        # 2 x 1024 values, and a table or the head with its normalisation.
        layer = 2 * 4096**2 + 2 * 4096 * 1024 + 3 * 4096 * 14336
        held = 16 * (layer + 2 * 128 * 2 * 1024) + 193800 * 4096 + 2 * 4096
        self.assertAlmostEqual(stage["memory_bytes"], 2 * held)
        self.assertTrue(stage["fits"])  # 8.58 GB of 10
        chip["matrix_bits"] = 8
        self.write("two.json", json.dumps(system))
        eight = {point["pipeline"]: point for point in self.report(*words)["points"]}[2]
        self.assertAlmostEqual(eight["memory_bytes"], held)
        self.assertAlmostEqual(eight["decode_layer"]["memory_s"],
                               stage["decode_layer"]["memory_s"] / 2)

    def test_more_samples_share_the_weights(self) -> None:
        one = self.report("llama3_8b", "--context", "128")["points"][0]
        many = self.report("llama3_8b", "--context", "128", "--samples", "16")["points"][0]
        self.assertGreater(many["decode_tokens_per_s"], 10 * one["decode_tokens_per_s"])
        self.assertGreater(many["memory_bytes"], one["memory_bytes"])

    def test_speculative_decoding(self) -> None:
        words = ("llama3_405b", "--draft", "llama_68m", "--window", "5", "--acceptance", "0.8")
        sequence = self.report(*words)["speculation"]
        self.assertEqual([row["window"] for row in sequence["windows"]], [1, 2, 3, 4, 5])
        for row in sequence["windows"]:
            power = row["window"] + 1
            self.assertAlmostEqual(row["tokens"], (1 - 0.8**power) / 0.2, places=12)
            self.assertAlmostEqual(row["tokens_per_s"],
                                   row["tokens"] / (row["draft_s"] + row["verify_s"]), places=9)
        tree = self.report(*words, "--scheme", "tree")["speculation"]["windows"]
        for one, other in zip(sequence["windows"], tree):
            self.assertGreater(other["tokens"], one["tokens"])
            self.assertAlmostEqual(other["draft_s"] / 2 ** other["window"],
                                   one["draft_s"] / one["window"], places=15)

    def test_the_study_of_areas(self) -> None:
        areas = self.report("gpt_100t", "--area")["areas"]
        self.assertEqual([curve["memory"] for curve in areas], ["2D DDR", "2.5D HBM", "3D"])
        best = [curve["best_share"] for curve in areas]
        self.assertEqual(best, sorted(best))
        for curve in areas:
            rates = {point["compute_share"]: point["flop_per_s"] for point in curve["points"]}
            self.assertEqual(rates[curve["best_share"]], max(rates.values()))

    def test_text_and_csv(self) -> None:
        done = self.serving("llama3_8b_dfmodel", "--draft", "llama_68m", "--area", "--csv", "t.csv")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
        self.assertEqual(done.stdout, self.serving("llama3_8b_dfmodel", "--draft", "llama_68m",
                                                   "--area").stdout)
        rows = (self.folder / "t.csv").read_text().splitlines()
        self.assertEqual(len(rows), 6)
        self.assertTrue(rows[0].startswith("TP,PP,TTFT ms"))

    def test_what_cannot_be_is_told(self) -> None:
        for words, code, message in [
            (["gpt_100t"], 3, "GPT 100T does not fit sn40l_16: hbm needs "),
            (["resnet50"], 2, "expected a network with transformer layers, found none"),
            (["llama3_8b", "--draft", "resnet50"], 2, "ResNet-50: expected a network"),
            (["llama3_8b", "--window", "3"], 2, "--window: needs --draft"),
            (["llama3_8b", "--draft", "llama_68m", "--window", "21"], 2, "from 1 to 20"),
            (["llama3_8b", "--draft", "llama_68m", "--acceptance", "1.1"], 2,
             "--acceptance: expected a number from 0 to 1"),
            (["llama3_8b", "--draft", "llama_68m", "--scheme", "bush"], 2,
             "expected sequence or tree, found 'bush'"),
            (["llama3_8b", "--prompt", "0"], 2, "--prompt: expected a whole number from 1"),
            (["llama3_8b", "--area", "--system", "gaudi2"], 2,
             "the study needs chip.cores of gaudi2"),
        ]:
            self.assert_fails(self.serving(*words), code, message)


if __name__ == "__main__":
    unittest.main()
