#!/usr/bin/env python3
"""Whatever ends `waferloom place`, the output file is missing or a whole legal solution.

    kills_leave_whole_files.py PROGRAM [--cases N] [--seed N]           a generated case
    kills_leave_whole_files.py PROGRAM --late [--cases N] [--seed N]    large cases, for minutes

N runs are killed (SIGKILL) at random moments, a few more get SIGINT or SIGTERM. The output exists
from before in half of the runs, and then a legal solution must be there afterwards as well.

No run ends by itself before its signal. Half of the signals come while there may be no solution yet,
around the moment at which a first run had one; half come behind the first solution of their own run.
With --late all of N runs on the contest's A and C, and on the generated case with 1,500 kernels, are
killed behind it, seconds later too. No moment is fixed: slow machines pass as fast ones do.
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


@dataclass(frozen=True)
class Target:
    """A case to place, and how long behind its first solution a run may be hit."""

    name: str
    behind_s: float
    late: bool  # whether all runs are hit behind their first solution
    selection: tuple[str, ...] = ()  # what `waferloom cases` writes it by; empty: generated here


MIDDLING = Target("mid", 0.5, False)
LATE = (
    Target("A", 3.0, True, ("A",)),
    Target("C", 3.0, True, ("C",)),
    Target("mixed-1500", 10.0, True, ("--generated", "full", "mixed-1500")),
)


@dataclass(frozen=True)
class Blow:
    """One run: which signal, how long behind its start or its first solution, and whether an
    earlier solution is in the way."""

    signal: signal.Signals
    after_s: float
    solved: bool
    existing: bool


def blows(rng: random.Random, target: Target, kills: int, first_s: float) -> list[Blow]:
    """The kills, and where not all are late a quarter as many of SIGINT and of SIGTERM; of these,
    half with a solution in the way, and half of either behind the first solution. `first_s` is when
    a run has one."""
    gentle = 0 if target.late else max(2, kills // 4)
    kinds = [signal.SIGKILL] * kills + [signal.SIGINT] * gentle + [signal.SIGTERM] * gentle
    dealt = []
    for index, kind in enumerate(kinds):
        solved = target.late or index // 2 % 2 == 1
        after_s = rng.uniform(0, target.behind_s if solved else 1.5 * first_s)
        dealt.append(Blow(kind, after_s, solved, not target.late and index % 2 == 1))
    return dealt


def place_for_long(program: Path, case_file: Path, solution: Path) -> subprocess.Popen[bytes]:
    """Starts the program on a case; it goes on longer than anybody waits."""
    command = [program, "place", case_file, "-o", solution, "--time-limit",
               str(2 * waferloom.PATIENCE_S), "--threads", "2", "-q"]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def wait_for_solution(process: subprocess.Popen[bytes], solution: Path, before: str) -> None:
    """Until a run has written a solution, or has ended."""
    waferloom.wait_until("solution", lambda: process.poll() is not None or
                         solution.exists() and solution.read_text() != before)


def strike(program: Path, files: tuple[Path, Path], blow: Blow, before: str) -> int | None:
    """Starts the program on a case and a solution's file and sends the signal; its exit code, None
    if it was done before that."""
    process = place_for_long(program, *files)
    try:
        if blow.solved:
            wait_for_solution(process, files[1], before if blow.existing else "")
        time.sleep(blow.after_s)
        process.send_signal(blow.signal)
        code = process.wait(waferloom.PATIENCE_S)
    finally:
        process.kill()
        process.wait()
    return None if code == 0 else code


def first_solution_s(program: Path, case_file: Path) -> float:
    """When a run has its first solution, here and now."""
    solution = case_file.with_suffix(".paced.sol")
    begin = time.monotonic()
    process = place_for_long(program, case_file, solution)
    wait_for_solution(process, solution, "")
    first_s = time.monotonic() - begin
    process.kill()
    process.wait()
    return first_s


def faults(blow: Blow, code: int | None, case: oracle.Case, solution: Path) -> list[str]:
    """What is wrong after a run."""
    wrong = []
    allowed = {None, EXIT_CODES[blow.signal]}
    unheard = -int(blow.signal)  # it came before main() listened
    if not blow.solved:
        allowed.add(unheard)
    if blow.signal != signal.SIGKILL and (blow.existing or not solution.exists()):
        allowed.add(NOTHING_LEGAL_YET)
    if code not in allowed:
        wrong.append(f"exit code {code}")
    if not solution.exists():
        if blow.existing:
            wrong.append("the earlier solution is gone")
        if blow.signal != signal.SIGKILL and code not in (NOTHING_LEGAL_YET, unheard):
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
        code = strike(program, (case_file, solution), blow, before)
        if code is not None:
            outcome.cut.add((number, blow.signal))
        outcome.written += solution.exists() and solution.read_text() != before
        wrong = faults(blow, code, case, solution)
        if blow.solved and not solution.exists():
            wrong.append("the first solution is gone")
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
            first_s = 0.0 if target.late else first_solution_s(options.program, case_file)
            dealt = blows(rng, target, options.cases, first_s)
            outcome = deal(options.program, target, dealt, case_file)
            failures += outcome.failures
            cut += len(outcome.cut)
    return waferloom.finish(failures, f"{cut} runs cut short, every file whole and legal")


if __name__ == "__main__":
    sys.exit(main())
