#!/usr/bin/env python3
"""Fits what GPUs reach of their peaks (`chip.efficiency` of a machine) to measured training.

    fit_gpu.py [--machine NAME|FILE] [--check]

Two figures are fitted: `limit`, the share of the peak rate that products reach, and `memory`, the share
of the memory's rate that kernels of element-wise operations and the optimizer's pass reach. Measured
are times of batches and rates (optimize/validation/megatron.json; the rates are sequences a second by
the publication's full formula, with full recomputation and micro-batches of one sample). Each of the
two sets is fitted alone, by least squares of the relative errors of rates, and judged by what the
other gave: --check demands that the machine has the fit on the batches and that each set judged by the
other is within 8 % in mean and 15 % at worst, simulated and by `model amped` (exit 4 if not).
"""

import json
import sys

from fit_wafer import least_squares
from study import ROOT, JsonFiles, arguments_parser, parse, report, run, signed, write_tables
from study_megatron import sequences_per_s

MOST_MEAN, MOST_WORST = 8, 15  # per cent
START, STEP, DIGITS, ROUNDS = (0.6, 0.6), 0.02, 2, 8
FIGURES = ("limit", "memory")


def table_row(row):
    return {"name": f"{row['model']}, Table 1", "workload": row["workload"],
            "rate": sequences_per_s(row),
            "plan": {"tensor": row["tensor"], "data": row["data"], "pipeline": row["pipeline"],
                     "micro_batches": row["global_batch"] // row["data"], "recompute": "full"}}


def batch_row(row):
    plan = row["plan"]
    samples = plan["micro_batches"] * plan.get("micro_batch", 1)
    return {"name": f"{row['model']}, {plan['recompute']}", "workload": row["workload"],
            "rate": samples / row["batch_s"], "plan": plan}


class Machine:
    """Gives rates of rows, each run once."""

    def __init__(self, arguments, files):
        self.program, self.name, self.files = arguments.program, arguments.machine, files
        self.known = {}

    def settings(self, plan, values):
        chips = plan["tensor"] * plan.get("data", 1) * plan.get("pipeline", 1)
        words = ["--hardware", self.name, "--chips", str(chips)]
        for figure, value in zip(FIGURES, values):
            words += ["--set", f"chip.efficiency.{figure}={value:.9g}"]
        return words

    def simulated(self, row, values):
        key = (row["name"], *values)
        if key not in self.known:
            found = report(self.program, "simulate", row["workload"],
                           "--plan", self.files.write("plan", row["plan"]),
                           "--network", "analytic", *self.settings(row["plan"], values))
            self.known[key] = found["plan"]["samples_per_s"]
        return self.known[key]

    def amped(self, row, values):
        plan = row["plan"]
        samples = plan.get("data", 1) * plan["micro_batches"] * plan.get("micro_batch", 1)
        words = ["--batch", samples, "--tp", plan["tensor"], "--pp", plan.get("pipeline", 1),
                 "--micro-batches", plan["micro_batches"], "--bubble", "consistent"]
        schedule = plan.get("schedule", "1f1b").split(":")
        if len(schedule) == 2:
            words += ["--bubble-ratio", f"{1 / int(schedule[1]):.9g}"]
        if plan["recompute"] == "full":
            words.append("--recompute")
        if plan["recompute"] == "selective":
            words.append("--recompute-attention")
        if plan.get("sequence_parallel"):
            words.append("--sequence-parallel")
        found = report(self.program, "model", "amped", row["workload"], *words,
                       *self.settings(plan, values))
        return samples / found["candidates"][0]["batch_s"]


def fit(machine, rows):
    """Gauss and Newton's steps from START; derivatives by differences."""
    values = list(START)
    for _ in range(ROUNDS):
        equations = []
        for row in rows:
            now = machine.simulated(row, values)
            slopes = []
            for i in range(len(FIGURES)):
                moved = [value + STEP * (i == j) for j, value in enumerate(values)]
                slopes.append((machine.simulated(row, moved) - now) / STEP / row["rate"])
            here = sum(slope * value for slope, value in zip(slopes, values))
            equations.append((slopes, here + 1 - now / row["rate"]))
        before = values
        values = [round(min(max(value, 0.05), 0.95), 6) for value in least_squares(equations)]
        if max(abs(value - last) for value, last in zip(values, before)) < 0.1 * 10**-DIGITS:
            break
    return [round(value, DIGITS) for value in values]


def errors(rate_of, rows, values):
    return [rate_of(row, values) / row["rate"] - 1 for row in rows]


def sizes(column):
    """The mean and the largest size of errors, in per cent."""
    return (100 * sum(map(abs, column)) / len(column), 100 * max(map(abs, column)))


def print_errors(title, rows, columns):
    print(f"\n{title}")
    print(f"{'row':18}" + "".join(f"{name:>22}" for name in columns))
    for i, row in enumerate(rows):
        print(f"{row['name']:18}" + "".join(f"{100 * column[i]:+20.1f} %"
                                            for column in columns.values()))
    for name, column in columns.items():
        print("  {}: mean {:.1f} %, worst {:.1f} %".format(name, *sizes(column)))


def page_table(sets, found):
    """That of docs/plans.md."""
    rows = [["row", "simulated, error %", "AMPeD, error %", "simulated, own fit, error %"]]
    for name, entries in sets.items():
        rows += [[row["name"], *(signed(100 * column[i], "+.1f") for column in found[name].values())]
                 for i, row in enumerate(entries)]
    return rows


def fit_of_machine(arguments):
    machine = json.loads(run(arguments.program, "hardware", arguments.machine, "--json"))
    return [machine["chip"]["efficiency"][figure] for figure in FIGURES]


def main():
    parser = arguments_parser(__doc__, "scripts/fit_gpu.py --check")
    parser.add_argument("--machine", metavar="NAME|FILE", default="a100")
    parser.add_argument("--published", metavar="FILE",
                        default=ROOT / "optimize/validation/megatron.json")
    parser.add_argument("--check", action="store_true",
                        help="demand that the machine has the fit, and the promised errors")
    arguments = parse(parser)
    with open(arguments.published, encoding="utf-8") as file:
        published = json.load(file)
    sets = {"batches": [batch_row(row) for row in published["batches"]],
            "rates": [table_row(row) for row in published["rows"]]}
    found, failed = {}, []
    with JsonFiles() as files:
        machine = Machine(arguments, files)
        fits = {name: fit(machine, rows) for name, rows in sets.items()}
        for name, rows in sets.items():
            other = next(values for at, values in fits.items() if at != name)
            found[name] = {"simulated": errors(machine.simulated, rows, other),
                           "AMPeD": errors(machine.amped, rows, other),
                           "simulated, own fit": errors(machine.simulated, rows, fits[name])}
    for name, values in fits.items():
        print(f"fitted on {name}: " + ", ".join(
            f"{figure} {value:g}" for figure, value in zip(FIGURES, values)))
    for name, rows in sets.items():
        print_errors(f"{name}, errors of rates with the fit on the others", rows, found[name])
        for way in ("simulated", "AMPeD"):
            mean, worst = sizes(found[name][way])
            if mean > MOST_MEAN or worst > MOST_WORST:
                failed.append(f"{name}, {way}: mean {mean:.1f} %, worst {worst:.1f} %")
    write_tables(arguments, {"errors": page_table(sets, found)}, {
        "fits": fits, "errors": {name: {way: sizes(column) for way, column in columns.items()}
                                 for name, columns in found.items()}})
    if not arguments.check:
        return 0
    if fit_of_machine(arguments) != fits["batches"]:
        failed.append(f"the machine has {fit_of_machine(arguments)}")
    if failed:
        print("FAILS: " + "; ".join(failed))
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
