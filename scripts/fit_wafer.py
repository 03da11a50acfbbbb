#!/usr/bin/env python3
"""Fits the figures of a machine's programs (`programs` of a hardware file) to measured rows.

The rows are files in the form that `waferloom validate --model wafer --rows` takes. All programs of
a machine and data type are fitted together, each procedure with equal weight, by least squares of
relative errors with figures of at least 0; an issue does no more multiply-adds than a tile can.
Cycles are linear in the figures, by the forms of scripts/fits/wafer_forms.py. No program has more than
one figure of its own for every four of its rows.

Prints the figures and, by kind of rows, the errors on the rows that they were fitted on, on the
others, and on each mesh's rows if those of that mesh are left out. Writes the figures, the seed and
the ids of the rows as JSON.
"""

import argparse
import json
import math
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fits.wafer_forms import (PEAK, PROCEDURES, PROGRAMS, Program, counted, measured_cycles,  # noqa: E402
                         mesh_side, procedure_of)

SECTIONS = ("gemm", "gemv", "collectives", "transformer", "other")
DIGITS = 4
ROWS_A_FIGURE = 4
Key = tuple[str, str]  # a program and a figure of it


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gauss's elimination with pivots."""
    size = len(right)
    rows = [matrix[i] + [right[i]] for i in range(size)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda at: abs(rows[at][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for at in range(size):
            if at == i:
                continue
            factor = rows[at][i] / rows[i][i]
            rows[at] = [a - factor * b for a, b in zip(rows[at], rows[i])]
    return [rows[i][size] / rows[i][i] for i in range(size)]


def least_squares(samples: list[tuple[list[float], float]]) -> list[float]:
    """Figures of at least 0: those that would be below are taken as 0, the lowest first."""
    ridge = 1e-12  # what no row tells apart becomes small
    active = list(range(len(samples[0][0])))
    values: list[float] = []
    while active:
        matrix = [[sum(x[i] * x[j] for x, _ in samples) + (ridge if i == j else 0) for j in active]
                  for i in active]
        right = [sum(x[i] * y for x, y in samples) for i in active]
        values = solve(matrix, right)
        if min(values) >= 0:
            break
        del active[min(range(len(values)), key=lambda at: values[at])]
    found = [0.0] * len(samples[0][0])
    for at, value in zip(active, values):
        found[at] = value
    return found


class Row:
    """A measured row: its cycles, and what its program does."""

    def __init__(self, row: dict) -> None:
        self.id = row["id"]
        self.procedure = procedure_of(row)
        self.kind = PROCEDURES[self.procedure][0]
        self.measured = measured_cycles(row)
        self.counts: Program = counted(row)
        self.side = mesh_side(row)
        self.size = tuple(row["settings"].get("tile", ())), row["settings"].get("dim", 0)

    def error(self, figures: dict[Key, float]) -> float:
        return self.counts.total(figures) / self.measured - 1


def read_rows(paths: list[Path], machine: str, data_type: str) -> dict[str, list[Row]]:
    """By procedure."""
    found: dict[str, list[Row]] = {}
    for path in paths:
        data = json.loads(path.read_text())
        for section in SECTIONS:
            for row in data.get(section, []):
                if row["machine"] != machine or row["how"] != "device" \
                        or row["settings"].get("dtype") != data_type \
                        or procedure_of(row) not in PROCEDURES or measured_cycles(row) is None:
                    continue
                found.setdefault(procedure_of(row), []).append(Row(row))
    return {name: sorted(rows, key=lambda row: (row.size, row.side, row.id))
            for name, rows in sorted(found.items())}


def half_of(rows: list[Row], rng: random.Random) -> list[Row]:
    """One of each two that follow one another by size, so that both halves have all sizes."""
    return [rng.choice(rows[at:at + 2]) for at in range(0, len(rows), 2)]


def least_of(key: Key, machine: str, data_type: str) -> float:
    """No issue takes fewer cycles than its multiply-adds at the tile's peak."""
    if key[1] != "issue":
        return 0.0
    lanes = Program(machine, data_type, key[0]).of_itself("lanes")
    return lanes / PEAK[machine, data_type]


def fit(rows: dict[str, list[Row]], base: dict[Key, float], ground: tuple[str, str]) \
        -> dict[Key, float]:
    """`base`: figures that are not fitted."""
    keys = sorted({key for of in rows.values() for row in of for key in row.counts.terms
                   if key not in base})
    least = {key: least_of(key, *ground) for key in keys}
    samples = []
    for of in rows.values():
        for row in of:
            weight = 1 / row.measured / math.sqrt(len(of))
            terms = row.counts.terms
            known = row.counts.fixed + sum(
                count * base.get(key, least.get(key, 0)) for key, count in terms.items())
            samples.append(([terms.get(key, 0) * weight for key in keys],
                            (row.measured - known) * weight))
    values = least_squares(samples)
    return base | {key: least[key] + value for key, value in zip(keys, values)}


def rounded(figures: dict[Key, float]) -> dict[Key, float]:
    return {key: float(f"{value:.{DIGITS}g}") for key, value in figures.items()}


def text_of(errors: list[float]) -> str:
    if not errors:
        return "no row"
    by_size = sorted(map(abs, errors))
    return (f"{len(errors)} rows, median {by_size[len(errors) // 2]:.2%}, "
            f"worst {by_size[-1]:.2%}")


def percents(errors: list[float]) -> dict[str, float]:
    by_size = sorted(map(abs, errors))
    return {"rows": len(errors), "median_percent": round(100 * by_size[len(errors) // 2], 1),
            "worst_percent": round(100 * by_size[-1], 1)}


def without_a_mesh(rows: dict[str, list[Row]], base: dict[Key, float], ground: tuple[str, str]) \
        -> dict[str, list[float]]:
    """By procedure, the errors on each mesh's rows with figures of all others."""
    errors: dict[str, list[float]] = {name: [] for name in rows}
    for side in sorted({row.side for of in rows.values() for row in of}):
        others = {name: [row for row in of if row.side != side] for name, of in rows.items()}
        figures = fit({name: of for name, of in others.items() if of}, base, ground)
        for name, of in rows.items():
            # A program none of whose rows are left has no figures to judge.
            errors[name] += [row.error(figures) for row in of
                             if row.side == side and all(key in figures
                                                         for key in row.counts.terms)]
    return errors


def demand_rows(rows: dict[str, list[Row]], ground: tuple[str, str]) -> None:
    """A figure for every four rows of its program, at most."""
    for name, (_, fitted, _) in PROGRAMS[ground].items():
        of_program = sum(len(of) for of in rows.values()
                         if any(key[0] == name for key in of[0].counts.terms))
        figures = {key for of in rows.values() for row in of for key in row.counts.terms
                   if key[0] == name and key[1] in fitted}
        if len(figures) * ROWS_A_FIGURE > of_program:
            sys.exit(f"{name}: {len(figures)} figures are too many for {of_program} rows")


def base_of(path: Path | None, ground: tuple[str, str]) -> dict[Key, float]:
    """Figures of another machine's fit, where this one's programs have none of their own."""
    if path is None:
        return {}
    programs = json.loads(path.read_text())["programs"]
    base: dict[Key, float] = {}
    for name, figures in programs.items():
        if name not in PROGRAMS[ground]:
            continue
        for figure, value in figures.items():
            program = Program(*ground, name)
            if figure not in program.table[name][1] and figure not in program.table[name][2]:
                base[name, figure] = value
    return base


def check(program: str, paths: list[Path], rows: dict[str, list[Row]],
          figures: dict[Key, float]) -> None:
    """Demands that the program's figures give what these forms give."""
    for path in paths:
        done = subprocess.run([program, "validate", "--model", "wafer", "--rows", str(path),
                               "--report", "-"], capture_output=True, check=True)
        theirs = {row["id"]: row["error_percent"] for row in json.loads(done.stdout)["rows"]}
        for of in rows.values():
            for row in of:
                if row.id not in theirs:
                    continue
                ours = row.error(figures)
                if row.procedure.startswith("waferllm_tables"):
                    ours = 1 / (1 + ours) - 1  # of rates
                if theirs[row.id] is None or abs(theirs[row.id] - 100 * ours) > 1e-6:
                    sys.exit(f"{row.id}: the program is off by {theirs[row.id]} %, "
                             f"this script by {100 * ours} %")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: scripts/fit_wafer.py rows.json --machine WSE-3 -o fit.json")
    parser.add_argument("rows", type=Path, nargs="+", help="files of measured rows")
    parser.add_argument("--machine", required=True, choices=sorted({at[0] for at in PROGRAMS}))
    parser.add_argument("--data-type", default="fp16", choices=("fp16", "fp32"))
    parser.add_argument("--on", default="half", choices=("half", "all"),
                        help="fit on one of each two rows that are next by size, or on all (half)")
    parser.add_argument("--seed", type=int, default=1, help="of the choice (1)")
    parser.add_argument("--base", type=Path, metavar="FIT",
                        help="the fit of another machine, for figures that are not fitted here")
    parser.add_argument("-o", "--output", type=Path, help="where the fit goes")
    parser.add_argument("--check", metavar="PROGRAM",
                        help="compare with waferloom, whose presets must have this fit")
    arguments = parser.parse_args()
    ground = (arguments.machine, arguments.data_type)
    if ground not in PROGRAMS:
        sys.exit(f"no programs of {arguments.machine} in {arguments.data_type} are known")
    rows = read_rows(arguments.rows, *ground)
    if not rows:
        sys.exit(f"{arguments.rows[0]}: no row of {arguments.machine} can be fitted")
    demand_rows(rows, ground)
    rng = random.Random(arguments.seed)
    on = rows if arguments.on == "all" else {name: half_of(of, rng) for name, of in rows.items()}
    used = {key for of in rows.values() for row in of for key in row.counts.terms}
    base = {key: value for key, value in base_of(arguments.base, ground).items() if key in used}
    figures = rounded(fit(on, base, ground))
    left_out = without_a_mesh(rows, base, ground)
    for name, of in rows.items():
        kind = of[0].kind
        chosen = {row.id for row in on[name]}
        print(f"{kind}: fitted on {text_of([row.error(figures) for row in on[name]])}")
        print(f"{kind}: judged on "
              f"{text_of([row.error(figures) for row in of if row.id not in chosen])}")
        print(f"{kind}: each mesh left out in turn, {text_of(left_out[name])}")
    for (program, figure), value in sorted(figures.items()):
        print(f"  {program + '.' + figure:32} {value:g}{'  not fitted' * ((program, figure) in base)}")
    if arguments.check:
        check(arguments.check, arguments.rows, rows, figures)
    if arguments.output:
        programs: dict[str, dict[str, float]] = {}
        for (program, figure), value in sorted(figures.items()):
            programs.setdefault(program, {})[figure] = value
        fitted = {"machine": arguments.machine, "data_type": arguments.data_type,
                  "on": arguments.on, "seed": arguments.seed, "programs": programs,
                  "each_mesh_left_out": {of[0].kind: percents(left_out[name])
                                         for name, of in rows.items()},
                  "rows": sorted(row.id for of in on.values() for row in of)}
        arguments.output.write_text(json.dumps(fitted, indent=2) + "\n")


if __name__ == "__main__":
    main()
