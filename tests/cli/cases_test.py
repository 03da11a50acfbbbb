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

    def test_bad_usage(self) -> None:
        self.assert_fails(self.run_here("cases", "Z"), 2, "unknown case 'Z'", "A, B, C")
        self.assert_fails(self.run_here("cases", "A", "B"), 2, "expected --output")
        self.assert_fails(self.run_here("cases", "A", "B", "-o", "out.kgraph"), 2, "folder")
        self.assert_fails(self.run_here("cases", "A", "A", "-o", "."), 2, "two outputs")
        self.assert_fails(self.run_here("cases", "-o", "none/"), 2, "none")


if __name__ == "__main__":
    unittest.main()
