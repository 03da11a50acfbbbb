"""`plan --way streaming`: weights from outside, held against an oracle of its own."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))

from program import SOURCES, ProgramTest  # noqa: E402

PRESETS = SOURCES / "model" / "presets"


class PlanStreamingTest(ProgramTest):
    def plan(self, network: str, *options: str, hardware: str = "wse2") -> dict:
        done = self.run_here("plan", network, "--way", "streaming", "--hardware", hardware, "-o",
                             "plan.json", *options)
        self.assertEqual(done.code, 0, done.stderr)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
        text = (self.folder / "plan.json").read_text()
        self.assert_valid("wafer_plan", text)
        return json.loads(text)

    def oracle(self, network: str, hardware: Path = PRESETS / "wse2.json") -> dict:
        done = subprocess.run(
            [sys.executable, "-B", SOURCES / "scripts" / "streaming_oracle.py",
             self.folder / "plan.json", PRESETS / "workloads" / f"{network}.json",
             hardware], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def test_simulated_steps_are_within_ten_per_cent_of_the_oracle(self) -> None:
        for network in ("gpt3_175b", "cerebras_gpt_111m", "cerebras_gpt_1_3b", "cerebras_gpt_13b",
                        "t_7_5b"):
            with self.subTest(network):
                plan, oracle = self.plan(network), self.oracle(network)
                for name in ("step_s", "forward_layer_s", "backward_layer_s"):
                    self.assertLess(abs(plan["simulated"][name] / oracle[name] - 1), 0.1, name)
                best = plan["best"]
                self.assertEqual(best["bytes_per_tile"]["activations"],
                                 oracle["activations_per_tile"])
                self.assertTrue(best["fits"])

    def test_machines_without_measured_training_agree_with_the_oracle(self) -> None:
        hardware = json.loads((PRESETS / "wse2.json").read_text())["fabric"]
        del hardware["programs"]["training"]
        hardware["sources"] = {key: text for key, text in hardware["sources"].items()
                               if not key.startswith("programs.training")}
        self.write("tiles.json", json.dumps(hardware))
        plan = self.plan("cerebras_gpt_1_3b", "--sequences", "200", hardware="tiles.json")
        oracle = self.oracle("cerebras_gpt_1_3b", self.folder / "tiles.json")
        self.assertGreater(plan["best"]["micro_batches"], 1)
        for name in ("step_s", "forward_layer_s", "backward_layer_s"):
            self.assertLess(abs(plan["simulated"][name] / oracle[name] - 1), 0.1, name)
        self.assertLess(abs(plan["best"]["step_s"] / oracle["step_s"] - 1), 0.02)

    def test_batches_beyond_the_memories_go_in_micro_batches(self) -> None:
        for network, batch in (("llama_7b", "99"), ("bert_large", "2048"), ("llama3_8b", "64")):
            with self.subTest(network):
                plan, oracle = self.plan(network, "--sequences", batch), self.oracle(network)
                best = plan["best"]
                self.assertEqual(best["batch"], int(batch))
                self.assertTrue(best["fits"])
                self.assertLess(abs(best["step_s"] / oracle["step_s"] - 1), 1e-3)
                self.assertLess(abs(plan["simulated"]["step_s"] / oracle["step_s"] - 1), 0.05)
                for tried in plan["batches"]:
                    if tried["micro_batches"] < best["micro_batches"]:
                        self.assertFalse(tried["fits"])
        done = self.run_here("simulate", "llama3_8b", "--plan", "plan.json", "--report", "-")
        self.assertEqual(done.json()["simulated"]["step_s"], plan["simulated"]["step_s"])

    def test_prompts_are_within_ten_per_cent_of_the_oracle(self) -> None:
        for network in ("llama3_70b", "gpt3_175b", "llama3_8b"):
            with self.subTest(network):
                plan, oracle = self.plan(network, "--inference"), self.oracle(network)
                best = plan["best"]
                self.assertFalse(plan["trains"])
                self.assertTrue(best["fits"])
                for name in ("step_s", "forward_layer_s"):
                    self.assertLess(abs(plan["simulated"][name] / oracle[name] - 1), 0.1, name)
                self.assertLess(abs(best["step_s"] / oracle["step_s"] - 1), 0.1)
                self.assertEqual(plan["simulated"]["backward_layer_s"], 0)
                self.assertEqual(best["bytes_per_tile"]["activations"],
                                 oracle["activations_per_tile"])
                self.assertAlmostEqual(best["samples_per_s"] * best["step_s"], best["batch"])
                rates = [choice["tokens_per_s"] for choice in plan["batches"] if choice["fits"]]
                self.assertEqual(best["tokens_per_s"], max(rates))

    def test_prompts_are_simulated_again(self) -> None:
        plan = self.plan("cerebras_gpt_111m", "--inference", "--sequences", "8")
        self.assertEqual(plan["best"]["batch"], 8)
        command = ("simulate", "cerebras_gpt_111m", "--plan", "plan.json")
        done = self.run_here(*command, "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("wafer_run", done.stdout)
        self.assertFalse(done.json()["trains"])
        self.assertEqual(done.json()["simulated"]["step_s"], plan["simulated"]["step_s"])
        summary = self.run_here(*command).stdout
        self.assertIn("runs forward on wse2: a step takes", summary)
        self.assertNotIn("backward", summary)

    def test_a_plan_that_does_not_say_so_trains(self) -> None:
        plan = self.plan("cerebras_gpt_111m", "--sequences", "8")
        self.assertTrue(plan.pop("trains"))
        (self.folder / "old.json").write_text(json.dumps(plan))
        self.assert_valid("wafer_plan", json.dumps(plan))
        command = ("simulate", "cerebras_gpt_111m", "--plan")
        done = self.run_here(*command, "old.json", "--report", "-")
        self.assertTrue(done.json()["trains"])
        self.assertEqual(done.json()["simulated"]["step_s"], plan["simulated"]["step_s"])
        (self.folder / "wrong.json").write_text(json.dumps(plan | {"trains": "no"}))
        self.assert_fails(self.run_here(*command, "wrong.json"), 2, "trains", "found 'no'")

    def test_a_plan_is_simulated_again(self) -> None:
        plan = self.plan("cerebras_gpt_111m", "--sequences", "8")
        self.assertEqual(plan["best"]["batch"], 8)
        done = self.run_here("simulate", "cerebras_gpt_111m", "--plan", "plan.json", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("wafer_run", done.stdout)
        self.assertEqual(done.json()["simulated"]["step_s"], plan["simulated"]["step_s"])
        self.assertIn("a step takes", self.run_here("simulate", "cerebras_gpt_111m", "--plan",
                                                    "plan.json").stdout)

    def test_presets_that_differ_by_a_point_are_told_apart(self) -> None:
        names = {self.run_here("workload", name).stdout.splitlines()[0]
                 for name in ("cerebras_gpt_13b", "Cerebras-GPT 1.3B")}
        self.assertEqual(len(names), 2)

    def test_errors(self) -> None:
        base = ("plan", "gpt3_175b", "--way", "streaming")
        self.assert_fails(self.run_here(*base, "--hardware", "palm_wafer"), 3,
                          "bytes of 3750000")
        self.assert_fails(self.run_here("plan", "gpt_100t", *base[2:], "--hardware", "wse2",
                                        "--sequences", "500"), 3, "with 1 sequence",
                          "bytes of 49152", "shorter sequences would fit")
        self.assert_fails(self.run_here("plan", "resnet50", "--way", "streaming", "--hardware",
                                        "wse2"), 2, "conv1 is no layer")
        self.assert_fails(self.run_here(*base, "--hardware", "wse2", "--batch", "4"), 2, "--batch")
        self.assert_fails(self.run_here(*base, "--hardware", "wse2", "--inference", "--sequences",
                                        "500"), 3, "does not run on wse2", "a smaller batch may fit")
        self.assert_fails(self.run_here("plan", "gpt3_175b", "--way", "pipeline", "--hardware",
                                        "wse2", "--inference"), 2, "--inference")


if __name__ == "__main__":
    unittest.main()
