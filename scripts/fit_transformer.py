#!/usr/bin/env python3
"""Fits what a program of many operators takes (`step`, `issue`) to tokens a second of a whole model.

The rows are WaferLLM's of one language model, decode and prefill, in the form that `waferloom
validate --model wafer --rows` takes. All other figures are those of single operators, from a fit of
scripts/fit_wafer.py; the clock is given. The cycles of a layer are linear in both figures, which
are found by least squares of relative errors. The layer is written here once more, apart from
kernels/operators, so that each checks the other: --check compares.

Writes the figures and the ids of the rows that they were fitted on as JSON, and prints the errors
on rows of that model and of all others.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fit_wafer import DIGITS, RAMP_CYCLES, least_squares, parts  # noqa: E402

LANES = 4  # fp16
WORD_ELEMENTS = 2
HOP_CYCLES = 1.0  # WSE-2
FITTED = ("step", "issue")


class Cycles:
    """Cycles that are linear in the fitted figures."""

    def __init__(self, base: dict[str, float], fixed: float = 0, **terms: float) -> None:
        self.base = base
        self.fixed = fixed
        self.terms = dict.fromkeys(FITTED, 0.0) | terms

    def add(self, fixed: float = 0, times: float = 1, **terms: float) -> None:
        """Figures by name: those that are fitted stay terms, the others count at once."""
        for name, count in terms.items():
            if name in FITTED:
                self.terms[name] += times * count
            else:
                fixed += count * self.base[name]
        self.fixed += times * fixed

    def total(self, figures: dict[str, float]) -> float:
        return self.fixed + sum(self.terms[name] * figures[name] for name in FITTED)


def two_way(tiles: int) -> dict[str, int]:
    """The groups of a two-way chain with the fewest stages."""
    def shape(wanted: int) -> dict[str, int]:
        size = parts(tiles, wanted)
        count = parts(tiles, size)
        root = min(count // 2 * size + size // 2, tiles - 1)
        stages = max(size // 2, size - 1 - size // 2) + max(count // 2, count - 1 - count // 2)
        return {"size": size, "groups": count, "stages": stages,
                "back": max(root, tiles - 1 - root)}

    wanted = [1] + [count for count in range(2, tiles + 1) if count * count <= 4 * tiles]
    return min((shape(count) for count in wanted), key=lambda found: found["stages"])


def taken_in(begins: list[float], block: int) -> float:
    """When a tile that takes in a word a cycle has all streams that begin by then."""
    return max((begin + block * (len(begins) - at) for at, begin in enumerate(sorted(begins))),
               default=0.0)


def moving(found: dict[str, int], tiles: int, block: int) -> float:
    """Chains from both ends of each group to its middle, of the roots likewise, and back. The last
    group may be smaller, and done before."""
    size, groups = found["size"], found["groups"]
    adding = 2 * RAMP_CYCLES + 1
    stage = adding + HOP_CYCLES

    def inside(left: int, right: int) -> float:
        return taken_in([length * stage for length in (left, right) if length > 0], block)

    last = tiles - (groups - 1) * size
    last_root = min(size // 2, last - 1)
    full = inside(size // 2, size - 1 - size // 2)
    smaller = inside(last_root, last - 1 - last_root)
    left, right = groups // 2, groups - 1 - groups // 2
    far = adding + size * HOP_CYCLES
    begins = [full + left * far] if left > 0 else []
    if right > 0:
        begins.append(max(smaller + right * far - (size // 2 - last_root) * HOP_CYCLES,
                          full + (right - 1) * far))
    return max(full, taken_in(begins, block)) + adding + found["back"] * HOP_CYCLES + block


def all_reduce(cycles: Cycles, tiles: int, elements: int) -> None:
    found = two_way(tiles)
    block = parts(elements, WORD_ELEMENTS)
    cycles.add(moving(found, tiles, block), start=1, phase=3, chain_stage=found["stages"], step=1)


def vector(cycles: Cycles, count: int, elements: int) -> None:
    cycles.add(vector=count, issue=count * parts(elements, LANES))


def element_wise(cycles: Cycles, elements: int, operations: int) -> None:
    cycles.add(start=1, step=1)
    vector(cycles, operations, elements)


def decode_layer(base: dict, side: int, settings: dict) -> Cycles:
    cycles = Cycles(base)
    hidden = parts(settings["dim"], side)
    tokens = parts(settings["context_tokens"], side)
    inner = parts(settings["ffn"], side)
    for _ in range(2):
        vector(cycles, 2, hidden)
        all_reduce(cycles, side, 1)
    for rows, columns in ((hidden, parts(3 * settings["dim"], side)), (tokens, hidden)):
        vector(cycles, rows, columns)
    all_reduce(cycles, side, parts(3 * settings["dim"], side))
    all_reduce(cycles, side, tokens)
    vector(cycles, 3, tokens)
    all_reduce(cycles, side, 1)
    all_reduce(cycles, side, 1)
    vector(cycles, tokens, hidden)
    all_reduce(cycles, side, hidden)
    for rows, columns in ((hidden, hidden), (hidden, parts(2 * settings["ffn"], side)),
                          (inner, hidden)):
        vector(cycles, rows, columns)
        all_reduce(cycles, side, columns)
    element_wise(cycles, inner, 2)
    for _ in range(2):
        element_wise(cycles, parts(settings["dim"], side * side), 1)
    return cycles


def product(cycles: Cycles, side: int, m: int, k: int, n: int) -> None:
    m, k, n = parts(m, side), parts(k, side), parts(n, side)
    moved = parts(m * k, WORD_ELEMENTS) + parts(k * n, WORD_ELEMENTS)
    way = 2 * HOP_CYCLES + 2 * RAMP_CYCLES
    local = k * cycles.base["update"] + k * n * (cycles.base["vector"] + parts(m, LANES))
    if local < moved + way:
        raise ValueError("words are not hidden behind products: not linear")
    cycles.add(side // 2 * (parts(m * k, WORD_ELEMENTS) + way), start=1, step=1,
               exchange=2 * side + side // 2, update=side * k, vector=side * k * n,
               issue=side * k * n * parts(m, LANES))


def prefill_layer(base: dict, side: int, settings: dict) -> Cycles:
    cycles = Cycles(base)
    tokens, dim, ffn = settings["input_tokens"], settings["dim"], settings["ffn"]
    own = parts(tokens, side)
    for _ in range(2):
        vector(cycles, 2 * own, parts(dim, side))
        all_reduce(cycles, side, own)
        element_wise(cycles, parts(tokens * dim, side * side), 1)
    for k, n in ((dim, dim), (dim, dim), (dim, dim), (dim, tokens), (tokens, dim), (dim, dim),
                 (dim, ffn), (dim, ffn), (ffn, dim)):
        product(cycles, side, tokens, k, n)
    vector(cycles, 3 * own, own)
    all_reduce(cycles, side, own)
    all_reduce(cycles, side, own)
    element_wise(cycles, own * parts(ffn, side), 2)
    return cycles


def ends(base: dict, side: int, settings: dict) -> Cycles:
    """Embedding and head of a token."""
    cycles = Cycles(base)
    own = parts(settings["dim"], side)
    block = parts(own, WORD_ELEMENTS)
    taken = (1 - 1 // side) * block
    way = (side - 1) * HOP_CYCLES + 2 * RAMP_CYCLES
    cycles.add(max(way + block, taken + way), start=1, phase=1, step=1)
    vocabulary = parts(settings["vocab"], side)
    vector(cycles, own, vocabulary)
    all_reduce(cycles, side, vocabulary)
    all_reduce(cycles, side, 1)
    return cycles


def model_cycles(base: dict, settings: dict) -> Cycles:
    side = settings["mesh"][0]
    whole = (decode_layer if settings["phase"] == "decode" else prefill_layer)(base, side, settings)
    last = ends(base, side, settings)
    for name in FITTED:
        whole.terms[name] = settings["layers"] * whole.terms[name] + last.terms[name]
    whole.fixed = settings["layers"] * whole.fixed + last.fixed
    return whole


def measured_cycles(row: dict, clock: float) -> float:
    settings = row["settings"]
    tokens = settings["input_tokens"] if settings["phase"] == "prefill" else 1
    return tokens * clock / row["value"]


def judged_rows(path: Path) -> list[dict]:
    rows = json.loads(path.read_text())["transformer"]
    return sorted((row for row in rows if row.get("procedure") == "waferllm_tables"
                   and row["settings"].get("system") == "WaferLLM" and "phase" in row["settings"]
                   and row["how"] == "device"), key=lambda row: row["id"])


def fit(rows: list[dict], base: dict, clock: float) -> dict[str, float]:
    samples = []
    for row in rows:
        cycles = model_cycles(base, row["settings"])
        measured = measured_cycles(row, clock)
        # An issue takes at least one cycle.
        samples.append(([cycles.terms[name] / measured for name in FITTED],
                        1 - (cycles.fixed + cycles.terms["issue"]) / measured))
    found = dict(zip(FITTED, least_squares(samples)))
    found["issue"] += 1
    return {name: float(f"{value:.{DIGITS}g}") for name, value in found.items()}


def errors(rows: list[dict], base: dict, clock: float, figures: dict) -> list[float]:
    """Of tokens a second, ours over measured, less 1."""
    return [measured_cycles(row, clock) / model_cycles(base, row["settings"]).total(figures) - 1
            for row in rows]


def check(program: str, path: Path, rows: list[dict], base: dict, clock: float,
          figures: dict) -> None:
    """Demands that the program's figures give what these formulas give."""
    done = subprocess.run([program, "validate", "--model", "wafer", "--rows", str(path),
                           "--report", "-"], capture_output=True, check=True)
    ours = {row["id"]: row["error_percent"] for row in json.loads(done.stdout)["rows"]}
    for row, error in zip(rows, errors(rows, base, clock, figures)):
        if abs(ours[row["id"]] - 100 * error) > 1e-6:
            sys.exit(f"{row['id']}: the program is off by {ours[row['id']]} %, "
                     f"this script by {100 * error} %")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: scripts/fit_transformer.py rows.json --base model/presets/fits/wse3.json")
    parser.add_argument("rows", type=Path, help="measured rows")
    parser.add_argument("--base", type=Path, required=True, help="a fit of single operators")
    parser.add_argument("--clock", type=float, default=1.1e9, help="Hz of the machine (1.1e9)")
    parser.add_argument("--on", default="LLaMA3-8B", help="the model that is fitted (LLaMA3-8B)")
    parser.add_argument("-o", "--output", type=Path, help="where the fit goes")
    parser.add_argument("--check", metavar="PROGRAM",
                        help="compare with waferloom, whose preset wse2 must have this fit")
    arguments = parser.parse_args()
    base = json.loads(arguments.base.read_text())["tile_cycles"]
    rows = judged_rows(arguments.rows)
    on = [row for row in rows if row["settings"]["model"] == arguments.on]
    if not on:
        sys.exit(f"{arguments.rows}: no row of {arguments.on} can be fitted")
    figures = fit(on, base, arguments.clock)
    for name, value in figures.items():
        print(f"{name:6} {value:g}")
    for row, error in zip(rows, errors(rows, base, arguments.clock, figures)):
        kind = "fitted" if row in on else "judged"
        print(f"{kind}  {row['id']:42} {row['value']:9.1f} {error:+.1%}")
    if arguments.check:
        check(arguments.check, arguments.rows, rows, base, arguments.clock, figures)
    if arguments.output:
        fitted = {"machine": "WSE-2", "data_type": "fp16", "on": arguments.on,
                  "clock_hz": arguments.clock, "tile_cycles": base | figures,
                  "rows": [row["id"] for row in on]}
        arguments.output.write_text(json.dumps(fitted, indent=2) + "\n")


if __name__ == "__main__":
    main()
