"""waferloom bench: table, means, CSV, report, folders, seeds."""

import csv
import json
import math
import re
import unittest

from program import SMALL_CASE, ProgramTest, run


class BenchTest(ProgramTest):
    def rows(self, name: str) -> list[dict[str, str]]:
        with (self.folder / name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_table_csv_and_report_agree(self) -> None:
        done = self.run_here("bench", "--cases", "K,A", "--effort", "1", "--csv", "b.csv",
                             "--report", "b.json", "-q")
        self.assertEqual((done.code, done.stderr), (0, ""))
        rows = self.rows("b.csv")
        self.assertEqual([row["case"] for row in rows], ["K", "A"])
        self.assertEqual([row["best_published"] for row in rows], ["1350", "35685.5"])
        self.assertEqual([row["reference"] for row in rows], ["1350", "35441"])
        table = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual(table[0][:6], ["case", "kernels", "time", "dist", "adapter", "total"])
        for line, row in zip(table[1:], rows):
            self.assertEqual(line[:6], [row["case"], row["kernels"], row["time"],
                                        row["distance"], row["adapter"], row["total"]])
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 80)
        text = (self.folder / "b.json").read_text()
        self.assert_valid("bench", text)
        report = json.loads(text)
        self.assertEqual([str(row["total"]) for row in report["rows"]],
                         [row["total"] for row in rows])
        ratios = [float(row["total"]) / float(row["best_published"]) for row in rows]
        mean = math.sqrt(ratios[0] * ratios[1])
        self.assertAlmostEqual(report["best"]["geometric_mean"]["best_published"], mean, 12)
        ratios_to_reference = [float(row["total"]) / float(row["reference"]) for row in rows]
        self.assertAlmostEqual(report["best"]["geometric_mean"]["reference"],
                               math.sqrt(math.prod(ratios_to_reference)), 12)
        self.assertEqual([row["reference"] for row in report["rows"]], [1350, 35441])
        self.assertEqual(report["best"]["not_worse_than_best_published"],
                         sum(ratio <= 1 for ratio in ratios))
        shown = re.search(r"([0-9.]+) of the better published", done.stdout)
        self.assertAlmostEqual(float(shown[1]), mean, 4)

    def test_a_wide_table_leaves_out_the_kernels(self) -> None:
        for length, kernels in ((25, True), (37, False)):
            (self.folder / "cases").mkdir(exist_ok=True)
            name = "n" * length
            self.write(f"cases/{name}.kgraph", SMALL_CASE)
            text = self.run_here("bench", "--from", "cases", name, "--effort", "1", "--csv",
                                 "b.csv", "-q").stdout
            self.assertEqual("kernels" in text.splitlines()[0], kernels, text)
            self.assertLessEqual(max(map(len, text.splitlines())), 80)
            self.assertEqual(self.rows("b.csv")[0]["kernels"], "3")

    def test_names_in_any_case_between_commas_or_blanks(self) -> None:
        for names in (("k", "A"), ("--cases", "K", "a"), ("--cases", "k,a"), ("--cases", "K A")):
            self.run_here("bench", *names, "--strategy", "gigaplacer", "--effort", "1", "--csv",
                          "b.csv", "-q")
            self.assertEqual([row["case"] for row in self.rows("b.csv")], ["K", "A"])
        self.write("two words.kgraph", SMALL_CASE)
        self.run_here("bench", "--from", ".", "two words", "SMALL", "--effort", "1", "--csv",
                      "b.csv", "-q")
        self.assertEqual([row["case"] for row in self.rows("b.csv")], ["two words", "small"])

    def test_solutions_are_legal_and_have_the_totals_of_the_table(self) -> None:
        (self.folder / "sol").mkdir()
        self.run_here("bench", "--cases", "K", "--effort", "1", "--seeds", "2", "--seed", "5",
                      "--csv", "b.csv", "--solutions", "sol", "-q")
        self.write("K.kgraph", run("cases", "K").stdout)
        rows = self.rows("b.csv")
        self.assertEqual([row["seed"] for row in rows], ["5", "6"])
        for row in rows:
            judged = self.run_here("score", "K.kgraph", f"sol/K.seed{row['seed']}.sol",
                                   "--report", "-").json()
            self.assertEqual(str(judged["total"]), row["total"])

    def test_the_largest_seed_is_a_seed(self) -> None:
        largest = 2**64 - 1
        for seed, count in ((largest, 1), (largest - 1, 2)):
            self.run_here("bench", "--cases", "K", "--effort", "1", "--seeds", str(count),
                          "--seed", str(seed), "--csv", "b.csv", "-q")
            self.assertEqual([int(row["seed"]) for row in self.rows("b.csv")],
                             list(range(seed, seed + count)))
        self.assert_fails(self.run_here("bench", "--seed", str(largest), "--seeds", "2"), 2,
                          "--seed: too large for so many seeds")

    def test_several_seeds_show_the_best_and_the_median(self) -> None:
        done = self.run_here("bench", "--cases", "K", "--effort", "1", "--seeds", "3",
                             "--report", "b.json", "-q")
        report = json.loads((self.folder / "b.json").read_text())
        totals = sorted(row["total"] for row in report["rows"])
        table = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual(table[0],
                         "case kernels best median spread published ratio gap s".split())
        self.assertEqual([float(cell) for cell in table[1][2:4]], totals[:2])
        self.assertAlmostEqual(report["best"]["geometric_mean"]["best_published"],
                               totals[0] / 1350, 12)
        self.assertAlmostEqual(report["median"]["geometric_mean"]["best_published"],
                               totals[1] / 1350, 12)

    def test_the_spread_of_several_seeds(self) -> None:
        seeds = {"A": 2, "vgg-10": 3}
        for name, count in seeds.items():
            generated = [] if name == "A" else ["--generated", "small"]
            done = self.run_here("bench", name, *generated, "--effort", "1", "--seeds", str(count),
                                 "--csv", "b.csv", "--report", "b.json", "-q")
            self.assertEqual((done.code, done.stderr), (0, ""))
            for line in done.stdout.splitlines():
                self.assertLessEqual(len(line), 80)
            text = (self.folder / "b.json").read_text()
            self.assert_valid("bench", text)
            rows = self.rows("b.csv")
            totals = sorted(float(row["total"]) for row in rows)
            median = totals[(count - 1) // 2]
            spread = (totals[-1] - totals[0]) / median
            self.assertEqual([float(row["median_total"]) for row in rows], [median] * count)
            for row in rows:
                self.assertAlmostEqual(float(row["spread"]), spread, 6)
            case = json.loads(text)["cases"][0]
            self.assertEqual((case["case"], case["runs"], case["placed"]), (name, count, count))
            self.assertEqual((case["best"], case["median"]), (totals[0], median))
            self.assertAlmostEqual(case["spread"], spread, 12)
            shown = done.stdout.splitlines()[1].split()[4]
            self.assertAlmostEqual(float(shown), spread, 4)

    def test_one_run_has_no_spread(self) -> None:
        self.write("bad.kgraph", SMALL_CASE.replace("memlimit=24576", "memlimit=1"))
        self.write("wrong.kgraph", "nothing")
        self.run_here("bench", "--from", ".", "--effort", "1", "--csv", "b.csv", "--report",
                      "b.json", "-q")
        self.assertEqual([(row["case"], row["median_total"] == row["total"], row["spread"])
                          for row in self.rows("b.csv")],
                         [("bad", True, ""), ("small", True, ""), ("wrong", True, "")])
        cases = json.loads((self.folder / "b.json").read_text())["cases"]
        self.assertEqual([(case["placed"], case["median"] is None, case["spread"])
                          for case in cases], [(0, True, None), (1, False, None), (0, True, None)])

    def test_the_mean_over_bounds_takes_all_cases(self) -> None:
        self.write("vgg.kgraph", run("cases", "--generated", "small", "vgg-10").stdout)
        self.write("K.kgraph", run("cases", "K").stdout)
        done = self.run_here("bench", "--from", ".", "--effort", "1", "--seeds", "2", "--csv",
                             "b.csv", "--report", "b.json", "-q")
        self.assertEqual(done.code, 0, done.stderr)
        ratios: dict[str, list[float]] = {}
        for row in self.rows("b.csv"):
            ratio = float(row["total"]) / float(row["bound_total"])
            ratios.setdefault(row["case"], []).append(ratio)
        self.assertEqual(set(ratios), {"K", "small", "vgg"})
        report = json.loads((self.folder / "b.json").read_text())
        best = math.prod(min(each) for each in ratios.values()) ** (1 / 3)
        self.assertAlmostEqual(report["best"]["geometric_mean"]["bound"], best, 9)
        self.assertEqual((report["best"]["bounded_cases"], report["best"]["cases"]), (3, 1))
        self.assertIn(f"Best totals over proven bounds, geometric mean of 3: {best:.4f}",
                      done.stdout)
        self.assertIn("Median totals over proven bounds, geometric mean of 3: ", done.stdout)

    def test_a_folder_of_cases(self) -> None:
        self.write("K.kgraph", run("cases", "K").stdout)
        self.write("A.kgraph", SMALL_CASE)  # not the contest's A
        done = self.run_here("bench", "--from", ".", "--effort", "1", "--csv", "b.csv", "-q")
        self.assertEqual(done.code, 0, done.stderr)
        published = {row["case"]: row["best_published"] for row in self.rows("b.csv")}
        self.assertEqual(published, {"A": "", "K": "1350", "small": ""})
        some = self.run_here("bench", "--from", ".", "--cases", "small", "--effort", "1",
                             "--csv", "b.csv", "-q")
        self.assertEqual(some.code, 0)
        self.assertEqual([row["case"] for row in self.rows("b.csv")], ["small"])

    def test_a_case_without_placement_is_exit_4_and_the_rest_is_done(self) -> None:
        self.write("bad.kgraph", SMALL_CASE.replace("memlimit=24576", "memlimit=1"))
        done = self.run_here("bench", "--from", ".", "--effort", "1", "--report", "-", "-q")
        self.assertEqual(done.code, 4)
        self.assert_valid("bench", done.stdout)
        failures = {row["case"]: row["failure"] for row in done.json()["rows"]}
        self.assertIn("k1", failures["bad"])
        self.assertIsNone(failures["small"])

    def test_files_that_are_wrong_are_rows_with_their_fault(self) -> None:
        self.write("broken.kgraph", SMALL_CASE.replace("conv[2] W", "cnov[2] W"))
        self.write("ring.kgraph", SMALL_CASE + "conv[3]:y -> conv[1]:x, shape:[8][8][4]\n")
        done = self.run_here("bench", "--from", ".", "--effort", "1", "--seeds", "2", "--report",
                             "b.json", "--csv", "b.csv", "-q")
        self.assertEqual(done.code, 4)
        text = (self.folder / "b.json").read_text()
        self.assert_valid("bench", text)
        rows = json.loads(text)["rows"]
        self.assertEqual([row["case"] for row in rows], ["broken", "ring", "small", "small"])
        self.assertEqual((rows[0]["kernels"], rows[0]["stopped_by"]), (None, None))
        self.assertIn("did you mean 'conv'?", rows[0]["failure"])
        self.assertIn("k1 -> k2 -> k3 -> k1", rows[1]["failure"])
        self.assertIsNone(rows[2]["failure"])
        self.assertRegex(done.stdout, r"(?m)^broken: \./broken\.kgraph:\d+:1: expected")
        self.assertEqual(len(self.rows("b.csv")), 4)

    def test_the_time_limit_is_for_each_case(self) -> None:
        done = self.run_for("bench", "--cases", "A,E", "--report", "-", "-q", none_yet=4)
        self.assertEqual(done.code, 0, done.stderr)
        report = done.json()
        self.assertEqual([row["stopped_by"] for row in report["rows"]],
                         ["time_limit", "time_limit"])
        self.assertIn(report["time_limit_s"], (1.5, 10, 100, 1000))

    def test_generated_cases_have_a_gap_and_no_published_totals(self) -> None:
        done = self.run_here("bench", "--generated", "small", "vgg-10", "dag-16", "--effort", "1",
                             "--csv", "b.csv", "--report", "b.json", "-q")
        self.assertEqual((done.code, done.stderr), (0, ""))
        rows = self.rows("b.csv")
        self.assertEqual([row["case"] for row in rows], ["vgg-10", "dag-16"])
        self.assert_valid("bench", (self.folder / "b.json").read_text())
        table = [line.split() for line in done.stdout.splitlines()]
        self.assertEqual(table[0], "case kernels time dist adapter total gap s".split())
        for line, row in zip(table[1:], rows):
            self.assertEqual((line[5], row["best_published"]), (row["total"], ""))
            gap = float(row["total"]) / float(row["bound_total"]) - 1
            self.assertAlmostEqual(float(line[6]), gap, 3)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_bad_usage(self) -> None:
        for arguments, part in (
            (("--cases", "A,Z"), "unknown case 'Z'"), (("--cases", "A,,B"), "between commas"),
            (("--from", "none"), "none: cannot be read"), (("--seeds", "0"), "from 1 to"),
            (("--strategy", "nope"), "unknown strategy"), (("--csv", "none/b.csv"), "none"),
            (("--solutions", "none"), "none"),
            (("--from", ".", "--cases", "smal"), "did you mean 'small'"),
            (("--from", ".", "--generated", "small"), "expected one of --from and --generated"),
            (("--generated", "all"), "expected small or full"),
            (("--generated", "small", "A"), "unknown case 'A'"),
        ):
            self.assert_fails(self.run_here("bench", *arguments), 2, part)
        (self.folder / "empty").mkdir()
        self.assert_fails(self.run_here("bench", "--from", "empty"), 2, "found none")


if __name__ == "__main__":
    unittest.main()
