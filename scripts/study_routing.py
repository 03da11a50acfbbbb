#!/usr/bin/env python3
"""What planned routes are worth: throughput of contest placements against the roof.

The roof is what compute, host ports and adapters allow: the same pipeline without contention, with
64 samples of buffer and up to 256 lanes. Columns are shares of it:
  today    routes in dimension order, 64 lanes, the rule's buffers
  lanes    the same with 256 lanes
  buffers  the same with 64 lanes and 8 samples of buffer
  routes   planned routes with 64 lanes and the rule's buffers
  all      planned routes, 256 lanes, buffers as the schedule needs; kernels keep half of the links
           inside them
  all, 0   the same, kernels keep none
  sram     as all, buffers within the tiles' memories (24,576 words less what kernels need)
`allowed` is the share that the router's proven bound on the busiest link allows; `cut` is the share
of settles of `all` that were cut short, in percent; `steady` says whether its period repeated.
Placements are those of `place --effort`, or of files NAME.sol in --placements.
With --generated the cases are ten generated ones, with --dead rectangles of 1 to 3 tiles a side
are dead and cases are placed around them. With --packet rates of the packet network stand beside
those of the fair network (routing_packets.py), as shares of what the busiest link allows. With
--assumptions the table is of samples a second with each assumed key at both of its ends, within the
tiles' memories.
"""

import json
import math
import random
import subprocess
import sys
from pathlib import Path

import routing_packets
import study

CASES = "ABCDEFGHIJKLMNOPQRST"
MUST = "ADILQ"
COLUMNS = ("today", "lanes", "buffers", "routes", "all", "all, 0", "sram")
FAMILIES = [(family, kernels, seed) for family in ("vgg", "densenet", "mixed", "dag")
            for kernels, seed in ((16, 1), (40, 2), (80, 3))][:10]


def hardware(base, **changes):
    value = json.loads(json.dumps(base))
    for key, new in changes.items():
        if key.startswith("routing_"):
            value["routing"][key.removeprefix("routing_")] = new
        elif key == "host_ports_every":
            for port in value["host_ports"]:
                port["every"] = new
        else:
            value[key] = new
    return value


def settings(base):
    """By column: a hardware and the options of simulate."""
    free = {"sram_bytes_per_tile": None}
    return {
        "roof": (hardware(base, lanes_max=256, buffer_samples=64),
                 ["--routing", "xy", "--network", "analytic"]),
        "today": (base, ["--routing", "xy"]),
        "lanes": (hardware(base, lanes_max=256), ["--routing", "xy"]),
        "buffers": (hardware(base, buffer_samples=8), ["--routing", "xy"]),
        "routes": (hardware(base, routing_lanes_max=64), ["--routing", "planned"]),
        "all": (hardware(base, **free), ["--routing", "planned"]),
        "all, 0": (hardware(base, routing_kernel_link_percent=0, **free),
                   ["--routing", "planned"]),
        "sram": (base, ["--routing", "planned"]),
    }


ASSUMPTIONS = {
    "default": {}, "lane_sides any": {"routing_lane_sides": "any"},
    "lanes_max 8": {"routing_lanes_max": 8}, "lanes_max 633": {"routing_lanes_max": 633},
    "colours 11": {"routing_colours": 11}, "colours 64": {"routing_colours": 64},
    "kernel_colours 0": {"routing_kernel_colours": 0},
    "kernel_colours 16": {"routing_kernel_colours": 16},
    "kernel_link_percent 0": {"routing_kernel_link_percent": 0},
    "kernel_link_percent 90": {"routing_kernel_link_percent": 90},
    "host_ports every 53": {"host_ports_every": 53},  # 12 a side, as a CS-1 has Ethernet ports
    "program_bytes_per_tile 16384": {"program_bytes_per_tile": 16384}}


