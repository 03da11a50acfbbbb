#!/usr/bin/env python3
"""`waferloom score` and scripts/score_oracle.py must agree on every field of every judgement.

    score_agrees_with_oracle.py PROGRAM [--cases N] [--seed N]

Random cases with random placements, half of them spoilt in one to three ways; the violation kinds
that occurred are counted, and each kind must have occurred.
"""

from __future__ import annotations

import collections
import random
import sys
import tempfile
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import random_cases as cases  # noqa: E402
import waferloom_program as waferloom  # noqa: E402

import score_oracle as oracle  # noqa: E402

KINDS = (
    "missing_kernel missing_place duplicate_kernel duplicate_place unknown_kernel wrong_type "
    "wrong_formal nonpositive_parameter oversized_parameter memory out_of_bounds overlap"
).split()

# Totals that are easily reported inexactly: some printers of doubles do not find the shortest text.
HARD_NUMBERS = ["708.24606", "0.000001", "8999999999.999999", "9000000000", "0.1", "123456.7"]


@dataclass
class Lines:
    """The lines of a solution in the making: one entry a line, so that it can be spoilt."""

    kinds: list[str] = field(default_factory=list)
    formals: list[list[int]] = field(default_factory=list)
    executions: list[list[int]] = field(default_factory=list)
    places: list[list[int]] = field(default_factory=list)  # x, y, rotated
    definition_names: list[str] = field(default_factory=list)
    place_names: list[str] = field(default_factory=list)

    def text(self, rng: random.Random) -> str:
        """The solution file, its lines in any order."""
        lines = [
            f"{name} = {kind}( {' '.join(map(str, formal + execution))} )"
            for name, kind, formal, execution in zip(
                self.definition_names, self.kinds, self.formals, self.executions
            )
        ]
        lines += [
            f"{name} : place({x} {y} {'R90' if rotated else 'R0'})"
            for name, (x, y, rotated) in zip(self.place_names, self.places)
        ]
        if rng.random() < 0.5:
            rng.shuffle(lines)
        return "\n".join(lines) + "\n"


def random_case(rng: random.Random) -> cases.RandomCase:
    """Any size, from a single small kernel to a dozen big ones."""
    image, features = rng.choice([4, 16, 30, 60, 700]), rng.choice([5, 8, 33, 70, 300, 2048])
    memory = rng.choice([1, 60, 600, 24576, 24576, 10**9, 10**9, 10**12])
    weights = tuple(cases.random_weight(rng) for _ in range(3))
    count = rng.choice([1, 1, 2, 3, 4, 10])
    width, height = (rng.randint(5, rng.choice([40, 900, 9000])) for _ in range(2))
    case = cases.RandomCase(width, height, memory, weights)
    for _ in range(count):
        kind = rng.choice(["conv", "conv", "dblock", "cblock"])
        if kind == "conv":
            case.kernels.append(cases.random_conv(rng, image, features))
        else:
            case.kernels.append(cases.random_block(rng, kind, image, max(8, features)))
    case.edges = cases.random_edges(rng, count)
    if rng.random() < 0.05 and count >= 2:
        case.edges.append((count - 1, 0))  # a cycle, which scoring does not mind
    return case


def random_execution(rng: random.Random, kernel: oracle.Kernel) -> list[int]:
    """Execution parameters within limits where there are any, mostly small."""
    return [
        rng.randint(1, max(1, min(int(limit), rng.choice([1, 2, 3, 8, 40]))))
        for limit in kernel.limits()
    ]


def fair_execution(rng: random.Random, kernel: oracle.Kernel, case: oracle.Case) -> list[int]:
    """The first of a few random executions that meets the memory limit and fits on the wafer."""
    values: list[int] = []
    for _ in range(8):
        values = random_execution(rng, kernel)
        if any(value > limit for value, limit in zip(values, kernel.limits())):
            return values  # F/4 < 1: nothing is legal
        execution = as_execution(values)
        fits = max(kernel.width(execution), kernel.height(execution)) <= case.width
        if fits and kernel.memory(execution) <= case.memory_limit:
            return values
    return values


def as_execution(values: list[int]) -> oracle.Execution:
    """The parameters of a line as the oracle names them."""
    parts = (len(values) - 2) // 2
    return oracle.Execution(
        values[0], values[1], tuple(values[2 : 2 + parts]), tuple(values[2 + parts :])
    )


