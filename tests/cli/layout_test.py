"""What people read on stdout fits 80 columns, and its numbers have no exponent below 10^9."""

import json
import re
import unittest

from program import ProgramTest

# Quick ones of every verb that prints a summary or a table.
COMMANDS = (
    "cases", "cases --generated full", "workload", "workload unet --tensor 8 --data 2", "hardware",
    *(f"hardware {name}" for name in ("wse1", "wse2", "wse3", "palm_wafer", "grayskull", "dojo_d1",
                                      "a100_cluster", "h100_cluster")),
    "score small.kgraph small.sol", "place small.kgraph -o a.sol --effort 1",
    "simulate small.kgraph small.sol", "simulate small.kgraph small.sol --training --hardware wse2",
    "optimize small.kgraph -o best --effort 1",
    "bench K --seeds 2 --effort 1",
    "plan T-76B -o plan.json --placement stages.json", "simulate T-76B --plan plan.json",
    "place T-76B --plan plan.json -o t.json --effort 1", "plan resnet50 -o plan.json --top 4",
    "plan T-18B --hardware sn10_8x1 -o plan.json",
    "collective all-reduce all-to-all read --tiles 0,0,4x4 --stepwise --hardware palm_wafer",
    "model amped T-145B --batch 2048 --explore --recompute",
    "model amped T-145B --batch 16384 --tp 8x2 --pp 1x64 --bubble literal",
    "model amped t_1t --batch 1 --nodes 1 --node-chips 1 --tp 1",
    "model dfmodel t_145b --system sn10_8x1 --batch 2304", "model dfmodel t_145b --cycles",
    "model systems gpt3-1t", "model systems hpl", "model systems t_18b --system sn10_4x2 --batch 64",
    "model centimani resnet50 --system bow_ipu", "model centimani t_1_7b --system gaudi2 --chips 8",
    "model serving llama3_405b --draft llama_68m --window 8", "model serving gpt_100t --area",
    "validate --model amped", "model tile gemm --m 4096 --k 4096 --n 4096 --tiles 660x660",
    "model tile reduce --elements 512 --tiles 1x750",
)

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?e[+-]\d+(?![\w.])")


class LayoutTest(ProgramTest):
    def test_lines_fit_and_numbers_below_a_billion_have_no_exponent(self) -> None:
        for command in COMMANDS:
            done = self.run_here(*command.split(), "-q")
            self.assertIn(done.code, (0, 3), f"{command}: {done.stderr}")
            for line in done.stdout.splitlines():
                with self.subTest(command=command, line=line):
                    self.assertLessEqual(len(line), 80)
                    for number in NUMBER.findall(line):
                        size = abs(float(number))
                        self.assertFalse(1e-9 <= size < 1e9, number)

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
        planned = self.run_here("plan", "T-18B", "-o", "plan.json", "-q").stdout
        run = self.run_here("simulate", "T-18B", "--plan", "plan.json", "-q").stdout
        rate = r"[:] (\S+ samples/s, \S+ tokens/s)\n"
        self.assertEqual(re.search(rate, planned).group(1), re.search(rate, run).group(1))


if __name__ == "__main__":
    unittest.main()
