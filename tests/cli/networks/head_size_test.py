"""Heads of a size of their own, in every command that takes a language model."""

import json
import subprocess
import sys
import unittest

from program import SOURCES, ProgramTest

PRESETS = SOURCES / "model" / "presets"
# Qwen3-4B without the norms of its heads.
LAYER = {"name": "layer", "kind": "transformer", "repeat": 36, "sequence": 1024, "hidden": 2560,
         "heads": 32, "head_size": 128, "key_value_heads": 8, "feed_forward": 9728, "gated": True,
         "bias": False}
MATRICES = 2 * 2560 * 4096 + 2 * 2560 * 1024 + 3 * 2560 * 9728
TABLE = 151936 * 2560


class HeadSizeTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("qwen.json", json.dumps({"name": "Qwen3-4B", "tokens": 1024, "operators": [
            {"name": "embedding", "kind": "embedding", "sequence": 1024, "vocabulary": 151936,
             "hidden": 2560}, LAYER,
            {"name": "head", "kind": "head", "sequence": 1024, "vocabulary": 151936,
             "hidden": 2560}]}))

    def narrow(self) -> str:
        """The same network with matrices of four bits."""
        network = json.loads((self.folder / "qwen.json").read_text())
        self.write("narrow.json", json.dumps({**network, "weights": {"bits": 4, "group": 128}}))
        return "narrow.json"

    def report(self, *arguments: str) -> dict:
        done = self.run_here(*arguments, "--report", "r.json", "-q")
        self.assertEqual(done.code, 0, done.stderr)
        return json.loads((self.folder / "r.json").read_text())

    def judge(self, script: str, *arguments: str) -> dict:
        done = subprocess.run([sys.executable, "-B", SOURCES / "scripts" / script, *arguments],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_parameters_by_hand(self) -> None:
        # Two norms of a layer; the head's has two vectors.
        norms = 36 * 2 * 2560 + 2 * 2560
        done = self.run_here("workload", "qwen.json", "--report", "-", "-q")
        self.assertEqual(done.json()["total"]["parameters"], 36 * MATRICES + TABLE + norms)
        served = self.report("plan", "qwen.json", "--serve", "--prompt", "512", "--output", "64",
                             "--requests", "1", "--hardware", "wse3")
        self.assertEqual(served["parameters"], 36 * MATRICES + TABLE)

    def test_streams_as_the_oracle_says(self) -> None:
        # Ports a twentieth as fast bind where weights are wide.
        slow = json.loads((PRESETS / "wse2.json").read_text())["fabric"]
        slow["host_bytes_per_s"] //= 20
        self.write("slow.json", json.dumps(slow))
        for network, machine, more in (("qwen.json", str(PRESETS / "wse2.json"), []),
                                       ("qwen.json", "slow.json", ["--inference"]),
                                       (self.narrow(), "slow.json", ["--inference"])):
            with self.subTest(network=network, more=more):
                done = self.run_here("plan", network, "--way", "streaming", "--hardware", machine,
                                     "-o", "plan.json", "-q", *more)
                self.assertEqual(done.code, 0, done.stderr)
                plan = json.loads((self.folder / "plan.json").read_text())
                oracle = self.judge("streaming_oracle.py", "plan.json", network, machine)
                self.assertLess(abs(plan["best"]["step_s"] / oracle["step_s"] - 1), 0.02)
                self.assertEqual(plan["best"]["bytes_per_tile"]["activations"],
                                 oracle["activations_per_tile"])

    def test_a_pipeline_holds_what_the_judge_says(self) -> None:
        most = []
        for network in ("qwen.json", self.narrow()):
            done = self.run_here("plan", network, "--way", "pipeline", "--hardware", "wse2", "-o",
                                 "plan.json", "--case", "plan.kgraph", "-q")
            self.assertEqual(done.code, 0, done.stderr)
            verdict = self.judge("verify_wafer_plan.py", "plan.json", network,
                                 str(PRESETS / "wse2.json"))
            self.assertEqual(verdict["faults"], [])
            plan = json.loads((self.folder / "plan.json").read_text())
            most.append(min(int(stage["bytes_per_tile"]["weights"]) for stage in plan["stages"]))
        self.assertEqual(plan["kept"], {"weights": {"bits": 4, "group": 128}})
        self.assertLess(most[1], most[0])

    def test_chips_keep_its_caches(self) -> None:
        served = self.report("model", "serving", "qwen.json", "--system", "sn40l_16", "--prompt",
                             "512", "--context", "512")
        alone = next(point for point in served["points"] if point["tensor"] == 16)
        # Of 16 chips each has one of 8 heads of keys and of values, and 2 of 32 of queries.
        share = 36 * (2 * 2560 * 256 + 2 * 2560 * 128 + 3 * 2560 * 608) + TABLE / 16 + 5120 / 16
        caches = 36 * 2 * 128 * 512
        self.assertAlmostEqual(alone["memory_bytes"] / (2 * (share + caches)), 1, places=3)

    def test_a_key_of_others_is_named(self) -> None:
        self.write("other.json", (self.folder / "qwen.json").read_text().replace(
            "head_size", "head_dim"))
        self.assert_fails(self.run_here("workload", "other.json"), 2,
                          "found 'head_dim', did you mean 'head_size'?")


if __name__ == "__main__":
    unittest.main()