def assumption_rows(arguments, files, items):
    """By assumption samples a second of every case."""
    base = study.fabric(arguments.program, arguments.hardware)
    rows = [{"assumed": name} for name in ASSUMPTIONS]
    for name, case, solution, wafer in items:
        for row_of, changes in zip(rows, ASSUMPTIONS.values()):
            file = files.write("hardware", hardware(base, **changes))
            found = study.report(arguments.program, "simulate", case, solution, "--hardware", file,
                                 "--samples", arguments.samples, *wafer)
            row_of[name] = found["samples_per_s"]
    return rows


def without_buffers(path):
    """Routes whose edges have the rule's buffers."""
    routes = json.loads(path.read_text())
    for tensor in routes["tensors"]:
        tensor.pop("buffer_samples", None)
    path.write_text(json.dumps(routes))


def row(arguments, files, name, case, solution, wafer):
    base = study.fabric(arguments.program, arguments.hardware)
    base_file = files.write("base", base)
    rates = {}
    for column, (value, options) in settings(base).items():
        if column not in ("roof", "all", *arguments.columns):
            continue
        file = files.write("hardware", value)
        if column == "routes":
            routes = files.path("routes")
            study.run(arguments.program, "route", case, solution, "-o", routes, "--hardware", file,
                      *wafer)
            without_buffers(routes)
            options = [*options, "--routes", routes]
        found = study.report(arguments.program, "simulate", case, solution, "--hardware", file,
                             "--samples", arguments.samples, *options, *wafer)
        rates[column] = found
    roof = rates.pop("roof")["samples_per_s"]
    bound = study.report(arguments.program, "route", case, solution, "-o", files.path("routes"),
                         "--hardware", base_file, *wafer)["bound_ps"]
    error = rates["all"]["rate_error"]
    cut = 100 * error["cut"] / max(1, error["settles"])
    return {"case": name, "roof": roof,
            **{column: found["samples_per_s"] / roof for column, found in rates.items()},
            "allowed": min(1.0, 1e12 / max(bound, 1) / roof),
            "bound": rates["all"]["bound"], "cut": cut,
            "steady": "yes" if rates["all"]["steady"] else "no"}


def assumption_cells(rows):
    """The table of docs/router.md: both ends of a key, behind one another."""
    cases = [name for name in rows[0] if name != "assumed"]
    return [["", *cases]] + [
        [f"`{row['assumed']}`", *(f"{row[case]:,.0f}" if row[case] >= 1000 else f"{row[case]:.1f}"
                                  for case in cases)] for row in rows]


def worth_cells(rows):
    """The table of docs/router.md, with the geometric means."""
    columns = [column for column in COLUMNS if column in rows[0]]
    return [["case", "roof, samples/s", *columns]] + [
        [row["case"], f"{row['roof']:,.0f}", *(f"{row[column]:.3f}" for column in columns)]
        for row in rows] + [["geometric mean", "", *(f"{mean(rows, column):.3f}"
                                                     for column in columns)]]


def dead_wafer(side, count, seed):
    draw = random.Random(seed)
    rectangles = []
    for _ in range(count):
        width, height = draw.randint(1, 3), draw.randint(1, 3)
        rectangles.append({"x": draw.randint(0, side - width), "y": draw.randint(0, side - height),
                           "width": width, "height": height})
    return {"width": side, "height": side, "memory_limit": 24576, "dead": rectangles}


def inputs(arguments, files):
    """(name, case, solution, options for the wafer) of everything that is to be routed."""
    wafer = []
    if arguments.dead:
        wafer = ["--wafer", files.write("wafer", dead_wafer(633, arguments.dead, 1))]
    names = [f"{family}-{kernels}" for family, kernels, _ in FAMILIES]
    families = dict(zip(names, FAMILIES))
    for name in names if arguments.generated else arguments.cases:
        case = files.path(name).with_suffix(".kgraph")
        solution = files.path(name).with_suffix(".sol")
        if arguments.generated:
            family, kernels, seed = families[name]
            study.run(arguments.program, "cases", "--family", family, "--kernels", kernels,
                      "--seed", seed, "-o", case)
        else:
            study.run(arguments.program, "cases", name, "-o", case)
        given = arguments.placements / f"{name}.sol" if arguments.placements else None
        if given and given.exists():
            solution.write_text(given.read_text())
        else:
            command = [arguments.program, "place", case, "-o", solution, "--effort",
                       arguments.effort, "--quiet", *wafer]
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                                  check=False)
            if done.returncode != 0:
                print(f"{name}: not placed: {done.stderr.strip()}", file=sys.stderr)
                continue
            if arguments.placements:
                given.write_text(solution.read_text())
        yield name, case, solution, wafer


