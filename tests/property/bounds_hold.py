#!/usr/bin/env python3
"""No bound is above, and no placement below, the exhaustive optimum of tiny cases.

    bounds_hold.py PROGRAM [--cases N] [--seed N]

1 to 4 kernels on wafers up to 12 × 12. For each case scripts/tiny_optimum.py finds the least total
and the least time of any legal placement, `waferloom place --effort 1` places it, and
scripts/score_oracle.py judges the solution file. Demanded:

  * report.bound.time ≤ least time, report.bound.total ≤ least total ≤ report.score.total;
  * `optimal` exactly where report.score.total is report.bound.total, which then is the least total;
  * the file is legal, its score is the reported one;
  * exit 3 wherever nothing legal exists. Elsewhere exit 3 is a miss of the heuristic: at most
    one in twenty of the cases that can be placed, and never for a single kernel.
"""

from __future__ import annotations

import multiprocessing
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import program as waferloom  # noqa: E402
import random_cases as cases  # noqa: E402

import score_oracle as oracle  # noqa: E402
import tiny_optimum as tiny  # noqa: E402


@dataclass(frozen=True)
class Task:
    """One case to be tried, in a process of its own."""

    program: Path
    folder: Path
    seed: int
    index: int


@dataclass(frozen=True)
class Outcome:
    """How a case went: what it was, and what was wrong."""

    label: str  # optimal, placed, missed, impossible
    tight: bool  # the total's bound is the optimum
    failure: str | None


def tiny_case(rng: random.Random) -> cases.RandomCase:
    """A case that exhaustive search can settle."""
    count = rng.choices([1, 2, 3, 4], [2, 3, 3, 2])[0]
    weights = tuple(cases.random_weight(rng) for _ in range(3))
    if rng.random() < 0.3:  # wire decides
        weights = (weights[0], *(rng.choice(["3", "40"]) for _ in range(2)))
    memory = rng.choice([40, 150, 1000, 24576, 24576])
    case = cases.RandomCase(rng.randint(5, 12), rng.randint(5, 12), memory, weights)
    for _ in range(count):
        room = max(case.width, case.height) >= 9 and count <= 3
        kind = rng.choices(["conv", "dblock", "cblock"], [8, 2 * room, room])[0]
        if kind == "conv":
            kernel = cases.random_conv(rng, rng.choice([2, 4, 8]), rng.choice([2, 4, 8]))
        else:
            kernel = cases.random_block(rng, kind, 4, rng.choice([4, 8, 12]))
        case.kernels.append(kernel)
    case.edges = tiny_edges(rng, count)
    return case


def tiny_edges(rng: random.Random, count: int) -> list[tuple[int, int]]:
    """Any edges, or one of the shapes that inequalities of the bounds are about."""
    kind = rng.choice(["any", "chain", "star", "cycle", "all"])
    if count < 3 or kind == "any":
        return cases.random_edges(rng, count)
    chain = [(i, i + 1) for i in range(count - 1)]
    shapes = {
        "chain": chain,
        "cycle": chain + [(0, count - 1)],
        "all": [(i, j) for j in range(count) for i in range(j)],
    }
    if kind == "star":
        hub = rng.randrange(count)
        return [(min(hub, i), max(hub, i)) for i in range(count) if i != hub]
    return shapes[kind]


def faults_of_report(report: dict, optimum: tiny.Optimum, judged: oracle.Judgement) -> list[str]:
    """What a placed case's report gets wrong."""
    score = {k: waferloom.exact(report["score"][k]) for k in "time distance adapter total".split()}
    # Reports round what no decimal can say; compared are values rounded the same way.
    least_total, least_time = (decimal(value) for value in (optimum.total, optimum.time))
    bound_time, bound_total = (waferloom.exact(report["bound"][k]) for k in ("time", "total"))
    parts = (judged.time, judged.distance, judged.adapter, judged.total)
    checks = {
        "the solution is illegal": judged.legal and report["legal"] is True,
        "the file's score is not the reported one": [
            None if part is None else decimal(part) for part in parts
        ]
        == list(score.values()),
        "the time's bound is above the least time": bound_time <= least_time,
        "the total's bound is above the least total": bound_total <= least_total,
        "the total is below the least total": score["total"] >= least_total,
        "optimal is not what it says": report["optimal"] is (score["total"] == bound_total),
    }
    return [text for text, holds in checks.items() if not holds]


def decimal(value: oracle.Fraction | int) -> oracle.Fraction:
    """The value as reports round it."""
    return oracle.Fraction(oracle.decimal_text(value))


def outcome_of(
    case: cases.RandomCase, optimum: tiny.Optimum, ran: waferloom.Run, solution: Path
) -> Outcome:
    """Judges one run of the program."""
    if ran.code == 3:
        if optimum.total is None:
            return Outcome("impossible", False, None)
        single = "a single kernel was not placed" if len(case.kernels) == 1 else None
        return Outcome("missed", False, single)
    if ran.code != 0:
        return Outcome("failed", False, f"exit code {ran.code}: {ran.stderr}")
    if optimum.total is None:
        return Outcome("failed", False, "placed where nothing legal exists")
    report = ran.report()
    judged = oracle.judge(oracle.read_case(case.text()), oracle.read_solution(solution.read_text()))
    faults = faults_of_report(report, optimum, judged)
    best = waferloom.exact(report["score"]["total"]) == decimal(optimum.total)
    tight = waferloom.exact(report["bound"]["total"]) == decimal(optimum.total)
    failure = "; ".join(faults) + f"\n{optimum}\n{ran.stdout}" if faults else None
    return Outcome("optimal" if best else "placed", tight, failure)


def try_case(task: Task) -> Outcome:
    """Settles one case and lets the program place it."""
    case = tiny_case(waferloom.stream(task.seed, task.index))
    optimum = tiny.tiny_optimum(oracle.read_case(case.text()))
    case_file = task.folder / f"{task.index}.kgraph"
    solution = task.folder / f"{task.index}.sol"
    case_file.write_text(case.text())
    ran = waferloom.run_program(
        task.program, "place", case_file, "-o", solution, "--effort", "1", "--threads", "1",
        "--report", "-", "-q",
    )
    outcome = outcome_of(case, optimum, ran, solution)
    if outcome.failure is None:
        return outcome
    text = f"case {task.index}: {outcome.failure}\n{case.text()}"
    return Outcome(outcome.label, outcome.tight, text)


def main() -> int:
    """Tries all cases, two at a time."""
    options = waferloom.test_arguments(__doc__ or "", cases=650)
    with tempfile.TemporaryDirectory() as name:
        tasks = [
            Task(options.program, Path(name), options.seed, index)
            for index in range(options.cases)
        ]
        with multiprocessing.Pool(waferloom.WORKERS) as pool:
            outcomes = pool.map(try_case, tasks, chunksize=4)
    counts = Counter(outcome.label for outcome in outcomes)
    possible = counts["optimal"] + counts["placed"] + counts["missed"]
    tight = sum(outcome.tight for outcome in outcomes)
    print(f"{dict(sorted(counts.items()))}, bound tight {tight} times")
    failures = [outcome.failure for outcome in outcomes if outcome.failure]
    if counts["missed"] * 20 > possible:
        failures.append(f"{counts['missed']} of {possible} cases were not placed")
    if possible * 4 < options.cases * 3:  # the drawn cases say something
        failures.append(f"only {possible} of {options.cases} cases can be placed at all")
    return waferloom.finish(failures, f"all bounds hold on {options.cases} cases")


if __name__ == "__main__":
    sys.exit(main())
