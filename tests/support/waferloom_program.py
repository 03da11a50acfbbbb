"""Running the real program from property tests, and reading what it reports exactly."""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable, Iterable, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

Item = TypeVar("Item")
Result = TypeVar("Result")

WORKERS = 2


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


@dataclass(frozen=True)
class Run:
    """What one run of the program left behind."""

    exit_code: int
    stdout: str
    stderr: str

    def report(self) -> dict[str, Any]:
        """stdout as JSON; numbers stay texts, because a float would not be exact."""
        try:
            return json.loads(self.stdout, parse_float=str, parse_int=str)
        except json.JSONDecodeError as error:
            raise AssertionError(f"stdout is not JSON ({error}): {self.stdout[:400]!r}") from error


def run(program: Path, *arguments: str | Path, timeout: float = 120) -> Run:
    """Runs the program to its end."""
    done = subprocess.run(
        [program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=timeout, check=False,
    )
    return Run(done.returncode, done.stdout, done.stderr)


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
