#!/usr/bin/env python3
"""Fits what training programs take (`programs.training` of a hardware file) to measured rates.

    fit_training.py ROWS PROGRAM [--without ID] [-o FIT] [--check]

ROWS is a file whose list `training` has rates of training, in the form that `waferloom validate
--model wafer --rows` takes. PROGRAM plans each configuration: of its report the micro-batches, what is
computed again, the pieces of the head and the rectangle of tiles are taken. What a step takes is
written here once more from docs/wafer_plans.md, apart from planner/wafer, so that each checks the
other. It is linear in three figures, which all machines share:

    layer_seconds      of a layer and a micro-batch, and of a piece of the head
    100 / products_percent   times the multiply-adds at the peak of the tiles in use
    100 / ports_percent      times the bytes of weights and gradients at the ports' rate

They are found by least squares of the relative errors of rates, each configuration once however often it was
measured. Printed are the signed error of each configuration's rate, and the error that is left on it
by a fit without it. Plans depend on the figures: put them into the presets, build, and fit again
until nothing changes, which --check demands, as it demands that the program's rates are these.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from fit_wafer import least_squares

PRESETS = Path(__file__).resolve().parents[1] / "model" / "presets"
FIGURES = ("layer_seconds", "products_percent", "ports_percent")
WAFERS = {"CS-2": "wse2", "CS-3": "wse3"}
DATA_TYPE, ELEMENT = "fp16", 2
DIGITS = 4
ROUNDS = 50
AGAIN = {"none": (0, 0), "selective": (0, 1), "full": (1, 1)}  # products; attention


def bare(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def network(name: str) -> dict:
    """The preset of a model: its layer, head, and tokens."""
    for path in sorted((PRESETS / "workloads").glob("*.json")):
        if bare(path.stem) == bare(name):
            file = json.loads(path.read_text())
            kinds = {operator["kind"]: operator for operator in file["operators"]}
            return {"layer": kinds["transformer"], "head": kinds["head"], "tokens": file["tokens"]}
    sys.exit(f"no preset of {name}")


def layer_parameters(layer: dict) -> int:
    hidden, heads = layer["hidden"], layer["heads"]
    narrow = hidden // heads * layer.get("key_value_heads", heads)
    inner = layer.get("feed_forward", 4 * hidden)
    return hidden * (2 * hidden + 2 * narrow) + (3 if layer.get("gated") else 2) * hidden * inner


def terms(row: dict) -> tuple[list[float], float]:
    """Of a step: what each figure is multiplied by, and seconds that no figure changes."""
    settings = row["settings"]
    hardware = json.loads((PRESETS / f"{WAFERS[row['machine']]}.json").read_text())["fabric"]
    model = network(settings["model"])
    layer, hidden = model["layer"], model["layer"]["hidden"]
    again, attention_again = AGAIN[settings["recompute"]]
    micro, pieces, layers = settings["micro_batches"], settings["head_pieces"], layer["repeat"]
    samples, sequence = math.ceil(settings["batch"] / micro), settings["sequence_tokens"]
    tokens = samples * sequence
    head_tokens = samples * math.ceil(model["head"]["sequence"] * sequence / model["tokens"])
    parameters = layer_parameters(layer)
    words = model["head"]["vocabulary"] * hidden
    multiply_adds = layers * tokens * ((3 + again) * parameters
                                       + (3 + attention_again) * 2 * sequence * hidden)
    multiply_adds += 3 * pieces * math.ceil(head_tokens / pieces) * words
    # Forward; backward, where weights come in twice if a layer is computed again, and gradients
    # leave meanwhile. Rows of the embedding come in, and their gradients leave.
    moved = layers * (2 + again) * parameters + 2 * pieces * words + 2 * tokens * hidden
    rows, columns = settings["rows"], settings["columns"]
    peak = rows * columns * hardware["multiply_adds_per_cycle"][DATA_TYPE] * hardware["clock_hz"]
    way = (rows + columns) * hardware["hop_cycles"] + 2 * hardware["ramp_cycles"]
    return ([micro * (layers + pieces), micro * multiply_adds / peak,
             micro * moved * ELEMENT / hardware["host_bytes_per_s"]],
            micro * 2 * way / hardware["clock_hz"])


def seconds(row: dict, values: list[float]) -> float:
    factors, fixed = terms(row)
    return fixed + sum(factor * value for factor, value in zip(factors, values))


def fit(rows: list[dict]) -> list[float]:
    """Relative errors of rates are those of times, over our times: known once these settle."""
    parts = [(*terms(row), row["settings"]["batch"] / row["measured"]) for row in rows]
    ours = [measured for _, _, measured in parts]
    values: list[float] = []
    for _ in range(ROUNDS):
        values = least_squares([([factor / time for factor in factors], (measured - fixed) / time)
                                for (factors, fixed, measured), time in zip(parts, ours)])
        ours = [fixed + sum(factor * value for factor, value in zip(factors, values))
                for factors, fixed, _ in parts]
    return values


def figures_of(values: list[float]) -> dict[str, float]:
    found = (values[0], 100 / values[1], 100 / values[2])
    return {name: float(f"{value:.{DIGITS}g}") for name, value in zip(FIGURES, found)}


def values_of(figures: dict[str, float]) -> list[float]:
    return [figures["layer_seconds"], 100 / figures["products_percent"],
            100 / figures["ports_percent"]]


def configurations(report: dict) -> list[dict]:
    """A row for each, with the mean of its rates."""
    grouped = defaultdict(list)
    for row in report["rows"]:
        if row["kind"] == "training" and row["settings"]:
            settings = row["settings"]
            grouped[row["machine"], settings["model"], settings["batch"],
                    settings["sequence_tokens"]].append(row)
    return [rows[0] | {"ids": [row["id"] for row in rows],
                       "measured": sum(row["measured"] for row in rows) / len(rows)}
            for rows in grouped.values()]


def error_text(row: dict, values: list[float]) -> str:
    rate = row["settings"]["batch"] / seconds(row, values)
    return f"{100 * (rate / row['measured'] - 1):+7.1f} %"


def check(rows: list[dict], figures: dict[str, float]) -> None:
    """Demands that presets have the fit, and that the program's rates are these formulas'."""
    for wafer in WAFERS.values():
        preset = json.loads((PRESETS / f"{wafer}.json").read_text())["fabric"]["programs"]["training"]
        if preset[DATA_TYPE] != figures:
            sys.exit(f"{wafer}: the preset has {preset[DATA_TYPE]}, the fit is {figures}")
    for row in rows:
        here = row["settings"]["batch"] / seconds(row, values_of(figures))
        if abs(row["ours"] / here - 1) > 1e-6:
            sys.exit(f"{row['id']}: the program says {row['ours']}, this script {here}")


def print_errors(rows: list[dict], on: list[dict], values: list[float]) -> None:
    print(f"{'machine':8} {'model':12} {'batch':>5} {'tokens':>6} {'rows':>4}  {'of the fit':>9}"
          f"  {'without it':>10}")
    for row in rows:
        settings = row["settings"]
        left_out = error_text(row, fit([other for other in on if other is not row])) \
            if row in on else "not fitted"
        print(f"{row['machine']:8} {settings['model']:12} {settings['batch']:5} "
              f"{settings['sequence_tokens']:6} {len(row['ids']):4}  {error_text(row, values)}"
              f"  {left_out:>10}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: scripts/fit_training.py rows.json build/release/waferloom")
    parser.add_argument("rows", type=Path, help="measured rows")
    parser.add_argument("program", help="waferloom, which plans each configuration")
    parser.add_argument("--without", metavar="ID", action="append", default=[],
                        help="leave the configuration of this row out of the fit")
    parser.add_argument("-o", "--output", type=Path, help="where the fit goes")
    parser.add_argument("--check", action="store_true",
                        help="compare with the program, whose presets must have this fit")
    arguments = parser.parse_args()
    done = subprocess.run([arguments.program, "validate", "--model", "wafer", "--rows",
                           str(arguments.rows), "--report", "-"], capture_output=True, check=True)
    rows = configurations(json.loads(done.stdout))
    on = [row for row in rows if not set(row["ids"]) & set(arguments.without)]
    if len(on) < len(FIGURES):
        sys.exit(f"{arguments.rows}: {len(on)} configurations are fewer than figures")
    figures = figures_of(fit(on))
    print_errors(rows, on, values_of(figures))
    for name, value in figures.items():
        print(f"  {name:17} {value:g}")
    if arguments.check:
        check(rows, figures)
    if arguments.output:
        fitted = {"data_type": DATA_TYPE, "programs.training": figures,
                  "rows": sorted(row_id for row in on for row_id in row["ids"])}
        arguments.output.write_text(json.dumps(fitted, indent=2) + "\n")


if __name__ == "__main__":
    main()
