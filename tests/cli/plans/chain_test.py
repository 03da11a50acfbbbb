"""waferloom plan WORKLOAD: from degrees to a plan that place and simulate read."""

import json
import signal
import subprocess
import unittest

from program import PATIENCE_S, PROGRAM, ProgramTest, Run

PARTS = ("compute", "memory", "tensor", "pipeline", "data", "update", "bubble")
LAYER = {"name": "layer", "kind": "transformer", "repeat": 4, "sequence": 64, "hidden": 64,
         "heads": 4}
NETWORK = {"name": "four layers", "tokens": 64, "operators": [LAYER]}
HARDWARE = {"name": "small", "columns": 4, "rows": 4, "clock_hz": 1_000_000_000,
            "link": {"bytes_per_s": 1_000_000_000, "latency_ps": 1000},
            "sram_bytes_per_tile": 100_000,
            "peak_flop_per_s_per_tile": {"fp16": 1_000_000_000_000},
            "host_ports": [{"side": "south", "position": 0, "bytes_per_s": 1_000_000_000,
                            "response_ps": 1000}],
            "dram_ports": [{"side": "west", "position": 0, "bytes_per_s": 1_000_000_000,
                            "response_ps": 1000, "capacity_bytes": 100_000_000}]}


KERNELS = ("Add_Prev LN1 Q K V MHA1 Softmax Drop1 MHA2 Proj Drop2 Add1 LN2 FFN0 GeLU FFN1 Drop3 "
           "Add2").split()


class PlanChainTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("net.json", json.dumps(NETWORK))
        self.hardware()
        self.given = self.names()

    def hardware(self, **more: object) -> None:
        self.write("wafer.json", json.dumps({**HARDWARE, **more}, indent=1))

    def plan(self, *words: str, network: str = "net.json", wafer: str = "wafer.json",
             batch: int = 8, top: int = 3) -> Run:
        return self.run_here("plan", network, "--hardware", wafer, f"--batch={batch}",
                             f"--top={top}", "-o", "plan.json", *words)

    def report(self, *words: str, **more: object) -> dict:
        done = self.plan(*words, "--report", "-", **more)
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("planned", done.stdout)
        self.assert_valid("plan", (self.folder / "plan.json").read_text())
        return done.json()

    def simulated(self, network: str, wafer: str, *words: str) -> dict:
        done = self.run_here("simulate", network, "--plan", "plan.json", "--hardware", wafer,
                             "--report", "-", *words)
        self.assertEqual(done.code, 0, done.stderr)
        return done.json()

    def assert_refused(self, done: Run, code: int, *parts: str) -> None:
        """As assert_fails, and nothing was written."""
        self.assert_fails(done, code, *parts)
        self.assertEqual(self.names(), self.given)

    def test_a_preset_is_planned_simulated_and_placed(self) -> None:
        report = self.report(network="T-18B", wafer="palm_wafer", top=2)
        written = json.loads((self.folder / "plan.json").read_text())
        self.assertEqual(report["plan"], written)
        self.assertEqual(written["data"] * written["micro_batch"] * written["micro_batches"], 8)
        best = report["simulated"][0]
        self.assertEqual((best["verdict"], best["name"]), ("best", report["best"]))
        self.assertEqual(report["counts"]["simulated"], 2)
        again = self.simulated("T-18B", "palm_wafer")
        self.assertEqual(again["plan"]["samples_per_s"], best["simulated_per_s"])
        placed = self.run_here("place", "T-18B", "--plan", "plan.json", "--hardware",
                               "palm_wafer", "-o", "placed.json", "--effort", "1")
        self.assertEqual(placed.code, 0, placed.stderr)
        self.assert_valid("placement", (self.folder / "placed.json").read_text())
        self.simulated("T-18B", "palm_wafer", "--placement", "placed.json")

    def test_plan_optimize_and_simulate_tell_the_same_use_of_tiles(self) -> None:
        report = self.report()
        use = report["simulated"][0]["use"]
        self.assertEqual(use["wafer_tiles"], 16)
        plan = report["plan"]
        tiles = plan["tensor"] * plan["data"] * plan["pipeline"]
        self.assertEqual(use["plan_tiles"], tiles)
        self.assertEqual(self.simulated("net.json", "wafer.json")["plan"]["use"], use)
        shown = f"  tiles     {tiles} of 16 ("
        self.assertIn(shown, self.plan().stdout)
        done = self.run_here("optimize", "net.json", "--hardware", "wafer.json", "--plan",
                             "plan.json", "--effort", "1", "-o", "best")
        self.assertEqual(done.code, 0, done.stderr)
        found = json.loads((self.folder / "best" / "report.json").read_text())
        beaten = next(one for one in found["candidates"] if one["name"] == found["baseline"])
        self.assertEqual(beaten["measured"]["use"]["plan_tiles"], tiles)
        self.assertIn(" of 16 (", done.stdout)

    def test_parts_add_up(self) -> None:
        report = self.report()
        parts = report["parts"]
        for model in ("dfmodel", "amped", "simulated"):
            total = sum(parts[model][part] for part in PARTS)
            self.assertAlmostEqual(total / parts[model]["total"], 1, places=12)
            self.assertTrue(all(parts[model][part] >= 0 for part in PARTS), parts[model])
        # A batch of eight at the rate that was simulated.
        rate = report["simulated"][0]["simulated_per_s"]
        self.assertAlmostEqual(8 / rate / parts["simulated"]["total"], 1, places=9)
        self.assertGreater(len(report["candidates"]), 1)
        for one in report["candidates"]:
            for model in ("dfmodel", "amped"):
                batch = one[model]["batch_s"]
                self.assertAlmostEqual(sum(batch[part] for part in PARTS) / batch["total"], 1,
                                       places=12)
                self.assertAlmostEqual(one[model]["samples_per_s"] * batch["total"] / 8, 1,
                                       places=9)

    def test_models_price_the_plan_that_was_simulated_not_the_one_it_was_varied_from(self) -> None:
        words = ("--network", "analytic", "--effort", "1")
        report = self.report(*words, network="T-76B", wafer="palm_wafer", batch=64, top=16)
        best = report["simulated"][0]
        self.assertEqual(best["name"], report["best"])
        # Replicas divide states: the models know it.
        self.assertGreater(best["plan"]["zero"], 0)
        self.assertEqual(report["parts"]["samples"], 64)
        for model in ("dfmodel", "amped", "simulated"):
            total = report["parts"][model]["total"]
            self.assertAlmostEqual(best[model + "_per_s"] * total / 64, 1, places=9, msg=model)
        shown = self.plan(*words, network="T-76B", wafer="palm_wafer", batch=64, top=16).stdout
        rows = [line.split() for line in shown.splitlines()]
        rates = next(row for row in rows if row[:1] == ["samples/s"] and row[1] != "of")
        totals = next(row for row in rows if row[:1] == ["total"])
        for rate, total in zip(rates[1:], totals[1:], strict=True):
            self.assertAlmostEqual(float(rate) * float(total) / 64, 1, delta=1e-3)
        self.assertTrue(all(len(line) <= 80 for line in shown.splitlines()), shown)

    def test_parts_of_inference_add_up(self) -> None:
        report = self.report("--inference", batch=64)
        plan = report["plan"]
        self.assertEqual(report["parts"]["samples"],
                         plan["micro_batch"] * plan["data"] * plan["micro_batches"])
        # The pipeline has to be filled, which the rate of a stream leaves out: about as many
        # micro-batches as there are stages.
        time = report["parts"]["samples"] / report["simulated"][0]["simulated_per_s"]
        filling = report["parts"]["simulated"]["total"] / time - 1
        self.assertGreater(filling, 0)
        self.assertLess(filling, 2 * plan["pipeline"] / plan["micro_batches"])
        self.assertIn(f"seconds of {report['parts']['samples']} samples, with filling",
                      self.plan("--inference", batch=64).stdout)
        for model in ("dfmodel", "simulated"):
            parts = report["parts"][model]
            self.assertAlmostEqual(sum(parts[part] for part in PARTS) / parts["total"], 1,
                                   places=12)
            self.assertTrue(all(parts[part] >= 0 for part in PARTS), parts)
            self.assertEqual((parts["data"], parts["update"]), (0, 0))
        self.assertTrue(all(one["amped"] is None for one in report["candidates"]))
        self.assertEqual(report["plan"]["schedule"], "inference")

    def test_model_and_simulation_compute_the_same_products(self) -> None:
        """Without anything that moves: the operations of four layers at the peak rate."""
        self.hardware(sram_bytes_per_tile=10**9)
        report = self.report("--inference", batch=1, top=1)
        plan = report["plan"]
        tiles = plan["tensor"] * plan["pipeline"]
        products = 4 * (24 * 64 * 64 * 64 + 4 * 64 * 64 * 64) * plan["micro_batches"]
        self.assertEqual(plan["micro_batch"] * plan["data"], 1)
        for model in ("dfmodel", "simulated"):
            ratio = report["parts"][model]["compute"] * 1e12 * tiles / products
            # Operations on elements come on top; stages may be uneven.
            self.assertTrue(1 < ratio < 1.25, f"{model}: {ratio}")
        self.assertIsNone(report["parts"]["amped"])
        self.assertFalse(report["training"])

    def test_candidates_and_trials_are_in_order(self) -> None:
        report = self.report(top=6)
        rates = [one["palm_per_s"] for one in report["candidates"]]
        self.assertEqual(rates, sorted(rates, reverse=True))
        # Behind those that ran, those that promise less than what the best has shown.
        ran = [one for one in report["simulated"] if one["simulated_per_s"] is not None]
        seen = [one["simulated_per_s"] for one in ran]
        self.assertGreater(len(seen), 2)
        self.assertEqual(seen, sorted(seen, reverse=True))
        self.assertEqual([one["verdict"] for one in report["simulated"]],
                         ["best"] + ["slower"] * (len(seen) - 1) + ["outranked"] * (6 - len(seen)))

    def test_ranked_by_amped(self) -> None:
        report = self.report("--model", "amped")
        self.assertEqual(report["model"], "amped")
        rates = [one["amped"]["samples_per_s"] for one in report["candidates"]]
        self.assertEqual(rates, sorted(rates, reverse=True))
        self.assertNotEqual(rates, [one["dfmodel"]["samples_per_s"]
                                    for one in report["candidates"]])

    def test_a_placement_reproduces_what_was_told(self) -> None:
        report = self.report("--placement", "tiles.json", top=2)
        self.assert_valid("placement", (self.folder / "tiles.json").read_text())
        again = self.simulated("net.json", "wafer.json", "--placement", "tiles.json")
        self.assertEqual(again["plan"]["samples_per_s"],
                         report["simulated"][0]["simulated_per_s"])
        self.assertTrue(any(one["name"].endswith(", placed") for one in report["simulated"]))

    def test_same_bytes_at_any_number_of_threads(self) -> None:
        texts = set()
        for threads in ("1", "2", "4"):
            done = self.plan("--threads", threads, "--report", "-")
            self.assertEqual(done.code, 0, done.stderr)
            texts.add((done.stdout, (self.folder / "plan.json").read_text()))
        self.assertEqual(len(texts), 1)

    def test_objectives_of_time(self) -> None:
        report = self.report("--objective", "time")
        self.assertEqual(report["objective"], "time")
        rates = [one["simulated_per_s"] for one in report["simulated"] if one["simulated_per_s"]]
        self.assertGreater(len(rates), 1)
        self.assertEqual(rates, sorted(rates, reverse=True))  # a batch takes less

    def test_cost_and_energy_need_figures(self) -> None:
        for objective, key in (("cost", "price_usd"), ("energy", "power_w")):
            self.assert_refused(self.plan("--objective", objective), 2,
                                f"--objective: small does not say its {key}")
        self.hardware(price_usd=1600, power_w=320)
        for objective in ("cost", "energy"):
            report = self.report("--objective", objective)
            paid = [one["plan"]["tensor"] * one["plan"]["data"] * one["plan"]["pipeline"] /
                    one["simulated_per_s"] for one in report["simulated"] if one["simulated_per_s"]]
            self.assertGreater(len(paid), 1)
            self.assertEqual(paid, sorted(paid))

    def test_the_mapping_of_a_layer_is_told(self) -> None:
        report = self.report("--no-dram")
        layer = report["plan"]["layer"]
        kernels = [kernel for partition in layer["partitions"] for kernel in partition]
        self.assertEqual(sorted(kernels), sorted(layer["sharding"]))
        self.assertEqual(len(set(kernels)), 18)
        self.assertTrue(report["layer"]["optimal"])
        # Where activations stream partitions would change the rate.
        self.assertEqual(list(self.report()["plan"]["layer"]), ["sharding"])
        self.write("net.json", json.dumps({"name": "one product", "tokens": 1, "operators": [
            {"name": "fc", "kind": "linear", "rows": 4, "in": 64, "out": 64}]}))
        self.assertIsNone(self.report()["layer"])
        self.assertNotIn("tokens/s", self.plan().stdout)

    def test_partitions_of_a_layer_say_what_streams(self) -> None:
        found = self.report()["simulated"][0]["simulated_per_s"]
        self.assertEqual(self.simulated("net.json", "wafer.json")["plan"]["samples_per_s"], found)
        plan = json.loads((self.folder / "plan.json").read_text())
        self.assertEqual(plan["reuse"], "blocks")
        plan["zero"] = 0  # parameters that are gathered go whole
        uses, rates = [], []
        for partitions in ([], [KERNELS], [[kernel] for kernel in KERNELS]):
            plan["layer"] = {"partitions": partitions} if partitions else {}
            self.write("plan.json", json.dumps(plan))
            done = self.simulated("net.json", "wafer.json")["plan"]
            uses.append({one["use"] for stage in done["stages"]
                         for one in stage["memory"]["operators"]})
            rates.append(done["samples_per_s"])
        self.assertNotIn("mapped", uses[0])
        self.assertEqual(uses[1:], [{"mapped"}, {"mapped"}])
        self.assertLess(rates[2], rates[1])
        self.assertLess(rates[2], rates[0])
        plan["layer"]["partitions"] = [[kernel] for kernel in KERNELS[1:]]
        self.write("plan.json", json.dumps(plan))
        self.assert_fails(self.run_here("simulate", "net.json", "--plan", "plan.json", "--hardware",
                                        "wafer.json"), 2,
                          "layer: no layer of the network has just the kernels of its partitions")

    def test_a_summary_is_80_columns_wide(self) -> None:
        done = self.plan()
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("seconds of a batch", done.stdout)
        self.assertIn("written   plan.json", done.stdout)
        self.assertEqual([line for line in done.stdout.splitlines() if len(line) > 80], [])

    def test_nothing_fits(self) -> None:
        """Four layers of 49,984 parameters: 16 bytes each, and activations, behind one port."""
        port = {**HARDWARE["dram_ports"][0], "capacity_bytes": 3_000_000}
        self.hardware(dram_ports=[port])
        done = self.plan()
        self.assert_refused(done, 3, "no plan for a batch of 8 fits small", "the stages need ",
                            " of edge memory, there is 3.0 MB")
        needed = float(done.stderr.split("the stages need ")[1].split(" MB")[0])
        self.assertGreater(needed * 1e6, 4 * 49_984 * 16)
        # Somewhat more is enough for some plans, and not for others.
        self.hardware(dram_ports=[{**port, "capacity_bytes": 2 * 4 * 49_984 * 16}])
        report = self.report()
        self.assertGreater(report["counts"]["infeasible"], 0)
        self.assertIn("edge memory", report["why_infeasible"])

    def test_plan_and_optimize_say_alike_that_nothing_can_fit(self) -> None:
        """Four layers of 12 H² + 13 H = 49,984 parameters, 14 bytes each, whatever the degrees."""
        port = {**HARDWARE["dram_ports"][0], "capacity_bytes": 4 * 49_984 * 14 - 1}
        self.hardware(dram_ports=[port])
        message = ("no plan for a batch of 64 fits small; weights and optimizer states alone need "
                   "2,799,104 bytes of edge memory, and there are 2,799,103")
        for verb in ("plan", "optimize"):
            done = self.run_here(verb, "net.json", "--hardware", "wafer.json", "-o", "out")
            self.assert_refused(done, 3, message)

    def test_memory_of_tiles_that_does_not_fit(self) -> None:
        self.hardware(dram_ports=[], dram_bytes_per_tile=1000,
                      dram_bytes_per_s_per_tile=1_000_000_000)
        self.assert_refused(self.plan(), 3, " of tile memory, its ", " tiles have ")

    def test_unknown_words(self) -> None:
        for words, parts in (
                (("--model", "dfmodl"), ("--model: expected palm, dfmodel or amped, found 'dfmodl'",
                                         "did you mean 'dfmodel'?")),
                (("--objective", "tim"), ("--objective: expected ", "did you mean 'time'?")),
                (("--optimizer", "adm"), ("--optimizer: expected ", "did you mean 'adam'?")),
                (("--strategy", "aut"), ("--strategy: unknown strategy 'aut'",
                                         "did you mean 'auto'?")),
                (("--objectiv", "time"), ("--objectiv", "did you mean '--objective'?")),
                (("--data-type", "fp8"), ("--data-type: small tells no peak rate of fp8; of fp16",))):
            with self.subTest(words=words):
                self.assert_refused(self.plan(*words), 2, *parts)

    def test_numbers_out_of_range(self) -> None:
        self.assert_refused(self.plan(batch=0), 2, "--batch: expected a whole number from 1 to "
                            "1000000, found '0'")
        self.assert_refused(self.plan(top=0), 2, "--top: expected a whole number from 1 to 1000, "
                            "found '0'")

    def test_unknown_files_and_presets(self) -> None:
        self.assert_refused(self.plan(network="T-18"), 2, "found 'T-18', did you mean 't_18b'?")
        self.assert_refused(self.plan(wafer="palm_wafr"), 2, "did you mean 'palm_wafer'?")
        self.assert_refused(self.plan(network="nothing.json"), 2, "nothing.json: cannot be read")

    def test_an_output_is_needed_and_no_input(self) -> None:
        done = self.run_here("plan", "net.json", "--hardware", "wafer.json", "--way", "cut")
        self.assert_refused(done, 2, "expected -o PLAN")
        self.assert_refused(self.plan("--report", "plan.json"), 2,
                            "plan.json: given for two outputs")
        done = self.run_here("plan", "net.json", "--hardware", "wafer.json", "-o", "net.json")
        self.assert_refused(done, 2, "net.json: is also an input")

    def test_unknown_keys_are_told_with_their_place(self) -> None:
        self.hardware(colums=4)
        lines = (self.folder / "wafer.json").read_text().splitlines()
        at = next(i for i, line in enumerate(lines, 1) if "colums" in line)
        self.assert_refused(self.plan(), 2, f"wafer.json:{at}:2: ", "did you mean 'columns'?")
        self.hardware()
        self.write("net.json", json.dumps({**NETWORK, "operators": [{**LAYER, "hedas": 4}]}))
        self.assert_refused(self.plan(), 2, "net.json:1:", "did you mean 'heads'?")

    def test_hardware_without_ports_is_told(self) -> None:
        self.hardware(host_ports=[])
        self.assert_refused(self.plan(), 3, "there are inputs or outputs, but no host ports")

    def start(self, *words: str) -> subprocess.Popen:
        process = subprocess.Popen([PROGRAM, "plan", *words, "-o", "plan.json", "--report", "-"],
                                   cwd=self.folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_a_signal_before_the_first_result(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("T-18B", "--hardware", "palm_wafer", "--batch", "8")
            self.assertIn("estimating plans", process.stderr.readline())
            process.send_signal(number)
            stdout, stderr = process.communicate(timeout=PATIENCE_S)
            self.assertEqual(process.returncode, 5, stderr)
            self.assert_valid("error", stdout)
            error = json.loads(stdout)["error"]
            self.assertEqual((error["class"], error["exit_code"]), ("interrupted", 5))
            self.assertEqual(self.names(), self.given)

    def test_a_time_limit_before_the_first_result(self) -> None:
        done = self.run_here("plan", "T-18B", "--hardware", "palm_wafer", "--batch", "8", "-o",
                             "plan.json", "--time-limit", "0.001", "--report", "-")
        self.assertEqual(done.code, 5, done.stderr)
        self.assertEqual(done.json()["error"]["class"], "time_limit")
        self.assertEqual(self.names(), self.given)


if __name__ == "__main__":
    unittest.main()
