"""Bad input: one clear message with its place, exit 2, no output file touched."""

import os
import random
import subprocess
import unittest

from program import PROGRAM, SMALL_CASE, SMALL_SOLUTION, ProgramTest

NOBODY = 65534


class BadInputTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.write("old.sol", "what was there before")

    def place(self, case: str):
        """Runs place on a case with outputs that exist or do not; none may change."""
        before = self.names()
        done = self.run_here("place", case, "-o", "old.sol", "--svg", "new.svg", "--report",
                             "new.json", "-q")
        self.assertEqual(self.names(), before)
        self.assertEqual((self.folder / "old.sol").read_text(), "what was there before")
        return done

    def assert_rejected(self, content: str | bytes, *parts: str) -> None:
        self.write("bad.kgraph", content)
        done = self.place("bad.kgraph")
        self.assert_fails(done, 2, "bad.kgraph", *parts)
        self.assertLess(len(done.stderr), 8000)
        self.assertTrue(all(c.isprintable() or c == "\n" for c in done.stderr), done.stderr)

    def test_malformed_cases(self) -> None:
        self.assert_rejected("")
        self.assert_rejected(SMALL_CASE[: SMALL_CASE.index("(*") + 20])  # in the comment
        self.assert_rejected(SMALL_CASE[: SMALL_CASE.index("conv[2]") + 11], ":12:")
        self.assert_rejected(SMALL_CASE.replace("conv[2] W", "cnov[2] W"), "bad.kgraph:12:",
                             "expected", "found")
        self.assert_rejected(SMALL_CASE.replace("conv[2] W=8", "conv[2] W=0"), ":12:")
        self.assert_rejected(SMALL_CASE.replace("conv[2] W=8", "conv[2] W=-8"), ":12:")
        self.assert_rejected(SMALL_CASE.replace("conv[2] W=8", "conv[2] W=" + "9" * 40), ":12:")
        self.assert_rejected(SMALL_CASE.replace("wlength=2", "wlength=-2"), ":6:")
        self.assert_rejected(SMALL_CASE.replace("conv[2] W", "conv[1] W"), ":12:")  # twice
        self.assert_rejected(SMALL_CASE.replace("-> conv[3]:x", "-> conv[9]:x"), ":17:")
        self.assert_rejected("(* test=none *)\n")

    def test_several_bad_lines_are_named_at_once(self) -> None:
        self.assert_rejected(
            SMALL_CASE.replace("conv[2] W=8", "conv[2] W=0").replace("wlength=2", "wlength=x"),
            ":6:", ":12:")

    def test_every_truncation_is_a_clean_verdict(self) -> None:
        for length in range(0, len(SMALL_CASE), 7):
            self.write("cut.kgraph", SMALL_CASE[:length])
            done = self.run_here("score", "cut.kgraph", "small.sol")
            self.assertIn(done.code, (0, 2, 4), SMALL_CASE[:length])
        for length in range(0, len(SMALL_SOLUTION), 7):
            self.write("cut.sol", SMALL_SOLUTION[:length])
            done = self.run_here("score", "small.kgraph", "cut.sol")
            self.assertIn(done.code, (0, 2, 4), SMALL_SOLUTION[:length])

    def test_ten_megabytes_of_noise(self) -> None:
        noise = random.Random(1).randbytes(10_000_000)
        self.assert_rejected(noise)
        self.assert_rejected(noise.hex().encode())
        self.write("bad.sol", noise)
        self.assert_fails(self.run_here("score", "small.kgraph", "bad.sol"), 2, "bad.sol")

    def test_unreadable_paths(self) -> None:
        self.assert_fails(self.place("missing.kgraph"), 2, "missing.kgraph", "No such file")
        (self.folder / "folder").mkdir()
        self.assert_fails(self.place("folder"), 2, "folder: cannot be read", "directory")
        self.assert_fails(self.place("small.sol/x"), 2, "cannot be read")
        self.assert_fails(self.place(""), 2)

    def test_unreadable_by_permission(self) -> None:
        self.case.chmod(0)
        self.folder.chmod(0o755)
        other = {"user": NOBODY} if os.geteuid() == 0 else {}
        try:
            subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, **other)
        except (PermissionError, subprocess.CalledProcessError):
            self.skipTest("another user cannot run the program here")
        done = self.run_here("score", self.case, "small.sol", **other)
        self.assert_fails(done, 2, "cannot be read: Permission denied")

    def test_messages_name_standard_input(self) -> None:
        self.assert_fails(self.run_here("score", "-", "small.sol", stdin="nonsense"), 2,
                          "standard input:1:")

    def test_errors_of_the_solution(self) -> None:
        self.write("bad.sol", SMALL_SOLUTION.replace("R0)", "R45)", 1))
        self.assert_fails(self.run_here("score", "small.kgraph", "bad.sol"), 2, "bad.sol:4:",
                          "expected", "found")

    def test_endless_input_is_refused(self) -> None:
        self.assert_fails(self.run_here("score", "/dev/zero", "small.sol"), 2, "larger than")


if __name__ == "__main__":
    unittest.main()
