#!/usr/bin/env python3
"""`waferloom score` and scripts/score_oracle.py must agree on every field of every judgement.

    score_agrees_with_oracle.py PROGRAM [--cases N] [--seed N]

Random cases, some with shapes, weighted edges, a wafer file and constraints, with random
placements, half of them spoilt in one to three ways; the violation kinds
that occurred are counted, and each kind must have occurred.
"""

from __future__ import annotations

import collections
import json
import random
import sys
import tempfile
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import program as waferloom  # noqa: E402
import random_cases as cases  # noqa: E402
import random_solutions as solutions  # noqa: E402

import score_oracle as oracle  # noqa: E402

KINDS = (
    "missing_kernel missing_place duplicate_kernel duplicate_place unknown_kernel wrong_type "
    "wrong_formal nonpositive_parameter oversized_parameter memory out_of_bounds overlap "
    "dead_tiles fixed inside outside"
).split()

# Totals that are easily reported inexactly: some printers of doubles do not find the shortest text.
HARD_NUMBERS = ["708.24606", "0.000001", "8999999999.999999", "9000000000", "0.1", "123456.7"]


def random_case(rng: random.Random) -> cases.RandomCase:
    """Any size, from a single small kernel to a dozen big ones."""
    image, features = rng.choice([4, 16, 30, 60, 700]), rng.choice([5, 8, 33, 70, 300, 2048])
    memory = rng.choice([1, 60, 600, 24576, 24576, 10**9, 10**9, 10**12])
    weights = tuple(cases.random_weight(rng) for _ in range(3))
    count = rng.choice([1, 1, 2, 3, 4, 10])
    width, height = (rng.randint(5, rng.choice([40, 900, 9000])) for _ in range(2))
    case = cases.RandomCase(width, height, memory, weights)
    for _ in range(count):
        kind = rng.choice(["conv", "conv", "dblock", "cblock", "shapes"])
        if kind == "shapes":
            case.kernels.append(cases.random_shapes(rng, rng.choice([3, 12, 60])))
        elif kind == "conv":
            case.kernels.append(cases.random_conv(rng, image, features))
        else:
            case.kernels.append(cases.random_block(rng, kind, image, max(8, features)))
    case.edges = cases.random_edges(rng, count)
    if rng.random() < 0.05 and count >= 2:
        case.edges.append((count - 1, 0))  # a cycle, which scoring does not mind
    case.edge_weights = cases.random_edge_weights(rng, len(case.edges))
    return case


def number_case(total: str) -> tuple[cases.RandomCase, solutions.Lines]:
    """A legal solution whose total is the given number: one kernel of time 1."""
    case = cases.RandomCase(3, 2, 10, (total, "0", "0"))
    case.kernels.append(cases.RandomKernel("conv", (1,) * 8))
    ones = [1] * 8
    return case, solutions.Lines(["conv"], [ones], [ones[:4]], [[0, 0, 0]], ["k1"], ["k1"])


def rewritten(rng: random.Random, text: str) -> str:
    """The same case in another hand: lines in any order, tabs, CRLF, a BOM, no final newline."""
    header, body = text.split("*)\n", 1)
    lines = body.splitlines()
    if rng.random() < 0.5:
        rng.shuffle(lines)
    text = header + "*)\n" + "\n".join(lines)
    if rng.random() < 0.5:
        text = text.replace(" ", "\t ").replace("\n", "\r\n")
    return "\ufeff" * rng.randrange(2) + text


def random_rectangle(rng: random.Random, width: int, height: int) -> dict[str, int]:
    """A rectangle that shares tiles with the given sides, mostly small, perhaps reaching beyond."""
    most = rng.choice([1, 3, 20, 200])
    x, y = rng.randrange(width), rng.randrange(height)
    sides = rng.randint(1, most), rng.randint(1, most)
    if rng.random() < 0.1:
        x = max(x - rng.randint(0, 9), 1 - sides[0])
        y = max(y - rng.randint(0, 9), 1 - sides[1])
    return {"x": x, "y": y, "width": sides[0], "height": sides[1]}


def random_wafer(rng: random.Random, known: oracle.Case) -> str:
    """A wafer file: the case's wafer or one a little larger, with dead rectangles."""
    wafer: dict = {"width": known.width + rng.choice([0, 0, 3]), "height": known.height}
    if rng.random() < 0.3:
        wafer["memory_limit"] = rng.choice([100, 24576, 10**9])
    dead = rng.choice([0, 1, 2, 40])
    wafer["dead"] = [random_rectangle(rng, known.width, known.height) for _ in range(dead)]
    return json.dumps(wafer)


