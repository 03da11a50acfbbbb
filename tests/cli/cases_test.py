"""waferloom cases: the list, and cases as files."""

import unittest

from program import ProgramTest

NAMES = "ABCDEFGHIJKLMNOPQRST"


class CasesTest(ProgramTest):
    def test_list(self) -> None:
        done = self.run_here("cases")
        self.assertEqual((done.code, done.stderr), (0, ""))
        table, explanation = done.stdout.split("\n\n")
        self.assertEqual([line.split()[0] for line in table.splitlines()[1:]], list(NAMES))
        self.assertIn("Weights of time/distance/adapter", explanation)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_report(self) -> None:
        done = self.run_here("cases", "--report", "-")
        self.assert_valid("cases", done.stdout)
        cases = done.json()["cases"]
        self.assertEqual([case["case"] for case in cases], list(NAMES))
        self.assertEqual(cases[0]["kernels"], 16)
        self.assertEqual(cases[0]["best_published"], 35685.5)

    def test_one_case_goes_to_stdout_or_a_file(self) -> None:
        text = self.run_here("cases", "A").stdout
        self.assertIn("test=compact-balanced-router", text)
        done = self.run_here("cases", "A", "-o", "A.kgraph")
        self.assertEqual((done.code, done.stdout), (0, ""))
        self.assertEqual(done.stderr, "case A written to A.kgraph\n")
        self.assertEqual(self.run_here("cases", "A", "-o", "A.kgraph", "-q").stderr, "")
        self.assertEqual((self.folder / "A.kgraph").read_text(), text)

    def test_cases_go_into_a_folder(self) -> None:
        (self.folder / "some").mkdir()
        self.assertEqual(self.run_here("cases", "A", "K", "-o", "some").code, 0)
        self.assertEqual(sorted(path.name for path in (self.folder / "some").iterdir()),
                         ["A.kgraph", "K.kgraph"])
        (self.folder / "all").mkdir()
        self.assertEqual(self.run_here("cases", "-o", "all/").code, 0)
        self.assertEqual(len(list((self.folder / "all").iterdir())), 20)

    def test_names_in_any_case_between_commas_or_blanks(self) -> None:
        self.assertEqual(self.run_here("cases", "a").stdout, self.run_here("cases", "A").stdout)
        for names in (("b,K",), ("B", "k"), ("b K",), ("B, K",)):
            listed = self.run_here("cases", *names, "-o", ".", "--report", "-").json()["cases"]
            self.assertEqual([case["case"] for case in listed], ["B", "K"])
        self.assert_fails(self.run_here("cases", "A,,B"), 2, "between commas or blanks")

    def test_generated_cases_are_listed_and_written_by_the_same_names(self) -> None:
        done = self.run_here("cases", "--generated", "full")
        self.assertEqual((done.code, done.stderr), (0, ""))
        lines = done.stdout.split("\n\n")[0].splitlines()
        self.assertEqual(lines[0].split()[:4], ["case", "kernels", "edges", "wafer"])
        names = [line.split()[0] for line in lines[1:]]
        self.assertIn(["mixed-1500", "1500", "2500x2500"],
                      [[*line.split()[:2], line.split()[3]] for line in lines[1:]])
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 80)
        report = self.run_here("cases", "--generated", "full", "--report", "-")
        self.assert_valid("cases", report.stdout)
        self.assertEqual([case["case"] for case in report.json()["cases"]], names)
        self.assertEqual({case["best_published"] for case in report.json()["cases"]}, {None})
        (self.folder / "few").mkdir()
        self.assertEqual(self.run_here("cases", "--generated", "small", "-o", "few").code, 0)
        small = sorted(path.stem for path in (self.folder / "few").iterdir())
        self.assertEqual(small, sorted(names[:len(small)]))
        text = self.run_here("cases", "--generated", "full", "VGG-10").stdout
        self.assertEqual((self.folder / "few" / "vgg-10.kgraph").read_text(), text)

    def test_a_case_of_a_family(self) -> None:
        wanted = ("cases", "--family", "dag", "--kernels", "12", "--fabric", "500x400")
        text = self.run_here(*wanted, "--seed", "7").stdout
        self.assertIn("test=dag-12-500x400-7\nwidth=500\nheight=400\n", text)
        self.assertEqual(text.count(" name='k"), 12 + 2)  # and both terminals
        self.assertNotIn("weight=", text)
        done = self.run_here(*wanted, "--seed", "7", "-o", "dag.kgraph")
        self.assertEqual(done.stderr, "case dag-12-500x400-7 written to dag.kgraph\n")
        self.assertEqual((self.folder / "dag.kgraph").read_text(), text)
        self.assertNotEqual(self.run_here(*wanted).stdout, text)
        self.assertIn(", weight=", self.run_here(*wanted, "--edge-weights").stdout)
        report = self.run_here("cases", "--family", "vgg", "--report", "-").json()
        self.assertEqual([case["kernels"] for case in report["cases"]], [100])

    def test_bad_usage_of_generated_cases(self) -> None:
        for arguments, part in (
            (("--family", "vg"), "did you mean 'vgg'? (known: vgg, densenet, mixed, dag)"),
            (("--family", "vgg", "A"), "expected one of --family, --generated and NAME"),
            (("--family", "vgg", "--generated", "full"), "expected one of --family, --generated"),
            (("--kernels", "12"), "--kernels: needs --family"),
            (("--generated", "small", "--edge-weights"), "--edge-weights: needs --family"),
            (("--family", "vgg", "--kernels", "9"), "from 10 to 10000"),
            (("--family", "vgg", "--fabric", "500"), "expected WIDTHxHEIGHT"),
            (("--family", "vgg", "--fabric", "99x500"), "sides from 100"),
            (("--family", "vgg", "--fabric", "100x100", "--kernels", "9000"), "do not fit onto"),
            (("--generated", "smal"), "did you mean 'small'?"),
            (("--generated", "small", "vgg-120"), "unknown case 'vgg-120'"),
        ):
            self.assert_fails(self.run_here("cases", *arguments), 2, part)

    def test_bad_usage(self) -> None:
        self.assert_fails(self.run_here("cases", "Z"), 2, "unknown case 'Z'", "A, B, C")
        self.assert_fails(self.run_here("cases", "A", "B"), 2, "expected --output")
        self.assert_fails(self.run_here("cases", "A", "B", "-o", "out.kgraph"), 2, "folder")
        self.assert_fails(self.run_here("cases", "A", "A", "-o", "."), 2, "two outputs")
        self.assert_fails(self.run_here("cases", "-o", "none/"), 2, "none")


if __name__ == "__main__":
    unittest.main()