def random_solution(rng: random.Random, case: cases.RandomCase, known: oracle.Case) -> Lines:
    """Kernels laid out in shelves, which is legal wherever they fit and meet the memory limit."""
    lines = Lines()
    x = y = shelf = 0
    for name, kernel in known.kernels.items():
        values = fair_execution(rng, kernel, known)
        rotated = rng.random() < 0.4
        tiles = oracle.rectangle(
            kernel, as_execution(values), oracle.Place(name, 0, 0, rotated)
        )
        if x + tiles.width > case.width:
            x, y, shelf = 0, y + shelf, 0
        lines.kinds.append(kernel.kind)
        lines.formals.append(list(kernel.formal))
        lines.executions.append(values)
        lines.places.append([x, y, int(rotated)])
        lines.definition_names.append(name)
        lines.place_names.append(name)
        x, shelf = x + tiles.width + rng.choice([0, 0, 1, 5]), max(shelf, tiles.height)
    return lines


def number_case(total: str) -> tuple[cases.RandomCase, Lines]:
    """A legal solution whose total is the given number: one kernel of time 1."""
    case = cases.RandomCase(3, 2, 10, (total, "0", "0"))
    case.kernels.append(cases.RandomKernel("conv", (1,) * 8))
    ones = [1] * 8
    return case, Lines(["conv"], [ones], [ones[:4]], [[0, 0, 0]], ["k1"], ["k1"])


# --- Spoiling ---------------------------------------------------------------------------------


def spoil_place(rng: random.Random, lines: Lines) -> None:
    """Moves a kernel anywhere, also off the wafer and onto others."""
    place = rng.choice(lines.places)
    reach = rng.choice([3, 30, 1000, 10**12])
    place[rng.randrange(2)] += rng.randint(-reach, reach)


def spoil_rotation(rng: random.Random, lines: Lines) -> None:
    """Turns a kernel where it lies."""
    place = rng.choice(lines.places)
    place[2] = 1 - place[2]


def spoil_execution(rng: random.Random, lines: Lines) -> None:
    """Changes an execution parameter, also to nonsense."""
    values = rng.choice(lines.executions)
    for _ in range(rng.choice([1, 1, 3])):
        values[rng.randrange(len(values))] = rng.choice([0, -1, -7, 1, 2, 5, 100, 3000, 10**12])


def spoil_formal(rng: random.Random, lines: Lines) -> None:
    """Changes a formal parameter."""
    values = rng.choice(lines.formals)
    values[rng.randrange(len(values))] += rng.choice([1, 2, 50])


def spoil_kind(rng: random.Random, lines: Lines) -> None:
    """Gives a kernel another type, with as many parameters as that one has."""
    index = rng.randrange(len(lines.kinds))
    kind = rng.choice([k for k in cases.CONVOLUTIONS if k != lines.kinds[index]])
    lines.kinds[index] = kind
    lines.formals[index] = [4] * oracle.FORMALS[kind]
    lines.executions[index] = [1] * (2 + 2 * oracle.CONVOLUTIONS[kind])


def spoil_missing(rng: random.Random, lines: Lines) -> None:
    """Drops a parameter or a place line."""
    if rng.random() < 0.5:
        index = rng.randrange(len(lines.kinds))
        for part in (lines.kinds, lines.formals, lines.executions, lines.definition_names):
            del part[index]
    else:
        index = rng.randrange(len(lines.places))
        del lines.places[index], lines.place_names[index]


def spoil_duplicate(rng: random.Random, lines: Lines) -> None:
    """Repeats a parameter or a place line, perhaps with other numbers, perhaps twice."""
    for _ in range(rng.choice([1, 1, 2])):
        if rng.random() < 0.5:
            index = rng.randrange(len(lines.kinds))
            lines.kinds.append(lines.kinds[index])
            lines.formals.append(list(lines.formals[index]))
            lines.executions.append(list(lines.executions[index]))
            lines.definition_names.append(lines.definition_names[index])
        else:
            index = rng.randrange(len(lines.places))
            lines.places.append([rng.randint(0, 50), rng.randint(0, 50), rng.randrange(2)])
            lines.place_names.append(lines.place_names[index])


