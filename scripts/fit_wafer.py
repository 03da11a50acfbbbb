#!/usr/bin/env python3
"""Fits the cycles of a tile's steps (`tile_cycles` of a hardware file) to measured rows.

The rows are a file in the form that `waferloom validate --model wafer --rows` takes. All kinds of
a machine are fitted together, each kind with equal weight, by least squares of relative errors with
figures of at least 0; an issue of multiply-adds takes at least one cycle. The cost of an operator is
linear in the figures where words hide behind products, which holds for all rows. It is written here
once more, apart from kernels/operators, so that each checks the other: --check compares.

Writes the figures, the seed and the ids of the rows that they were fitted on as JSON.
"""

import argparse
import json
import math
import random
import subprocess
import sys
from pathlib import Path

FIGURES = ("start", "phase", "exchange", "relay", "relay_word", "chain_stage", "update", "vector",
           "issue")
AT_LEAST = {"issue": 1.0}
LOCAL = ("update", "vector", "issue")  # of products of blocks
KINDS = {"meshgemm_wse3": "meshgemm", "summa_wse2": "summa", "meshgemv_wse3": "meshgemv",
         "shift_wse3": "shift"}
SECTIONS = ("gemm", "gemv", "collectives", "transformer", "other")
LANES = {"fp16": 4, "fp32": 1}
BYTES = {"fp16": 2, "fp32": 4}
HOP_CYCLES = {"WSE-2": 1.0, "WSE-3": 2.0}
RAMP_CYCLES = 2.0
DATA_TYPES = {"WSE-2": "fp32", "WSE-3": "fp16"}  # of the rows that are fitted
SMALL = {"P": 208, "tile": 4}
DIGITS = 4


