#!/usr/bin/env python3
"""Generated cases are placed legally, and the totals that bench tells are the oracle's.

    generated_cases_are_placed.py PROGRAM [--cases N] [--seed N]

Places the small table of `waferloom bench --generated` and N cases of drawn families, sizes and
wafers, at effort 1. No total may be below its bound.
"""

from __future__ import annotations

import random
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import program as waferloom  # noqa: E402

import score_oracle as oracle  # noqa: E402

FAMILIES = ("vgg", "densenet", "mixed", "dag")


def run(program: Path, *arguments: str | Path) -> waferloom.Run:
    """Runs the program, which must succeed."""
    ran = waferloom.run_program(program, *arguments)
    if ran.code != 0:
        raise AssertionError(f"exit code {ran.code} of {arguments}: {ran.stderr}{ran.stdout}")
    return ran


def write_drawn_case(program: Path, folder: Path, rng: random.Random, index: int) -> None:
    """A case that nobody has chosen; families take turns."""
    family = FAMILIES[index % len(FAMILIES)]
    fabric = f"{rng.randint(400, 2500)}x{rng.randint(300, 2500)}"
    weights = ["--edge-weights"] if rng.random() < 0.5 else []
    run(program, "cases", "--family", family, "--kernels", str(rng.randint(10, 24)), "--fabric",
        fabric, "--seed", str(rng.getrandbits(64)), *weights, "-o", f"{folder}/", "-q")


def faults(row: dict, folder: Path) -> list[str]:
    """What the oracle and the bound have against one row of a bench report."""
    name = row["case"]
    judgement = oracle.judge_files(folder / f"{name}.kgraph", folder / f"{name}.sol")
    wrong = [f"{name}: {v.kind} {v.kernels}" for v in judgement.violations]
    if judgement.legal and waferloom.exact(row["total"]) != judgement.total:
        wrong.append(f"{name}: total {row['total']}, expected {judgement.total}")
    if Fraction(row["total"]) < Fraction(row["bound"]["total"]):
        wrong.append(f"{name}: total {row['total']} is below the bound {row['bound']['total']}")
    return wrong


def place(program: Path, folder: Path, *cases: str | Path) -> list[str]:
    """Places cases into the folder that has their files; what is wrong with the results."""
    report = run(program, "bench", *cases, "--effort", "1", "--solutions", folder, "--report", "-",
                 "-q").report()
    files = {path.stem for path in folder.glob("*.kgraph")}
    if {row["case"] for row in report["rows"]} != files:
        return [f"bench did not place all of {sorted(files)}"]
    return [text for row in report["rows"] for text in faults(row, folder)]


def main() -> int:
    """The table, then the drawn cases."""
    options = waferloom.test_arguments(__doc__ or "", cases=4)
    rng = waferloom.stream(options.seed, 0)
    with tempfile.TemporaryDirectory() as name:
        table, drawn = Path(name, "table"), Path(name, "drawn")
        table.mkdir()
        drawn.mkdir()
        run(options.program, "cases", "--generated", "small", "-o", table, "-q")
        failures = place(options.program, table, "--generated", "small")
        for index in range(options.cases):
            write_drawn_case(options.program, drawn, rng, index)
        if options.cases > 0:
            failures += place(options.program, drawn, "--from", drawn)
        count = len(list(Path(name).glob("*/*.sol")))
    return waferloom.finish(failures, f"{count} generated cases placed legally")


if __name__ == "__main__":
    sys.exit(main())
