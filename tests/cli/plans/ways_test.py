"""`plan` of a wafer of small tiles: all ways side by side."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))

from program import TINY, ProgramTest  # noqa: E402


class PlanWaysTest(ProgramTest):
    def ways(self, network: str, *options: str) -> dict:
        done = self.run_here("plan", network, "--hardware", "wse2", "--report", "r.json", *options)
        self.assertEqual(done.code, 0, done.stderr)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
        self.summary = done.stdout
        text = (self.folder / "r.json").read_text()
        self.assert_valid("wafer_ways", text)
        return json.loads(text)

    def test_prompts_go_fastest_through_a_pipeline_and_its_plan_is_written(self) -> None:
        report = self.ways("llama_68m", "--inference", "-o", "plan.json")
        self.assertEqual([row["way"] for row in report["ways"]],
                         ["pipeline", "streaming", "resident", "cut", "chips"])
        self.assertEqual(report["ways"].pop()["lacks"], "wse2 is one chip")
        rates = [row["samples_per_s"] for row in report["ways"]]
        self.assertEqual(rates, sorted(rates, reverse=True))
        self.assertLess(rates[0], report["roofline"]["samples_per_s"])
        plan = json.loads((self.folder / "plan.json").read_text())
        self.assertEqual(plan["way"], "pipeline")
        self.assertAlmostEqual(plan["samples_per_s"] / rates[0], 1, delta=0.1)
        self.assert_valid("wafer_plan", (self.folder / "plan.json").read_text())
        # The table's rate is that of place and simulate.
        done = self.run_here("place", "llama_68m", "--plan", "plan.json", "--effort", "3", "-o",
                             "stages.json")
        self.assertEqual(done.code, 0, done.stderr)
        done = self.run_here("simulate", "llama_68m", "--plan", "plan.json", "--placement",
                             "stages.json", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertAlmostEqual(done.json()["samples_per_s"] / rates[0], 1, delta=1e-5)

    def test_each_way_says_what_it_says_alone_and_at_any_number_of_threads(self) -> None:
        command = ("llama3_8b", "--inference", "--threads")
        rows = {row["way"]: row for row in self.ways(*command, "4")["ways"]}
        summary = self.summary
        self.assertEqual({row["way"]: row for row in self.ways(*command, "1")["ways"]}, rows)
        self.assertEqual(self.summary, summary)
        alone = self.run_here("plan", "llama3_8b", "--way", "pipeline", "--hardware", "wse2",
                              "--report", "-").json()
        for figure in ("samples_per_s", "share_of_peak"):  # simulated, planned
            self.assertAlmostEqual(rows["pipeline"][figure] / alone[figure], 1, delta=0.1)
        alone = self.run_here("plan", "llama3_8b", "--way", "streaming", "--inference",
                              "--hardware", "wse2", "--report", "-").json()
        self.assertAlmostEqual(rows["streaming"]["latency_s"], alone["simulated"]["step_s"])

    def test_training_is_streamed_and_simulated_again(self) -> None:
        report = self.ways("cerebras_gpt_111m", "-o", "plan.json")
        best = report["ways"][0]
        self.assertEqual(best["way"], "streaming")
        done = self.run_here("simulate", "cerebras_gpt_111m", "--plan", "plan.json", "--report",
                             "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertAlmostEqual(done.json()["simulated"]["step_s"], best["latency_s"])

    def test_what_is_too_large_to_stay_is_streamed(self) -> None:
        report = self.ways("llama3_70b", "--inference")
        self.assertEqual(report["ways"][0]["way"], "streaming")
        lacks = {row["way"]: row["lacks"] for row in report["ways"]}
        self.assertIn("141107396608 bytes for weights alone", lacks["pipeline"])
        self.assertIn("141.1 GB of weights", lacks["resident"])

    def test_where_a_cut_alone_is_possible_its_command_is_named(self) -> None:
        report = self.ways("fft")
        self.assertEqual([row["way"] for row in report["ways"] if row["lacks"] is None], ["cut"])
        done = self.run_here("plan", "fft", "--hardware", "wse2", "-o", "plan.json")
        self.assertEqual(done.code, 2)
        self.assertIn("--way cut -o plan.json", done.stderr)
        self.assertFalse((self.folder / "plan.json").exists())

    def test_what_a_cut_does_best_is_cut_and_simulated(self) -> None:
        # Too little memory for weights that stay.
        command = ("plan", "bert_base", "--inference", "--hardware", "palm_wafer", "--set",
                   "sram_bytes_per_tile=400000", "-o", "plan.json")
        done = self.run_here(*command, "--top", "2")
        self.write("tiny.json", json.dumps(TINY))
        simulated = self.run_here("plan", "tiny.json", *command[2:], "--effort", "1")
        self.assertEqual((done.code, simulated.code), (0, 0))
        for text in (done.stdout, simulated.stdout):
            self.assertIn("simulated\n", text)
            self.assertNotIn("upper bound", text)

    def test_cut_options_and_other_hardware_are_cut(self) -> None:
        done = self.run_here("plan", "llama_68m", "--hardware", "wse2", "--objective", "energy")
        self.assertEqual(done.code, 2)
        self.assertIn("expected -o PLAN", done.stderr)
        done = self.run_here("plan", "t_18b", "--for", "train", "--hardware", "a100", "--chips",
                             "64", "--report", "r.json")
        self.assertEqual(done.code, 0, done.stderr)
        rows = {row["way"]: row for row in json.loads((self.folder / "r.json").read_text())["ways"]}
        self.assertEqual([way for way in rows if rows[way]["lacks"] is None], ["cut", "chips"])
        self.assertFalse(rows["cut"]["is_priced"])
        self.assertFalse(rows["chips"]["is_priced"])
        self.assertIn("simulated on the fair network", rows["chips"]["note"])
        self.assertIn("no mesh of tiles", rows["pipeline"]["lacks"])
        done = self.run_here("plan", "t_18b", "--way", "all", "--top", "3", "-o", "plan.json")
        self.assertEqual(done.code, 2)
        self.assertIn("--top", done.stderr)
        done = self.run_here("plan", "t_18b", "--for", "train", "--inference", "-o", "plan.json")
        self.assertEqual(done.code, 2)
        self.assertIn("--inference: --for train says otherwise", done.stderr)

    def test_requests_are_served_by_wafers_and_by_chips_as_each_says_alone(self) -> None:
        for hardware, way, alone in (("wse2", "resident", ("plan", "llama3_8b", "--serve")),
                                     ("sn40l_16", "chips", ("model", "serving", "llama3_8b"))):
            with self.subTest(hardware=hardware):
                done = self.run_here("plan", "llama3_8b", "--for", "serve", "--hardware", hardware,
                                     "--report", "r.json", "-o", "plan.json") if way == "resident" \
                    else self.run_here("plan", "llama3_8b", "--for", "serve", "--hardware", hardware,
                                       "--report", "r.json")
                self.assertEqual(done.code, 0, done.stderr)
                text = (self.folder / "r.json").read_text()
                self.assert_valid("wafer_ways", text)
                best = json.loads(text)["ways"][0]
                self.assertEqual(best["way"], way)
                report = self.run_here(*alone, "--hardware", hardware, "--report", "-").json()
                if way == "resident":
                    self.assertAlmostEqual(best["tokens_per_s"],
                                           report["asked"]["total_tokens_per_s"])
                    self.assertEqual(json.loads((self.folder / "plan.json").read_text())["way"],
                                     "resident")
                else:
                    self.assertIn(best["latency_s"], [row["ttft_s"] for row in report["points"]])


if __name__ == "__main__":
    unittest.main()
