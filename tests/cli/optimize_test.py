"""waferloom optimize: cases placed again for throughput, and plans of networks."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from program import (PATIENCE_S, PROGRAM, SLOW_LINKS, SMALL_CASE, ProgramTest, computed_ns,
                     run)

PLAN = {"tensor": 8, "data": 2, "pipeline": 20, "micro_batches": 21}
FULL_BUFFERS = {**SLOW_LINKS, "link": {}, "buffer_samples": 8}


class OptimizeTest(ProgramTest):
    def optimize(self, *arguments: str, folder: str = "best"):
        return self.run_here("optimize", *arguments, "-o", folder, "-q")

    def result(self, folder: str = "best") -> dict:
        text = (self.folder / folder / "report.json").read_text()
        self.assert_valid("optimize", text)
        return json.loads(text)

    def contest_case(self, name: str) -> str:
        self.write(f"{name}.kgraph", run("cases", name).stdout)
        return f"{name}.kgraph"

    def rate(self, case: str, solution: str, *more: str) -> float:
        done = self.run_here("simulate", case, solution, "--report", "-", *more)
        self.assertEqual(done.code, 0, done.stderr)
        return done.json()["samples_per_s"]

    def assert_explained(self, report: dict) -> None:
        """Every candidate has a reason; measured ones are no faster than the best."""
        names = [one["name"] for one in report["candidates"]]
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual(sum(one["verdict"] == "best" for one in report["candidates"]), 1)
        for one in report["candidates"]:
            self.assertTrue(one["reason"])
            if one["verdict"] in ("best", "slower"):
                self.assertLessEqual(one["measured"]["samples_per_s"], report["samples_per_s"])
            if one["verdict"] == "bounded":
                self.assertLessEqual(one["promised_per_s"], report["samples_per_s"])
        on_front = [one["name"] for one in report["candidates"] if one["on_front"]]
        self.assertEqual(on_front, report["front"])
        self.assertTrue(report["front"])

    def assert_no_slower_than_place(self, case: str, *more: str) -> dict:
        """Optimizes a case and holds it against what place gives; the report."""
        done = self.optimize(case, "--effort", "1", "--top", "2", *more)
        self.assertEqual(done.code, 0, done.stderr)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
        report = self.result()
        self.assert_explained(report)
        self.run_here("place", case, "-o", "placed.sol", "--effort", "1")
        before = self.rate(case, "placed.sol", *more)
        after = self.rate(case, "best/solution.sol", *more)
        self.assertGreaterEqual(after, before)
        self.assertEqual(report["samples_per_s"], after)
        baseline = report["candidates"][0]
        self.assertEqual(baseline["name"], report["baseline"])
        self.assertEqual(baseline["measured"]["samples_per_s"], before)
        self.assertAlmostEqual(report["gain"], after / before - 1, places=4)
        self.assertIn("<svg", (self.folder / "best" / "floorplan.svg").read_text())
        self.assertIn("<svg", (self.folder / "best" / "links.svg").read_text())
        self.assertEqual(self.run_here("score", case, "best/solution.sol").code, 0)
        return report

    def test_a_case_that_kernels_hold_up_is_not_slower_than_what_place_gives(self) -> None:
        report = self.assert_no_slower_than_place("small.kgraph")
        self.assertNotEqual(report["candidates"][0]["measured"]["bound"], "link")

    def test_room_for_buffers_is_searched_where_it_lacks(self) -> None:
        kernels = "".join(f"conv[{i}] W=8 H=8 R=3 S=3 C=8 K=8 T=1 U=1 name='k{i}'\n"
                          for i in range(1, 5)).replace("C=8", "C=4", 1)
        edges = "".join(f"conv[{a}]:y -> conv[{b}]:x, shape:[8][8][64]\n"
                        for a, b in ((1, 2), (2, 3), (3, 4), (1, 4)))
        header = SMALL_CASE[:SMALL_CASE.index("input[0]")].replace("memlimit=24576", "memlimit=100")
        self.write("tight.kgraph", header.replace("wadapter=3", "wadapter=0") +
                   "input[0] n=[8 8 4] name='k0'\n" + kernels.replace(
                       "R=3 S=3 C=8 K=8 T=1 U=1 name='k4'", "R=1 S=1 C=8 K=4 T=1 U=1 name='k4'") +
                   "output[5] n=[8 8 4] name='k5'\ninput[0]:y -> conv[1]:x, shape:[8][8][4]\n" +
                   edges + "conv[4]:y -> output[5]:x, shape:[8][8][4]\n")
        self.write("tight.json", json.dumps({"columns": 40, "rows": 30, "sram_bytes_per_tile": 200,
                                             "host_ports": SLOW_LINKS["host_ports"]}))
        done = self.optimize("tight.kgraph", "--hardware", "tight.json", "--effort", "1")
        self.assertEqual(done.code, 0, done.stderr)
        report = self.result()
        best = next(one for one in report["candidates"] if one["name"] == report["best"])
        self.assertGreater(report["buffers"], 0)
        self.assertEqual(best["buffers"], report["buffers"])
        self.assertEqual(report["candidates"][0]["buffers"], 0)
        self.assertGreater(report["gain"], 0)
        self.assertIn(f"  buffers   room for {report['buffers']:g} samples an edge in the tiles' "
                      "memory\n", done.stdout)
        self.assertEqual(self.run_here("score", "tight.kgraph", "best/solution.sol").code, 0)

    def test_the_folder_has_the_routes_that_were_simulated(self) -> None:
        self.write("slow.json", json.dumps(SLOW_LINKS))
        fabric = ("--hardware", "slow.json")
        report = self.assert_no_slower_than_place("small.kgraph", *fabric)
        self.assertEqual(report["routing"], "planned")
        with_routes = self.rate("small.kgraph", "best/solution.sol", *fabric, "--routes",
                                "best/routes.json")
        self.assertEqual(with_routes, report["samples_per_s"])

    def test_a_case_on_routes_of_a_rule_is_tried_turned_and_has_no_routes(self) -> None:
        self.write("slow.json", json.dumps(SLOW_LINKS))
        report = self.assert_no_slower_than_place("small.kgraph", "--hardware", "slow.json",
                                                  "--routing", "xy")
        self.assertEqual(report["routing"], "xy")
        self.assertIn("turned", [one["name"] for one in report["candidates"]])
        self.assertFalse((self.folder / "best" / "routes.json").exists())

    def test_plans_are_routed_unless_a_rule_is_named(self) -> None:
        words = ("bert-base", "--hardware", "palm_wafer", "--batch", "2", "--top", "1",
                 "--effort", "1")
        self.assertEqual(self.optimize(*words).code, 0)
        plan = json.loads((self.folder / "best" / "plan.json").read_text())
        self.assertEqual(plan["routing"], "planned")
        routes = json.loads((self.folder / "best" / "routes.json").read_text())
        self.assertEqual(routes["hardware"], "palm_wafer")
        self.assertEqual(self.optimize(*words, "--routing", "yx").code, 0)
        plan = json.loads((self.folder / "best" / "plan.json").read_text())
        self.assertEqual(plan["routing"], "yx")

    def test_planned_routes_are_refused_on_switched_hardware(self) -> None:
        done = self.optimize("bert-base", "--hardware", "a100_cluster", "--routing", "planned")
        self.assertEqual(done.code, 2)
        self.assertIn("--routing: planned routes are for meshes, not switched hardware",
                      done.stderr)

    def test_a_case_whose_slowest_kernel_cannot_be_faster_is_not_searched_further(self) -> None:
        self.write("fast.json", json.dumps(FULL_BUFFERS))
        done = self.optimize("small.kgraph", "--effort", "1", "--hardware", "fast.json")
        self.assertEqual(done.code, 0, done.stderr)
        report = self.result()
        self.assertEqual((report["ended_by"], report["rounds"]), ("roof", 0))
        # The bound on time of place is in cycles, of which the hardware has 10^9 a second.
        placed = self.run_here("place", "small.kgraph", "--effort", "1", "--report", "-",
                               "-o", "placed.sol").json()
        roof = 1e9 / int(placed["bound"]["time"])
        self.assertAlmostEqual(report["roof_per_s"] / roof, 1, places=5)
        self.assertAlmostEqual(report["samples_per_s"] / roof, 1, places=5)
        trained = self.optimize("small.kgraph", "--effort", "1", "--hardware", "fast.json",
                                "--training")
        self.assertEqual(trained.code, 0, trained.stderr)
        self.assertAlmostEqual(self.result()["roof_per_s"] / (roof / 3), 1, places=5)

    def test_a_case_that_links_hold_up_becomes_faster(self) -> None:
        self.write("slow.json", json.dumps(SLOW_LINKS))
        report = self.assert_no_slower_than_place("small.kgraph", "--hardware", "slow.json",
                                                  "--routing", "xy")
        self.assertEqual(report["candidates"][0]["measured"]["bound"], "link")
        # The input's 512 bytes come in by one link of a gigabyte a second: no placement is faster,
        # and the best is that fast behind its first sample. Its rate is of a whole run of 1,000.
        best = next(one for one in report["candidates"] if one["verdict"] == "best")
        self.assertEqual(best["measured"]["rate_of"], "whole run")
        whole_s = best["measured"]["latency_ps"] / 1e12 + 999 * 512e-9
        self.assertLessEqual(report["samples_per_s"], 1e9 / 512)
        self.assertGreaterEqual(report["samples_per_s"], 1000 / whole_s)
        self.assertGreater(report["gain"], 0)

    def test_same_bytes_at_any_number_of_threads(self) -> None:
        self.write("fabric.json", json.dumps(SLOW_LINKS))
        for name, arguments in (("case", ("small.kgraph", "--hardware", "fabric.json")),
                                ("network", ("bert-base", "--hardware", "palm_wafer",
                                                 "--batch", "4"))):
            texts = set()
            for threads in ("1", "3"):
                done = self.optimize(*arguments, "--effort", "1", "--threads", threads, "--top",
                                     "5", folder=name)
                self.assertEqual(done.code, 0, done.stderr)
                texts.add("".join(path.read_text()
                                  for path in sorted((self.folder / name).iterdir())))
                shutil.rmtree(self.folder / name)
            self.assertEqual(len(texts), 1, name)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one core")
    def test_searches_use_as_many_threads_as_they_may(self) -> None:
        commands = (("place", self.contest_case("A"), "-o", "a.sol"),
                    ("plan", "T-76B", "-o", "p.json"), ("optimize", "T-18B", "-o", "best"))
        for command in commands:
            for threads in (1, 2):
                process = subprocess.Popen(
                    [PROGRAM, *command, "--threads", str(threads), "-q"],
                    cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.addCleanup(process.wait)
                self.addCleanup(process.kill)
                most = whole_ns = 0
                # A second thread that may not be would show within a second and a half of work.
                while process.poll() is None and most < 2 and \
                        (threads == 2 or whole_ns < 1_500_000_000):
                    computed = computed_ns(process.pid)
                    whole_ns = sum(computed)
                    most = max(most, sum(each > 1_000_000 for each in computed))
                    time.sleep(0.005)
                process.kill()
                self.assertEqual(most, threads, command)

    def simulated(self, *arguments: str) -> dict:
        done = self.run_here("simulate", "T-76B", "--hardware", "palm_wafer", "--report", "-",
                             "--allow-infeasible", "--plan", *arguments)
        self.assertEqual(done.code, 0, done.stderr)
        return done.json()["plan"]

    def plan_to_beat(self, *more: str) -> tuple[dict, dict, dict]:
        """The report of optimize, and what simulate says of its plan and of the plan to beat."""
        self.write("plan.json", json.dumps(PLAN))
        done = self.optimize("T-76B", "--hardware", "palm_wafer", "--plan", "plan.json",
                             "--effort", "1", *more)
        self.assertEqual(done.code, 0, done.stderr)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
        best = self.simulated("best/plan.json", "--placement", "best/placement.json", *more)
        return self.result(), best, self.simulated("plan.json", *more)

    def test_the_plan_of_t_76b_is_as_fast_as_tp8_dp2_pp20_and_fits_the_memory(self) -> None:
        report, best, beaten = self.plan_to_beat()
        self.assert_explained(report)
        self.assertTrue(best["memory"]["fits"])
        self.assertFalse(beaten["memory"]["fits"])
        self.assertGreaterEqual(best["samples_per_s"], beaten["samples_per_s"])
        # As it fits the memory it is slower: states are divided, activations computed again.
        self.write("fits.json", json.dumps({**PLAN, "zero": 1, "recompute": "if-needed"}))
        fitting = self.simulated("fits.json")
        self.assertTrue(fitting["memory"]["fits"])
        self.assertLess(fitting["samples_per_s"], beaten["samples_per_s"])
        self.assertAlmostEqual(best["samples_per_s"] / report["samples_per_s"], 1, places=5)
        plan = json.loads((self.folder / "best" / "plan.json").read_text())
        self.assertEqual(plan["data"] * plan["micro_batch"] * plan["micro_batches"], 42)
        self.assertEqual(80 % plan["tensor"], 0)
        # Every plan is measured on the whole batch, whatever its micro-batches are.
        self.assertEqual({one["measured"]["samples"] for one in report["candidates"]
                          if one["measured"]}, {42})
        reasons = " ".join(group["reason"] for group in report["passed_over"])
        for part in ("do not fit on a mesh", "fewer operators than stages", "the memory",
                     "does not divide the 80 heads", "estimated slower"):
            self.assertIn(part, reasons)

    def test_so_it_is_if_memory_takes_no_time(self) -> None:
        report, best, beaten = self.plan_to_beat("--no-dram")
        self.assertTrue(best["memory"]["fits"])
        self.assertFalse(beaten["memory"]["fits"])
        self.assertGreaterEqual(best["samples_per_s"], beaten["samples_per_s"])
        self.assertEqual(report["candidates"][0]["verdict"], "memory")
        self.assertNotIn(report["candidates"][0]["name"], report["front"])

    def test_inference(self) -> None:
        done = self.optimize("bert-base", "--hardware", "palm_wafer", "--inference", "--batch", "8",
                             "--top", "4", "--report", "-", "--effort", "1")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("optimize", done.stdout)
        plan = json.loads((self.folder / "best" / "plan.json").read_text())
        self.assertEqual(plan["schedule"], "inference")

    def test_a_folder_that_is_there_is_filled(self) -> None:
        (self.folder / "best").mkdir()
        self.write("best/own.txt", "stays")
        arguments = ("bert-base", "--hardware", "palm_wafer", "--batch", "2", "--top", "1",
                     "--effort", "1")
        for _ in range(2):
            self.assertEqual(self.optimize(*arguments).code, 0)
        self.assertEqual({path.name for path in (self.folder / "best").iterdir()},
                         {"own.txt", "report.json", "plan.json", "placement.json", "floorplan.svg",
                          "links.svg", "routes.json"})

    def test_wrong_command_lines(self) -> None:
        self.write("plan.json", json.dumps(PLAN))
        for arguments, message in (
                (("T-18B", "--training"), "--training: needs a case"),
                (("small.kgraph", "--batch", "4"), "--batch: needs a network"),
                (("T-18B", "--batch", "0"), "--batch"),
                (("T-18B", "--plan", "plan.json", "--batch", "7"), "has a batch of 42"),
                (("T-18B", "--plan", "plan.json", "--inference"), "trains"),
                (("small.kgraph", "--strategy", "magic"), "--strategy"),
                (("missing.kgraph",), "missing.kgraph"),
                (("T-18B", "--hardware", "wse1", "--plan", "none.json"), "none.json"),
                (("T-18B", "--hardware", "wse1"), "no peak_flop_per_s_per_tile")):
            with self.subTest(arguments=arguments):
                self.assert_fails(self.optimize(*arguments), 2, message)
        self.write("bound.json", json.dumps({"degrees": {"head": {"out": 2}}}))
        self.assertEqual(self.optimize("T-18B", "--plan", "bound.json").code, 2)
        self.assert_fails(self.optimize("small.kgraph", folder="small.sol"), 2, "not a folder")
        self.assert_fails(self.optimize("small.kgraph", folder="none/best"), 2, "none")
        self.assertNotIn("best", self.names())

    def test_a_time_limit_is_kept_in_the_main(self) -> None:
        case = self.contest_case("E")
        done = self.run_for("optimize", case, "-o", "best")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn(self.result()["ended_by"], ("time_limit", "no gain", "effort"))

    def mixture(self) -> str:
        """A network of 32 layers of attention and eight experts side by side, as a file."""
        hidden, tokens, operators = 256, 64, []
        for i in range(32):
            behind = [f"sum{i - 1}"] if i else ["input"]
            operators.append({"name": f"attention{i}", "kind": "transformer", "sequence": tokens,
                              "hidden": hidden, "heads": 8, "feed_forward": 8, "after": behind})
            experts = [f"expert{i}_{k}" for k in range(8)]
            operators += [{"name": name, "kind": "linear", "rows": tokens // 8, "in": hidden,
                           "out": hidden, "after": [f"attention{i}"]} for name in experts]
            operators.append({"name": f"sum{i}", "kind": "add", "elements": tokens * hidden,
                              "after": experts})
        self.write("mixture.json", json.dumps({"tokens": tokens, "operators": operators}))
        return "mixture.json"

    def test_a_network_of_experts_has_a_plan_within_its_time_limit(self) -> None:
        network = self.mixture()
        done = self.run_for("optimize", network, "-o", "best", "--batch", "8")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_explained(self.result())

    def test_a_signal_while_plans_are_estimated_keeps_the_plan_to_beat(self) -> None:
        self.write("plan.json", json.dumps({**PLAN, "recompute": "full"}))
        process = subprocess.Popen([PROGRAM, "optimize", "T-18B", "--plan", "plan.json", "-o",
                                    "best", "-v"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if "estimating plans" in line:  # the plan to beat has been simulated
                break
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130, errors)
        report = self.result()
        self.assertEqual(report["ended_by"], "interrupted")
        self.assertGreaterEqual(report["gain"], 0)
        self.assertEqual(report["candidates"][0]["name"], report["baseline"])
        self.assertIn("plan.json", {path.name for path in (self.folder / "best").iterdir()})

    def test_a_signal_keeps_the_best_so_far(self) -> None:
        process = subprocess.Popen([PROGRAM, "optimize", self.contest_case("E"), "-o", "best", "--effort",
                                    "2"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if "nd 1 of at most" in line:  # the first proposal: what place gives has been simulated
                break
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130)
        report = self.result()
        self.assertEqual(report["ended_by"], "interrupted")
        self.assert_explained(report)

    def test_a_signal_before_anything_is_known_leaves_nothing(self) -> None:
        process = subprocess.Popen([PROGRAM, "optimize", self.contest_case("C"), "-o", "best", "--effort",
                                    "9"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        for line in process.stderr:
            if "placing" in line:
                break
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 5, errors)
        self.assertNotIn("best", self.names())


if __name__ == "__main__":
    unittest.main()
