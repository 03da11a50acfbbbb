#!/usr/bin/env python3
"""The same case, seed and effort give the same solution file at 1, 2 and 4 threads.

    threads_give_same_bytes.py PROGRAM [--cases N] [--seed N]   generated cases
    threads_give_same_bytes.py PROGRAM --contest                contest cases A and Q
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import program as waferloom  # noqa: E402
import random_cases as cases  # noqa: E402

import score_oracle as oracle  # noqa: E402

THREADS = ("1", "2", "4")
CONTEST_CASES = ("A", "Q")


def compare(program: Path, case_file: Path, folder: Path) -> list[str]:
    """Places one case with each number of threads; what differs or is illegal."""
    solutions: dict[str, bytes] = {}
    for threads in THREADS:
        solution = folder / f"{case_file.stem}.{threads}.sol"
        ran = waferloom.run_program(
            program, "place", case_file, "-o", solution, "--effort", "2", "--threads", threads,
            "-q",
        )
        if ran.code != 0:
            return [f"{case_file.name}, {threads} threads: exit {ran.code}: {ran.stderr}"]
        solutions[threads] = solution.read_bytes()
    judgement = oracle.judge_files(case_file, folder / f"{case_file.stem}.1.sol")
    failures = [f"{case_file.name}: {v.kind} {v.kernels}" for v in judgement.violations]
    for threads in THREADS[1:]:
        if solutions[threads] != solutions["1"]:
            failures.append(f"{case_file.name}: {threads} threads differ from one")
    print(f"{case_file.name}: total {judgement.total}", flush=True)
    return failures


def generated(folder: Path, count: int, seed: int) -> list[Path]:
    """Writes generated cases of growing size."""
    files = []
    for index in range(count):
        case = cases.network_case(waferloom.stream(seed, index), 4 + 5 * index, 200)
        files.append(folder / f"generated{index}.kgraph")
        files[-1].write_text(case.text())
    return files


def contest(program: Path, folder: Path) -> list[Path]:
    """Writes the contest cases."""
    files = []
    for case in CONTEST_CASES:
        files.append(folder / f"{case}.kgraph")
        ran = waferloom.run_program(program, "cases", case, "-o", files[-1])
        if ran.code != 0:
            raise AssertionError(f"cases {case}: exit {ran.code}: {ran.stderr}")
    return files


def main() -> int:
    """Runs one of the two forms."""
    of_contest = "--contest" in sys.argv
    if of_contest:
        sys.argv.remove("--contest")
    options = waferloom.test_arguments(__doc__ or "", cases=3)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if of_contest:
            files = contest(options.program, folder)
        else:
            files = generated(folder, options.cases, options.seed)
        failures = [
            text for file in files for text in compare(options.program, file, folder)
        ]
    return waferloom.finish(failures, f"same bytes on {len(files)} cases")


if __name__ == "__main__":
    sys.exit(main())
