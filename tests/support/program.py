"""Running the real program from the tests of the command line."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = Path(os.environ["WAFERLOOM_PROGRAM"]).resolve()
CHECK_SCHEMA = Path(os.environ["WAFERLOOM_CHECK_SCHEMA"]).resolve()
SCHEMAS = Path(os.environ["WAFERLOOM_SOURCE_DIR"]).resolve() / "model" / "schemas"

# Three convolutions in a row on a wafer of 40x30 tiles.
SMALL_CASE = """(*
test=small
width=40
height=30
wdeltat=1
wlength=2
wadapter=3
memlimit=24576
*)
input[0] n=[8 8 4] name='k0'
conv[1] W=8 H=8 R=3 S=3 C=4 K=8 T=1 U=1 name='k1'
conv[2] W=8 H=8 R=3 S=3 C=8 K=8 T=1 U=1 name='k2'
conv[3] W=8 H=8 R=1 S=1 C=8 K=4 T=1 U=1 name='k3'
output[4] n=[8 8 4] name='k4'
input[0]:y -> conv[1]:x, shape:[8][8][4]
conv[1]:y -> conv[2]:x, shape:[8][8][8]
conv[2]:y -> conv[3]:x, shape:[8][8][8]
conv[3]:y -> output[4]:x, shape:[8][8][4]
"""

# A legal solution of it: each kernel takes 6x8 tiles (h = w = 2, c = 1, k = 2), side by side.
# Times: k1 4*4*4*4*9 = 2304, k2 4*4*8*4*9 = 4608, k3 4*4*8*2 = 256.
# Centres are 6 tiles apart: distance 12. No mismatches. Total 4608 + 2*12 = 4632.
SMALL_SOLUTION = """k1 = conv( 8 8 4 8 3 3 1 1 2 2 1 2 )
k2 = conv( 8 8 8 8 3 3 1 1 2 2 1 2 )
k3 = conv( 8 8 8 4 1 1 1 1 2 2 1 2 )
k1 : place(0 0 R0)
k2 : place(6 0 R0)
k3 : place(12 0 R0)
"""
SMALL_TOTAL = 4632


@dataclass(frozen=True)
class Run:
    """What one run of the program left behind."""

    code: int
    stdout: str
    stderr: str

    def json(self) -> dict[str, Any]:
        return json.loads(self.stdout)


def run(*arguments: str | Path, stdin: str | bytes = "", cwd: Path | None = None,
        **options: Any) -> Run:
    """Runs the program to its end. Undecodable output is a failure of the program."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run([PROGRAM, *arguments], input=given, capture_output=True, cwd=cwd,
                          timeout=240, check=False, **options)
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


class ProgramTest(unittest.TestCase):
    """A test in its own folder, which holds small.kgraph and small.sol."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        self.case = self.write("small.kgraph", SMALL_CASE)
        self.solution = self.write("small.sol", SMALL_SOLUTION)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def run_here(self, *arguments: str | Path, **options: Any) -> Run:
        return run(*arguments, cwd=self.folder, **options)

    def names(self) -> set[str]:
        """The files of the folder, hidden ones too."""
        return {path.name for path in self.folder.iterdir()}

    def assert_fails(self, done: Run, code: int, *parts: str) -> None:
        """Exit code, nothing on stdout, and the parts in the message on stderr."""
        self.assertEqual(done.code, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertIn("waferloom: error: ", done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def assert_valid(self, schema: str, text: str) -> None:
        """The JSON text is valid under a schema of model/schemas/."""
        self.assertEqual(json.loads(text)["schema"], f"waferloom/{schema}/1")
        done = subprocess.run([CHECK_SCHEMA, SCHEMAS / f"{schema}.schema.json"], input=text,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
