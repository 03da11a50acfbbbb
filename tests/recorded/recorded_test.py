"""The net's own test: a stand-in for the program, recorded, then changed in one place at a time."""

import contextlib
import io
import json
import shutil
import struct
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from comparison import first_difference  # noqa: E402
from rules import KeyRules, Rules  # noqa: E402
import recorded  # noqa: E402
from pictures import SIGNATURE, pdf_lines, png_difference, png_digest  # noqa: E402

# A program that writes what the folder "said" beside it has for a verb. A shell starts fast.
STAND_IN = """#!/bin/sh
said="$(dirname "$0")/said/$1"
for file in "$said"/files/*; do if test -f "$file"; then cp "$file" .; fi; done
cat "$said/stdout"
cat "$said/stderr" >&2
exit "$(cat "$said/exit")"
"""


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(rows: list[bytes], filters: bytes = b"", level: int = 6) -> bytes:
    """Of grey pixels, a byte each; the filters are 0 (none) or 1 (difference to the left)."""
    lines = b""
    for y, row in enumerate(rows):
        kind = filters[y] if filters else 0
        line = row if kind == 0 else bytes((now - left) & 255 for now, left in zip(row, b"\0" + row))
        lines += bytes([kind]) + line
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    return (SIGNATURE + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, level))
            + chunk(b"IEND", b""))


PICTURE = [bytes([1, 2, 3]), bytes([4, 5, 6])]
REPORT = {"schema": "waferloom/place/1", "score": {"total": 4632, "parts": [0.1, 2]}, "wall_s": 1.25}


class RecordedTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        (self.folder / "inputs").mkdir()
        (self.folder / "inputs" / "a.txt").write_text("a\n")
        self.program = self.folder / "program"
        self.program.write_text(STAND_IN)
        self.program.chmod(0o755)
        self.table("cases", [{"name": "place/a", "run": "place"}, {"name": "score/a", "run": "score"}])
        self.table("varies", {
            "keys": {"waferloom/place/1": {"wall_s": "time"}},
            "texts": [{"in": "*/stdout", "pattern": "after (?P<varies>[0-9.]+) s", "why": "time"}]})
        self.table("renames", {})
        self.table("rewordings", [])
        self.said = {
            "place": {"files": {"r.json": json.dumps(REPORT), "t.csv": "name,total\nk1,7\n",
                                "p.png": png(PICTURE)},
                      "stdout": "placed\n  total  4632\nended after 0.3 s\n"},
            "score": {"exit": 4, "stderr": "waferloom: error: illegal\n"}}
        self.say()
        self.assertEqual(self.net("--record")[0], 0)

    def table(self, name: str, content: object) -> None:
        (self.folder / f"{name}.json").write_text(json.dumps(content))

    def say(self) -> None:
        shutil.rmtree(self.folder / "said", ignore_errors=True)
        for verb, said in self.said.items():
            files = self.folder / "said" / verb / "files"
            files.mkdir(parents=True)
            for name in ("stdout", "stderr", "exit"):
                (files.parent / name).write_text(str(said.get(name, 0 if name == "exit" else "")))
            for name, content in said.get("files", {}).items():
                (files / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    def report(self, **changes: object) -> None:
        self.said["place"]["files"]["r.json"] = json.dumps({**REPORT, **changes})
        self.say()

    def net(self, *words: str) -> tuple[int, str]:
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            code = recorded.main([str(self.program), "--folder", str(self.folder), *words])
        return code, told.getvalue()

    def assert_differs(self, *parts: str) -> None:
        code, told = self.net()
        self.assertEqual(code, 1, told)
        for part in parts:
            self.assertIn(part, told)

    def assert_same(self) -> None:
        self.assertEqual(self.net(), (0, "2 cases as recorded\n"))

    def test_lines_of_progress_do_not_count_unless_every_step_has_one(self) -> None:
        self.said["score"]["stderr"] = ("    1.2 s  judging  a.kgraph\n   10.5 of 2e+02 s  judging\n"
                                        "waferloom: error: illegal\n")
        self.say()
        self.assert_same()
        self.said["score"]["stderr"] = "    1.2 s judging\nwaferloom: error: illegal\n"
        self.say()
        self.assert_differs("score/a: stderr: line 1")
        self.said["score"]["stderr"] = "    1.2 s  judging\nwaferloom: error: illegal\n"
        self.table("cases", [{"name": "place/a", "run": "place"}, {"name": "score/a", "run": "score -v"}])
        self.say()
        self.assert_differs("score/a: stderr: line 1")

    def test_the_same_program_passes_and_time_does_not_count(self) -> None:
        self.assert_same()
        self.said["place"]["stdout"] = "placed\n  total  4632\nended after 17 s\n"
        self.report(wall_s=99)
        self.assert_same()

    def test_a_number_of_a_report(self) -> None:
        self.report(score={"total": 4632, "parts": [0.1, 3]})
        self.assert_differs("place/a: files/r.json: /score/parts/1: recorded '2', now '3'")
        self.report(score={"total": 4632.0, "parts": [0.1, 2]})
        self.assert_differs("/score/total: recorded '4632', now '4632.0'")
        self.report(score={"total": "4632", "parts": [0.1, 2]})
        self.assert_differs("/score/total: recorded '4632', now '\"4632\"'")

    def test_a_key_of_a_report(self) -> None:
        self.report(score={"cost": 4632, "parts": [0.1, 2]})
        self.assert_differs("place/a: files/r.json: /score/total: recorded '4632', now no such key "
                            "(cost new beside it)")
        self.report(legal=True)
        self.assert_differs("/legal: recorded no such key, now 'true'")

    def test_a_renamed_key(self) -> None:
        self.report(score={"cost": 4632, "parts": [0.1, 2]})
        self.table("renames", {"waferloom/place/1": {"score/total": "cost"}})
        self.assert_same()
        self.said["place"]["files"]["r.json"] = json.dumps({**REPORT, "score": {"cost": 4633, "parts": []}})
        self.say()
        self.assert_differs("/score/cost: recorded '4632', now '4633'")

    def test_what_varies_may_be_renamed(self) -> None:
        changed = {key: value for key, value in REPORT.items() if key != "wall_s"} | {"elapsed_s": 3}
        self.said["place"]["files"]["r.json"] = json.dumps(changed)
        self.say()
        self.assert_differs("/wall_s")
        self.table("renames", {"*": {"wall_s": "elapsed_s"}})
        self.assert_same()

    def test_stale_rules(self) -> None:
        self.table("renames", {"waferloom/score/1": {"total": "cost"}, "csv": {"totl": "cost"}})
        self.table("rewordings", [{"old": "plaiced", "new": "laid"}])
        self.table("varies", {
            "keys": {"waferloom/place/1": {"wall_s": "time", "wall_ms": "time"}},
            "texts": [{"in": "*/stdout", "pattern": "after (?P<varies>[0-9.]+) s", "why": "time"},
                      {"in": "*/stderr", "pattern": "after (?P<varies>[0-9.]+) s", "why": "time"}],
            "pictures": [{"in": "none.png", "rows": [1, 2], "why": "time"}]})
        self.assert_differs(
            "renames.json: stale rule: no recorded output of 'waferloom/score/1' has 'total'",
            "renames.json: stale rule: no recorded output of 'csv' has 'totl'",
            "rewordings.json: stale rule: no recorded output has 'plaiced'",
            "varies.json: stale rule: no recorded output of 'waferloom/place/1' has 'wall_ms'",
            "varies.json: stale rule: no recorded output has 'after (?P<varies>[0-9.]+) s'",
            "varies.json: stale rule: no large picture is called 'none.png'", "6 differ")

    def test_texts_and_their_rewordings(self) -> None:
        self.said["place"]["stdout"] = "placed\n  total  4633\nended after 0.3 s\n"
        self.say()
        self.assert_differs("place/a: stdout: line 2: recorded '  total  4632', now '  total  4633'")
        self.said["place"]["stdout"] = "laid\n  whole cost  4632\nended after 0.3 s\n"
        self.say()
        self.table("rewordings", [{"old": "placed", "new": "laid"},
                                  {"pattern": "^( +)total", "new": r"\1whole cost", "in": "*/stdout"}])
        self.assert_same()
        # Columns may move with the words, numbers not.
        self.said["place"]["stdout"] = "laid\n  whole cost 4632\nended after 0.3 s\n"
        self.say()
        self.assert_same()
        self.said["place"]["stdout"] = "laid\n  whole cost 4633\nended after 0.3 s\n"
        self.say()
        self.assert_differs("place/a: stdout: line 2: recorded '4632', now '4633'")

    def test_a_cell_and_a_column_of_a_table(self) -> None:
        self.said["place"]["files"]["t.csv"] = "name,total\nk1,8\n"
        self.say()
        self.assert_differs("place/a: files/t.csv: line 2, total: recorded '7', now '8'")
        self.said["place"]["files"]["t.csv"] = "name,cost\nk1,7\n"
        self.say()
        self.assert_differs("place/a: files/t.csv: line 1, total: recorded 'total', now 'cost'")
        self.table("renames", {"csv": {"total": "cost"}})
        self.assert_same()

    def test_a_byte_of_a_picture(self) -> None:
        changed = [PICTURE[0], bytes([4, 5, 7])]
        self.said["place"]["files"]["p.png"] = png(changed)
        self.say()
        self.assert_differs("place/a: files/p.png: pixel (2, 1): recorded 06, now 07")

    def test_files_that_are_missing_or_new(self) -> None:
        del self.said["place"]["files"]["t.csv"]
        self.say()
        self.assert_differs("place/a: files/t.csv: recorded 16 bytes, now no such file")
        self.said["place"]["files"] |= {"t.csv": "name,total\nk1,7\n", "x.txt": "new"}
        self.say()
        self.assert_differs("place/a: files/x.txt: recorded no such file, now 3 bytes")

    def test_another_exit_code(self) -> None:
        self.said["score"]["exit"] = 1
        self.say()
        self.assert_differs("score/a: exit code: recorded 4, now 1 (waferloom: error: illegal)")

    def test_cases_and_recorded_outputs_belong_together(self) -> None:
        self.table("cases", [{"name": "place/a", "run": "place"}, {"name": "score/b", "run": "score"}])
        self.assert_differs("score/b: nothing is recorded", "recorded/score/a: cases.json has no such case")
        self.assertEqual(self.net("--record")[0], 0)
        self.assert_same()

    def test_what_is_not_the_same_twice_is_not_recorded(self) -> None:
        self.program.write_text(STAND_IN.replace("exit ", "date +%N; exit "))
        code, told = self.net("--record")
        self.assertEqual(code, 1)
        self.assertIn("not the same twice: place/a: stdout: line 4", told)

    def test_parts_have_every_case_once(self) -> None:
        told = [self.net("--part", f"{part}/2")[1] for part in (1, 2)]
        self.assertEqual(told, ["1 cases as recorded\n"] * 2)
        self.assertEqual(self.net("--only", "place/")[1], "1 cases as recorded\n")
        self.assertEqual(self.net("--only", "draw/")[0], 2)


class PicturesTest(unittest.TestCase):
    def test_packing_and_filters_do_not_count(self) -> None:
        plain = png(PICTURE)
        self.assertIsNone(png_difference(plain, png(PICTURE, level=0)))
        self.assertIsNone(png_difference(plain, png(PICTURE, filters=b"\1\0")))
        self.assertNotEqual(plain, png(PICTURE, filters=b"\1\0"))
        self.assertEqual(png_difference(plain, png([PICTURE[0], bytes([4, 9, 6])], filters=b"\1\1")),
                         ("pixel (1, 1)", "05", "09"))
        self.assertEqual(png_difference(plain, png(PICTURE[:1]))[0], "chunk IHDR")
        self.assertEqual(png_difference(plain, plain[:-20])[0], "file")

    def test_a_digest_has_every_row(self) -> None:
        one, other = (png_digest(png(rows), rows_a_line=1).decode().split("\n")
                      for rows in (PICTURE, [PICTURE[0], bytes([4, 5, 7])]))
        self.assertEqual([line.split(":")[0] for line, now in zip(one, other) if line != now],
                         ["frame 1 rows 1-1"])
        one, other = ("\n".join(lines).encode() for lines in (one, other))
        found = first_difference("a/files/a.png", one, other, Rules(KeyRules("", {}), [], [], KeyRules("", {}), []))
        self.assertEqual(found.place, "frame 1, row 1 of pixels")
        masked = [png_digest(png(rows), range(1, 2)) for rows in (PICTURE, [PICTURE[0], b"abc"])]
        self.assertEqual(*masked)

    def test_a_checksum_that_ends_like_a_line_is_no_line_end(self) -> None:
        text = b"\x0c"  # Adler-32: 1 + 12 = 0x0d, a carriage return
        self.assertEqual(zlib.compress(text)[-1], 0x0D)
        pdf = b"%PDF-1.5\nstream\n" + zlib.compress(text) + b"\nendstream\n"
        self.assertEqual(pdf_lines(pdf), ["%PDF-1.5", "stream", *text.decode("latin-1").split("\n"),
                                          "endstream", ""])

    def test_streams_of_a_pdf_are_unpacked(self) -> None:
        pdf = b"%PDF-1.5\nstream\n" + zlib.compress(b"0 0 m\n1 1 l") + b"\nendstream\n"
        self.assertEqual(pdf_lines(pdf), ["%PDF-1.5", "stream", "0 0 m", "1 1 l", "endstream", ""])


if __name__ == "__main__":
    unittest.main()
