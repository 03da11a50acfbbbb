"""waferloom simulate WORKLOAD --plan: training and inference of networks."""

import gzip
import json
import unittest

from program import ProgramTest

PLAN = {"tensor": 8, "data": 2, "pipeline": 20, "micro_batches": 21,
        "leave_out": ["embedding", "head"]}


class PlanTest(ProgramTest):
    def plan(self, **more: object) -> None:
        self.write("plan.json", json.dumps({**PLAN, **more}))

    def simulate(self, *more: str):
        return self.run_here("simulate", "T-18B", "--plan", "plan.json", "--hardware", "palm_wafer",
                             *more)

    def test_the_closed_form_of_a_pipeline(self) -> None:
        self.plan()
        done = self.simulate("--network", "analytic", "--no-dram", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("simulate", done.stdout)
        plan = done.json()["plan"]
        peak = 320 * 16e12
        ideal = peak * 21 / (21 + 20 - 1) / plan["sample_flop"]
        self.assertAlmostEqual(plan["ideal_samples_per_s"] / ideal, 1, places=9)
        self.assertTrue(0.97 < plan["samples_per_s"] / ideal <= 1)
        self.assertEqual(plan["tokens_per_s"], plan["samples_per_s"] * 2048)
        self.assertEqual(plan["stages"][1]["operators"], ["layer.3", "layer.4"])
        self.assertEqual(done.json()["simulated_samples"], 2 * 21)

    def test_samples_are_those_of_the_workload_not_micro_batches(self) -> None:
        # A micro-batch has 3 samples in each of 2 replicas.
        self.plan(schedule="inference", micro_batch=3, micro_batches=200)
        words = ("--network", "analytic", "--no-dram", "--trace", "t.json.gz", "--timeline", "t.svg")
        done = self.simulate(*words, "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("simulate", done.stdout)
        report = done.json()
        plan = report["plan"]
        self.assertAlmostEqual(report["samples_per_s"] / plan["samples_per_s"], 1, delta=1e-5)
        self.assertAlmostEqual(plan["micro_batches_per_s"] * 6 / plan["samples_per_s"], 1, places=9)
        self.assertEqual(report["samples"], 1200)
        self.assertEqual(report["simulated_samples"] % 6, 0)
        rate = 1e12 * report["period_samples"] / report["period_ps"]
        self.assertAlmostEqual(rate / plan["samples_per_s"], 1, places=6)
        shown = float(self.simulate(*words).stdout.split(": ")[1].split(" samples/s")[0])
        self.assertAlmostEqual(shown / report["samples_per_s"], 1, delta=1e-3)
        self.assertTrue("the next micro-batch has" in (self.folder / "t.svg").read_text())
        with gzip.open(self.folder / "t.json.gz") as trace:
            events = json.load(trace)["traceEvents"]
        tasks = [event["args"] for event in events if event["ph"] == "X"]
        self.assertEqual(tasks[0], {"micro_batch": 0})

    def test_tiles_and_shares_of_peak_are_told(self) -> None:
        # 20 stages of 8 by 1 tiles, half the wafer of 320; peak 16 TFLOP/s each.
        self.plan(data=1, recompute="full")
        words = ("--no-dram", "--allow-infeasible")
        done = self.simulate(*words, "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("simulate", done.stdout)
        plan = done.json()["plan"]
        use = plan["use"]
        self.assertEqual((use["plan_tiles"], use["wafer_tiles"]), (160, 320))
        self.assertEqual(use["share_of_wafer"], 0.5)
        mfu = plan["samples_per_s"] * plan["sample_flop"] / (160 * 16e12)
        self.assertAlmostEqual(use["mfu_of_plan"], mfu, places=9)
        self.assertAlmostEqual(use["mfu_of_wafer"], mfu / 2, places=9)
        self.assertIn(f"  tiles     160 of 320 (50.0 %), MFU {100 * mfu:.1f} % of them, "
                      f"{50 * mfu:.1f} % of all\n", self.simulate(*words).stdout)

    def test_of_training_the_rate_is_of_the_whole_batch(self) -> None:
        self.plan(micro_batch=3, recompute="full")
        done = self.simulate("--network", "analytic", "--no-dram", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        report = done.json()
        rate = 1e12 * 3 * 2 * 21 / report["plan"]["batch_ps"]
        self.assertAlmostEqual(report["samples_per_s"] / rate, 1, delta=1e-5)
        self.assertEqual(report["samples"], 3 * 2 * 21)

    def test_where_rates_may_be_off_the_same_batch_is_run_on_other_networks(self) -> None:
        # With 24 micro-batches; a batch on one network is not to be held against 1,000 of them.
        for schedule in ("1f1b", "inference"):
            self.plan(schedule=schedule, data=1, micro_batches=24, recompute="full")
            words = ("--patience", "1", "--no-extrapolation", "--report", "-")
            done = self.simulate(*words)
            self.assertEqual(done.code, 0, done.stderr)
            report = done.json()
            error = report["rate_error"]
            self.assertGreater(error["cut"], 0.1 * error["settles"])
            self.assertIn("may be off", report["warnings"][0])
            self.assertNotRegex(done.stderr, r"micro-batch \d+ of (?!24 )")
            for network in ("exclusive", "analytic"):
                other = self.simulate(*words, "--network", network)
                self.assertEqual(error["other_networks"][network + "_makespan_ps"],
                                 other.json()["makespan_ps"])

    def test_summary_and_pictures(self) -> None:
        self.plan(schedule="gpipe", layout="line", recompute="full")
        done = self.simulate("--timeline", "t.svg", "--heatmap", "h.png", "--trace", "t.json.gz")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("tokens/s", done.stdout)
        self.assertIn("TP8 DP2 PP20", done.stdout)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
        self.assertIn("s19", (self.folder / "t.svg").read_text())

    def test_interleaved_parts_share_rows_of_the_timeline(self) -> None:
        self.plan(schedule="interleaved:2", micro_batches=40, recompute="full")
        done = self.simulate("--timeline", "t.svg", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("simulate", done.stdout)
        report = done.json()
        self.assertEqual(len(report["stages"]), 20)
        self.assertEqual([stage["name"] for stage in report["plan"]["stages"]][19:21],
                         ["s19.0", "s0.1"])
        self.assertEqual(report["plan"]["schedule"], "interleaved:2")

    def test_same_bytes_at_any_number_of_threads(self) -> None:
        self.plan(schedule="inference", micro_batches=200)
        texts = {self.simulate("--threads", threads, "--no-dram", "--report", "-").stdout
                 for threads in ("1", "2", "4")}
        self.assertEqual(len(texts), 1)
        self.assertTrue(json.loads(texts.pop())["extrapolated"])

    def test_a_plan_that_does_not_fit_the_memory_is_exit_3_unless_allowed(self) -> None:
        self.plan(schedule="gpipe")
        self.assert_fails(self.simulate(), 3, "plan.json", "TB of edge memory, there is 2.5 TB")
        done = self.simulate("--allow-infeasible", "--network", "analytic", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("simulate", done.stdout)
        plan = done.json()["plan"]
        self.assertFalse(plan["memory"]["fits"])
        self.assertEqual(plan["stages"][0]["memory"]["in_flight"], 21)
        self.plan(schedule="gpipe", recompute="if-needed")
        done = self.simulate("--network", "analytic", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn(done.json()["plan"]["recompute"], ("selective", "full"))

    def test_a_cluster_behind_switches(self) -> None:
        self.plan(tensor=8, data=32, pipeline=4, micro_batches=8, recompute="full")
        def on_cluster(*more: str):
            return self.run_here("simulate", "T-76B", "--plan", "plan.json", "--hardware",
                                 "a100_cluster", *more)
        done = on_cluster("--network", "analytic", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("simulate", done.stdout)
        report = done.json()
        self.assertEqual([(stage["x"], stage["y"], stage["width"], stage["height"])
                          for stage in report["plan"]["stages"]],
                         [(0, 32 * i, 8, 32) for i in range(4)])
        self.assertIn(report["links"][0]["direction"], ("to-network", "from-network"))
        # A layer sums 2 · 2048 · 10240 elements around eight GPUs forward, again, and backward.
        step = 2 * 2048 * 10240 * 2 / 8 / 300e9 + 1e-6
        exchanged = report["plan"]["stages"][1]["tensor_exchange_ps"] / 1e12
        self.assertAlmostEqual(exchanged / (15 * 3 * 14 * step), 1, places=6)
        slower = on_cluster("--links", "links.csv", "--heatmap", "map.svg")
        self.assertEqual(slower.code, 0, slower.stderr)
        names = {line.split(",")[2] for line in (self.folder / "links.csv").read_text().split()[1:]}
        # Between nodes go gradients, within a node its tensor-parallel tiles exchange.
        self.assertEqual(names, {"to-network", "from-network", "to-node", "from-node"})
        self.assertIn("between it and a switch", (self.folder / "map.svg").read_text())

    def test_what_clusters_do_not_do_is_told(self) -> None:
        self.plan(data=1, pipeline=2, micro_batches=1, recompute="full")
        cluster = ("--plan", "plan.json", "--hardware", "a100_cluster")
        for command, words in ((("simulate", "T-18B", *cluster, "--network", "packet"),
                                "the packet network takes meshes"),
                               (("place", "T-18B", *cluster, "-o", "t.json"),
                                "the placement of stages takes meshes")):
            self.assert_fails(self.run_here(*command), 2, words + ", not switched hardware")
        self.assert_fails(self.run_here("simulate", "small.kgraph", "small.sol", "--hardware",
                                        "h100_cluster"), 2, "a placement of kernels takes meshes")
        self.plan(layout="line", data=1, pipeline=2)
        self.assert_fails(self.run_here("simulate", "T-18B", *cluster), 2,
                          "switched hardware has no layout line")

    def test_a_network_runs_on_palm_wafer_where_no_hardware_is_named(self) -> None:
        self.plan()
        default = self.run_here("simulate", "T-18B", "--plan", "plan.json", "--report", "-")
        self.assertEqual(default.code, 0, default.stderr)
        self.assertEqual(default.json()["hardware"], "palm_wafer")
        self.assertEqual(default.json()["plan"], self.simulate("--report", "-").json()["plan"])

    def test_a_network_without_a_plan_is_told_what_to_add(self) -> None:
        self.write("net.json", "{}")
        for command in (("simulate", "T-18B"), ("simulate", "net.json"),
                        ("simulate", "T-18B", "small.sol"), ("place", "T-18B", "-o", "t.json")):
            self.assert_fails(self.run_here(*command), 2, "is a network: add --plan FILE")

    def test_what_does_not_suit_network_or_hardware_is_told_with_its_line(self) -> None:
        # Keys in lines 2 and 3; 43 stages of 42 operators, 21 times 16 tiles on 320.
        for keys, message in (
            ('"tensor": 1,\n "pipeline": 43',
             "plan.json:3:14: there are fewer operators than stages"),
            ('"tensor": 16,\n "pipeline": 21',
             "plan.json:3:14: 21 stages of 16 tiles do not fit on a mesh of 20 x 16"),
            ('"tensor": 17,\n "data": 19',
             "plan.json:2:12: 1 stages of 323 tiles do not fit on a mesh of 20 x 16"),
            ('"tensor": 1,\n "data_type": "fp8"',
             "plan.json:3:15: data_type: hardware 'palm_wafer' has no peak_flop_per_s_per_tile"),
            ('"tensor": 1,\n "leave_out": ["tail"]',
             "plan.json:3:15: leave_out: there is no operator tail"),
            ('"tensor": 1,\n "degrees": {"tail": {"batch": 1}}',
             "plan.json:3:13: degrees: there is no operator tail"),
        ):
            self.write("plan.json", "{\n " + keys + "}\n")
            for command in (("simulate",), ("place", "-o", "t.json")):
                done = self.run_here(command[0], "T-18B", "--plan", "plan.json", *command[1:])
                if command[0] == "simulate" or "do not fit" not in message:
                    self.assert_fails(done, 2, message)

    def test_operators_are_cut_as_well_as_by_hand(self) -> None:
        """Images by rows in front, by channels behind: 10 stages of 12 cores, as PALM has them."""
        chip = ("--hardware", "grayskull", "--set", "element_bytes=1")
        degrees: dict[str, dict[str, int]] = {}
        for op in self.run_here("workload", "resnet50", "--report", "-").json()["operators"]:
            early = op["name"].startswith(("conv1", "stage2", "stage3"))
            by_channels = op["kind"] == "linear" or (op["kind"] == "conv2" and not early)
            side = "out" if by_channels else "in" if op["kind"] == "pool" and not early else "rows"
            degrees[op["name"]] = {side: 12}
        self.write("hand.json", json.dumps(
            {"schedule": "inference", "micro_batches": 60, "data_type": "int8", "tensor": 12,
             "pipeline": 10, "degrees": degrees}))
        by_hand = self.run_here("simulate", "resnet50", "--plan", "hand.json", *chip, "--report", "-")
        self.assertEqual(by_hand.code, 0, by_hand.stderr)
        done = self.run_here("plan", "resnet50", "--way", "cut", *chip, "--data-type", "int8",
                             "--inference", "--batch", "2", "--top", "4", "-o", "own.json")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("operators cut apart (", done.stdout)
        self.assertTrue(json.loads((self.folder / "own.json").read_text())["degrees"])
        own = self.run_here("simulate", "resnet50", "--plan", "own.json", *chip, "--report", "-").json()
        self.assertGreater(own["plan"]["samples_per_s"],
                           0.98 * by_hand.json()["plan"]["samples_per_s"])

    def test_hardware_without_ports_names_their_key(self) -> None:
        wafer = json.loads(self.run_here("hardware", "palm_wafer", "--json").stdout)["fabric"]
        self.write("wafer.json", json.dumps({**wafer, "host_ports": []}))
        self.plan()
        done = self.run_here("simulate", "T-18B", "--plan", "plan.json", "--hardware", "wafer.json")
        self.assert_fails(done, 2, "but no host ports: host_ports of the hardware is empty")

    def test_what_cannot_be_run_is_told(self) -> None:
        self.plan(pipeline=21)
        self.assert_fails(self.simulate(), 2, "plan.json", "do not fit on a mesh of 20 x 16")
        for wrong in ("1f2b", "1f1b:2", "interleaved", "interleaved:1", "interleaved:2x"):
            self.plan(schedule=wrong)
            self.assert_fails(self.simulate(), 2, "plan.json:1:", "1f1b or interleaved:2")
        self.plan(data_type="fp8")
        self.assert_fails(self.simulate(), 2, "plan.json:1:112: data_type: hardware 'palm_wafer' has no "
                          "peak_flop_per_s_per_tile of 'fp8', only of fp16")
        self.plan(tensr=3)
        self.assert_fails(self.simulate(), 2, "did you mean 'tensor'?")
        self.plan()
        self.assert_fails(self.simulate("--training"), 2,
                          "--training: needs CASE and SOL, found --plan")
        self.assert_fails(self.run_here("simulate", "T-18C", "--plan", "plan.json"), 2,
                          "did you mean")


if __name__ == "__main__":
    unittest.main()