def mean(rows, column):
    return math.exp(sum(math.log(max(row[column], 1e-9)) for row in rows) / len(rows))


def found(rows, arguments):
    told = [row for row in rows if row["steady"] == "yes" and row["cut"] <= 1]
    missed = [f"{row['case']} (allowed {row['allowed']:.3f})" for row in rows if row["all"] < 0.9]
    least = 0.85 if arguments.dead else 0.95
    claims = [(f"all: geometric mean at least {least}", mean(rows, "all") >= least,
               ", ".join(f"{column} {mean(rows, column):.3f}" for column in COLUMNS
                         if column in rows[0])),
              ("runs are steady, at most 1 % of settles cut", len(told) == len(rows),
               f"{len(told)} of {len(rows)}"),
              ("all: at least 0.90 of what the bound allows on every case",
               all(row["all"] >= 0.9 * row["allowed"] for row in rows),
               f"least {min(row['all'] / row['allowed'] for row in rows):.3f}")]
    if not arguments.generated and not arguments.dead:
        must = [row for row in rows if row["case"] in MUST]
        claims.append((f"all: at least 0.90 on {', '.join(MUST)}",
                       all(row["all"] >= 0.9 for row in must),
                       ", ".join(f"{row['case']} {row['all']:.3f}" for row in must)))
        claims.append(("all: at least 0.90 on 17 cases", len(rows) - len(missed) >= 17,
                       f"{len(rows) - len(missed)} of {len(rows)}; missed: "
                       + (", ".join(missed) or "none")))
    return claims


def main():
    parser = study.arguments_parser(__doc__, "scripts/study_routing.py --cases ADIL --effort 1")
    parser.add_argument("--cases", default=CASES, help="letters of contest cases (all)")
    parser.add_argument("--effort", type=int, default=5, help="of place (5)")
    parser.add_argument("--samples", type=int, default=200, help="of each run (200)")
    parser.add_argument("--hardware", default="wse1", help="a preset or a file (wse1)")
    parser.add_argument("--placements", type=Path, metavar="FOLDER",
                        help="take NAME.sol from here, or keep what is placed here")
    parser.add_argument("--generated", action="store_true", help="ten generated cases instead")
    parser.add_argument("--dead", type=int, default=0, metavar="N", help="N dead rectangles")
    parser.add_argument("--columns", nargs="*", choices=COLUMNS, default=COLUMNS,
                        help="besides 'all', which is always told (all)")
    parser.add_argument("--assumptions", action="store_true",
                        help="samples a second with each key at its ends instead")
    parser.add_argument("--packet", action="store_true",
                        help="the packet network against the fair one, on ten small cases, instead")
    arguments = study.parse(parser)
    if arguments.packet:
        return routing_packets.compare(arguments)
    rows = []
    with study.JsonFiles() as files:
        if arguments.assumptions:
            rows = assumption_rows(arguments, files, inputs(arguments, files))
            study.print_table(rows)
            study.write_tables(arguments, {"assumptions": assumption_cells(rows)})
            return 0
        for item in inputs(arguments, files):
            rows.append(row(arguments, files, *item))
            print(rows[-1]["case"], f"{rows[-1]['all']:.3f}", file=sys.stderr)
    study.print_table(rows)
    if arguments.csv:
        study.write_csv(rows, arguments.csv)
    study.write_tables(arguments, {"worth": worth_cells(rows)})
    return study.claims(found(rows, arguments))


if __name__ == "__main__":
    sys.exit(main())
