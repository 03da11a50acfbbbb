"""waferloom workload: presets, counts, all-reduces, errors."""

import json
import unittest

from program import ProgramTest


class WorkloadTest(ProgramTest):
    def test_presets_are_listed_and_each_can_be_read(self) -> None:
        done = self.run_here("workload")
        self.assertEqual(done.code, 0, done.stderr)
        names = [line.split()[0] for line in done.stdout.splitlines()[1:] if line[:1].isalnum()]
        self.assertIn("t_18b", names)
        for name in names:
            if name.startswith("FLOP"):
                continue
            report = self.run_here("workload", name, "--report", "-")
            self.assertEqual(report.code, 0, report.stderr)
            self.assert_valid("operators", report.stdout)

    def test_a_network_without_a_name_is_called_as_its_file(self) -> None:
        self.write("own.json", '{"operators": [{"name": "a", "kind": "linear", "in": 4, "out": 4}]}')
        self.assertTrue(self.run_here("workload", "own.json").stdout.startswith("own.json: "))

    def test_counts_and_all_reduces(self) -> None:
        report = self.run_here("workload", "T-18B", "--samples", "2", "--tensor", "8", "--data",
                               "4", "--report", "-").json()
        hidden, tokens = 6144, 2048
        self.assertEqual(len(report["operators"]), 42)
        layer = report["operators"][1]
        self.assertEqual((layer["name"], layer["after"]), ("layer.1", ["embedding"]))
        self.assertEqual(layer["matrix_flop"], 24 * tokens * hidden**2 + 4 * tokens**2 * hidden)
        self.assertEqual(layer["all_reduces"][0], {
            "phase": "forward", "elements": 2 * 2 * tokens * hidden // 4, "members": 8})
        self.assertEqual(report["total"]["parameters"],
                         sum(one["parameters"] for one in report["operators"]))

    def test_the_table_says_of_what_its_output_is(self) -> None:
        self.assertIn("output: elements of one sample", self.run_here("workload", "unet").stdout)

    def test_alike_operators_are_one_row_of_80_columns(self) -> None:
        done = self.run_here("workload", "t_1t", "--tensor", "8")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("layer.1 .. 128", done.stdout)
        self.assertTrue(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)

    def test_wrong_workloads_are_told(self) -> None:
        self.assert_fails(self.run_here("workload", "t_19b"), 2, "did you mean 't_18b'?")
        self.assert_fails(self.run_here("workload", "t_18b", "--tensor", "0"), 2, "--tensor")
        self.write("w.json", json.dumps({"operators": [{"name": "a", "kind": "pol"}]}))
        self.assert_fails(self.run_here("workload", "w.json"), 2, "w.json:1:", "kind as linear")


if __name__ == "__main__":
    unittest.main()
