"""waferloom validate: published and derived figures beside ours."""

import csv
import json
import tempfile
import unittest
from pathlib import Path

from program import SOURCES, ProgramTest, run

JUDGED = ("reproduced", "closed form", "calibrated", "not reproduced")
PAGE = SOURCES / "docs" / "validation.md"


class ValidateTest(ProgramTest):
    """All chapters are computed once, for most of the tests."""

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.made = Path(holder.name)
        cls.done = run("validate", "--report", "report.json", "--markdown", "page.md", "--csv",
                       "table.csv", cwd=cls.made)
        cls.report_text = (cls.made / "report.json").read_text(encoding="utf-8")
        cls.report = json.loads(cls.report_text)

    def chapter(self, *names: str) -> list[dict]:
        words = [word for name in names for word in ("--model", name)]
        done = self.run_here("validate", *words, "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        return done.json()["rows"]

    def test_lines_keep_to_80_columns_and_long_names_go_on_in_the_next(self) -> None:
        lines = self.done.stdout.splitlines()
        self.assertEqual([line for line in lines if len(line) > 80], [])
        text = " ".join(self.done.stdout.split())
        for row in self.report["rows"]:
            self.assertIn(row["name"], text)

    def test_every_judged_figure_holds(self) -> None:
        self.assertEqual(self.done.code, 0, self.done.stderr)
        self.assert_valid("validate", self.report_text)
        self.assertEqual(self.report["failing"], 0)
        rows = self.report["rows"]
        self.assertEqual([row["name"] for row in rows if row["holds"] is False],
                         [row["name"] for row in rows if row["kind"] == "not reproduced"])
        self.assertTrue(any(row["holds"] for row in rows))

    def test_a_row_holds_where_it_is_judged_and_nowhere_else(self) -> None:
        for row in self.report["rows"]:
            with self.subTest(row=row["name"]):
                judged = row["kind"] in JUDGED
                self.assertEqual(row["holds"] is not None, judged)
                self.assertEqual(row["tolerance"] is not None, judged)
                if judged:
                    self.assertIsNotNone(row["ours"])
                    self.assertEqual(row["holds"], row["error"] <= row["tolerance"])

    def test_published_figures_and_derived_ones_stand_apart(self) -> None:
        for row in self.report["rows"]:
            with self.subTest(row=row["name"]):
                self.assertEqual((row["published"] is None, row["derived"] is None),
                                 (row["kind"] == "closed form", row["kind"] != "closed form"))
                derived = row["certainty"] in ("by hand", "derived")
                self.assertEqual(derived, row["kind"] == "closed form")

    def test_errors_are_those_of_the_figures_shown(self) -> None:
        for row in self.report["rows"]:
            with self.subTest(row=row["name"]):
                expected = row["derived"] if row["published"] is None else row["published"]
                if row["ours"] is None:
                    self.assertIsNone(row["error"])
                elif row["ours"] == expected:
                    self.assertEqual(row["error"], 0)
                else:
                    self.assertAlmostEqual(
                        row["error"] * abs(expected) / abs(row["ours"] - expected), 1, places=9)

    def test_ours_is_missing_only_where_it_cannot_be_computed(self) -> None:
        for row in self.report["rows"]:
            if row["ours"] is not None:
                continue
            self.assertEqual(row["kind"], "not judged", row["name"])
            self.assertTrue("cannot be computed" in row["note"] or "no batch fits" in row["note"],
                            row["name"])

    def test_what_does_not_come_out_stands_with_ours_and_the_error_in_every_format(self) -> None:
        name = "Case I, PP inside, TP among"
        (row,) = [row for row in self.report["rows"] if row["name"] == name]
        # 90 days are published; Eq. 6 alone takes more than 500.
        self.assertEqual((row["published"], row["kind"], row["holds"]), (90, "not judged", None))
        self.assertGreater(row["ours"], 500)
        self.assertGreater(row["error"], 4.5)
        ours, percent = f"{row['ours']:.8g}", str(round(100 * row["error"]))
        page = (self.made / "page.md").read_text(encoding="utf-8")
        (line,) = [line for line in page.splitlines() if line.startswith(f"| {name} |")]
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        self.assertEqual(cells[:8], [name, "days", "90", "", ours, percent, "not judged", ""])
        (cells,) = [line for line in self.table() if line["figure"] == name]
        self.assertEqual((cells["published"], cells["ours"], cells["holds"], cells["tolerance"]),
                         ("90", ours, "", ""))
        text = self.done.stdout.splitlines()
        place = text.index(f"{name} (days)")
        self.assertEqual(text[place + 1].split(), ["90", ours, percent, "not", "judged"])

    def test_tolerances_other_than_a_millionth_are_told(self) -> None:
        page = (self.made / "page.md").read_text(encoding="utf-8").splitlines()
        others = 0
        for row in self.report["rows"]:
            lines = [line for line in page if line.startswith(f"| {row['name']} | {row['unit']} |")]
            self.assertEqual(len(lines), 1, row["name"])
            told = lines[0].split("|")[8].strip()
            if row["tolerance"] in (None, 1e-6):
                self.assertEqual(told, "", row["name"])
            else:
                others += 1
                self.assertAlmostEqual(float(told) / (100 * row["tolerance"]), 1, delta=0.06)
        self.assertGreater(others, 0)

    def test_reproduced_rows_agree_to_the_last_place_that_is_printed(self) -> None:
        for row in self.report["rows"]:
            if row["kind"] != "reproduced":
                continue
            digits = str(row["published"]).partition(".")[2]
            half = 0.5 * 10.0 ** -len(digits) if digits.isdigit() else 0
            allowed = row["tolerance"] * abs(row["published"])
            self.assertLessEqual(allowed, max(1e-6 * abs(row["published"]), half * (1 + 1e-9)),
                                 row["name"])

    def test_every_row_has_a_source_and_its_certainty(self) -> None:
        for row in self.report["rows"]:
            self.assertTrue(row["source"].strip() and row["certainty"].strip(), row["name"])

    def test_calibrated_rows_stand_beside_a_constant_model_and_say_their_tolerance(self) -> None:
        rows = [row for row in self.report["rows"] if row["kind"] == "calibrated"]
        self.assertTrue(rows)
        for row in rows:
            self.assertIsNotNone(row["constant_model"], row["name"])
            self.assertRegex(row["note"], rf"\b{round(100 * row['tolerance'])} %")

    def test_what_is_not_judged_has_a_reason(self) -> None:
        rows = [row for row in self.report["rows"] if row["kind"] == "not judged"]
        self.assertTrue(rows)
        for row in rows:
            self.assertGreater(len(row["note"]), 20, row["name"])

    def test_closed_forms_say_how_they_are_derived(self) -> None:
        for row in self.report["rows"]:
            if row["kind"] == "closed form":
                self.assertTrue(row["note"], row["name"])

    def test_nothing_counts_twice(self) -> None:
        keys = [(row["model"], row["name"]) for row in self.report["rows"]]
        self.assertEqual(sorted(key for key in set(keys) if keys.count(key) > 1), [])
        # Nor does one published figure under two names, unless it belongs to different parts.
        figures: dict[tuple, list[str]] = {}
        for row in self.report["rows"]:
            if row["published"] is None or len(f"{row['published']:.12g}") < 9:
                continue
            key = (row["model"], row["unit"], f"{row['published']:.7g}")
            figures.setdefault(key, []).append(row["name"])
        for names in figures.values():
            if len(names) > 1:
                self.assertTrue(all("partition" in name for name in names), names)

    def test_no_row_compares_nothing_with_nothing(self) -> None:
        for row in self.report["rows"]:
            if row["kind"] in JUDGED:
                self.assertTrue(row["published"] or row["derived"], row["name"])

    def test_counts_by_paper_and_kind_add_up(self) -> None:
        rows = self.report["rows"]
        papers = self.report["papers"]
        self.assertEqual([paper["model"] for paper in papers],
                         list(dict.fromkeys(row["model"] for row in rows)))
        for counts in [*papers, self.report["total"]]:
            of = [row for row in rows if counts.get("model", row["model"]) == row["model"]]
            self.assertEqual(counts["figures"], len(of))
            self.assertEqual(counts["judged"], sum(row["holds"] is not None for row in of))
            self.assertEqual(counts["hold"], sum(row["holds"] is True for row in of))
            for kind, count in counts["kinds"].items():
                same = [row for row in of if row["kind"] == kind]
                self.assertEqual(count["figures"], len(same))
                self.assertEqual(count["hold"], sum(row["holds"] for row in same)
                                 if kind in JUDGED else None)
        total = self.report["total"]
        self.assertEqual(self.report["failing"], total["judged"] - total["hold"]
                         - total["kinds"]["not reproduced"]["figures"])

    def test_what_has_no_row_is_listed_with_the_reason(self) -> None:
        listed = self.report["without_row"]
        page = (self.made / "page.md").read_text(encoding="utf-8")
        _, _, end = page.partition("## Tables and figures without a row\n")
        for one in listed:
            self.assertGreater(len(one["reason"]), 12, one["figure"])
            self.assertIn(f"| {one['paper']} | {one['figure']} | {one['reason']} |\n", end)
        for paper, figure in (("PALM", "Table V"), ("PALM", "Figs. 8 to 10"),
                              ("GigaPlacer", "Table 1"), ("AMPeD", "Figs. 4 to 9"),
                              ("DFModel", "Fig. 19"), ("Centimani", "Table 3")):
            self.assertTrue(any(one["paper"] == paper and one["figure"].startswith(figure)
                                for one in listed), figure)
        # While there is such a list nobody may claim all figures.
        self.assertTrue(listed)
        for file in [SOURCES / "README.md", *(SOURCES / "docs").glob("*.md"),
                     SOURCES / "tests" / "golden" / "help.txt"]:
            self.assertNotIn("every published figure", file.read_text(encoding="utf-8").lower(),
                             file.name)

    def test_chapters_are_chosen(self) -> None:
        all_rows = self.report["rows"]
        for name in ("amped", "dfmodel-chip", "centimani"):
            rows = self.chapter(name)
            self.assertTrue(rows)
            self.assertEqual(rows, [row for row in all_rows if row["chapter"] == name])
        both = self.chapter("centimani", "amped")
        self.assertEqual({row["chapter"] for row in both}, {"centimani", "amped"})

    def test_a_wrong_chapter(self) -> None:
        done = self.run_here("validate", "--model", "ampd", "--csv", "out.csv")
        self.assert_fails(done, 2, "--model: expected amped, ", "found 'ampd'",
                          "did you mean 'amped'?")
        self.assertNotIn("out.csv", self.names())

    def table(self) -> list[dict]:
        with (self.made / "table.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def test_a_table(self) -> None:
        words = {True: "yes", False: "no", None: ""}
        rows = self.report["rows"]
        for line, row in zip(self.table(), rows, strict=True):
            self.assertNotIn(None, line.values())
            self.assertEqual([line["figure"], line["kind"], line["holds"]],
                             [row["name"], row["kind"], words[row["holds"]]])
            for key in ("published", "derived", "ours", "error", "tolerance"):
                if row[key] is None:
                    self.assertEqual(line[key], "", row["name"])
                else:
                    self.assertAlmostEqual(float(line[key]), row[key], delta=1e-6 * abs(row[key]))

    def test_a_summary_counts_by_paper_and_kind(self) -> None:
        for row in self.report["rows"]:
            self.assertIn(row["name"], self.done.stdout)
        lines = [line.split() for line in self.done.stdout.splitlines()]
        for counts in [*self.report["papers"], {"model": "all", **self.report["total"]}]:
            cells = [counts["model"], *(str(counts[key]) for key in ("figures", "judged", "hold")),
                     *(str(kind["figures"]) for kind in counts["kinds"].values())]
            self.assertIn(cells, lines)
        total = self.report["total"]
        self.assertIn(f"{total['figures']} figures: {total['hold']} of {total['judged']} judged "
                      "hold", self.done.stdout)
        self.assertEqual([line for line in self.done.stdout.splitlines() if len(line) > 100], [])

    def test_the_page_of_the_documents_is_up_to_date(self) -> None:
        """Made by `waferloom validate --markdown docs/validation.md`."""
        page = (self.made / "page.md").read_text(encoding="utf-8")
        self.assertTrue(PAGE.is_file(), "docs/validation.md is missing")
        self.assertEqual(page, PAGE.read_text(encoding="utf-8"))

    def test_the_same_at_any_number_of_threads(self) -> None:
        texts = {run("validate", "--model", "centimani", "--threads", threads, "--report",
                     "-").stdout for threads in ("1", "2")}
        self.assertEqual(len(texts), 1)
        self.assertTrue(json.loads(texts.pop())["rows"])


if __name__ == "__main__":
    unittest.main()
