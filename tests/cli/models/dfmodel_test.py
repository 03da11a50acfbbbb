"""waferloom model dfmodel: mappings of a layer's kernels onto a chip."""

import itertools
import json
import re
import unittest

from program import ProgramTest, Run

# A diamond with a shortcut; 4 pieces. Levels 0, 1, 1, 2.
DIAMOND = {"name": "diamond", "pieces": 4, "repeats": 3, "kernels": [
    {"name": "a", "type": "gemm", "flop": 100, "weight_bytes": 30},
    {"name": "b", "type": "gemm", "flop": 400, "weight_bytes": 30, "all_reduce_bytes": 64},
    {"name": "c", "type": "gemm", "flop": 200, "weight_bytes": 40},
    {"name": "d", "flop": 50, "weight_bytes": 0}],
    "tensors": [{"from": "a", "to": "b", "bytes": 16}, {"from": "a", "to": "c", "bytes": 8},
                {"from": "b", "to": "d", "bytes": 24}, {"from": "c", "to": "d", "bytes": 12},
                {"from": "a", "to": "d", "bytes": 4}]}
LEVELS = {"a": 0, "b": 1, "c": 1, "d": 2}

CHIP = {"name": "two", "chip": {"flop_per_s": 100, "sram_bytes": 110},
        "memories": [{"name": "ddr", "bytes": 1000, "bytes_per_s": 8}],
        "dimensions": [{"topology": "ring", "size": 2, "link_bytes_per_s": 16}]}


def cost_of(partition: tuple[str, ...]) -> tuple[float, float]:
    """Seconds and bytes of SRAM, from the definition."""
    kernels = {kernel["name"]: kernel for kernel in DIAMOND["kernels"]}
    flop = sum(kernels[name]["flop"] for name in partition)
    reduced = sum(kernels[name].get("all_reduce_bytes", 0) for name in partition)
    moved, sram = 0.0, float(sum(kernels[name]["weight_bytes"] for name in partition))
    for tensor in DIAMOND["tensors"]:
        inside = (tensor["from"] in partition) + (tensor["to"] in partition)
        if inside == 1:
            moved += tensor["bytes"]
            sram += 2 * tensor["bytes"] / 4
        elif inside == 2:
            sram += tensor["bytes"] / 4 * (LEVELS[tensor["to"]] - LEVELS[tensor["from"]] + 1)
    return max(flop / 100, moved / 8, 2 * (1 / 2) * reduced / 16), sram


def brute_force() -> float:
    """The least total over all ways to give the four kernels a partition."""
    least = float("inf")
    for places in itertools.product(range(4), repeat=4):
        place = dict(zip("abcd", places))
        if any(place[tensor["from"]] > place[tensor["to"]] for tensor in DIAMOND["tensors"]):
            continue
        lists = [tuple(name for name in "abcd" if place[name] == p) for p in range(4)]
        costs = [cost_of(one) for one in lists if one]
        if all(sram <= 110 for _, sram in costs):
            least = min(least, sum(seconds for seconds, _ in costs))
    return least


class DfmodelTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("diamond.json", json.dumps(DIAMOND))
        self.write("two.json", json.dumps(CHIP))
        self.write("bare.json", json.dumps({"name": "bare", "chip": CHIP["chip"]}))

    def dfmodel(self, *words: str) -> Run:
        return self.run_here("model", "dfmodel", *words)

    def report(self, *words: str) -> dict:
        return self.checked(self.dfmodel(*words, "--report", "-"))

    def report_in_time(self, *words: str) -> dict:
        return self.checked(self.run_for("model", "dfmodel", *words, "--report", "-"))

    def checked(self, done: Run) -> dict:
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("dfmodel", done.stdout)
        return done.json()

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def diamond(self, *words: str) -> dict:
        return self.report("diamond.json", "--system", "two.json", "--tensor", "2", "--sharded",
                           *words)

    def test_the_best_mapping_is_that_of_a_brute_force(self) -> None:
        for method in ("ideals", "cbc", "automatic"):
            found = self.diamond("--method", method)
            self.assertAlmostEqual(found["layer_s"], brute_force(), delta=1e-9)
            self.assertTrue(found["search"]["optimal"])
            self.assertEqual(found["search"]["gap"], 0)
            self.assertAlmostEqual(found["batch_s"], 3 * found["layer_s"])

    def test_every_partition_is_what_the_definition_says(self) -> None:
        for words in ((), ("--mapping", "kernel-by-kernel"), ("--partitions", "3")):
            found = self.diamond(*words)
            for partition in found["partitions"]:
                seconds, sram = cost_of(tuple(partition["kernels"]))
                self.assertAlmostEqual(partition["total_s"], seconds)
                self.assertAlmostEqual(partition["sram_bytes"], sram)
            self.assertAlmostEqual(found["layer_s"],
                                   sum(one["total_s"] for one in found["partitions"]))

    def test_a_mapping_is_written_and_read_again(self) -> None:
        first = self.diamond("--partitions", "3", "-o", "mapping.json")
        self.assert_valid("mapping", self.text("mapping.json"))
        again = self.diamond("--mapping", "mapping.json")
        self.assertEqual(again["partitions"], first["partitions"])
        self.assertEqual(again["layer_s"], first["layer_s"])
        self.assertEqual([one["name"] for one in again["comparison"]],
                         ["kernel-by-kernel", "mapping.json", "optimal"])

    def test_published_mappings_of_gpt3(self) -> None:
        for system, words, ns in (
                ("sn10_8x1", ("--mapping", "kernel-by-kernel"), 22194858.67),
                ("sn10_8x1", ("--mapping", "vendor"), 5480739.27),
                ("sn10_8x1", ("--partitions", "4"), 4613916.44),
                ("sn10_4x2", ("--partitions", "4"), 7242620.02),
                ("sn10_8x1", (), 3998797.37),
                ("sn10_4x2", (), 6898756.27),
                ("sn10_8x1", ("--mapping", "vendor", "--cycles", "--micro-batch", "42"),
                 6147651.2914)):
            found = self.report("t_145b", "--system", system, *words)
            self.assertAlmostEqual(found["layer_s"] * 1e9 / ns, 1, delta=1e-6)
        self.assertEqual(found["sharding"]["shared_bytes"], 100663296)
        self.assertEqual(found["sharding"]["kernels"]["Proj"], "K")

    def test_presets_of_transformers_are_mapped(self) -> None:
        for preset in ("t_1_7b", "t_18b", "t_76b", "gpt3_175b", "llama3_8b"):
            found = self.report(preset, "--tensor", "8", "--batch", "64", "--micro-batch", "4")
            self.assertTrue(found["search"]["optimal"])
            best = found["comparison"][-1]
            self.assertEqual(best["name"], "optimal")
            for other in found["comparison"]:
                if other["fits"]:
                    self.assertLessEqual(best["total_s"], other["total_s"])
            self.assertAlmostEqual(found["batch_s"],
                                   found["layers"] * 16 * found["layer_s"], delta=1e-9)

    def test_pictures_and_tables(self) -> None:
        self.diamond("--roofline", "roof.svg", "--csv", "table.csv")
        self.assertIn("kernel-by-kernel", self.text("roof.svg"))
        lines = self.text("table.csv").splitlines()
        self.assertEqual(lines[0].split(",")[0], "partition")
        self.assertEqual(len(lines), 1 + len(self.diamond()["partitions"]))

    def test_where_nothing_is_to_compare_stands_a_dash(self) -> None:
        words = ("diamond.json", "--system", "two.json", "--tensor", "1")  # no bytes over links
        row = re.search(r"^optimal .*$", self.dfmodel(*words).stdout.split("speedup")[1], re.M)
        self.assertRegex(row.group(), r" - +memory$")
        self.assertNotRegex(self.dfmodel(*words).stdout, r"\binf\b|\bnan\b")
        for compared in self.report(*words)["comparison"]:
            self.assertIsNone(compared["network_intensity"])

    def test_what_is_wrong_in_a_mapping_is_told_with_its_place(self) -> None:
        for partitions, complaint in (
                ('[["a","b"],["c","e"]]',
                 "1:32: expected a kernel of diamond, found 'e'"),
                ('[["a","b"],["c","a"],["d"]]', "1:32: expected every kernel once, found 'a' again"),
                ('[["a","b"],["c"]]', "1:16: expected all 4 kernels of diamond, found no 'd'"),
                ('[["b"],["a"],["c","d"]]',
                 "1:18: expected 'b' not before 'a', whose tensor it takes, found it in partition "
                 "1 and 'a' in partition 2"),
                ('[[],["a","b","c","d"]]', "1:17: expected at least 1 item in a partition"),
                ('["a"]', "1:17: expected a partition as an array")):
            self.write("bad.json", '{"partitions": ' + partitions + "}")
            done = self.dfmodel("diamond.json", "--system", "two.json", "--mapping", "bad.json")
            self.assert_fails(done, 2, "bad.json:" + complaint)

    def test_a_mapping_of_another_network_is_refused(self) -> None:
        self.diamond("-o", "mapping.json")
        self.write("other.json", json.dumps({**DIAMOND, "name": "other"}))
        done = self.dfmodel("other.json", "--system", "two.json", "--mapping", "mapping.json")
        self.assert_fails(done, 2, "expected a mapping of 'other', found one of 'diamond'")
        self.assertRegex(done.stderr, r"mapping\.json:\d+:\d+: expected")
        # A graph without a name has its file's, in any folder.
        self.write("plain.json", json.dumps({**DIAMOND, "name": ""}))
        self.report("plain.json", "-o", "plain_mapping.json")
        self.report(str(self.folder / "plain.json"), "--mapping", "plain_mapping.json")

    def test_what_does_not_fit_is_told_with_its_bytes(self) -> None:
        small = {**CHIP, "chip": {"flop_per_s": 100, "sram_bytes": 45}}
        self.write("small.json", json.dumps(small))
        words = ("diamond.json", "--sharded", "--tensor", "2", "--system")
        # b: 30 bytes of weights, two pieces of 4 bytes that it takes and of 6 that it makes.
        self.assert_fails(self.dfmodel(*words, "small.json"), 3,
                          "kernel b alone takes 50 bytes of SRAM, of 45")
        self.write("whole.json", '{"partitions": [["a", "b", "c", "d"]]}')
        done = self.dfmodel(*words, "two.json", "--mapping", "whole.json")
        self.assert_fails(done, 3, "whole.json, partition 1 takes 133 bytes of SRAM, of 110")
        done = self.dfmodel(*words, "two.json", "--partitions", "1")
        self.assert_fails(done, 3, "no mapping into 1 partition fits 110 bytes of SRAM")
        done = self.dfmodel("t_1t")
        self.assert_fails(done, 3, "kernel FFN0 alone takes 655,513,600 bytes of SRAM, of 335,544,320")
        # FFN0 and FFN1 have 655,360,000 bytes of weights each, and room for half of them.
        found = self.report("t_1t", "--stream")
        self.assertLessEqual({"FFN0", "FFN1"}, set(found["streamed"]))
        streamed = sum(partition["streamed_bytes"] for partition in found["partitions"])
        self.assertGreaterEqual(streamed, 2 * (655_360_000 - 335_544_320))
        done = self.dfmodel("diamond.json", "--stream", "--system", "bare.json")
        self.assert_fails(done, 2, "--stream: system bare has no memory besides its SRAM")

    def test_more_sram_is_never_slower_where_weights_may_stream(self) -> None:
        sn10 = {"name": "sn10", "chip": {"flop_per_s": 307.2e12, "cores": 640, "systolic_width": 32,
                                         "systolic_height": 6, "clock_hz": 1.25e9},
                "memories": [{"name": "ddr", "bytes": 1.5e12, "bytes_per_s": 100e9}],
                "dimensions": [{"topology": "ring", "size": 8, "link_bytes_per_s": 50e9}]}
        times = {}
        for words in (("--cycles",), ("--cycles", "--micro-batch", "4"), ()):
            for megabytes in (40, 80, 157, 200, 315, 600):
                sn10["chip"]["sram_bytes"] = megabytes * 1e6
                self.write("sn10.json", json.dumps(sn10))
                times[megabytes] = self.report("gpt3_175b", "--system", "sn10.json", "--stream",
                                               *words)["layer_s"]
            with self.subTest(words=words):
                self.assertEqual(list(times.values()), sorted(times.values(), reverse=True))
            if words == ("--cycles",):
                # One sample: 12 h^2 weights of 2 bytes over 8 chips and 100 GB/s, all streamed.
                self.assertAlmostEqual(times[315], 12 * 12288**2 * 2 / 8 / 100e9)

    def test_flop_follow_from_extents(self) -> None:
        chip = {"name": "one", "chip": {"flop_per_s": 1e12, "sram_bytes": 1e9},
                "memories": [{"name": "ddr", "bytes": 1e12, "bytes_per_s": 1e12}]}
        self.write("one.json", json.dumps(chip))
        self.write("gemm.json", json.dumps({"element_bytes": 4, "kernels": [
            {"name": "q", "type": "gemm", "outer": 2, "m": 300, "k": 500, "n": 700},
            {"name": "r", "m": 300, "n": 700}], "tensors": [{"from": "q", "to": "r"}]}))
        found = self.report("gemm.json", "--system", "one.json", "--mapping", "kernel-by-kernel")
        # 2 * 2 * 300 * 500 * 700 and 300 * 700 operations; 2 * 300 * 700 elements of 4 bytes between.
        self.assertEqual([part["flop"] for part in found["partitions"]], [420e6, 210e3])
        self.assertEqual([part["dram_bytes"] for part in found["partitions"]], [1.68e6, 1.68e6])
        self.assertAlmostEqual(found["layer_s"], 420e-6 + 1.68e-6, places=12)  # the second: memory
        self.write("no.json", '{"kernels": [\n {"name": "q", "type": "gemm", "m": 8, "k": 4}], '
                              '"tensors": []}')
        self.assert_fails(self.dfmodel("no.json"), 2, "no.json:2:2: expected flop of gemm 'q', or the "
                          "m, k and n that they follow from, found no flop, no n")

    def test_a_graph_that_does_nothing_takes_no_time(self) -> None:
        self.write("idle.json", json.dumps({"kernels": [{"name": "a", "flop": 0}], "tensors": []}))
        found = self.report("idle.json")
        self.assertEqual(found["layer_s"], 0)

    def test_mappings_without_flop_are_no_points_of_a_roofline(self) -> None:
        self.write("zero.json", json.dumps({"kernels": [{"name": "a", "flop": 0},
                                                        {"name": "b", "flop": 0}],
                                            "tensors": [{"from": "a", "to": "b", "bytes": 8}]}))
        self.report("zero.json", "--roofline", "z.svg", "--csv", "z.csv", "-o", "zz.json")
        self.assertIn("without FLOP: kernel-by-kernel, optimal", self.text("z.svg"))
        self.assertNotIn(">a  ", self.text("z.svg"))
        self.assert_valid("mapping", self.text("zz.json"))
        self.assertEqual(len(self.text("z.csv").splitlines()), 2)

    def test_nothing_is_written_where_something_fails(self) -> None:
        outputs = ("--roofline", "z.svg", "--csv", "z.csv", "-o", "zz.json", "--report", "z.json")
        for words in (("diamond.json", "--partitions", "5"), ("diamond.json", "--cycles")):
            self.assertEqual(self.dfmodel(*words, "--system", "two.json", *outputs).code, 2)
            for name in ("z.svg", "z.csv", "zz.json", "z.json"):
                self.assertFalse((self.folder / name).exists())

    def test_more_kernels_than_can_be_mapped_are_told_with_the_file(self) -> None:
        self.write("many.json", json.dumps({"kernels": [{"name": f"k{i}", "flop": 1} for i in range(4097)],
                                            "tensors": []}))
        for words in ((), ("--mapping", "kernel-by-kernel")):
            self.assert_fails(self.dfmodel("many.json", *words), 2,
                              "many.json: expected at most 4096 kernels to be mapped, found 4097")

    def test_wide_graphs_have_a_gap_or_a_proof(self) -> None:
        kernels = [{"name": f"k{i}", "type": "gemm", "flop": 100 + 7 * (i * i % 13),
                    "weight_bytes": 20 + i % 5, "all_reduce_bytes": 11 * (i % 3)}
                   for i in range(24)]
        tensors = [{"from": f"k{i}", "to": f"k{i + 12}", "bytes": 8 + i} for i in range(12)]
        self.write("wide.json", json.dumps({"kernels": kernels, "tensors": tensors, "pieces": 8}))
        found = self.report_in_time("wide.json", "--system", "two.json", "--sharded", "--tensor",
                                    "2")
        search = found["search"]
        self.assertEqual(search["ideals"], 0)
        self.assertIn(search["method"], ("cbc", "cuts"))
        self.assertLessEqual(search["bound_s"], search["total_s"])
        self.assertAlmostEqual(search["gap"], 1 - search["bound_s"] / search["total_s"])
        self.assertEqual(search["total_s"], found["layer_s"])

    def test_the_time_limit_holds_on_wide_graphs(self) -> None:
        kernels = [{"name": f"k{i}", "type": "gemm", "flop": 100 + 7 * (i * i % 13),
                    "weight_bytes": 20 + i % 5} for i in range(80)]
        tensors = [{"from": f"k{i}", "to": f"k{40 + (7 * i + j) % 40}", "bytes": 8 + i}
                   for i in range(40) for j in range(2)]
        self.write("wider.json", json.dumps({"kernels": kernels, "tensors": tensors, "pieces": 8}))
        for method in ("cbc", "automatic"):
            found = self.report_in_time("wider.json", "--system", "two.json", "--sharded",
                                        "--tensor", "2", "--method", method)
            self.assertFalse(found["search"]["optimal"])
            self.assertGreater(found["search"]["gap"], 0)
        told = self.dfmodel("wider.json", "--system", "two.json", "--sharded", "--tensor", "2",
                            "--method", "cuts").stdout
        self.assertRegex(told, r"not proved; the best takes at most \d+\.\d\d % less")

    def test_bad_options(self) -> None:
        self.assert_fails(self.dfmodel("resnet50"), 2, "transformer layers")
        self.assert_fails(self.dfmodel("t_145b", "--tensor", "9"), 2, "no 9 chips are")
        self.assert_fails(self.dfmodel("t_145b", "--partitions", "19"), 2,
                          "expected 1 to 18 partitions")
        self.assert_fails(self.dfmodel("t_145b", "--micro-batch", "max"), 2, "needs --cycles")
        self.assert_fails(self.dfmodel("t_145b", "--method", "gurobi"), 2, "--method: expected")
        self.assert_fails(self.dfmodel("t_145b", "--mapping", "vendor", "--partitions", "2"), 2,
                          "--partitions: needs --mapping optimal")
        self.assert_fails(self.dfmodel("diamond.json", "--system", "two.json", "--cycles"), 2,
                          "cycles need cores")
        self.assert_fails(self.dfmodel("diamond.json", "--system", "two.json",
                                       "--micro-batch", "2"), 2, "--micro-batch: a graph")
        cycle = {**DIAMOND, "tensors": DIAMOND["tensors"] + [{"from": "d", "to": "a"}]}
        self.write("cycle.json", json.dumps(cycle))
        self.assert_fails(self.dfmodel("cycle.json"), 2, "without a cycle")


if __name__ == "__main__":
    unittest.main()
