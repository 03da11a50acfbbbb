"""waferloom plan --way pipeline, and the way of its case through place, route and simulate."""

import copy
import json
import subprocess
import sys
import unittest
from typing import Any

from program import SOURCES, ProgramTest

PRESETS = SOURCES / "model" / "presets"
JUDGE = SOURCES / "scripts" / "verify_wafer_plan.py"
CLOCK = 1.1e9  # of wse2


class WaferPlanTest(ProgramTest):
    def plan(self, workload: str, *more: str) -> dict[str, Any]:
        done = self.run_here("plan", workload, "--way", "pipeline", "--hardware", "wse2", "-o",
                             "plan.json", "--case", "plan.kgraph", *more)
        self.assertEqual(done.code, 0, done.stderr)
        self.assertLessEqual(max(len(line) for line in done.stdout.splitlines()), 80)
        text = (self.folder / "plan.json").read_text()
        self.assert_valid("wafer_plan", text)
        return json.loads(text)

    def judged(self, plan: dict[str, Any], workload: str, *more: str) -> dict[str, Any]:
        self.write("judged.json", json.dumps(plan))
        done = subprocess.run(
            [sys.executable, str(JUDGE), "judged.json", str(PRESETS / f"workloads/{workload}.json"),
             str(PRESETS / "wse2.json"), *more],
            cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return json.loads(done.stdout)

    def check_pipeline(self, workload: str) -> None:
        plan = self.plan(workload)
        self.assertLessEqual(plan["imbalance"], 0.05)
        done = self.run_here("place", "plan.kgraph", "-o", "plan.sol", "--effort", "2")
        self.assertEqual(done.code, 0, done.stderr)
        verdict = self.judged(plan, workload, "--case", "plan.kgraph", "--solution", "plan.sol")
        self.assertEqual(verdict["faults"], [])
        done = self.run_here("route", "plan.kgraph", "plan.sol", "-o", "routes.json", "--hardware",
                             "wse2")
        self.assertEqual(done.code, 0, done.stderr)
        done = self.run_here("simulate", "plan.kgraph", "plan.sol", "--routes", "routes.json",
                             "--hardware", "wse2", "--samples", "200", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        report = done.json()
        # All replicas count, in the plan and in its simulation.
        self.assertAlmostEqual(report["samples_per_s"] / plan["samples_per_s"], 1, delta=0.1)
        self.assertEqual(report["samples"], 200 * plan["replicas"])
        period = CLOCK * plan["replicas"] / report["samples_per_s"]
        self.assertAlmostEqual(period / plan["period_cycles"], 1, delta=0.1)

    def test_a_network_of_images_runs_at_the_planned_period(self) -> None:
        self.check_pipeline("resnet50")

    def test_a_language_model_runs_at_the_planned_period(self) -> None:
        self.check_pipeline("llama3_8b")

    def test_plans_do_not_depend_on_threads(self) -> None:
        texts = set()
        for threads in ("1", "2", "4"):
            self.plan("bert_base", "--threads", threads)
            texts.add((self.folder / "plan.json").read_text() +
                      (self.folder / "plan.kgraph").read_text())
        self.assertEqual(len(texts), 1)

    def test_the_judge_refuses_what_is_changed(self) -> None:
        plan = self.plan("bert_base")
        self.assertTrue(self.judged(plan, "bert_base")["legal"])

        def refused(path: list[Any], value: Any) -> None:
            changed = copy.deepcopy(plan)
            at: Any = changed
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = value
            self.assertFalse(self.judged(changed, "bert_base")["legal"], path)

        stage = plan["stages"][1]
        products = ["stages", 1, "operators", 0, "products"]
        product = stage["operators"][0]["products"][0]
        refused(["stages", 1, "rows"], stage["rows"] // 2)
        refused(["stages", 1, "cycles"], plan["period_cycles"] + 1)
        refused(["stages", 1, "bytes_per_tile", "weights"],
                stage["bytes_per_tile"]["weights"] - 2)
        refused(["stages", 1, "bytes_per_tile", "activations"],
                stage["bytes_per_tile"]["activations"] - 2)
        refused(["stages", 1, "bytes_per_tile", "program"], 0)
        refused(["stages", 1, "operators", 0, "name"], "layer.7")
        refused([*products, 0, "k"], product["k"] + 1)
        refused([*products, 0, "part", "rows"], 2 * stage["rows"] + 1)
        refused([*products, 4, "turns"], 0)
        refused(["imbalance"], plan["imbalance"] / 2)
        refused(["tiles_used"], plan["tiles_used"] - 1)

    def test_what_has_no_room_ends_with_3(self) -> None:
        done = self.run_here("plan", "gpt3_175b", "--way", "pipeline", "--hardware", "wse2", "-o",
                             "plan.json")
        self.assertEqual(done.code, 3)
        self.assertIn("350489935872 bytes", done.stderr)
        self.assertIn("8247599 tiles would hold them", done.stderr)

    def test_without_cycles_of_tiles_a_plan_is_an_upper_bound(self) -> None:
        done = self.run_here("plan", "resnet50", "--way", "pipeline", "--hardware", "palm_wafer",
                             "-o", "plan.json")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("upper bound palm_wafer tells no programs", done.stdout)
        text = (self.folder / "plan.json").read_text()
        self.assert_valid("wafer_plan", text)
        plan = json.loads(text)
        self.assertIn("upper bound", {row["kind"] for row in plan["trust"]})
        self.assertLess(plan["samples_per_s"], plan["roofline"]["samples_per_s"])


if __name__ == "__main__":
    unittest.main()
