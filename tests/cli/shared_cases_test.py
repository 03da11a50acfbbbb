"""Small inputs on which the program was wrong once (cases/ of the reference data): what it says now.

Figures are derived by hand beside each; a case that is not there is skipped by its name."""

import json
import os
import unittest
from pathlib import Path

from program import SOURCES, ProgramTest

CASES = Path(os.environ.get("WAFERLOOM_SHARED", SOURCES.parent / "shared")) / "cases"


class SharedCasesTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        if not CASES.is_dir():
            print("SKIPPED shared_cases: cases/ are not beside the project")
            self.skipTest("no cases")

    def path(self, name: str) -> Path:
        return CASES / name

    def report(self, *arguments: object) -> dict:
        done = self.run_here(*map(str, arguments), "-q", "--report", "r.json")
        self.assertEqual(done.code, 0, done.stderr)
        return json.loads((self.folder / "r.json").read_text())

    def test_one_host_port_binds_a_mesh_of_ones_own(self) -> None:
        # 3 * 224 * 224 numbers of 2 bytes by one link of 32 GB/s.
        by_hand = 32e9 / (3 * 224 * 224 * 2)
        for name in ("healthy", "part", "row10"):
            with self.subTest(name):
                found = self.report("plan", "resnet50", "--inference", "--hardware",
                                    self.path(f"own_mesh/{name}.json"))
                rate = max(way["samples_per_s"] for way in found["ways"] if "samples_per_s" in way)
                self.assertLess(abs(rate / by_hand - 1), 1e-3)

    def test_a_dead_row_does_not_end_planning(self) -> None:
        row6 = self.path("dead_row_plan/row6.json")
        self.report("plan", "bert_base", "--inference", "--batch", "64", "--hardware", row6)
        self.report("simulate", "bert_base", "--plan", self.path("dead_row_plan/tiny1.json"),
                    "--hardware", row6)

    def test_memory_behind_dead_ports_does_not_count(self) -> None:
        done = self.run_here("simulate", "T-1.7B", "--plan",
                             str(self.path("dead_ports_capacity/t8.json")), "--hardware",
                             str(self.path("dead_ports_capacity/east.json")))
        self.assert_fails(done, 3, "there is 5.0 GB behind ports that live; 5 more are at tiles "
                                   "that are dead or cut off")

    def test_wafers_with_dead_tiles_serve_and_stream(self) -> None:
        folder = self.path("dead_wafer_serve_stream")
        for name in ("wse3one", "corner", "wse3row"):
            with self.subTest(name):
                found = self.report("plan", "llama3_8b", "--serve", "--prompt", "512", "--output",
                                    "512", "--requests", "1", "--hardware", folder / f"{name}.json")
                self.assertGreater(found["asked"]["user_tokens_per_s"], 1500)
        done = self.run_here("plan", "llama3_8b", "--serve", "--hardware",
                             str(folder / "wse3ninety.json"))
        self.assert_fails(done, 3, "795015 of its 883350 tiles are dead")
        self.report("plan", folder / "phi4.json", "--inference", "--hardware",
                    folder / "wse3row.json")

    def test_links_between_groups_are_felt(self) -> None:
        # 4 borders: 16,384 bytes over 1,170 links of 1 kB/s and a second each; a token back.
        by_hand = 4 * (1 + 16384 / 1.17e6) + 4 * (1 + 4 / 1.17e6)
        found = self.report("plan", "llama3_70b", "--serve", "--hardware",
                            self.path("group_links/five_wafers.json"))
        self.assertLess(abs(found["asked"]["tpot_s"] / by_hand - 1), 0.01)

    def test_serving_counts_the_head_and_the_fullest_stage(self) -> None:
        done = self.run_here("model", "serving", str(self.path("free_head/gemma3_270m.json")),
                             "--system", str(self.path("free_head/h1.json")))
        self.assertEqual(done.code, 0, done.stderr)
        # Of 18 layers products and caches of 4,096 tokens, 4 heads of 160 features and one of keys
        # and values; the head of 262,144 words; 2 bytes each, at 3,350 GB/s.
        layer = 2 * 640 * 640 + 2 * 640 * 160 + 3 * 640 * 2048 + 4096 * 2 * 160
        by_hand_ms = 1e3 * 2 * (18 * layer + 262144 * 640) / 3350e9
        row = next(line.split() for line in done.stdout.splitlines() if line.startswith(" 1 "))
        self.assertLess(abs(float(row[4]) / by_hand_ms - 1), 0.01, row)
        done = self.run_here("model", "serving", str(self.path("serving_pp_memory/llasa.json")),
                             "--system", str(self.path("serving_pp_memory/n300_10.json")))
        self.assertEqual(done.code, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^ *1 +2 .* fits$")

    def test_impossible_placements_are_proved(self) -> None:
        folder = self.path("place_messages")
        for arguments, message in (
                (("v.kgraph",), "kernels a and b overlap wherever they lie in 100x100 tiles"),
                (("v.kgraph", "--constraints", "c5.json"),
                 "kernel a has no shape that fits where it has to lie, 90x35 tiles at (0, 0)"),
                (("t.kgraph", "--constraints", "c.json"),
                 "kernel wide1 is fixed on 90x10 tiles at (0, 0), kernel wide2 on 90x10 tiles")):
            words = [str(folder / word) if "." in word else word for word in arguments]
            self.assert_fails(self.run_here("place", *words, "-o", "x.sol"), 3, message)
            self.assertFalse((self.folder / "x.sol").exists())

    def test_a_cut_wafer_is_placed_on_one_side(self) -> None:
        self.run_here("cases", "A", "-o", "A.kgraph", "-q")
        found = self.report("place", "A.kgraph", "--wafer", self.path("cut_wafer_place/cut.json"),
                            "-o", "A.sol", "--effort", "1")
        self.assertTrue(found["legal"])
        done = self.run_here("score", "A.kgraph", "A.sol", "--wafer",
                             str(self.path("cut_wafer_place/cut.json")))
        self.assertEqual(done.code, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