def random_constraints(rng: random.Random, known: oracle.Case, lines: solutions.Lines) -> str:
    """Constraints of which many hold: kernels fixed where they lie, regions around them."""
    names = list(known.kernels)
    fixed: list = []
    for index, name in enumerate(names):
        x, y, rotated = lines.places[index]
        limits, values = known.kernels[name].limits(), lines.executions[index]
        if rng.random() < 0.7 or x >= known.width or y >= known.height:
            continue
        if any(value > limit for value, limit in zip(values, limits)):
            continue
        x = min(max(x + rng.choice([0, 0, 0, 1]), 0), known.width - 1)
        orientation = "R90" if rotated else "R0"
        entry = {"kernel": name, "x": x, "y": y, "orientation": orientation}
        if rng.random() < 0.4:
            entry["execution"] = values
        elif rng.random() < 0.4:
            entry = f"{name} : place({x} {y} {orientation})"
        fixed.append(entry)
    regions = []
    for _ in range(rng.choice([0, 1, 2, 5])):
        some = rng.sample(names, rng.randint(1, len(names)))
        rule = rng.choice(["inside", "outside", "outside", "prefer", "prefer"])
        region: dict = {"kernels": rng.choice(["*", some]), "rule": rule}
        region["rectangle"] = random_rectangle(rng, known.width, known.height)
        if rule == "inside" and rng.random() < 0.8:
            region["rectangle"] = {"x": -1, "y": 0, "width": 9001, "height": 9001}
        if rule == "prefer" and rng.random() < 0.8:
            weight = rng.choice(["0", "1", "2.5", "0.001", "31.25", "1000"])
            region["weight"] = json.loads(weight)
        regions.append(region)
    return json.dumps({"fixed": fixed, "regions": regions})


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
        "preference": value(judgement.preference),
        "total": value(judgement.total),
    }


def reported(report: dict) -> dict[str, object]:
    """The program's judgement in comparable form."""
    keys = "time distance adapter preference total".split()
    numbers = {key: waferloom.exact(report[key]) for key in keys}
    violations = [(v["kind"], tuple(sorted(v["kernels"]))) for v in report["violations"]]
    return {"legal": report["legal"], "violations": sorted(violations)} | numbers


def compare(program: Path, folder: Path, seed: int, index: int) -> Outcome:
    """Makes case `index`, has both judge it, and compares."""
    rng = waferloom.stream(seed, index)
    options: dict[str, str] = {}
    if index < len(HARD_NUMBERS):
        case, lines = number_case(HARD_NUMBERS[index])
        known = oracle.read_case(case.text())
    else:
        case = random_case(rng)
        known = oracle.read_case(case.text())
        if rng.random() < 0.3:
            options["--wafer"] = random_wafer(rng, known)
            oracle.apply_wafer(known, options["--wafer"])
        lines = solutions.random_solution(rng, case, known)
        if rng.random() < 0.3:
            options["--constraints"] = random_constraints(rng, known, lines)
        if rng.random() < 0.5:
            solutions.spoil(rng, lines)
    text, case_text = lines.text(rng), case.text()
    if rng.random() < 0.2:
        case_text = rewritten(rng, case_text)
    known = oracle.read_case(case_text)
    files: list[Path | str] = []
    for option, content in options.items():
        (oracle.apply_wafer if option == "--wafer" else oracle.apply_constraints)(known, content)
        file = folder / f"{index}{option}.json"
        file.write_text(content)
        files += [option, file]
    case_file, solution_file = folder / f"{index}.kgraph", folder / f"{index}.sol"
    case_file.write_text(case_text, newline="")
    solution_file.write_text(text)
    judgement = oracle.judge(known, oracle.read_solution(text))
    ran = waferloom.run_program(program, "score", case_file, solution_file, *files, "--report", "-")
    kinds = [violation.kind for violation in judgement.violations]
    failure = difference(judgement, ran)
    if failure:
        failure = f"case {index}: {failure}\n{case_text}\n{text}\n{options}"
    case_file.unlink()
    solution_file.unlink()
    return Outcome(failure, judgement.legal, kinds)


def difference(judgement: oracle.Judgement, ran: waferloom.Run) -> str | None:
    """How the program's run differs from the oracle's judgement; None if it does not."""
    needs_dead = {violation.kind for violation in judgement.violations} == {"dead_tiles"}
    wanted = 0 if judgement.legal else 3 if needs_dead else 4
    if ran.code != wanted:
        return f"exit code {ran.code}, expected {wanted}: {ran.stderr} {ran.stdout}"
    theirs, ours = reported(ran.report()), expected(judgement)
    differing = [key for key in ours if ours[key] != theirs[key]]
    if differing:
        return "; ".join(f"{key}: {theirs[key]}, expected {ours[key]}" for key in differing)
    return None


def main() -> int:
    """Runs all cases."""
    options = waferloom.test_arguments(__doc__ or "", cases=1000)
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
