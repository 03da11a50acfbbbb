"""Outputs: checked before work begins, replaced as a whole, nothing else left behind."""

import json
import os
import stat
import subprocess
import unittest
import zlib

from program import PROGRAM, ProgramTest, run

NOBODY = 65534


class OutputTest(ProgramTest):
    def place(self, *outputs: str, **options):
        return self.run_here("place", "small.kgraph", *outputs, "--effort", "1", "-q", **options)

    def test_symbolic_links_are_refused_and_kept(self) -> None:
        self.write("target", "precious")
        (self.folder / "link.svg").symlink_to("target")
        (self.folder / "dangling.svg").symlink_to("nowhere")
        for name in ("link.svg", "dangling.svg"):
            for outputs in (("-o", name), ("-o", "out.sol", "--svg", name),
                            ("-o", "out.sol", "--report", name)):
                self.assert_fails(self.place(*outputs), 2, f"{name}: cannot be written",
                                  "symbolic link")
        self.assertEqual((self.folder / "target").read_text(), "precious")
        self.assertTrue((self.folder / "dangling.svg").is_symlink())
        self.assertEqual(self.names(),
                         {"small.kgraph", "small.sol", "target", "link.svg", "dangling.svg"})

    def test_unwritable_paths(self) -> None:
        (self.folder / "folder").mkdir()
        for name, part in (("folder", "it is a folder"), ("folder/", "it is a folder"),
                           ("none/out.sol", "No such file"), ("small.sol/out", "not a folder"),
                           ("/dev/null", "not a regular file")):
            self.assert_fails(self.place("-o", name), 2, f"{name}: cannot be written", part)
        self.assert_fails(self.run_here("cases", "A", "-o", "-"), 2,
                          "-: cannot be written", "name of a file")

    def test_a_folder_without_permission(self) -> None:
        locked = self.folder / "locked"
        locked.mkdir(mode=0o555)
        self.folder.chmod(0o755)
        other = {"user": NOBODY} if os.geteuid() == 0 else {}
        try:
            subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, **other)
        except (PermissionError, subprocess.CalledProcessError):
            self.skipTest("another user cannot run the program here")
        self.assert_fails(self.place("-o", "locked/out.sol", **other), 2, "Permission denied")

    def test_one_file_for_two_things(self) -> None:
        self.assert_fails(self.place("-o", "x.svg", "--svg", "./x.svg"), 2, "given for two outputs")
        self.assert_fails(self.place("-o", "small.kgraph"), 2, "is also an input")
        os.link(self.case, self.folder / "hard.kgraph")
        self.assert_fails(self.place("-o", "hard.kgraph"), 2, "is also an input")
        self.assert_fails(self.run_here("score", "small.kgraph", "small.sol", "--report",
                                        "small.sol"), 2, "is also an input")

    def test_an_old_file_is_replaced_and_keeps_its_mode(self) -> None:
        old = self.write("out.sol", "x" * 100_000)
        old.chmod(0o640)
        self.assertEqual(self.place("-o", "out.sol").code, 0)
        self.assertTrue(old.read_text().startswith("k1 = conv("))
        self.assertEqual(stat.S_IMODE(old.stat().st_mode), 0o640)

    def test_a_new_file_obeys_the_umask(self) -> None:
        self.assertEqual(self.place("-o", "out.sol", umask=0o027).code, 0)
        self.assertEqual(stat.S_IMODE((self.folder / "out.sol").stat().st_mode), 0o640)

    def test_nothing_else_is_left(self) -> None:
        self.place("-o", "out.sol")
        self.assertEqual(self.names(), {"small.kgraph", "small.sol", "out.sol"})

    def test_every_report_says_what_it_was_made_by_and_from(self) -> None:
        version = run("--version").stdout.split()[1]
        line = ["simulate", "small.kgraph", "small.sol", "--threads", "2", "--report", "-"]
        done = self.run_here(*line)
        self.assertEqual(done.code, 0, done.stderr)
        made_by = done.json()["made_by"]
        self.assertEqual(list(done.json())[:2], ["schema", "made_by"])
        self.assertEqual(made_by["version"], version)
        # Threads change no result, so they are no part of what a report was made by.
        self.assertEqual(made_by["arguments"], [*line[:3], "--report", "-"])
        self.assertEqual(made_by["inputs"], [
            {"name": path.name, "bytes": path.stat().st_size,
             "crc32": f"{zlib.crc32(path.read_bytes()):08x}"}
            for path in (self.case, self.solution)])
        piped = self.run_here("score", "-", "small.sol", "--report", "r.json", "--threads=1",
                              stdin=self.case.read_text())
        self.assertEqual(piped.code, 0, piped.stderr)
        made_by = json.loads((self.folder / "r.json").read_text())["made_by"]
        self.assertEqual(made_by["arguments"], ["score", "-", "small.sol", "--report", "r.json"])
        self.assertEqual([one["name"] for one in made_by["inputs"]],
                         ["standard input", "small.sol"])
        listed = self.run_here("hardware", "wse2", "--report", "-").json()["made_by"]
        self.assertEqual(listed["inputs"], [])  # presets belong to the version

    def test_a_full_standard_output_is_an_error(self) -> None:
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "cases"], stdout=full, stderr=subprocess.PIPE,
                                  check=False, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output: cannot be written", done.stderr)


if __name__ == "__main__":
    unittest.main()
