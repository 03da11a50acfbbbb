"""Inside a plan's stages: branches side by side, and tensors between stages of other degrees."""

import json
import unittest

from program import ProgramTest, Run

LAYER = {"kind": "transformer", "sequence": 64, "hidden": 64, "heads": 16}
FORK = {"name": "fork", "operators": [
    {"name": "in", **LAYER},
    {"name": "a", **LAYER, "after": ["in"]},
    {"name": "b", **LAYER, "after": ["in"]},
    {"name": "out", "kind": "add", "elements": 64 * 64, "after": ["a", "b"]},
    {"name": "last", **LAYER}]}
HARDWARE = {"name": "small", "columns": 8, "rows": 4, "clock_hz": 1_000_000_000,
            "link": {"bytes_per_s": 1_000_000_000, "latency_ps": 1000},
            "peak_flop_per_s_per_tile": {"fp16": 1_000_000_000_000},
            "host_ports": [{"side": "south", "position": 0, "bytes_per_s": 1_000_000_000,
                            "response_ps": 1000}]}
PLAN = {"tensor": 16, "pipeline": 2, "schedule": "inference", "micro_batches": 4, "routing": "xy",
        "stages": [{"to": "out", "tiles": {"x": 0, "y": 0, "width": 4, "height": 4}},
                   {"to": "last", "tensor": 8, "tiles": {"x": 4, "y": 0, "width": 2, "height": 4}}],
        "side_by_side": [{"branches": [{"operators": ["a"], "tensor": 12},
                                       {"operators": ["b"], "tensor": 4}]}]}


class InsideStagesTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("net.json", json.dumps(FORK))
        self.write("wafer.json", json.dumps(HARDWARE))
        self.plan()

    def plan(self, **changes: object) -> None:
        self.write("plan.json", json.dumps({**PLAN, **changes}))

    def simulate(self, *words: str) -> Run:
        done = self.run_here("simulate", "net.json", "--hardware", "wafer.json", "--plan",
                             "plan.json", "--report", "-", "-q", *words)
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("simulate", done.stdout)
        return done

    def test_the_report_has_branches_and_transfers(self) -> None:
        report = self.simulate().json()["plan"]
        self.assertEqual(report["stages"][0]["branches"],
                         [{"operators": ["a"], "x": 0, "y": 0, "width": 3, "height": 4},
                          {"operators": ["b"], "x": 3, "y": 0, "width": 1, "height": 4}])
        self.assertNotIn("branches", report["stages"][1])
        self.assertEqual([at["name"] for at in report["transfers"]], ["s0 -> s1"])

    def test_a_strategy_between_is_of_the_plan_or_of_the_option(self) -> None:
        self.plan(stages=[{"to": "in", "tensor": 8, "tiles": PLAN["stages"][1]["tiles"]},
                          {"to": "last", "tiles": PLAN["stages"][0]["tiles"]}],
                  side_by_side=[], strategy_between="sum-behind")

        def strategy(*words: str) -> int:
            return self.simulate(*words).json()["plan"]["transfers"][0]["strategy"]

        # The sum goes to two layers of one stage, and to nobody else.
        self.assertEqual(strategy(), 2)
        self.assertEqual(strategy("--strategy-between", "sum-first"), 1)

    def test_pictures_have_branches_dashed(self) -> None:
        words = ("net.json", "--hardware", "wafer.json", "--plan", "plan.json")
        self.assertEqual(self.run_here("place", *words, "-o", "placed.json", "-q").code, 0)
        for before in ((), ("placed.json",)):
            done = self.run_here("draw", words[0], *before, *words[1:], "-o", "p.svg", "-q")
            self.assertEqual(done.code, 0, done.stderr)
            picture = (self.folder / "p.svg").read_text()
            self.assertIn("branches side by side", picture)
            self.assertIn("stroke-dasharray", picture)

    def test_plan_chooses_branches_where_a_sample_takes_less_so(self) -> None:
        # On a row of tiles with slow hops the collectives of half as many tiles are shorter.
        layer = {"kind": "transformer", "sequence": 128, "hidden": 512, "heads": 16}
        fork = [{**at, **layer} if at["kind"] == "transformer" else {**at, "elements": 128 * 512}
                for at in FORK["operators"][:-1]]
        self.write("net.json", json.dumps({"name": "fork", "operators": fork}))
        self.write("wafer.json", json.dumps(
            {**HARDWARE, "rows": 1, "link": {"bytes_per_s": 10_000_000_000, "latency_ps": 100_000}}))
        done = self.run_here("plan", "net.json", "--way", "cut", "--hardware", "wafer.json",
                             "--inference", "--objective", "time", "-o", "plan.json", "-q")
        self.assertEqual(done.code, 0, done.stderr)
        plan = json.loads((self.folder / "plan.json").read_text())
        self.assertEqual([branch["operators"] for branch in plan["side_by_side"][0]["branches"]],
                         [["a"], ["b"]])
        at_once = self.simulate().json()["first_sample_ps"]
        del plan["side_by_side"], plan["degrees"]
        self.write("plan.json", json.dumps(plan))
        self.assertLess(at_once, 0.95 * self.simulate().json()["first_sample_ps"])

    def test_faults_stand_at_the_key(self) -> None:
        self.plan(side_by_side=[{"branches": [{"operators": ["a"], "tensor": 12},
                                              {"operators": ["x"], "tensor": 4}]}])
        done = self.run_here("simulate", "net.json", "--hardware", "wafer.json", "--plan",
                             "plan.json")
        self.assert_fails(done, 2, "plan.json:1:", "side_by_side: there is no operator x")


if __name__ == "__main__":
    unittest.main()
