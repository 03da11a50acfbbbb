#!/usr/bin/env python3
"""Whatever ends `waferloom place`, the output file is missing or a whole legal solution.

    kills_leave_whole_files.py PROGRAM [--cases N] [--seed N]

N runs are killed (SIGKILL) at random moments, a few more get SIGINT or SIGTERM. The output exists
from before in half of the runs, and then a legal solution must be there afterwards as well.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import program as waferloom  # noqa: E402
import random_cases as cases  # noqa: E402

import score_oracle as oracle  # noqa: E402

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -int(signal.SIGKILL)}
NOTHING_LEGAL_YET = 5
PATIENCE_S = 60


@dataclass(frozen=True)
class Blow:
    """One run: which signal, when, and whether an earlier solution is in the way."""

    signal: signal.Signals
    after_s: float
    existing: bool


def blows(rng: random.Random, kills: int) -> list[Blow]:
    """The kills, then a quarter as many of SIGINT and of SIGTERM."""
    gentle = max(2, kills // 4)
    kinds = [signal.SIGKILL] * kills + [signal.SIGINT] * gentle + [signal.SIGTERM] * gentle
    return [
        Blow(kind, rng.uniform(0.1, 2.0), index % 2 == 1) for index, kind in enumerate(kinds)
    ]


def strike(program: Path, case_file: Path, solution: Path, blow: Blow) -> int | None:
    """Starts the program and sends the signal; its exit code, None if it was done before that."""
    command = [
        program, "place", case_file, "-o", solution, "--time-limit", "5", "--threads", "2", "-q",
    ]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        time.sleep(blow.after_s)
        process.send_signal(blow.signal)
        code = process.wait(PATIENCE_S)
    finally:
        process.kill()
        process.wait()
    return None if code == 0 else code


def faults(blow: Blow, code: int | None, case: oracle.Case, solution: Path) -> list[str]:
    """What is wrong after a run."""
    wrong = []
    allowed = {None, EXIT_CODES[blow.signal]}
    if blow.signal != signal.SIGKILL and (blow.existing or not solution.exists()):
        allowed.add(NOTHING_LEGAL_YET)
    if code not in allowed:
        wrong.append(f"exit code {code}")
    if not solution.exists():
        if blow.existing:
            wrong.append("the earlier solution is gone")
        if blow.signal != signal.SIGKILL and code != NOTHING_LEGAL_YET:
            wrong.append("nothing was written although a solution was claimed")
        return wrong
    try:
        judgement = oracle.judge(case, oracle.read_solution(solution.read_text()))
    except (oracle.BadInput, UnicodeDecodeError) as error:
        return [*wrong, f"the file is not a solution: {error}"]
    return wrong + [f"{v.kind} {v.kernels}" for v in judgement.violations]


def first_solution(program: Path, case_file: Path, solution: Path) -> str:
    """A legal solution to lie in the way."""
    ran = waferloom.run_program(program, "place", case_file, "-o", solution, "--effort", "1", "-q")
    if ran.code != 0:
        raise AssertionError(f"exit code {ran.code}: {ran.stderr}")
    return solution.read_text()


def main() -> int:
    """Deals all blows, one after the other."""
    options = waferloom.test_arguments(__doc__ or "", cases=20)
    rng = waferloom.stream(options.seed, 0)
    failures, written, cut = [], 0, set()
    with tempfile.TemporaryDirectory() as name:
        case_file = Path(name, "mid.kgraph")
        case_file.write_text(cases.network_case(rng, 40, 400).text())
        case = oracle.read_case(case_file.read_text())
        before = first_solution(options.program, case_file, Path(name, "before.sol"))
        for number, blow in enumerate(blows(rng, options.cases)):
            folder = Path(name, str(number))
            folder.mkdir()
            solution = folder / "out.sol"
            if blow.existing:
                solution.write_text(before)
            code = strike(options.program, case_file, solution, blow)
            if code is not None:
                cut.add((number, blow.signal))
            written += solution.exists() and solution.read_text() != before
            wrong = faults(blow, code, case, solution)
            strays = [p.name for p in folder.iterdir() if p != solution]
            if any(p.endswith(".sol") for p in strays):
                wrong.append(f"a temporary file looks like a solution: {strays}")
            if strays and blow.signal != signal.SIGKILL:
                wrong.append(f"left behind: {strays}")
            failures += [f"run {number}, {blow}: {text}" for text in wrong]
    if {kind for _, kind in cut} != set(EXIT_CODES) or written == 0:
        failures.append(f"proves nothing: {len(cut)} runs were cut short, {written} had written")
    return waferloom.finish(failures, f"{len(cut)} runs cut short, {written} had written by then")


if __name__ == "__main__":
    sys.exit(main())
