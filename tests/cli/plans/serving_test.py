"""`plan --serve`: a language model whose weights stay on a wafer."""

import csv
import io
import json
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))

from program import ProgramTest  # noqa: E402

# Caches of so long prompts hold few requests, so that few levels are searched.
SERVE = ("plan", "llama3_8b", "--serve", "--prompt", "8192", "--output", "64", "--hardware", "wse2")


class PlanServingTest(ProgramTest):
    def test_report_plan_and_table_tell_the_same(self) -> None:
        done = self.run_here(*SERVE, "-o", "plan.json", "--csv", "levels.csv", "--report", "r.json",
                             "--draw", "serve.svg")
        self.assertEqual(done.code, 0, done.stderr)
        report = json.loads((self.folder / "r.json").read_text())
        self.assertIn("tokens/s of all requests", (self.folder / "serve.svg").read_text())
        self.assertAlmostEqual(sum(part["cycles"]["total"] for part in report["layer_operators"]),
                               report["layer_cycles"]["total"], places=3)
        self.assert_valid("wafer_serving", (self.folder / "r.json").read_text())
        self.assert_valid("wafer_plan", (self.folder / "plan.json").read_text())
        plan = json.loads((self.folder / "plan.json").read_text())
        self.assertEqual(plan["way"], "resident")
        for kind in ("decode", "prefill"):  # the plan says where its regions lie, too
            part = plan["serving"][kind]
            places = part.pop("places")
            self.assertEqual(part.pop("spare_rows"), 0)
            self.assertEqual(len(places), part["regions"])
            self.assertEqual(sum(place["width"] * place["height"] for place in places),
                             part["tiles"])
        self.assertEqual(plan["serving"], report["asked"])
        levels = list(csv.DictReader(io.StringIO((self.folder / "levels.csv").read_text())))
        self.assertEqual([int(level["requests"]) for level in levels],
                         [level["requests"] for level in report["levels"]])
        asked = report["asked"]
        self.assertAlmostEqual(asked["user_tokens_per_s"],
                               64 / (asked["ttft_s"] + 64 * asked["tpot_s"]), places=6)
        for kind in ("decode", "prefill"):
            tile = asked[f"{kind}_bytes_per_tile"]
            self.assertEqual(tile["total"], tile["program"] + tile["weights"] + tile["caches"]
                             + tile["blocks"])
            self.assertLessEqual(tile["total"], tile["there"])

    def test_summary_names_what_backs_it(self) -> None:
        text = self.run_here(*SERVE).stdout
        self.assertIn("Llama 3 8B on wse2: ", text)
        # This plan's programs have the figures of those that were measured, and are others.
        self.assertRegex(text, r"decode +calibrated: figures of waferllm_decode;")
        self.assertRegex(text, r"WaferLLM's decode measured: waferllm_decode, .* % off in median")
        self.assertRegex(text, r"measured +WaferLLM's programs: [\d.]+ tokens/s, decode on \d+x\d+")
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)

    def test_a_plan_is_simulated(self) -> None:
        self.run_here(*SERVE, "--requests", "2", "-o", "plan.json")
        done = self.run_here("simulate", "llama3_8b", "--plan", "plan.json", "--inside",
                             "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("wafer_run", done.stdout)
        report = done.json()
        planned, simulated = report["planned"]["tpot_s"], report["simulated"]["tpot_s"]
        self.assertLess(abs(simulated / planned - 1), 0.1)
        decode = report["trust"][0]
        self.assertEqual((decode["kind"], decode["measured"]["program"]),
                         ("calibrated", "waferllm_decode"))
        inside = report["inside"]
        self.assertLess(abs(inside["closed_form"] / inside["moved"] - 1), 0.1)
        self.assertIn("tokens/s for each of 2 requests",
                      self.run_here("simulate", "llama3_8b", "--plan", "plan.json").stdout)
        done = self.run_here("simulate", "llama2_13b", "--plan", "plan.json")
        self.assertEqual(done.code, 2)
        self.assertIn("the plan is for Llama 3 8B, not for Llama 2 13B", done.stderr)
        done = self.run_here("simulate", "llama3_8b", "--plan", "plan.json", "--no-dram")
        self.assertIn("--no-dram: not of a plan of a whole wafer", done.stderr)
        self.write("broken.json", '{"schema": "waferloom/wafer_plan/1", "way": "resident"}')
        done = self.run_here("simulate", "llama3_8b", "--plan", "broken.json")
        self.assertEqual(done.code, 2)
        self.assertIn("broken.json:1:1", done.stderr)

    def test_the_same_bytes_with_any_number_of_threads(self) -> None:
        outputs = {self.run_here(*SERVE, "--threads", threads).stdout for threads in ("1", "4")}
        self.assertEqual(len(outputs), 1)

    def test_what_does_not_fit(self) -> None:
        done = self.run_here("plan", "llama3_70b", "--serve", "--hardware", "wse2", "-o", "p.json")
        self.assertEqual(done.code, 3)
        self.assertIn("141.1 GB of weights", done.stderr)
        self.assertIn("have to be streamed (--way streaming --inference)", done.stderr)
        self.assertFalse((self.folder / "p.json").exists())
        done = self.run_here(*SERVE, "--requests", "5000")
        self.assertEqual(done.code, 3)
        self.assertIn("5000 requests of 8256 tokens (a prompt of 8192, an output of 64) needs",
                      done.stderr)
        self.assertIn("requests would fit", done.stderr)

    def test_a_refusal_says_what_a_tile_lacks_where_all_together_have_room(self) -> None:
        # 26.03 + 3.46 + 4.962 GB are less than the 36.64 GB of all tiles: a tile is what is short.
        done = self.run_here("plan", "llama2_13b", "--serve", "--hardware", "wse2", "-o", "p.json")
        self.assertEqual(done.code, 3)
        found = re.search(r"nearest, (\d+) regions? of (\d+)x(\d+) tiles with (\d+) layers? each, a "
                          r"tile needs (\d+) bytes of 49152: (\d+) of weights, (\d+) of caches, "
                          r"(\d+) of its program(?:, (\d+) of operators' blocks)?;", done.stderr)
        self.assertIsNotNone(found, done.stderr)
        regions, columns, rows, layers, needs, *parts = (int(part or 0) for part in found.groups())
        self.assertEqual(sum(parts), needs)
        self.assertGreater(needs, 49152)
        self.assertTrue(columns <= 750 and rows <= 994)
        self.assertEqual(regions, -(-40 // layers))
        # 40 layers of 4 · 5120² + 3 · 5120 · 13824 parameters of two bytes.
        layer = 2 * (4 * 5120**2 + 3 * 5120 * 13824)
        self.assertGreaterEqual(parts[0], layers * layer / (columns * rows))

    def test_sizes_are_columns_by_rows(self) -> None:
        done = self.run_here(*SERVE, "-o", "p.json", "--report", "r.json")
        self.assertEqual(done.code, 0, done.stderr)
        asked = json.loads((self.folder / "r.json").read_text())["asked"]
        summary = self.run_here(*SERVE, "-o", "p.json").stdout
        for kind in ("decode", "prefill"):
            size = f"{asked[kind]['columns']}x{asked[kind]['rows']}"
            self.assertRegex(summary, rf"{kind} +\d+ regions? of {size} tiles")
            self.assertIn(f"x {size}", summary)

    def test_options_of_another_mode_are_refused(self) -> None:
        done = self.run_here(*SERVE, "--batch", "4")
        self.assertEqual(done.code, 2)
        self.assertIn("--batch", done.stderr)
        done = self.run_here("plan", "llama3_8b", "--prompt", "4", "-o", "p.json")
        self.assertEqual(done.code, 2)
        self.assertIn("--prompt: needs --serve", done.stderr)
        done = self.run_here("plan", "resnet50", "--serve", "--hardware", "wse2")
        self.assertEqual(done.code, 2)
        self.assertIn("conv1 is no layer of a language model", done.stderr)


if __name__ == "__main__":
    unittest.main()
