"""Running the real program from tests, and reading what it says and reports.

Tests of the command line find it in the environment and are ProgramTests; property tests take it as
their first argument.
"""

from __future__ import annotations

import argparse
import atexit
import functools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, Iterable, TypeVar

SOURCES = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCES / "scripts"))

PROGRAM = Path(os.environ.get("WAFERLOOM_PROGRAM", "waferloom")).resolve()
CHECK_SCHEMA = Path(os.environ.get("WAFERLOOM_CHECK_SCHEMA", "check_schema")).resolve()

Item = TypeVar("Item")
Result = TypeVar("Result")

WORKERS = 2
# After so long a program hangs. No verdict hangs on less: a busy machine is slow.
PATIENCE_S = 1200

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

# A machine of the small case's size whose links hold it up.
SLOW_LINKS = {"columns": 40, "rows": 30, "link": {"bytes_per_s": 1000000000},
              "host_ports": [{"side": "west", "position": 3}, {"side": "east", "position": 9}]}

# A kernel that no wafer of one tile holds.
TIGHT_CASE = """(* width=1 height=1 wdeltat=1 wlength=0 wadapter=0 memlimit=24576 *)
conv[1] W=1 H=1 R=1 S=1 C=1 K=1 T=1 U=1 name='k'
"""

# Four layers of a transformer, and what stands before and behind them.
TINY_ENDS = {"sequence": 128, "vocabulary": 1000, "hidden": 256}
TINY_LAYER = {"name": "layer", "kind": "transformer", "repeat": 4, "sequence": 128, "hidden": 256,
              "heads": 4, "feed_forward": 512}
TINY = {"name": "tiny", "operators": [{"name": "embedding", "kind": "embedding", **TINY_ENDS},
                                      TINY_LAYER, {"name": "head", "kind": "head", **TINY_ENDS}]}


def part_of_wse2(side: int, **changes: Any) -> str:
    """A machine file of so many columns and rows of a WSE-2, the whole west side a port."""
    port = {"side": "west", "position": 0, "last": side - 1, "response_ps": 1000000}
    return json.dumps({"base": "wse2", "why": "less to search", "set": {
        "columns": side, "rows": side, "host_ports": [port], **changes}})


@dataclass(frozen=True)
class Run:
    """What one run of the program left behind."""

    code: int
    stdout: str
    stderr: str

    def json(self) -> dict[str, Any]:
        return json.loads(self.stdout)

    def findings(self) -> dict[str, Any]:
        """stdout as JSON without what it was made by, which no two command lines share."""
        return {key: value for key, value in self.json().items() if key != "made_by"}

    def report(self) -> dict[str, Any]:
        """stdout as JSON; numbers stay texts, because a float would not be exact."""
        try:
            return json.loads(self.stdout, parse_float=str, parse_int=str)
        except json.JSONDecodeError as error:
            raise AssertionError(f"stdout is not JSON ({error}): {self.stdout[:400]!r}") from error


def run_program(program: Path, *arguments: str | Path, stdin: str | bytes = "",
                timeout: float = PATIENCE_S, **options: Any) -> Run:
    """Runs a program to its end. Undecodable output is a failure of the program."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run([program, *arguments], input=given, capture_output=True,
                          timeout=timeout, check=False, **options)
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def wait_until(what: str, condition: Callable[[], Any]) -> None:
    """Looks again and again until the condition holds; fails if it never does."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"no {what}")
        time.sleep(0.01)


def computed_ns(pid: int) -> list[int]:
    """What each thread of a process has computed."""
    found = []
    for stat in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        try:
            found.append(int(stat.read_text().split()[0]))
        except OSError:  # it ended meanwhile
            pass
    return found


def catches(pid: int, caught: signal.Signals) -> bool:
    """Whether a process has a handler of a signal: before, it ends at once."""
    status = Path(f"/proc/{pid}/status").read_text()
    mask = next(line for line in status.splitlines() if line.startswith("SigCgt:")).split()[1]
    return bool(int(mask, 16) >> (caught - 1) & 1)


def run(*arguments: str | Path, **options: Any) -> Run:
    """Runs the program that the environment names."""
    return run_program(PROGRAM, *arguments, **options)


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

    def run_for(self, *arguments: str | Path, none_yet: int = 5, **options: Any) -> Run:
        """A run under a time limit that leaves a result. What a machine has done by then depends on
        its load, so that the limit grows as long as the run ends with `none_yet`: no result yet."""
        for limit in ("1.5", "10", "100", "1000"):
            done = self.run_here(*arguments, "--time-limit", limit, **options)
            if done.code != none_yet:
                break
        return done

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
        """The JSON text names this schema and is valid under it."""
        self.assertEqual(json.loads(text)["schema"], f"waferloom/{schema}/1")
        self.assertEqual(schema_fault(schema, text), "")


@functools.cache
def schema_folder() -> Path:
    """All schemas, as the program prints them."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    schemas = Path(folder.name) / "schemas"
    subprocess.run([PROGRAM, "schema", "-q", "-o", schemas], check=True)
    return schemas


def schema_fault(schema: str, text: str) -> str:
    """What a schema has against a JSON text; empty if nothing."""
    done = subprocess.run([CHECK_SCHEMA, schema_folder() / f"{schema}.schema.json"], input=text,
                          capture_output=True, text=True, check=False)
    return done.stderr or ("" if done.returncode == 0 else "refused")


def test_arguments(description: str, cases: int, seed: int = 20200330) -> argparse.Namespace:
    """PROGRAM [--cases N] [--seed N]; prints the seed, so that a failure can be repeated."""
    parser = argparse.ArgumentParser(description=description, allow_abbrev=False)
    parser.add_argument("program", type=Path, help="the waferloom program")
    parser.add_argument("--cases", type=int, default=cases)
    parser.add_argument("--seed", type=int, default=seed)
    options = parser.parse_args()
    options.program = options.program.resolve()
    print(f"seed {options.seed}, {options.cases} cases", flush=True)
    return options


def stream(seed: int, index: int) -> random.Random:
    """The random numbers of case `index`, whatever ran before it."""
    return random.Random(f"{seed}/{index}")


def run_in_order(task: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """All results in the order of the items; WORKERS tasks run at once (they wait for programs)."""
    with ThreadPoolExecutor(WORKERS) as workers:
        return list(workers.map(task, items))


def exact(value: str | None) -> Fraction | None:
    """A number of a report as a fraction."""
    return None if value is None else Fraction(value)


def finish(failures: list[str], done: str) -> int:
    """Prints the first three failures, or what was done; answers the exit code."""
    for failure in failures[:3]:
        print("FAILED", failure)
    if failures:
        print(f"{len(failures)} failures")
        return 1
    print(done)
    return 0
