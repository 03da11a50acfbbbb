"""waferloom schema: what it lists, prints and writes; and that no schema changes unseen.

schema_hashes.txt has a hash of each schema, so that a change of a row that changes a format is a
change of this table too. WAFERLOOM_UPDATE_SCHEMAS=1 writes it anew.
"""

import hashlib
import json
import os
import unittest
from pathlib import Path

from program import ProgramTest, schema_fault, schema_folder

HASHES = Path(__file__).with_name("schema_hashes.txt")


class SchemaTest(ProgramTest):
    def names(self) -> list[str]:
        done = self.run_here("schema", "--report", "-")
        self.assert_valid("schemas", done.stdout)
        return [schema["name"] for schema in done.json()["schemas"]]

    def test_list_and_report_have_the_same_schemas_each_once(self) -> None:
        names = self.names()
        self.assertEqual(len(set(names)), len(names))
        listed = [line.split()[0] for line in self.run_here("schema").stdout.splitlines()[1:]]
        self.assertEqual(listed, names)

    def test_a_schema_is_printed_and_written_alike(self) -> None:
        files = {path.name: path.read_text() for path in schema_folder().iterdir()}
        self.assertEqual(set(files), {f"{name}.schema.json" for name in self.names()})
        for name in ("hardware", "score", "error"):
            printed = self.run_here("schema", name).stdout
            self.assertEqual(printed, files[f"{name}.schema.json"])
            self.assertEqual(json.loads(printed)["$schema"],
                             "http://json-schema.org/draft-07/schema#")

    def test_every_schema_refuses_what_it_is_not_of(self) -> None:
        for name in self.names():
            self.assertNotEqual(schema_fault(name, '{"no such key": 1}'), "", name)
            self.assertNotEqual(schema_fault(name, "[]"), "", name)

    def test_no_schema_changes_unseen(self) -> None:
        made = "".join(
            f"{hashlib.sha256(path.read_bytes()).hexdigest()[:16]} {path.name.split('.')[0]}\n"
            for path in sorted(schema_folder().iterdir()))
        if os.environ.get("WAFERLOOM_UPDATE_SCHEMAS"):
            HASHES.write_text(made)
        self.assertEqual(HASHES.read_text(), made)

    def test_wrong_usage(self) -> None:
        self.assert_fails(self.run_here("schema", "scor"), 2,
                          "NAME: there is no schema 'scor', did you mean 'score'?")
        self.assert_fails(self.run_here("schema", "score", "-o", "x"), 2, "--output: needs no NAME")
        self.assert_fails(self.run_here("schema", "score", "--report", "r.json"), 2,
                          "--report: needs no NAME")


if __name__ == "__main__":
    unittest.main()
