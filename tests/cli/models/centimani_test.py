"""waferloom model centimani: batches, memories, times, errors."""

import json
import unittest

from program import SOURCES, ProgramTest, Run

MLP = {"name": "mlp", "operators": [
    {"name": "a", "kind": "linear", "in": 100, "out": 200},
    {"name": "b", "kind": "linear", "in": 200, "out": 50}]}

# Everything on the chip, 1 TFLOP/s.
CHIP = {"name": "chip", "chip": {"flop_per_s": 1e12, "sram_bytes": 2e6}}


class CentimaniTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("mlp.json", json.dumps(MLP))
        self.write("chip.json", json.dumps(CHIP))

    def centimani(self, *words: str) -> Run:
        return self.run_here("model", "centimani", *words)

    def report(self, *words: str) -> dict:
        done = self.centimani(*words, "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("centimani", done.stdout)
        return done.json()

    def test_memory_of_a_small_network_by_hand(self) -> None:
        report = self.report("mlp.json", "--system", "chip.json", "--batches", "10,100",
                             "--optimizer", "sgd")
        parameters = 100 * 200 + 200 + 200 * 50 + 50
        first = report["batches"][0]
        # Backward of a: parameters and gradients of all, its input and its output's gradient.
        self.assertEqual(first["level_bytes"]["sram"],
                         2 * (2 * parameters + 10 * (100 + 200)))
        self.assertEqual(report["class_bytes"]["weights"], 2 * parameters)
        self.assertEqual(report["class_bytes"]["algorithm"], 0)
        self.assertEqual(report["best_batch"], 100)
        self.assertTrue(all(row["fits"] for row in report["batches"]))
        self.assertEqual(first["step_s"], first["serial_s"])

    def test_the_largest_that_fits_is_chosen_on_every_preset(self) -> None:
        for system in ("a100_40gb", "sn30", "bow_ipu", "cs2", "gaudi2"):
            report = self.report("resnet50", "--system", system, "--chips", "1")
            fits = [row["batch"] for row in report["batches"] if row["fits"]]
            self.assertEqual(report["best_batch"], max(fits))
            for row in report["batches"]:
                over = [level for level, used in row["level_bytes"].items()
                        if used > report["memory_bytes"][level]]
                self.assertEqual(row["fits"], not over)
                if over:
                    self.assertIn(row["short_level"], over)

    def test_the_fastest_batch_is_told_beside_the_chosen_one(self) -> None:
        # With 128 the activations stream from outside the chip: the rule looks at memory alone.
        report = self.report("resnet50", "--system", "bow_ipu")
        rate = {row["batch"]: row["samples_per_s"] for row in report["batches"] if row["fits"]}
        self.assertEqual(report["best_batch"], max(rate))
        self.assertEqual(rate[report["fastest_batch"]], max(rate.values()))
        self.assertLess(rate[report["best_batch"]], rate[report["fastest_batch"]] / 10)
        text = self.centimani("resnet50", "--system", "bow_ipu").stdout
        self.assertRegex(text, r"chosen +%d a replica, .* by the paper's rule" % max(rate))
        self.assertRegex(text, r"fastest +%d a replica, " % report["fastest_batch"])

    def test_compression_and_a_server_change_the_exchange(self) -> None:
        words = ("resnet50", "--system", "gaudi2", "--chips", "8", "--batches", "64")
        plain = self.report(*words)["batches"][0]["exchange_s"]
        parameters = self.report(*words)["class_bytes"]["weights"]
        eighth = self.report(*words, "--compress", "2")["batches"][0]["exchange_s"]
        latency = 14 * 2e-6
        self.assertAlmostEqual((plain - latency) / (eighth - latency), 8, places=9)
        server = self.report(*words, "--learning", "async")["batches"][0]["exchange_s"]
        self.assertAlmostEqual(server, parameters / 37.5e9)
        sparse = self.report(*words, "--learning", "async", "--compress", "8,0.01,24")
        self.assertAlmostEqual(sparse["batches"][0]["exchange_s"],
                               parameters / 2 * 0.01 * 4 / 37.5e9)

    def test_stages_transfer_and_need_less(self) -> None:
        whole = self.report("t_1_7b", "--system", "gaudi2", "--batches", "1", "--chips", "8")
        cut = self.report("t_1_7b", "--system", "gaudi2", "--batches", "1", "--chips", "8",
                          "--stages", "4")
        self.assertEqual(cut["replicas"], 2)
        self.assertEqual(whole["batches"][0]["transfer_s"], 0)
        self.assertGreater(cut["batches"][0]["transfer_s"], 0)
        self.assertLess(cut["batches"][0]["level_bytes"]["hbm"],
                        whole["batches"][0]["level_bytes"]["hbm"] / 2)

    def test_measured_operators_take_the_place_of_the_roofline(self) -> None:
        table = {"schema": "waferloom/measurements/1", "operators": [
            {"kind": "linear", "shape": [1, 100, 200], "batch": 10, "forward_s": 1,
             "backward_s": 2},
            {"kind": "linear", "shape": [1, 200, 50], "batch": 10, "forward_s": 3,
             "backward_s": 4}],
            "host": {"load_s": 0.5, "preprocess_s": 0.25, "link_bytes_per_s": 1,
                     "cpu_flop_per_s": 1}}
        self.write("measured.json", json.dumps(table))
        self.assert_valid("measurements", json.dumps(table))
        row = self.report("mlp.json", "--system", "chip.json", "--batches", "10", "--operators",
                          "measured.json")["batches"][0]
        self.assertEqual(row["measured_operators"], 2)
        self.assertEqual(row["compute_s"], 10)
        self.assertEqual((row["load_s"], row["preprocess_s"]), (5, 2.5))
        self.assertEqual(row["step_s"], 17.5)

    def test_nothing_fits(self) -> None:
        words = ("resnet50", "--system", "chip.json")
        self.assert_fails(self.centimani(*words), 3, "no batch fits chip: sram needs ", "and has 2,000,000",
                          "with a batch of 1")
        done = self.centimani(*words, "--report", "-")
        self.assertEqual(done.json()["error"]["class"], "infeasible")

    def test_the_table_as_text_and_csv(self) -> None:
        done = self.centimani("resnet50", "--system", "bow_ipu", "--csv", "t.csv")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
        rows = (self.folder / "t.csv").read_text().splitlines()
        self.assertEqual(len(rows), 14)
        self.assertTrue(rows[0].startswith("batch,sram MB,streaming MB,verdict,"))

    def test_wrong_words_are_told(self) -> None:
        for words, message in [
            (["resnet50", "--batches", "0"], "--batches: expected a whole number from 1"),
            (["resnet50", "--compress", "8,2"], "--compress: expected BITS"),
            (["resnet50", "--learning", "both"], "expected sync or async, found 'both'"),
            (["resnet50", "--chips", "9"], "expected 1 to 8 chips of a100_40gb, found 9"),
            (["resnet50", "--chips", "8", "--stages", "3"], "3 stages do not divide 8 chips"),
            (["resnet50", "--system", "gaudi3"], "did you mean 'gaudi2'?"),
            (["mlp.json", "--system", "chip.json", "--learning", "async"],
             "asynchronous learning needs host.server_bytes_per_s of chip"),
        ]:
            self.assert_fails(self.centimani(*words), 2, message)
        self.write("bad.json", '{"operators": [{"kind": "add", "shape": []}]}')
        self.assert_fails(self.centimani("mlp.json", "--operators", "bad.json"), 2,
                          "bad.json:1:41: expected at least 1 item in shape")

    def test_every_preset_is_as_the_schema_of_its_form_says(self) -> None:
        for file in sorted((SOURCES / "model" / "presets").glob("*.json")):
            form = json.loads(file.read_text())["schema"].split("/")[1]
            self.assert_valid(form, file.read_text())


if __name__ == "__main__":
    unittest.main()