def spoil_name(rng: random.Random, lines: Lines) -> None:
    """Renames a line to a name that is no kernel's, or to that of an input node."""
    names = rng.choice([lines.definition_names, lines.place_names])
    names[rng.randrange(len(names))] = rng.choice(["stranger", "k0", "k999"])


SPOILERS = [
    spoil_place, spoil_place, spoil_rotation, spoil_execution, spoil_execution, spoil_formal,
    spoil_kind, spoil_missing, spoil_duplicate, spoil_name,
]


def spoil(rng: random.Random, lines: Lines) -> None:
    """Breaks one to three rules, perhaps."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        if lines.places and lines.kinds:
            rng.choice(SPOILERS)(rng, lines)


# --- Comparing --------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What one comparison found."""

    failure: str | None
    legal: bool
    kinds: list[str]


def expected(judgement: oracle.Judgement) -> dict[str, object]:
    """The oracle's judgement in comparable form."""

    def value(number: Fraction | int | None) -> Fraction | None:
        return None if number is None else Fraction(oracle.decimal_text(number))

    return {
        "legal": judgement.legal,
        "violations": sorted((v.kind, tuple(sorted(v.kernels))) for v in judgement.violations),
        "time": value(judgement.time),
        "distance": value(judgement.distance),
        "adapter": value(judgement.adapter),
        "total": value(judgement.total),
    }


def reported(report: dict) -> dict[str, object]:
    """The program's judgement in comparable form."""
    numbers = {key: waferloom.exact(report[key]) for key in "time distance adapter total".split()}
    violations = [(v["kind"], tuple(sorted(v["kernels"]))) for v in report["violations"]]
    return {"legal": report["legal"], "violations": sorted(violations)} | numbers


def compare(program: Path, folder: Path, seed: int, index: int) -> Outcome:
    """Makes case `index`, has both judge it, and compares."""
    rng = waferloom.stream(seed, index)
    if index < len(HARD_NUMBERS):
        case, lines = number_case(HARD_NUMBERS[index])
        known = oracle.read_case(case.text())
    else:
        case = random_case(rng)
        known = oracle.read_case(case.text())
        lines = random_solution(rng, case, known)
        if rng.random() < 0.5:
            spoil(rng, lines)
    text = lines.text(rng)
    case_file, solution_file = folder / f"{index}.kgraph", folder / f"{index}.sol"
    case_file.write_text(case.text())
    solution_file.write_text(text)
    judgement = oracle.judge(known, oracle.read_solution(text))
    ran = waferloom.run(program, "score", case_file, solution_file, "--report", "-")
    kinds = [violation.kind for violation in judgement.violations]
    failure = difference(judgement, ran)
    if failure:
        failure = f"case {index}: {failure}\n{case.text()}{text}"
    case_file.unlink()
    solution_file.unlink()
    return Outcome(failure, judgement.legal, kinds)


def difference(judgement: oracle.Judgement, ran: waferloom.Run) -> str | None:
    """How the program's run differs from the oracle's judgement; None if it does not."""
    wanted = 0 if judgement.legal else 4
    if ran.exit_code != wanted:
        return f"exit code {ran.exit_code}, expected {wanted}: {ran.stderr} {ran.stdout}"
    theirs, ours = reported(ran.report()), expected(judgement)
    differing = [key for key in ours if ours[key] != theirs[key]]
    if differing:
        return "; ".join(f"{key}: {theirs[key]}, expected {ours[key]}" for key in differing)
    return None


def main() -> int:
    """Runs all cases."""
    options = waferloom.test_arguments(__doc__ or "", cases=2500)
    with tempfile.TemporaryDirectory() as name:
        outcomes = waferloom.run_in_order(
            lambda index: compare(options.program, Path(name), options.seed, index),
            range(options.cases),
        )
    counts = collections.Counter(kind for outcome in outcomes for kind in outcome.kinds)
    legal = sum(outcome.legal for outcome in outcomes)
    print(f"{legal} legal, violations: {dict(sorted(counts.items()))}")
    failures = [outcome.failure for outcome in outcomes if outcome.failure]
    if options.cases >= 1000:
        failures += [f"no case had the violation {kind}" for kind in KINDS if not counts[kind]]
        if legal * 5 < options.cases:
            failures.append(f"only {legal} of {options.cases} cases were legal")
    return waferloom.finish(failures, "the program and the oracle agree on all of them")


if __name__ == "__main__":
    sys.exit(main())
