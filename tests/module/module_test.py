"""The libraries linked into a shared module: it computes what the program does, and shows no more
names than it means to."""

import ctypes
import os
import subprocess
import unittest

from program import ProgramTest

MODULE = os.environ["WAFERLOOM_TRIAL_MODULE"]


class ModuleTest(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.module = ctypes.CDLL(MODULE)
        self.module.trial_place.restype = ctypes.c_int64
        self.module.trial_complaint.restype = ctypes.c_char_p

    def test_it_places_as_the_program_does(self) -> None:
        self.run_here("cases", "A", "-o", "A.kgraph", "-q")
        done = self.run_here("place", "A.kgraph", "-o", "A.sol", "--effort", "1", "-q",
                             "--report", "-")
        self.assertEqual(done.code, 0, done.stderr)
        case = (self.folder / "A.kgraph").read_bytes()
        self.assertEqual(self.module.trial_place(case), 2 * done.json()["score"]["distance"])

    def test_faults_are_told(self) -> None:
        self.assertEqual(self.module.trial_place(b"connect(0, 1)"), -1)
        self.assertIn(b"trial:1:", self.module.trial_complaint())

    def test_it_shows_its_own_names_alone(self) -> None:
        shown = subprocess.run(["nm", "-D", "--defined-only", "--extern-only", MODULE],
                               capture_output=True, text=True, check=True).stdout
        self.assertIn("trial_place", shown)
        self.assertFalse([line for line in shown.splitlines() if "9waferloom" in line])


if __name__ == "__main__":
    unittest.main()
