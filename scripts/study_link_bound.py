#!/usr/bin/env python3
"""How near routes come to their bound where links are the limit.

Link rates are lowered until the bound says that links need 1 to 2.4 times what the slowest stage,
port or adapter does, lanes unlimited (at most as many as the shorter side has tiles). The rate is
set by the bound, not by the routes, so a bad router is not given an easier case. `ratio` is the
busiest link's time over the bound; `stage` is what the slowest stage needs, `flow` the fractional
flow's busiest border, both over the bound.
"""

import json
import math
import sys
from pathlib import Path

import study
import study_routing

AIM = 1.5
MOST = 2.4
RATIO = 1.25


def hardware(base, rate):
    value = study_routing.hardware(base, routing_lanes_max=32000)
    for link in ("link", "group_link"):
        value[link]["bytes_per_s"] = max(1, round(rate))
    return value


def row(arguments, files, base, name, case, solution, wafer):
    rate = 1e9
    for _ in range(10):
        file = files.write("hardware", hardware(base, rate))
        found = study.report(arguments.program, "route", case, solution, "-o",
                             files.path("routes"), "--hardware", file, *wafer)
        needs = found["bound_ps"] / found["stage_ps"]
        if 1 <= needs <= MOST or needs == 0:
            break
        rate *= max(needs, 1e-3) / AIM
    bound = max(1, found["bound_ps"])
    return {"case": name, "rate": float(rate), "ratio": found["busiest_link"]["time_ps"] / bound,
            "flow": found["flow_ps"] / bound, "stage": found["stage_ps"] / bound,
            "lanes": found["lanes"], "colours": found["colours"], "wall_s": found["wall_s"]}


def main():
    parser = study.arguments_parser(__doc__, "scripts/study_link_bound.py --cases ADIL --effort 1")
    parser.add_argument("--cases", default=study_routing.CASES, help="letters of contest cases")
    parser.add_argument("--effort", type=int, default=5, help="of place (5)")
    parser.add_argument("--hardware", default="wse1", help="a preset or a file (wse1)")
    parser.add_argument("--placements", type=Path, metavar="FOLDER",
                        help="take NAME.sol from here, or keep what is placed here")
    parser.add_argument("--generated", action="store_true", help="ten generated cases instead")
    parser.add_argument("--dead", type=int, default=0, metavar="N", help="N dead rectangles")
    arguments = study.parse(parser)
    base = study.fabric(arguments.program, arguments.hardware)
    rows = []
    with study.JsonFiles() as files:
        for item in study_routing.inputs(arguments, files):
            rows.append(row(arguments, files, base, *item))
            print(rows[-1]["case"], f"{rows[-1]['ratio']:.3f}", file=sys.stderr, flush=True)
    study.print_table(rows)
    if arguments.csv:
        study.write_csv(rows, arguments.csv)
    mean = math.exp(sum(math.log(r["ratio"]) for r in rows) / len(rows))
    near = sum(r["ratio"] <= RATIO for r in rows)
    columns = ("case", "ratio", "flow", "stage", "lanes", "colours")
    study.write_tables(arguments, {"ratios": study.cells(
        [{column: r[column] for column in columns} for r in rows])}, {"mean": mean, "near": near})
    return study.claims([(f"busiest link within {RATIO} of the bound in geometric mean",
                          mean <= RATIO, f"{mean:.3f}; {near} of {len(rows)} cases within it")])


if __name__ == "__main__":
    sys.exit(main())
