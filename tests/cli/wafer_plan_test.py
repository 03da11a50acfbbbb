"""waferloom plan --way pipeline, and the way of its case through place, route and simulate."""

import copy
import json
import re
import subprocess
import sys
import unittest
from typing import Any

from program import SOURCES, TINY, ProgramTest, part_of_wse2

PRESETS = SOURCES / "model" / "presets"
JUDGE = SOURCES / "scripts" / "verify_wafer_plan.py"
CLOCK = 1.1e9  # of wse2


def tiles_of(lane: dict[str, Any]) -> list[tuple[int, int]]:
    """The tiles of a lane's path, such as "E2N1", from its first to its last."""
    x, y = lane["from"]
    tiles = [(x, y)]
    for direction, count in re.findall(r"([EWNS])(\d+)", lane["path"]):
        for _ in range(int(count)):
            x += {"E": 1, "W": -1}.get(direction, 0)
            y += {"N": 1, "S": -1}.get(direction, 0)
            tiles.append((x, y))
    assert list(tiles[-1]) == lane["to"]
    return tiles


BERT: dict[str, str] = {}  # what planning it wrote, by file


class WaferPlanTest(ProgramTest):
    def plan(self, workload: str, *more: str) -> dict[str, Any]:
        done = self.run_here("plan", workload, "--way", "pipeline", "--hardware", "wse2", "-o",
                             "plan.json", "--case", "plan.kgraph", *more)
        self.assertEqual(done.code, 0, done.stderr)
        self.assertLessEqual(max(len(line) for line in done.stdout.splitlines()), 80)
        text = (self.folder / "plan.json").read_text()
        self.assert_valid("wafer_plan", text)
        return json.loads(text)

    def plan_of_bert(self) -> dict[str, Any]:
        """Made once for all tests."""
        if not BERT:
            self.plan("bert_base")
            BERT.update({name: (self.folder / name).read_text() for name in ("plan.json", "plan.kgraph")})
        for name, text in BERT.items():
            self.write(name, text)
        return json.loads(BERT["plan.json"])

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

    def test_a_plan_that_trains_is_placed_routed_and_simulated_as_a_batch(self) -> None:
        plan = self.plan("resnet50", "--for", "train", "--batch", "96", "--stages", "24")
        self.assertEqual(plan["batch"], 96)
        self.assertEqual(self.judged(plan, "resnet50")["faults"], [])
        for figure, wrong, word in (("batch_cycles", plan["batch_cycles"] - 1, "a batch takes"),
                                    ("samples_per_s", plan["samples_per_s"] * 1.01, "a second")):
            verdict = self.judged({**plan, figure: wrong}, "resnet50")
            self.assertIn(word, verdict["faults"][0])
        for key in ("states", "activations"):
            less = copy.deepcopy(plan)
            less["stages"][0]["bytes_per_tile"][key] //= 4
            self.assertIn(f"bytes of {key}", self.judged(less, "resnet50")["faults"][0])
        words = ("resnet50", "--plan", "plan.json")
        done = self.run_here("place", *words, "-o", "placed.json", "--effort", "1")
        self.assertEqual(done.code, 0, done.stderr)
        at = ("--placement", "placed.json")
        done = self.run_here("route", *words, *at, "-o", "routes.json")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("gradient of ", (self.folder / "routes.json").read_text())
        done = self.run_here("simulate", *words, *at, "--routes", "routes.json", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        report = done.json()
        self.assertEqual(report["rate_of"], "whole run")
        self.assertEqual(report["samples"], 96)
        self.assertAlmostEqual(report["samples_per_s"] / plan["samples_per_s"], 1, delta=0.1)
        self.assert_fails(self.run_here("plan", "resnet50", "--way", "pipeline", "--for", "train",
                                        "--batch", "2", "--replicas", "3", "--hardware", "wse2"),
                          2, "--replicas: each has a sample, and --batch says 2 in all")
        for option in (("--batch", "9"), ("--optimizer", "sgd")):
            self.assert_fails(self.run_here("plan", "resnet50", "--way", "pipeline", *option,
                                            "--hardware", "wse2"), 2, "expected --for train too")

    def test_the_plan_itself_is_placed_routed_simulated_and_drawn(self) -> None:
        plan = self.plan_of_bert()
        words = ("bert_base", "--plan", "plan.json")
        done = self.run_here("place", *words, "-o", "placed.json", "--effort", "1")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("placement", (self.folder / "placed.json").read_text())
        at = ("--placement", "placed.json")
        done = self.run_here("route", *words, *at, "-o", "routes.json")
        self.assertEqual(done.code, 0, done.stderr)
        done = self.run_here("simulate", *words, *at, "--routes", "routes.json", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        found = done.json()["samples_per_s"]
        self.assertAlmostEqual(found / plan["samples_per_s"], 1, delta=0.1)
        done = self.run_here("draw", "bert_base", "placed.json", "--plan", "plan.json", "-o", "p.svg")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("layer.1", (self.folder / "p.svg").read_text())
        # The detour by a case gives the same, and its solution may be the placement.
        done = self.run_here("place", "plan.kgraph", "-o", "plan.sol", "--effort", "1")
        self.assertEqual(done.code, 0, done.stderr)
        done = self.run_here("simulate", "plan.kgraph", "plan.sol", "--hardware", "wse2", "--report", "-")
        by_case = done.json()["samples_per_s"]
        done = self.run_here("simulate", *words, "--placement", "plan.sol", "--report", "-")
        self.assertEqual(done.json()["samples_per_s"], by_case)
        self.assertEqual(found, by_case)

    def test_tiles_that_stages_keep_off_carry_nothing_either_way(self) -> None:
        wafer = json.loads(self.run_here("hardware", "wse2", "--json").stdout)
        wafer["fabric"].update(group_columns=375, group_rows=994,
                               group_link={"bytes_per_s": 1_000_000, "latency_ps": 900_000})
        self.write("two.json", json.dumps({**wafer, "name": "two"}))
        done = self.run_here("plan", "bert_base", "--way", "pipeline", "--fill", "0.7", "--hardware",
                             "two.json", "-o", "two.plan.json", "--case", "two.kgraph")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertTrue(json.loads((self.folder / "two.plan.json").read_text())["left_out"])
        done = self.run_here("place", "two.kgraph", "-o", "two.sol", "--effort", "1")
        self.assertEqual(done.code, 0, done.stderr)
        machine = ("--hardware", "two.json")
        by_case = self.run_here("route", "two.kgraph", "two.sol", "-o", "case.json", *machine)
        self.assertEqual(by_case.code, 0, by_case.stderr)
        by_plan = self.run_here("route", "bert_base", "--plan", "two.plan.json", "--placement",
                                "two.sol", "-o", "plan.routes.json", *machine)
        self.assertEqual(by_plan.code, 0, by_plan.stderr)
        self.assertEqual((self.folder / "plan.routes.json").read_text(),
                         (self.folder / "case.json").read_text())

    def test_what_does_not_fit_a_pipeline_plan_is_told(self) -> None:
        plan = self.plan_of_bert()
        words = ("bert_base", "--plan", "plan.json")
        for verb in ("simulate", "route"):
            self.assert_fails(self.run_here(verb, *words), 2, "expected --placement FILE",
                              "waferloom place bert_base --plan plan.json -o FILE")
        self.assert_fails(self.run_here("simulate", "resnet50", "--plan", "plan.json", "--placement",
                                        "none.json"), 2, "plan.json", "the plan is for BERT base")
        self.assert_fails(self.run_here("place", *words, "--hardware", "wse3", "-o", "x.json"), 2,
                          "the plan is for wse2, not for wse3")
        moved = copy.deepcopy(plan)
        moved["stages"][0]["operators"].reverse()
        moved["stages"][0]["operators"][0]["name"] = "other"
        self.write("moved.json", json.dumps(moved))
        self.assert_fails(self.run_here("place", "bert_base", "--plan", "moved.json", "-o", "x.json"),
                          2, "moved.json", "has operator other")
        many = {**plan, "replicas": 1_000_000_000}
        self.write("many.json", json.dumps(many))
        self.assert_fails(self.run_here("place", "bert_base", "--plan", "many.json", "-o", "x.json"),
                          2, "many.json: 1000000000 replicas of stages on", "do not fit the 745500 tiles")
        self.assert_fails(self.run_here("place", *words, "--set", "sram_bytes_per_tile=null", "-o",
                                        "x.json"), 2, "does not say its sram_bytes_per_tile")
        self.write("more.json", json.dumps({"hardware": "wse2", "stages": [
            {"name": "zzz", "x": 0, "y": 0, "width": 1, "height": 1}]}))
        self.assert_fails(self.run_here("simulate", *words, "--placement", "more.json"), 2,
                          "more.json: the plan has no stage 'zzz'")
        self.write("cut.json", '{"hardware": "wse2", "stages": [')
        self.assert_fails(self.run_here("simulate", *words, "--placement", "cut.json"), 2, "cut.json:1:")
        self.write("gone.json", json.dumps({"hardware": "wse2", "stages": [
            {"name": plan["stages"][0]["name"] + ("@1" if plan["replicas"] > 1 else ""), "x": 0, "y": 0, "width": 1, "height": 1}]}))
        self.assert_fails(self.run_here("simulate", *words, "--placement", "gone.json"), 2,
                          "gone.json: stage", "is not there in one of its shapes")

    def test_plans_of_regions_go_all_the_way(self) -> None:
        self.write("tiny.json", json.dumps(TINY))
        for plan, way in ((("--serve", "--prompt", "64", "--output", "16"), "resident"),
                          (("--way", "streaming", "--inference"), "streaming")):
            done = self.run_here("plan", "tiny.json", *plan, "--hardware", "grayskull", "-o", "own.json")
            self.assertEqual(done.code, 0, done.stderr)
            done = self.run_here("draw", "tiny.json", "--plan", "own.json", "-o", "own.svg")
            self.assertEqual(done.code, 0, done.stderr)
            self.assertIn("regions", (self.folder / "own.svg").read_text())
            self.assert_fails(self.run_here("draw", "bert_base", "--plan", "own.json", "-o", "x.svg"),
                              2, "own.json: the plan is for", "not for BERT base")
            # As the other commands: another machine is taken, with a warning.
            done = self.run_here("draw", "tiny.json", "--plan", "own.json", "--hardware", "wormhole",
                                 "-o", "x.svg")
            self.assertEqual(done.code, 0, done.stderr)
            self.assertIn("own.json: made for the machine 'grayskull', not for 'wormhole'", done.stderr)
            moved = json.loads((self.folder / "own.json").read_text())
            place = (moved["serving"]["decode"]["places"][0] if way == "resident"
                     else moved["best"]["place"])
            place["x"] = -5
            self.write("moved.json", json.dumps(moved))
            self.assert_fails(self.run_here("draw", "tiny.json", "--plan", "moved.json", "-o", "x.svg"),
                              2, "moved.json: its tiles do not lie within grayskull")
            words = ("tiny.json", "--plan", "own.json")
            done = self.run_here("place", *words, "-o", "placed.json", "--effort", "1")
            self.assertEqual(done.code, 0, done.stderr)
            placed = json.loads((self.folder / "placed.json").read_text())["stages"]
            own = json.loads((self.folder / "own.json").read_text())
            places = (own["serving"]["decode"]["places"] if way == "resident"
                      else [own["best"]["place"]])
            self.assertEqual([{key: stage[key] for key in ("x", "y", "width", "height")}
                              for stage in placed], places)
            done = self.run_here("route", *words, "--placement", "placed.json", "-o", "routes.json")
            self.assertEqual(done.code, 0, done.stderr)
            self.assertEqual(len(json.loads((self.folder / "routes.json").read_text())["tensors"]),
                             len(places) + 1 if way == "resident" else 1)
            alone = self.run_here("simulate", *words)
            self.assertEqual(alone.code, 0, alone.stderr)
            there = self.run_here("simulate", *words, "--placement", "placed.json")
            self.assertEqual((there.code, there.stdout), (0, alone.stdout), there.stderr)
            done = self.run_here("draw", "tiny.json", "placed.json", "--plan", "own.json", "-o", "own.svg")
            self.assertEqual(done.code, 0, done.stderr)
            placed[0]["x"] += 1
            self.write("far.json", json.dumps({"hardware": "grayskull", "stages": placed}))
            for verb in ("simulate", "route"):
                self.assert_fails(self.run_here(verb, *words, "--placement", "far.json"), 4, "far.json")

    def test_regions_over_dead_tiles_go_all_the_way(self) -> None:
        # Every 23rd tile of every 29th row: no region has room without some of them.
        dead = [{"x": x, "y": y, "width": 1, "height": 1}
                for y in range(11, 240, 29) for x in range(y % 23, 240, 23)]
        self.write("worn.json", part_of_wse2(240, dead=dead))
        machine = ("--hardware", "worn.json")
        done = self.run_here("plan", "llama_68m", "--serve", "--prompt", "64", "--output", "16", *machine,
                             "-o", "own.json")
        self.assertEqual(done.code, 0, done.stderr)
        decode = json.loads((self.folder / "own.json").read_text())["serving"]["decode"]
        self.assertGreater(decode["spare_rows"], 0)
        region = decode["places"][0]
        self.assertTrue(any(region["x"] <= tile["x"] < region["x"] + region["width"] and
                            region["y"] <= tile["y"] < region["y"] + region["height"]
                            for tile in dead))
        words = ("llama_68m", "--plan", "own.json", *machine)
        # No preset is of that name, so the machine has to be said.
        for verb in (("simulate",), ("place", "-o", "x.json")):
            self.assert_fails(self.run_here(*verb, *words[:3]), 2, "own.json: expected --hardware FILE",
                              "'worn.json', which is no preset")
        for run in (("place", *words, "-o", "placed.json", "--effort", "1"),
                    ("route", *words, "--placement", "placed.json", "-o", "routes.json"),
                    ("simulate", *words, "--placement", "placed.json"),
                    ("draw", "llama_68m", "placed.json", *words[1:], "-o", "own.svg")):
            done = self.run_here(*run)
            self.assertEqual(done.code, 0, (run, done.stderr))
        lost = {(tile["x"], tile["y"]) for tile in dead}
        for tensor in json.loads((self.folder / "routes.json").read_text())["tensors"]:
            for lane in tensor["lanes"]:
                self.assertFalse(lost & set(tiles_of(lane)))

    def test_plans_tell_what_they_were_made_for(self) -> None:
        done = self.run_here("plan", "llama_68m", "--way", "streaming", "--inference", "--hardware", "wse2",
                             "-o", "own.json")
        self.assertEqual(done.code, 0, done.stderr)
        made_for = json.loads((self.folder / "own.json").read_text())["made_for"]
        self.assertEqual((made_for["network"], made_for["machine"]), ("Llama 68M", "wse2"))
        words = ("simulate", "llama_68m", "--plan", "own.json")
        self.assertNotIn("made for", self.run_here(*words).stderr)
        self.assertIn("own.json: made for another machine of the name 'wse2'",
                      self.run_here(*words, "--set", "clock_hz=1e9").stderr)
        self.assertIn("own.json: made for the machine 'wse2', not for 'wse3'",
                      self.run_here(*words, "--hardware", "wse3").stderr)
        # Of a cut, the machine that it was made for is where it runs by default.
        self.write("tiny.json", json.dumps(TINY))
        done = self.run_here("plan", "tiny.json", "--way", "cut", "--inference", "--hardware", "grayskull",
                             "--network", "analytic", "--top", "1", "-o", "cut.json")
        self.assertEqual(done.code, 0, done.stderr)
        run = ("simulate", "tiny.json", "--plan", "cut.json", "--network", "analytic")
        first = [self.run_here(*run, *machine).stdout.splitlines()[0]
                 for machine in ((), ("--hardware", "grayskull"), ("--hardware", "palm_wafer"))]
        self.assertEqual(first[0], first[1])
        self.assertNotEqual(first[0], first[2])
        self.assertIn("cut.json: made for the machine 'grayskull', not for 'palm_wafer'",
                      self.run_here(*run, "--hardware", "palm_wafer").stderr)

    def test_plans_do_not_depend_on_threads(self) -> None:
        texts = set()
        for threads in ("1", "2", "4"):
            self.plan("bert_base", "--threads", threads, "--set", "host_ports=[]", "--set",
                      "columns=300", "--set", "rows=300")
            texts.add((self.folder / "plan.json").read_text() +
                      (self.folder / "plan.kgraph").read_text())
        self.assertEqual(len(texts), 1)

    def test_the_judge_refuses_what_is_changed(self) -> None:
        plan = self.plan_of_bert()
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
