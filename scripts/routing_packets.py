"""The mode --packet of study_routing.py: planned routes by flits against planned routes as a fluid.

Ten generated cases on small wafers, on links so slow that the busiest needs about twice the time of
the slowest stage (an adapter's pass slows with them, so not all cases get there). Both networks get
the same hardware, the same routes and the same latencies; the fair network shares links as a fluid,
the packet network moves flits by virtual channels, credits and cycles. A flit is so large that a
sample keeps the busiest link busy for CYCLES cycles: hops take cycles, so the latencies of hardware
and of both networks grow with it. The columns:
  link/stage    the busiest link's time of a sample over the slowest stage's
  fair, packet  the busiest link's time over the period, of the second half of SAMPLES samples: the
                share of what links allow; above 1 while samples come that tensors had ahead
  busy          the share of the whole run that the busiest link is busy
"""

import json
import sys

import study

# Family, kernels, seed, side of the wafer: such that links can be made to bind.
CASES = [("densenet", 10, 2, 100), ("densenet", 10, 3, 100), ("densenet", 11, 4, 104),
         ("dag", 10, 1, 100), ("dag", 11, 4, 104), ("dag", 13, 5, 112), ("dag", 16, 3, 128),
         ("mixed", 10, 2, 100), ("mixed", 12, 2, 100), ("mixed", 14, 1, 120)]
SAMPLES = 96        # by packets rates of 24 samples differ by 5 %
CYCLES = 500        # that a sample keeps the busiest link busy
HEAD_CYCLES = 4     # a hop of a head flit, and what its ends take, in a router of the packet network
END_CYCLES = 6
AIM = 2             # the busiest link's time over the slowest stage's
LEAST, MOST = 1.25, 3
TRIES = 10          # to find a link rate for it: other rates are given other routes
WITHIN = 0.1


def on_links(base, side, rate, flit_bytes):
    """The hardware on a smaller wafer with links of a rate, in bytes a second."""
    value = json.loads(json.dumps(base))
    cycle_ps = 1e12 * flit_bytes / rate
    link = {"bytes_per_s": rate, "latency_ps": round(HEAD_CYCLES * cycle_ps)}
    value.update(columns=side, rows=side, link=link, group_link=link,
                 endpoint_latency_ps=round(END_CYCLES * cycle_ps),
                 host_bytes_per_s=None, sram_bytes_per_tile=None)
    value["router"]["flit_bytes"] = flit_bytes
    for port in value["host_ports"]:
        port["last"] = side - 1
    return value


def routed(arguments, files, base, side, case, solution):
    """A hardware on which links bind, and what route reports of it."""
    rate, flit_bytes = base["link"]["bytes_per_s"], base["router"]["flit_bytes"]
    routes = files.path("routes")
    for _ in range(TRIES):
        file = files.write("hardware", on_links(base, side, rate, flit_bytes))
        found = study.report(arguments.program, "route", case, solution, "-o", routes,
                             "--hardware", file)
        busiest, stage = found["busiest_link"]["time_ps"], found["stage_ps"]
        cycles = busiest * rate / 1e12 / flit_bytes
        if LEAST <= busiest / stage <= MOST and CYCLES / 2 <= cycles <= 2 * CYCLES:
            break
        rate = max(1, round(rate * busiest / stage / AIM))
        flit_bytes = min(65536, max(1, round(AIM * stage * rate / 1e12 / CYCLES)))
    return file, routes, found


def row(arguments, files, base, family, kernels, seed, side):
    name = f"{family}-{kernels}-{seed}"
    case, solution = (files.path(name).with_suffix(suffix) for suffix in (".kgraph", ".sol"))
    study.run(arguments.program, "cases", "--family", family, "--kernels", kernels, "--seed", seed,
              "--fabric", f"{side}x{side}", "-o", case)
    study.run(arguments.program, "place", case, "-o", solution, "--effort", 1)
    file, routes, plan = routed(arguments, files, base, side, case, solution)
    periods, busy = {}, {}
    for network in ("fair", "packet"):
        half, whole = (study.report(arguments.program, "simulate", case, solution, "--hardware",
                                    file, "--routes", routes, "--network", network, "--samples",
                                    samples, "--no-extrapolation")
                       for samples in (SAMPLES // 2, SAMPLES))
        # Not the run's own period: that is of a steady state on one network and, where none was
        # seen, of the whole run with its filling on the other.
        periods[network] = (whole["makespan_ps"] - half["makespan_ps"]) / (SAMPLES - SAMPLES // 2)
        busy[network] = max(link["busy"] for link in whole["links"])
    busiest = plan["busiest_link"]["time_ps"]
    return {"case": name, "lanes": plan["lanes"], "colours": plan["colours"],
            "link/stage": busiest / plan["stage_ps"],
            **{network: busiest / period for network, period in periods.items()},
            "packet/fair": periods["fair"] / periods["packet"],
            **{f"busy, {network}": share for network, share in busy.items()}}


def claims(rows):
    off = [row["case"] for row in rows if abs(row["packet/fair"] - 1) > WITHIN]
    busy = max(row[f"busy, {network}"] for row in rows for network in ("fair", "packet"))
    loads = [row["link/stage"] for row in rows]
    ratios = [row["packet/fair"] for row in rows]
    return [("every run ends", True, f"{len(rows)} cases by either network"),
            (f"links bind: they need {LEAST} to {MOST} times the slowest stage",
             all(LEAST <= load <= MOST for load in loads), f"{min(loads):.2f} to {max(loads):.2f}"),
            ("no link carries more than it can", busy <= 1, f"busy at most {busy:.1%} of the time"),
            (f"rates agree within {WITHIN:.0%}", not off,
             f"packet / fair {min(ratios):.3f} to {max(ratios):.3f}"
             + (f"; off: {', '.join(off)}" if off else ""))]


def compare(arguments):
    """Table and claims; the exit code of the study."""
    base = study.fabric(arguments.program, arguments.hardware)
    rows = []
    with study.JsonFiles() as files:
        for case in CASES:
            rows.append(row(arguments, files, base, *case))
            print(rows[-1]["case"], f"{rows[-1]['packet/fair']:.3f}", file=sys.stderr)
    study.print_table(rows)
    if arguments.csv:
        study.write_csv(rows, arguments.csv)
    study.write_tables(arguments, {"packets": study.cells(rows)})
    return study.claims(claims(rows))
