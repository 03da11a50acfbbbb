"""waferloom simulate: throughput of a placement, message sets, exit codes, outputs."""

import gzip
import json
import unittest

from program import ProgramTest, schema_fault

# A wafer of 40x30 tiles whose links, ports and latencies cost nothing.
FREE = {"columns": 40, "rows": 30, "clock_hz": 1_000_000_000,
        "link": {"bytes_per_s": None, "latency_ps": 0},
        "host_ports": [{"side": "west", "position": 0, "last": 29}]}

MESSAGES = {"mesh": [4, 2], "routing": "xy", "packet_flits": 16, "messages": [
    {"id": 5, "src": [0, 0], "dst": [3, 1], "flits": 20, "release_cycle": 3},
    {"id": 2, "src": [3, 1], "dst": [0, 0], "flits": 1, "release_cycle": 0, "after": [5]}]}


class SimulateTest(ProgramTest):
    def write_json(self, name: str, value: object) -> None:
        self.write(name, json.dumps(value))

    def test_the_steady_period_is_the_slowest_kernels_time(self) -> None:
        self.write_json("free.json", FREE)
        done = self.run_here("simulate", "small.kgraph", "small.sol", "--hardware", "free.json",
                             "--network", "analytic", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("simulate", done.stdout)
        report = done.json()
        self.assertEqual((report["period_ps"], report["period_samples"]), (4_608_000, 1))
        self.assertEqual((report["bound"], report["bound_by"]), ("compute", "stage k2"))
        self.assertTrue(report["steady"] and report["extrapolated"])
        self.assertEqual(report["makespan_ps"], (2304 + 256 + 1000 * 4608) * 1000)
        whole = self.run_here("simulate", "small.kgraph", "--placement", "small.sol", "--hardware",
                              "free.json", "--network", "analytic", "--no-extrapolation",
                              "--report", "-").json()
        self.assertEqual(whole["simulated_samples"], 1000)
        self.assertEqual(whole["makespan_ps"], report["makespan_ps"])

    def test_rates_that_do_not_rest_are_told_beside_those_of_other_networks(self) -> None:
        self.write("R.kgraph", self.run_here("cases", "R").stdout)
        self.run_here("place", "R.kgraph", "-o", "R.sol", "--effort", "1", "--strategy", "rows")

        def rate(*more: str) -> dict:
            done = self.run_here("simulate", "R.kgraph", "R.sol", "--samples", "40",
                                 "--routing", "xy", "--report", "-", *more)
            self.assertEqual(done.code, 0, done.stderr)
            self.assert_valid("simulate", done.stdout)
            return done.json()

        restless = rate("--patience", "1")
        error = restless["rate_error"]
        self.assertGreater(error["cut"], 0.1 * error["settles"])
        for network in ("exclusive", "analytic"):
            self.assertEqual(error["other_networks"][network + "_makespan_ps"],
                             rate("--network", network)["makespan_ps"])
        self.assertIn("may be off", restless["warnings"][0])
        resting = rate("--patience", "1000")
        self.assertLess(resting["rate_error"]["cut"], 0.1 * resting["rate_error"]["settles"])
        self.assertIsNone(resting["rate_error"]["other_networks"])
        self.assertEqual(resting["warnings"], [])
        done = self.run_here("simulate", "R.kgraph", "R.sol", "--samples", "40", "--patience", "1",
                             "--routing", "xy", "--heatmap", "R.svg")
        self.assertIn("  unrest ", done.stdout)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
        self.assertIn("may be off", (self.folder / "R.svg").read_text())

    def test_presets_and_networks_give_valid_reports_at_any_number_of_threads(self) -> None:
        for network in ("analytic", "exclusive", "fair"):
            texts = set()
            for threads in ("1", "2", "4"):
                done = self.run_here("simulate", "small.kgraph", "small.sol", "--network", network,
                                     "--threads", threads, "--report", "-")
                self.assertEqual(done.code, 0, done.stderr)
                texts.add(done.stdout)
            self.assertEqual(len(texts), 1)
            self.assert_valid("simulate", texts.pop())
        report = done.json()
        sources = {item["key"]: item["source"] for item in report["assumptions"]}
        self.assertIn("assumed", sources["link.latency_ps"])
        for stage in report["stages"]:
            parts = [stage[key] for key in stage if key.endswith("_ps")]
            self.assertEqual(sum(parts), report["simulated_time_ps"])
            shares = [stage[key] for key in stage if key.endswith("_percent")]
            self.assertAlmostEqual(sum(shares), 100, places=9)
        self.assertEqual(report["rate_error"]["tolerance"], 1e-6)
        self.assertIsNone(report["speed"])

    def test_training_takes_three_times_as_long(self) -> None:
        self.write_json("free.json", FREE)
        report = self.run_here("simulate", "small.kgraph", "small.sol", "--hardware", "free.json",
                               "--network", "analytic", "--training", "--report", "-").json()
        self.assertTrue(report["training"])
        self.assertEqual(report["period_ps"], 3 * 4_608_000 * report["period_samples"])

    def test_summary_links_and_heat_map(self) -> None:
        done = self.run_here("simulate", "small.kgraph", "small.sol", "--links", "links.csv",
                             "--heatmap", "links.svg")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("samples/s", done.stdout)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
        rows = (self.folder / "links.csv").read_text().splitlines()
        self.assertEqual(rows[0], "x,y,direction,bytes,busy")
        self.assertGreater(len(rows), 8)
        self.assertIn("<svg", (self.folder / "links.svg").read_text())

    def test_the_report_tells_the_programs_speed_on_demand(self) -> None:
        report = self.run_here("simulate", "small.kgraph", "small.sol", "--verbose", "--top", "1",
                               "--report", "-")
        self.assert_valid("simulate", report.stdout)
        self.assertGreater(report.json()["speed"]["events_per_s"], 0)
        self.assertGreater(report.json()["speed"]["peak_memory_bytes"], 1_000_000)
        self.assertEqual(len(report.json()["links"]), 1)
        self.assertEqual(len(report.json()["flows"]), 1)

    def test_trace_and_timeline(self) -> None:
        for name in ("trace.json.gz", "trace.json"):
            done = self.run_here("simulate", "small.kgraph", "small.sol", "--samples", "20",
                                 "--no-extrapolation", "--trace", name, "--timeline", "time.svg",
                                 "--report", "report.json")
            self.assertEqual(done.code, 0, done.stderr)
        packed = (self.folder / "trace.json.gz").read_bytes()
        text = gzip.decompress(packed)
        self.assertEqual(text, (self.folder / "trace.json").read_bytes())
        self.assertLess(len(packed), len(text) / 3)
        self.assertEqual(packed[4:8], bytes(4), "no time in the header")
        report = json.loads((self.folder / "report.json").read_text())
        tasks = [event for event in json.loads(text)["traceEvents"] if event["ph"] == "X"]
        self.assertEqual(len(tasks), 20 * len(report["stages"]))
        worked = sum(round(event["dur"] * 1e6) for event in tasks)
        self.assertEqual(worked, sum(stage["compute_ps"] for stage in report["stages"]))
        svg = (self.folder / "time.svg").read_text()
        for stage in report["stages"]:
            self.assertIn(stage["name"], svg)

    def test_a_failed_run_leaves_no_trace(self) -> None:
        self.write_json("slow.json", {**FREE, "link": {"bytes_per_s": 1, "latency_ps": 0}})
        before = {path.name for path in self.folder.iterdir()}
        done = self.run_here("simulate", "small.kgraph", "small.sol", "--hardware", "slow.json",
                             "--samples", "1000000", "--trace", "t.json.gz")
        self.assert_fails(done, 2, "2^62 ps")
        self.assertEqual({path.name for path in self.folder.iterdir()}, before)

    def test_ports_with_too_little_memory_are_told(self) -> None:
        self.write_json("full.json", {**FREE, "edge_io": "dram", "dram_ports": [
            {"side": "west", "position": 0, "last": 29, "capacity_bytes": 3}]})
        done = self.run_here("simulate", "small.kgraph", "small.sol", "--hardware", "full.json",
                             "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("simulate", done.stdout)
        self.assertIn("has room for 3 bytes", done.json()["warnings"][0])
        self.assertFalse(all(port["fits"] for port in done.json()["ports"]))

    def test_what_has_no_name_is_called_as_its_file(self) -> None:
        self.write_json("own.json", {key: value for key, value in FREE.items() if key != "name"})
        done = self.run_here("simulate", "-", "small.sol", "--hardware", "own.json",
                             stdin=self.case.read_bytes())
        self.assertEqual(done.code, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("small from standard input: "), done.stdout)
        self.assertIn("own.json, network fair", done.stdout)

    def test_rates_below_a_million_have_no_exponent(self) -> None:
        # A period of 4608 cycles at 1.1 GHz is 4.19 us.
        done = self.run_here("simulate", "small.kgraph", "small.sol")
        self.assertRegex(done.stdout.splitlines()[0], r"^small.kgraph: \d{6} samples/s$")

    def test_what_cannot_be_simulated(self) -> None:
        self.write_json("free.json", FREE)
        self.write_json("tiny.json", {**FREE, "columns": 8})
        self.write_json("typo.json", {**FREE, "clock_hs": 1})
        self.write("illegal.sol", (self.folder / "small.sol").read_text().replace(
            "place(6 0", "place(4 0"))
        case = ("simulate", "small.kgraph", "small.sol")
        self.assert_fails(self.run_here(*case, "--hardware", "tiny.json"), 2,
                          "not within the hardware's mesh")
        self.assert_fails(self.run_here(*case, "--hardware", "typo.json"), 2,
                          "typo.json:1:", "did you mean 'clock_hz'?")
        self.assert_fails(self.run_here(*case, "--hardware", "wse4"), 2, "did you mean 'wse1'?")
        self.assert_fails(self.run_here(*case, "--network", "packt"), 2, "did you mean 'packet'?")
        self.assert_fails(self.run_here(*case, "--hardware", "free.json", "--network", "packet"), 2,
                          "needs links with a limit")
        self.assert_fails(self.run_here("simulate", "small.kgraph"), 2, "--placement")
        self.assert_fails(self.run_here("simulate", "small.kgraph", "illegal.sol"), 4, "illegal")
        self.assert_fails(self.run_here("simulate", "--messages", "m.json", "--training"), 2,
                          "--messages")

    def test_messages(self) -> None:
        self.write_json("m.json", MESSAGES)
        self.assertEqual(schema_fault("message_set", json.dumps(MESSAGES)), "")
        for network in ("analytic", "exclusive", "fair", "packet"):
            done = self.run_here("simulate", "--messages", "m.json", "--network", network,
                                 "--injection-queues", "1", "--report", "-")
            self.assertEqual(done.code, 0, done.stderr)
            self.assert_valid("messages", done.stdout)
            report = done.json()
            self.assertEqual(report["injection_queues"], 1)
            self.assertEqual(report["messages"], [{"id": 5, "complete_cycle": 3 + 20 + 16 + 6},
                                                  {"id": 2, "complete_cycle": 45 + 1 + 16 + 6}])
            self.assertEqual(report["makespan"], 68)

    def test_messages_choose_their_network(self) -> None:
        self.write_json("m.json", MESSAGES)
        report = self.run_here("simulate", "--messages", "m.json", "--report", "-").json()
        self.assertEqual(report["network"], "packet")
        self.assertIn("so few flits", report["network_reason"])
        self.write_json("many.json", {**MESSAGES, "messages": [
            {"id": i, "src": [0, 0], "dst": [3, 1], "flits": 10_000} for i in range(3)]})
        done = self.run_here("simulate", "--messages", "many.json", "--network", "auto")
        self.assertIn("network   fair (so many flits", done.stdout)
        self.assert_fails(self.run_here("simulate", "--messages", "m.json", "--patience", "3"), 2,
                          "--patience")

    def test_few_messages_on_a_whole_wafer_flit_by_flit(self) -> None:
        self.write_json("m.json", {"mesh": [633, 633], "messages": [
            {"id": i, "src": [0, i], "dst": [632, 632], "flits": 16} for i in range(0, 600, 100)]})
        report = self.run_here("simulate", "--messages", "m.json", "--network", "packet",
                               "--report", "-").json()
        self.assertEqual([message["complete_cycle"] for message in report["messages"]][-1],
                         16 + 4 * (632 + 132) + 6)

    def test_twenty_broadcasts_to_a_whole_mesh(self) -> None:
        side, flits = 40, 1000
        tiles = [[x, y] for x in range(side) for y in range(side)]
        sources = [[7 * k % side, 11 * k % side] for k in range(20)]
        self.write_json("m.json", {"mesh": [side, side], "messages": [
            {"id": k, "src": source, "dst": [tile for tile in tiles if tile != source],
             "flits": flits} for k, source in enumerate(sources)]})
        done = self.run_here("simulate", "--messages", "m.json", "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        # Tiles that send nothing take in twenty messages, a flit a cycle, over ways of at most 78
        # hops of 4 cycles; 6 cycles at their ends. Copies that wait for one another cost 3 %.
        least = len(sources) * flits
        self.assertGreaterEqual(done.json()["makespan"], least)
        self.assertLessEqual(done.json()["makespan"], 1.05 * least)

    def test_messages_that_cannot_be_run(self) -> None:
        self.write_json("m.json", {**MESSAGES, "messages": []})
        self.assert_fails(self.run_here("simulate", "--messages", "m.json"), 2, "nothing would move")
        self.write("m.json", "{\"mesh\": [2, 2],\n \"messages\": [{\"id\": 1}]}")
        self.assert_fails(self.run_here("simulate", "--messages", "m.json"), 2, "m.json:2:15:", "src")

    def test_a_time_limit_ends_a_long_run(self) -> None:
        self.write_json("m.json", {"mesh": [64, 64], "messages": [
            {"id": i, "src": [0, i], "dst": [63, i], "flits": 1_000_000_000} for i in range(64)]})
        self.assert_fails(self.run_here("simulate", "--messages", "m.json", "--network", "packet",
                                        "--time-limit", "0.3"), 5, "time limit")


if __name__ == "__main__":
    unittest.main()
