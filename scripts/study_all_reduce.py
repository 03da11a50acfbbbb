#!/usr/bin/env python3
"""Ring all-reduces on 4 and 16 tiles against their formula (PALM, Fig. 6).

With P tiles, D bytes a tile, rate B and α a step the formula is 2 (P - 1)/P · D/B + 2 (P - 1) · α.
Told are our macro-flows, all steps run on the fair and on the exclusive network, and the largest of
their errors.
"""

import sys

import study

HARDWARE = {"name": "ring", "columns": 8, "rows": 8,
            "link": {"bytes_per_s": 150_000_000_000, "latency_ps": 500_000}}
TILES = {4: "0,0,2x2", 16: "0,0,4x4"}
NETWORKS = ("fair", "exclusive")
BOUND = 0.5  # per cent


def formula_ps(tiles, size):
    """Of a ring of neighbours on HARDWARE."""
    link = HARDWARE["link"]
    steps = 2 * (tiles - 1)
    return steps * (size / tiles / link["bytes_per_s"] * 1e12 + link["latency_ps"])


def row(program, hardware, tiles, size):
    words = ["collective", "all-reduce", "--tiles", TILES[tiles], "--bytes", size, "--hardware",
             hardware, "--stepwise", "--network"]
    runs = {network: study.report(program, *words, network) for network in NETWORKS}
    formula = formula_ps(tiles, size)
    times = {"macro_us": runs["fair"]["macro_ps"] / 1e6}
    times.update({f"{network}_us": run["stepwise"]["time_ps"] / 1e6
                  for network, run in runs.items()})
    error = max(abs(time * 1e6 / formula - 1) for time in times.values())
    return {"tiles": tiles, "bytes": size, "formula_us": formula / 1e6, **times,
            "error_%": 100 * error}


def draw(plt, rows):
    figure, axes = plt.subplots(figsize=(5.5, 3.6))
    for tiles, colour in ((4, "tab:blue"), (16, "tab:orange")):
        mine = [row for row in rows if row["tiles"] == tiles]
        sizes = [row["bytes"] for row in mine]
        axes.plot(sizes, [row["formula_us"] for row in mine], color=colour,
                  label=f"formula, {tiles} tiles")
        axes.plot(sizes, [row["fair_us"] for row in mine], "o", color=colour, fillstyle="none",
                  label=f"every step, {tiles} tiles")
    axes.set(xscale="log", yscale="log", xlabel="bytes a tile", ylabel="time (µs)",
             title="Ring all-reduce")
    axes.legend()
    return figure


def main():
    parser = study.arguments_parser(
        __doc__, "scripts/study_all_reduce.py --csv all_reduce.csv --plot all_reduce.png")
    parser.add_argument("--sizes", type=int, nargs="+", metavar="BYTES",
                        default=[4**i * 1024 for i in range(11)])
    arguments = study.parse(parser)
    with study.JsonFiles() as files:
        hardware = files.write("ring", HARDWARE)
        rows = [row(arguments.program, hardware, tiles, size)
                for tiles in TILES for size in arguments.sizes]
    worst = max(row["error_%"] for row in rows)
    print("Links of 150 GB/s and 0.5 µs a hop, assumed: NVLink of a GPU's six links, which the paper's"
          "\nreference has. The paper holds its ring against measurements, within 5 %; those are not"
          "\npublished as numbers, so ours is held against the formula.\n")
    return study.finish(
        arguments, rows,
        [(f"within {BOUND} % of the formula", worst <= BOUND, f"at most {worst:.4f} % off")],
        lambda plt: draw(plt, rows))


if __name__ == "__main__":
    sys.exit(main())
