"""What people read on stdout fits 80 columns, and its numbers have no exponent below 10^9.

Judged are the outputs that tests/recorded holds, here, and those of the documented commands, where they
run. Run here is what neither has.
"""

import json
import re
import sys
import unittest

from layout import faults_of_layout
from program import SOURCES, ProgramTest

sys.path.insert(0, str(SOURCES / "tests" / "recorded"))

import recorded  # noqa: E402

COMMANDS = (
    *(f"hardware {name}" for name in ("wse1", "wse2", "wse3", "palm_wafer", "grayskull", "dojo_d1",
                                      "a100_cluster", "h100_cluster")),
    "plan T-18B --way chips --hardware sn10_8x1 -o plan.json",
    "model amped T-145B --batch 16384 --tp 8x2 --pp 1x64 --bubble literal",
    "model amped t_1t --batch 1 --nodes 1 --node-chips 1 --tp 1",
    "plan t_18b --way chips --hardware sn10_4x2", "model serving gpt_100t --area",
    "model tile reduce --elements 512 --tiles 750x1",
)
# A chip of a gigabyte a second: nanoseconds of ten digits.
WIDE = {"model/dfmodel_diamond"}


class LayoutTest(ProgramTest):
    def test_lines_fit_and_numbers_below_a_billion_have_no_exponent(self) -> None:
        for command in COMMANDS:
            done = self.run_here(*command.split(), "-q")
            self.assertIn(done.code, (0, 3), f"{command}: {done.stderr}")
            self.assertEqual(faults_of_layout(done.stdout), [], command)

    def test_recorded_outputs_fit(self) -> None:
        judged = 0
        for case in recorded.read_cases(recorded.HERE):
            outputs = recorded.load(recorded.HERE / "recorded" / case.name)
            if outputs["exit_code"] != b"0\n" or case.name in WIDE:
                continue
            faults = faults_of_layout(outputs.get("stdout", b"").decode())
            self.assertEqual(faults, [], case.name)
            judged += "stdout" in outputs
        self.assertGreater(judged, 100)

    def test_what_does_not_fit_is_seen(self) -> None:
        self.assertEqual(faults_of_layout("a" * 80 + "\n1e9 and 1e-10\n"), [])
        self.assertEqual(faults_of_layout("a" * 81), ["a" * 81])
        self.assertEqual(faults_of_layout("rate 1.5e+08"), ["rate 1.5e+08"])

    def test_a_line_goes_on_in_its_column_behind_a_comma(self) -> None:
        lines = self.run_here("hardware", "palm_wafer").stdout.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("  DRAM ports"))
        self.assertTrue(lines[at].endswith(","))
        self.assertEqual(lines[at + 1], " " * 18 + "response 100 ns")

    def test_megabytes_above_ten_thousand_are_whole(self) -> None:
        text = self.run_here("model", "centimani", "resnet50", "--system", "bow_ipu").stdout
        self.assertRegex(text, r"(?m)^ +256 +\d+ +\d{5} ")

    def test_rates_of_images_are_samples_and_no_tokens(self) -> None:
        self.write("plan.json", json.dumps({"tensor": 2, "data": 64, "micro_batches": 1}))
        text = self.run_here("simulate", "resnet50", "--plan", "plan.json", "-q").stdout
        self.assertRegex(text, r"\AResNet-50: \d+(\.\d+)? samples/s\n")
        self.assertNotIn("tokens", text)

    def test_plans_that_differ_in_routing_alone_have_names_of_their_own(self) -> None:
        text = self.run_here("plan", "T-76B", "-o", "plan.json", "-q").stdout
        table = text.split("samples/s of ")[1].split("\n\n")[0].splitlines()[1:]
        names = [line.split("  ")[0] for line in table]
        self.assertEqual(len(set(names)), len(names), names)

    def test_plan_and_simulate_print_the_same_rate(self) -> None:
        planned = self.run_here("plan", "llama_68m", "-o", "plan.json", "-q").stdout
        run = self.run_here("simulate", "llama_68m", "--plan", "plan.json", "-q").stdout
        rate = r"[:] (\S+ samples/s, \S+ tokens/s)\n"
        self.assertEqual(re.search(rate, planned).group(1), re.search(rate, run).group(1))


if __name__ == "__main__":
    unittest.main()
