"""scripts/format_tables.py on small schemas and pages, and with faults put into both."""

import copy
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from format_tables import Schemas, without_page
from tables.schema_tables import slug
from tables.terms import TERMS, linked
from tables.values import list_text, number_text, plain_text, range_text

POINT = {"type": "object", "required": ["x"], "properties": {
    "x": {"description": "column, from 0", "type": "integer", "minimum": 0, "maximum": 31999}}}
FILE = {"title": "a file", "type": "object", "required": ["name"], "properties": {
    "name": {"description": "its name", "type": "string"},
    "rate": {"description": "bytes a second", "type": "integer", "minimum": 1, "maximum": 10**18,
             "default": 5000},
    "from": {"description": "where it begins", **POINT},
    "to": {"description": "where it ends; null: nowhere", "anyOf": [POINT, {"type": "null"}]},
    "way": {"description": "how it goes", "enum": ["xy", "yx"], "default": "xy"}}}
REPORT = {"title": "Report of a run", "type": "object", "required": ["made_by"], "properties": {
    "total": {"description": "cost | price",
              "anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+$"}]},
    "made_by": {"description": "what it was made by", "type": "object", "required": ["version"],
                "properties": {"version": {"description": "version of the program", "type": "string"}}}}}
FORMS = {"title": "Report", "type": "object", "properties": {"list": {
    "description": "operators", "type": "array", "items": {"anyOf": [
        {"type": "object", "required": ["kind"], "properties": {
            "kind": {"description": "the kind", "enum": ["sum"]},
            "name": {"description": "its name", "type": "string"},
            "size": {"description": "numbers of it", **POINT}}},
        {"type": "object", "required": ["list"], "properties": {
            "name": {"description": "its name", "type": "string"},
            "list": {"description": "of a group", "type": "array",
                     "items": {"$ref": "#/properties/list/items"}}}}]}}}}


def anchors(page: Path) -> set[str]:
    """Of the headings of a page, each of which it has once."""
    found = [slug(line.strip("# ")) for line in page.read_text().splitlines() if re.match("#+ ", line)]
    assert len(set(found)) == len(found), f"{page} has a heading twice"
    return set(found)


PAGE = "# Files\n\n## File\n\n<!-- rows: file -->\n<!-- /rows -->\n\nMore.\n"


class TablesTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.page = self.folder / "page.md"
        self.schemas = copy.deepcopy({"file": FILE, "report": REPORT, "forms": FORMS})

    def run_on(self, action: str, *pages: Path) -> subprocess.CompletedProcess[str]:
        for name, schema in self.schemas.items():
            (self.folder / f"{name}.schema.json").write_text(json.dumps(schema))
        return subprocess.run(
            [sys.executable, "-B", ROOT / "scripts/format_tables.py", action, "--schemas", self.folder,
             *(pages or [self.page])], capture_output=True, text=True, check=False)

    def test_a_schema_that_no_page_has_is_told(self) -> None:
        self.made("# A file\n\n<!-- rows: file -->\n<!-- /rows -->\n")
        self.assertEqual(without_page(Schemas(self.folder), [self.page]), ["forms", "report"])

    def made(self, page: str) -> str:
        self.page.write_text(page)
        done = self.run_on("--update")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        return self.page.read_text()

    def assert_faulty(self, page: str, said: str) -> None:
        self.page.write_text(page)
        for action in ("--check", "--update"):
            done = self.run_on(action)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(said, done.stderr)
            self.assertEqual(self.page.read_text(), page)

    def assert_differs(self, said: str) -> None:
        """The page was made of rows that have changed since."""
        before = self.page.read_text()
        done = self.run_on("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn(said, done.stdout)
        self.assertEqual(self.page.read_text(), before)

    def test_a_file_has_meanings_values_and_defaults(self) -> None:
        text = self.made(PAGE)
        self.assertIn("| key | meaning | values | default |", text)
        self.assertIn("| `name` | its name | text | needed |", text)
        self.assertIn("| `rate` | bytes a second | whole number, 1 … 10¹⁸ | 5,000 |", text)
        self.assertIn("| `way` | how it goes | `xy`, `yx` | `xy` |", text)
        self.assertTrue(text.endswith("\n<!-- /rows -->\n\nMore.\n"))

    def test_a_type_has_one_table_that_others_link_to(self) -> None:
        text = self.made(PAGE)
        self.assertIn("| `from` | where it begins | [from](#file-from) |  |", text)
        self.assertIn("| `to` | where it ends; null: nowhere | [from](#file-from) or null |  |", text)
        self.assertEqual(text.count("### file: from"), 1)
        self.assertNotIn("file: to", text)
        self.assertIn("| `x` | column, from 0 | whole number, 0 … 31,999 | needed |", text)

    def test_types_that_differ_have_headings_that_differ(self) -> None:
        other = {"type": "object", "properties": {"from": {
            "description": "another", "type": "object",
            "properties": {"y": {"description": "row", "type": "integer"}}}}}
        self.schemas["file"]["properties"]["inner"] = {"description": "more", **other}
        text = self.made(PAGE)
        self.assertIn("### file: from\n", text)
        self.assertIn("[inner.from](#file-innerfrom)", text)
        self.assertIn("### file: inner.from\n", text)

    def test_a_report_has_no_defaults_and_says_what_may_be_missing(self) -> None:
        text = self.made("## Report\n<!-- rows: report -->\n<!-- /rows -->\n")
        self.assertIn("| key | meaning | values |\n", text)
        self.assertIn("| `total` | cost \\| price | [exact number](reports.md#exact-numbers); "
                      "not always there |", text)
        self.assertIn("| `made_by` | what it was made by | [made_by](#report-made_by) |", text)

    def test_the_type_of_a_key_is_shared_by_pages(self) -> None:
        shared = self.folder / "shared.md"
        shared.write_text("# All\n\n### Made by\n<!-- rows: report made_by -->\n<!-- /rows -->\n")
        text = self.made("## Report\n<!-- rows: report -->\n<!-- /rows -->\n")
        self.assertIn("[made_by](shared.md#made-by)", text)
        self.assertNotIn("`version`", text)
        self.assertEqual(self.run_on("--update", shared).returncode, 0)
        self.assertIn("| `version` | version of the program | text |", shared.read_text())

    def test_forms_share_keys_and_a_list_may_hold_itself(self) -> None:
        text = self.made("## Forms\n<!-- rows: forms -->\n<!-- /rows -->\n")
        self.assertIn("Every form has these keys:\n\n| key", text)
        self.assertEqual(text.count("| `name` |"), 1)
        self.assertIn("**kind `sum`**", text)
        self.assertNotIn("| `kind` |", text)
        self.assertIn("**form 2**", text)
        self.assertIn("| `list` | of a group | list of [list](#forms-list) |", text)

    def test_a_word_that_all_forms_have_names_none(self) -> None:
        for form in self.schemas["forms"]["properties"]["list"]["items"]["anyOf"]:
            form["properties"]["whole"] = {"description": "not cut", "const": True}
        text = self.made("## Forms\n<!-- rows: forms -->\n<!-- /rows -->\n")
        self.assertIn("**kind `sum`**", text)
        self.assertIn("**form 2**", text)
        self.assertNotIn("**whole", text)

    def test_many_words_stand_below_their_table(self) -> None:
        words = [f"a_word_with_the_number_{number}" for number in range(9)]
        self.schemas["file"]["properties"]["way"]["enum"] = words
        text = self.made(PAGE)
        self.assertIn("| a word, below |", text)
        self.assertIn("Words of `way`: `a_word_with_the_number_0`, ", text)

    def test_terms_are_linked_once_a_table(self) -> None:
        properties = self.schemas["file"]["properties"]
        properties["name"]["description"] = "lanes of a replica, and `lanes`"
        properties["rate"]["description"] = "lanes again"
        text = self.made(PAGE)
        self.assertIn("| [lanes](router.md) of a [replica](glossary.md), and `lanes` |", text)
        self.assertIn("| lanes again |", text)

    def test_a_made_page_passes_the_check(self) -> None:
        self.made(PAGE)
        done = self.run_on("--check")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_changed_meaning_is_found(self) -> None:
        self.made(PAGE)
        self.schemas["file"]["properties"]["rate"]["description"] = "bits a second"
        self.assert_differs("+| `rate` | bits a second |")

    def test_a_changed_range_and_default_are_found(self) -> None:
        self.made(PAGE)
        self.schemas["file"]["properties"]["rate"]["default"] = 6000
        self.assert_differs("+| `rate` | bytes a second | whole number, 1 … 10¹⁸ | 6,000 |")

    def test_a_key_that_the_page_lacks_is_found(self) -> None:
        self.made(PAGE)
        self.schemas["file"]["properties"]["new"] = {"description": "a new key", "type": "boolean"}
        self.assert_differs("+| `new` | a new key | true or false |")

    def test_a_key_that_rows_lack_is_found(self) -> None:
        self.made(PAGE)
        del self.schemas["file"]["properties"]["way"]
        self.assert_differs("-| `way` |")

    def test_a_line_changed_by_hand_is_found(self) -> None:
        text = self.made(PAGE)
        self.page.write_text(text.replace("its name", "the name"))
        self.assert_differs("-| `name` | the name |")

    def test_a_cell_has_at_most_200_characters(self) -> None:
        self.schemas["file"]["properties"]["rate"]["description"] = "a" * 200
        self.made(PAGE)
        self.schemas["file"]["properties"]["rate"]["description"] = "a" * 201
        self.assert_faulty(PAGE, "file: key rate: a cell of 201 characters, at most 200")

    def test_a_link_makes_no_cell_too_long(self) -> None:
        self.schemas["file"]["properties"]["rate"]["description"] = "lanes " + "a" * 194
        self.assertIn("| lanes " + "a" * 194 + " |", self.made(PAGE))

    def test_a_key_has_a_meaning(self) -> None:
        del self.schemas["file"]["properties"]["from"]["properties"]["x"]["description"]
        self.assert_faulty(PAGE, "file: key x has no meaning")

    def test_a_meaning_says_what_null_means(self) -> None:
        properties = self.schemas["file"]["properties"]
        properties["to"]["description"] = "where it ends"
        self.assert_faulty(PAGE, "file: key to may be null, and its meaning does not say what that means")
        properties["to"]["description"] = "where it ends; by default where it begins"
        self.made(PAGE)
        properties["to"]["description"] = "where it ends; null: nowhere"
        self.made(PAGE)
        properties["from"]["description"] = "where it begins; null: nowhere"
        self.assert_faulty(PAGE, "file: key from is never null, but its meaning speaks of null")

    def test_wrong_marks_are_told(self) -> None:
        self.assert_faulty("# A\n<!-- rows: file -->\n", "no <!-- /rows --> behind <!-- rows: file -->")
        self.assert_faulty("<!-- rows: file -->\n<!-- /rows -->\n", "no heading before <!-- rows: file -->")
        self.assert_faulty("# A\n<!-- rows: no_file -->\n<!-- /rows -->\n", "there is no such schema")
        self.assert_faulty("# A\n<!-- rows: file rat -->\n<!-- /rows -->\n", "file: there is no key rat")
        self.assert_faulty("# A\n<!-- rows: file rate -->\n<!-- /rows -->\n", "file: rate has no keys")
        self.assert_faulty("# A\n<!-- rows: file -->\n<!-- rows: report -->\n<!-- /rows -->\n",
                           "a table begins inside of another: <!-- rows: report -->")


class WordsTest(unittest.TestCase):
    def test_numbers(self) -> None:
        for value, text in (
                (0, "0"), (32000, "32,000"), (1_000_000, "1,000,000"), (16_000_000, "1.6·10⁷"),
                (10**18, "10¹⁸"), (-10**12, "−10¹²"), (87.5, "87.5"), (1e-6, "10⁻⁶"), (100.0, "100"),
                (2**62, "4,611,686,018,427,387,904")):
            self.assertEqual(number_text(value), text)

    def test_ranges(self) -> None:
        self.assertEqual(range_text(1, 8), "1 … 8")
        self.assertEqual(range_text(0, None), "0 or more")
        self.assertEqual(range_text(None, 8), "at most 8")
        self.assertEqual(range_text(None, None), "")
        self.assertEqual(range_text(None, 1, 0), "above 0, at most 1")

    def test_lists(self) -> None:
        self.assertEqual(list_text({}, "text"), "list of texts")
        self.assertEqual(list_text({}, "list of texts"), "list of lists of texts")
        self.assertEqual(list_text({"minItems": 2, "maxItems": 2}, "whole number, 1 … 8"),
                         "list of 2 whole numbers, each 1 … 8")
        self.assertEqual(list_text({"minItems": 1}, "[a](#b)"), "list of 1 or more: [a](#b)")
        self.assertEqual(list_text({"maxItems": 1000}, "number"), "list of at most 1,000: numbers")

    def test_plain_values(self) -> None:
        self.assertEqual(plain_text({"const": None}), "null")
        self.assertEqual(plain_text({"const": True}), "true")
        self.assertEqual(plain_text({"type": ["null", "string", "number"]}), "number or text or null")
        self.assertEqual(plain_text({"type": "string", "minLength": 1}), "text, not empty")

    def test_terms(self) -> None:
        self.assertEqual(linked("planes", "a.md", set(), 99), "planes")
        self.assertEqual(linked("an exact number", "reports.md", set(), 99),
                         "an [exact number](#exact-numbers)")
        self.assertEqual(linked("a bubble", "glossary.md", set(), 99), "a bubble")

    def test_terms_lead_to_pages_that_have_them(self) -> None:
        for term, target in TERMS:
            page, _, anchor = target.partition("#")
            text = (ROOT / "docs" / page).read_text()
            self.assertTrue(re.search(term, text, re.IGNORECASE), f"{page} does not have {term}")
            self.assertTrue(not anchor or anchor in anchors(ROOT / "docs" / page), target)

    def test_links_of_made_tables_lead_to_headings(self) -> None:
        links = 0
        for page in (ROOT / "docs").glob("*.md"):
            for made in re.findall(r"(?s)<!-- rows: .*?<!-- /rows -->", page.read_text()):
                for name, anchor in re.findall(r"\]\(([\w./-]*)#([\w-]+)\)", made):
                    target = page.parent / name if name else page
                    self.assertIn(anchor, anchors(target), f"{page}: {name}#{anchor}")
                    links += 1
        self.assertGreater(links, 300)


if __name__ == "__main__":
    unittest.main()
