#!/usr/bin/env python3
"""Whatever ends `waferloom place`, the output file is missing or a whole legal solution.

    kills_leave_whole_files.py PROGRAM [--cases N] [--seed N]           a generated case
    kills_leave_whole_files.py PROGRAM --late [--cases N] [--seed N]    large cases, for minutes

N runs are killed (SIGKILL) at random moments, a few more get SIGINT or SIGTERM. The output exists
from before in half of the runs, and then a legal solution must be there afterwards as well.

With --late N runs each are killed of the contest's A and C, from 1 s on, and of the generated case
with 1,500 kernels, from 5 s on. By then there must be a whole legal solution where there was none.
"""

from __future__ import annotations

import math
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import program as waferloom  # noqa: E402
import random_cases as cases  # noqa: E402

import score_oracle as oracle  # noqa: E402

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -int(signal.SIGKILL)}
NOTHING_LEGAL_YET = 5
PATIENCE_S = 60


@dataclass(frozen=True)
class Target:
    """A case to place, under which time limit, and between which moments a run of it is hit."""

    name: str
    limit_s: int
    first_s: float
    last_s: float
    solved: bool  # whether a solution must be there by the first moment
    selection: tuple[str, ...] = ()  # what `waferloom cases` writes it by; empty: generated here


MIDDLING = Target("mid", 5, 0.1, 2.0, False)
LATE = (
    Target("A", 5, 1.0, 4.0, True, ("A",)),
    Target("C", 5, 1.0, 4.0, True, ("C",)),
    Target("mixed-1500", 20, 5.0, 15.0, True, ("--generated", "full", "mixed-1500")),
)


@dataclass(frozen=True)
class Blow:
    """One run: which signal, when, and whether an earlier solution is in the way."""

    signal: signal.Signals
    after_s: float
    existing: bool


def blows(rng: random.Random, target: Target, kills: int) -> list[Blow]:
    """The kills, and of a case without a sure solution a quarter as many of SIGINT and of SIGTERM,
    half of all with a solution in the way."""
    gentle = 0 if target.solved else max(2, kills // 4)
    kinds = [signal.SIGKILL] * kills + [signal.SIGINT] * gentle + [signal.SIGTERM] * gentle
    return [
        Blow(kind, rng.uniform(target.first_s, target.last_s), not target.solved and index % 2 == 1)
        for index, kind in enumerate(kinds)
    ]


def strike(program: Path, target: Target, files: tuple[Path, Path], blow: Blow) -> int | None:
    """Starts the program on a case and a solution's file and sends the signal; its exit code, None
    if it was done before that."""
    case_file, solution = files
    command = [
        program, "place", case_file, "-o", solution, "--time-limit", str(target.limit_s),
        "--threads", "2", "-q",
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


def paced(program: Path, target: Target, case_file: Path) -> Target:
    """The target, hit early and late in a run by the pace of this program on this machine: around
    the moment at which a first run has a solution."""
    if target.solved:
        return target
    solution = case_file.with_suffix(".paced.sol")
    command = [program, "place", case_file, "-o", solution, "--time-limit", str(PATIENCE_S), "-q"]
    begin = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not solution.exists() and process.poll() is None:
        time.sleep(0.01)
    first = time.monotonic() - begin
    process.kill()
    process.wait()
    last = max(target.last_s, 3 * first)
    return replace(target, last_s=last, limit_s=max(target.limit_s, math.ceil(2 * last)))


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


def write_case(program: Path, target: Target, rng: random.Random, folder: Path) -> Path:
    """The target's case as a file."""
    case_file = folder / f"{target.name}.kgraph"
    if not target.selection:
        case_file.write_text(cases.network_case(rng, 40, 400).text())
        return case_file
    ran = waferloom.run_program(program, "cases", *target.selection, "-o", case_file, "-q")
    if ran.code != 0:
        raise AssertionError(f"exit code {ran.code}: {ran.stderr}")
    return case_file


@dataclass
class Outcome:
    """What the runs on a target came to."""

    failures: list[str]
    cut: set[tuple[int, signal.Signals]]
    written: int = 0


def deal(program: Path, target: Target, dealt: list[Blow], case_file: Path) -> Outcome:
    """Deals all blows, one after the other."""
    outcome = Outcome([], set())
    case = oracle.read_case(case_file.read_text())
    before = ""
    if any(blow.existing for blow in dealt):
        before = first_solution(program, case_file, case_file.with_suffix(".before.sol"))
    for number, blow in enumerate(dealt):
        folder = case_file.parent / f"{target.name}.{number}"
        folder.mkdir()
        solution = folder / "out.sol"
        if blow.existing:
            solution.write_text(before)
        code = strike(program, target, (case_file, solution), blow)
        if code is not None:
            outcome.cut.add((number, blow.signal))
        outcome.written += solution.exists() and solution.read_text() != before
        wrong = faults(blow, code, case, solution)
        if target.solved and not solution.exists():
            wrong.append("there is no solution yet")
        strays = [p.name for p in folder.iterdir() if p != solution]
        if any(p.endswith(".sol") for p in strays):
            wrong.append(f"a temporary file looks like a solution: {strays}")
        if strays and blow.signal != signal.SIGKILL:
            wrong.append(f"left behind: {strays}")
        outcome.failures += [f"{target.name}, run {number}, {blow}: {text}" for text in wrong]
    if {kind for _, kind in outcome.cut} != {b.signal for b in dealt} or outcome.written == 0:
        outcome.failures.append(f"{target.name}: proves nothing: {len(outcome.cut)} runs were cut "
                                f"short, {outcome.written} had written")
    print(f"{target.name}: {len(outcome.cut)} runs cut short, {outcome.written} had written by then",
          flush=True)
    return outcome


def main() -> int:
    """Runs one of the two forms."""
    late = "--late" in sys.argv
    if late:
        sys.argv.remove("--late")
    options = waferloom.test_arguments(__doc__ or "", cases=20)
    rng = waferloom.stream(options.seed, 0)
    failures, cut = [], 0
    with tempfile.TemporaryDirectory() as name:
        for target in LATE if late else (MIDDLING,):
            case_file = write_case(options.program, target, rng, Path(name))
            pace = paced(options.program, target, case_file)
            dealt = blows(rng, pace, options.cases)
            outcome = deal(options.program, pace, dealt, case_file)
            failures += outcome.failures
            cut += len(outcome.cut)
    return waferloom.finish(failures, f"{cut} runs cut short, every file whole and legal")


if __name__ == "__main__":
    sys.exit(main())
