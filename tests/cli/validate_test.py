"""waferloom validate: published figures beside ours."""

import csv
import json
import tempfile
import unittest
from pathlib import Path

from program import SOURCES, ProgramTest, run

PAGE = SOURCES / "docs" / "validation.md"


class ValidateTest(ProgramTest):
    """All chapters are computed once, for most of the tests."""

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.made = Path(holder.name)
        cls.done = run("validate", "--report", "-", "--markdown", "page.md", "--csv", "table.csv",
                       cwd=cls.made)
        cls.report = json.loads(cls.done.stdout)

    def chapter(self, *names: str) -> list[dict]:
        words = [word for name in names for word in ("--model", name)]
        done = self.run_here("validate", *words, "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        return done.json()["rows"]

    def test_every_figure_holds(self) -> None:
        self.assertEqual(self.done.code, 0, self.done.stderr)
        self.assert_valid("validate", self.done.stdout)
        self.assertEqual(self.report["failing"], 0)
        rows = self.report["rows"]
        self.assertEqual([row["name"] for row in rows if not row["holds"]], [])
        self.assertGreater(len(rows), 150)

    def test_rows_are_judged_by_their_own_numbers(self) -> None:
        for row in self.report["rows"]:
            with self.subTest(row=row["name"]):
                judged = row["kind"] in ("exact", "closed form", "calibrated")
                if judged:
                    self.assertIsNotNone(row["published"])
                    self.assertIsNotNone(row["ours"])
                if row["published"] is None or row["ours"] is None:
                    self.assertIsNone(row["error"])
                    continue
                difference = abs(row["ours"] - row["published"])
                if row["published"] != 0:
                    self.assertAlmostEqual(row["error"], difference / abs(row["published"]),
                                           places=12)
                if judged:
                    self.assertLessEqual(row["error"], row["tolerance"])

    def test_exact_rows_are_exact_unless_rounded_or_a_note_says_why(self) -> None:
        for row in self.report["rows"]:
            if row["kind"] not in ("exact", "closed form") or row["note"]:
                continue
            digits = str(row["published"]).partition(".")[2]
            half = 0.5 * 10.0 ** -len(digits) if digits.isdigit() else 0
            allowed = row["tolerance"] * abs(row["published"])
            self.assertLessEqual(allowed, max(1e-6 * abs(row["published"]), half * (1 + 1e-9)),
                                 row["name"])

    def test_every_row_has_a_source_and_its_certainty(self) -> None:
        for row in self.report["rows"]:
            self.assertTrue(row["source"].strip() and row["certainty"].strip(), row["name"])

    def test_calibrated_rows_stand_beside_a_constant_model(self) -> None:
        rows = [row for row in self.report["rows"] if row["kind"] == "calibrated"]
        self.assertTrue(rows)
        for row in rows:
            self.assertTrue(row["constant_model"] is not None or row["note"], row["name"])
        self.assertTrue(any(row["constant_model"] is not None for row in rows))

    def test_what_is_not_reproduced_has_a_reason(self) -> None:
        rows = [row for row in self.report["rows"] if row["kind"] == "not reproduced"]
        self.assertTrue(rows)
        for row in rows:
            self.assertGreater(len(row["note"]), 20, row["name"])

    def test_names_are_unique_in_a_chapter(self) -> None:
        names = [(row["chapter"], row["name"]) for row in self.report["rows"]]
        twice = sorted({name for name in names if names.count(name) > 1})
        self.assertEqual(twice, [])

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

    def test_a_table(self) -> None:
        with (self.made / "table.csv").open(newline="", encoding="utf-8") as file:
            heading, *lines = csv.reader(file)
        self.assertEqual(heading[:4], ["chapter", "model", "figure", "unit"])
        self.assertEqual({len(line) for line in lines}, {len(heading)})
        rows = self.report["rows"]
        self.assertEqual([line[2] for line in lines], [row["name"] for row in rows])
        ours = heading.index("ours")
        for line, row in zip(lines, rows, strict=True):
            if row["ours"] is None:
                self.assertEqual(line[ours], "")
            else:
                self.assertAlmostEqual(float(line[ours]), row["ours"],
                                       delta=1e-6 * abs(row["ours"]))

    def test_a_summary_counts_what_holds(self) -> None:
        done = self.run_here("validate", "--model", "amped")
        self.assertEqual(done.code, 0, done.stderr)
        rows = self.chapter("amped")
        self.assertIn(f"{len(rows)} figures: ", done.stdout)
        self.assertIn("none fails", done.stdout)
        for row in rows:
            self.assertIn(row["name"], done.stdout)

    def test_the_page_of_the_documents_is_up_to_date(self) -> None:
        """Made by `waferloom validate --markdown docs/validation.md`."""
        page = (self.made / "page.md").read_text(encoding="utf-8")
        for row in self.report["rows"]:
            self.assertIn(row["name"].replace("|", "\\|"), page)
        self.assertTrue(PAGE.is_file(), "docs/validation.md is missing")
        self.assertEqual(page, PAGE.read_text(encoding="utf-8"))

    def test_the_same_at_any_number_of_threads(self) -> None:
        texts = {run("validate", "--model", "centimani", "--threads", threads, "--report",
                     "-").stdout for threads in ("1", "2")}
        self.assertEqual(len(texts), 1)
        self.assertTrue(json.loads(texts.pop())["rows"])


if __name__ == "__main__":
    unittest.main()