def parts(extent: int, ways: int) -> int:
    return -(-extent // ways)


def words(settings: dict, elements: int) -> int:
    return parts(elements * BYTES[settings["dtype"]], 4)


def way(row: dict, hops: float) -> float:
    """From a tile to one so many hops away."""
    return hops * HOP_CYCLES[row["machine"]] + 2 * RAMP_CYCLES


def product(settings: dict, times: float, m: int, k: int, n: int) -> dict[str, float]:
    """Rank-one updates of a block, so many times."""
    lanes = LANES[settings["dtype"]]
    return {"update": times * k, "vector": times * k * n, "issue": times * k * n * parts(m, lanes)}


def meshgemm(row: dict) -> tuple[dict[str, float], float]:
    settings = row["settings"]
    side = settings["P"]
    m, k, n = settings["tile"]
    terms = product(settings, side, m, k, n)
    terms |= {"start": 1, "exchange": 2 * side + side // 2}
    return terms, side // 2 * (words(settings, m * k) + way(row, 2))


def summa(row: dict) -> tuple[dict[str, float], float]:
    settings = row["settings"]
    side = settings["P"]
    m, k, n = settings["tile"]
    terms = product(settings, side, m, k, n)
    terms |= {"start": 1, "phase": 2 * side}
    moved = words(settings, m * k) + words(settings, k * n)
    hops = max(2 * side - 1, 4 * side - 8)
    return terms, side * (moved + 2 * RAMP_CYCLES) + hops * HOP_CYCLES[row["machine"]]


def chains(members: int, hop: float, block: int) -> float:
    """Words from both ends to the middle: each stage has two ramps, an adder and a hop; the middle
    takes in a word a cycle."""
    stage = 2 * RAMP_CYCLES + 1 + hop
    begins = sorted(length * stage for length in (members // 2, members - 1 - members // 2)
                    if length > 0)
    return max((begin + block * (len(begins) - i) for i, begin in enumerate(begins)), default=0.0)


def meshgemv(row: dict) -> tuple[dict[str, float], float]:
    settings = row["settings"]
    side = settings["P"]
    rows, columns = settings["tile"]
    groups = settings["groups"]
    size = parts(side, groups)
    inside = max(size // 2, size - 1 - size // 2)
    among = max(groups // 2, groups - 1 - groups // 2)
    root = min(groups // 2 * size + size // 2, side - 1)
    lanes = LANES[settings["dtype"]]
    hop = HOP_CYCLES[row["machine"]]
    block = words(settings, columns)
    fixed = (chains(size, hop, block) + chains(groups, size * hop, block)
             + 2 * RAMP_CYCLES + 1 + max(root, side - 1 - root) * hop + block)
    return {"start": 1, "phase": 3, "chain_stage": inside + among,
            "vector": rows, "issue": rows * parts(columns, lanes)}, fixed


def shift(row: dict) -> tuple[dict[str, float], float]:
    settings = row["settings"]
    distance = settings["distance_columns"]
    block = words(settings, settings["elements_per_pe"])
    return ({"start": 1, "relay": distance, "relay_word": distance * block},
            distance * (block + way(row, 1)))


MODELS = {"meshgemm": meshgemm, "summa": summa, "meshgemv": meshgemv, "shift": shift}


def cycles(row: dict) -> float | None:
    """What was measured; nothing where it is not a time."""
    if not isinstance(row.get("value"), (int, float)):
        return None
    if row["unit"] == "cycles":
        return row["value"]
    clock = row["settings"].get("clock_ghz_assumed_by_authors")
    return row["value"] * clock * 1e3 if row["unit"] == "us" and clock else None


def judged_rows(path: Path, machine: str) -> dict[str, list[dict]]:
    data = json.loads(path.read_text())
    by_kind: dict[str, list[dict]] = {}
    for section in SECTIONS:
        for row in data.get(section, []):
            kind = KINDS.get(row.get("procedure"))
            if kind and row["machine"] == machine and row["how"] == "device" \
                    and cycles(row) is not None:
                by_kind.setdefault(kind, []).append(row)
    return {kind: sorted(rows, key=lambda row: row["id"]) for kind, rows in by_kind.items()}


def is_small(row: dict) -> bool:
    settings = row["settings"]
    return settings["P"] <= SMALL["P"] and max(settings["tile"]) <= SMALL["tile"]


def chosen(rows: list[dict], which: str, rng: random.Random) -> list[dict]:
    if which == "small":
        return [row for row in rows if is_small(row)]
    drawn = list(rows)
    rng.shuffle(drawn)
    return drawn[::2] if which == "half" else drawn


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
    ridge = 1e-9  # what no row tells apart becomes small
    active = list(range(len(samples[0][0])))
    while True:
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


def predicted(row: dict, kind: str, figures: dict[str, float]) -> float:
    terms, fixed = MODELS[kind](row)
    return fixed + sum(count * figures[name] for name, count in terms.items())


def fit(by_kind: dict[str, list[dict]]) -> dict[str, float]:
    samples = []
    for kind, rows in by_kind.items():
        for row in rows:
            terms, fixed = MODELS[kind](row)
            measured = cycles(row)
            weight = 1 / measured / math.sqrt(len(rows))
            least = fixed + sum(terms.get(name, 0) * value for name, value in AT_LEAST.items())
            samples.append(([terms.get(name, 0) * weight for name in FIGURES],
                            (measured - least) * weight))
    used = [at for at in range(len(FIGURES)) if any(x[at] for x, _ in samples)]
    values = least_squares([([x[at] for at in used], y) for x, y in samples])
    figures = dict.fromkeys(FIGURES, 0.0) | AT_LEAST
    for at, value in zip(used, values):
        figures[FIGURES[at]] += value
    return {name: float(f"{value:.{DIGITS}g}") for name, value in figures.items()}


def scaled(by_kind: dict[str, list[dict]], prior: dict[str, float]) -> dict[str, float]:
    """The figures of another machine, those of local products times one number: for fewer rows
    than figures."""
    moved = {name: 0.0 if name in LOCAL else value for name, value in prior.items()}
    products = {name: value if name in LOCAL else 0.0 for name, value in prior.items()}
    pairs = []
    for kind, rows in by_kind.items():
        for row in rows:
            measured = cycles(row)
            terms, _ = MODELS[kind](row)
            local = sum(count * products[name] for name, count in terms.items())
            pairs.append((local / measured, 1 - predicted(row, kind, moved) / measured))
    scale = sum(x * y for x, y in pairs) / sum(x * x for x, _ in pairs)
    return {name: float(f"{value * (scale if name in LOCAL else 1):.{DIGITS}g}")
            for name, value in prior.items() if name in FIGURES}


def errors_text(rows: list[dict], kind: str, figures: dict[str, float]) -> str:
    errors = sorted(abs(predicted(row, kind, figures) / cycles(row) - 1) for row in rows)
    if not errors:
        return "no row"
    ninth = errors[min(len(errors) - 1, math.ceil(0.9 * len(errors)) - 1)]
    return (f"{len(errors)} rows, median {errors[len(errors) // 2]:.2%}, 90th percentile "
            f"{ninth:.2%}, worst {errors[-1]:.2%}")


def check(arguments: argparse.Namespace, by_kind: dict, figures: dict[str, float]) -> None:
    """Demands that the program's figures give what these formulas give."""
    done = subprocess.run([arguments.check, "validate", "--model", "wafer", "--rows",
                           str(arguments.rows), "--report", "-"], capture_output=True, check=True)
    ours = {row["id"]: row["ours"] for row in json.loads(done.stdout)["rows"]}
    for kind, rows in by_kind.items():
        for row in rows:
            here = predicted(row, kind, figures)
            if abs(ours[row["id"]] / here - 1) > 1e-9:
                sys.exit(f"{row['id']}: the program says {ours[row['id']]}, this script {here}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: scripts/fit_wafer.py rows.json --machine WSE-3 -o fit.json")
    parser.add_argument("rows", type=Path, help="measured rows")
    parser.add_argument("--machine", required=True, choices=sorted(HOP_CYCLES))
    parser.add_argument("--on", default="half", choices=("half", "small", "all"),
                        help="fit on every other row of a shuffled list, on small meshes and "
                        "blocks, or on all (half)")
    parser.add_argument("--seed", type=int, default=1, help="of the shuffle (1)")
    parser.add_argument("--prior", type=Path, metavar="FIT",
                        help="for fewer rows than figures: the fit of another machine, whose local "
                        "products are scaled by one number")
    parser.add_argument("-o", "--output", type=Path, help="where the fit goes")
    parser.add_argument("--check", metavar="PROGRAM",
                        help="compare with waferloom, whose presets must have this fit")
    arguments = parser.parse_args()
    by_kind = judged_rows(arguments.rows, arguments.machine)
    if not by_kind:
        sys.exit(f"{arguments.rows}: no row of {arguments.machine} can be fitted")
    rng = random.Random(arguments.seed)
    on = {kind: chosen(rows, arguments.on, rng) for kind, rows in sorted(by_kind.items())}
    fitted_on = {kind: rows for kind, rows in on.items() if rows}
    if arguments.prior:
        figures = scaled(fitted_on, json.loads(arguments.prior.read_text())["tile_cycles"])
    else:
        figures = fit(fitted_on)
    for kind, rows in sorted(by_kind.items()):
        ids = {row["id"] for row in on[kind]}
        others = [row for row in rows if row["id"] not in ids]
        print(f"{kind}: fitted on {errors_text(on[kind], kind, figures)}")
        print(f"{kind}: judged on {errors_text(others, kind, figures)}")
    for name, value in figures.items():
        print(f"  {name:14} {value:g}")
    if arguments.check:
        check(arguments, by_kind, figures)
    if arguments.output:
        fitted = {"machine": arguments.machine, "data_type": DATA_TYPES[arguments.machine],
                  "on": arguments.on, "seed": arguments.seed,
                  "tile_cycles": figures,
                  "rows": sorted(row["id"] for rows in on.values() for row in rows)}
        arguments.output.write_text(json.dumps(fitted, indent=2) + "\n")


if __name__ == "__main__":
    main()
