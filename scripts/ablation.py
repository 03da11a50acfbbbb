#!/usr/bin/env python3
"""What each part of a strategy gives: runs the contest cases with the whole of it and with each
part left out, and prints geometric means of totals.

    scripts/ablation.py [--strategy gigaplacer|gigaplacer-plus|auto] [--cases A,K] [--csv FILE]
                        [--program build/release/waferloom] [options of bench]

Of gigaplacer, the published algorithm, published steps are left out; of gigaplacer-plus the steps
that we added, and in its last row all of them, which is gigaplacer.

Every row is one `waferloom bench --strategy NAME --csv F`; "no PART" is the strategy NAME-no-PART,
as the CSV calls it. Column "published" is the mean against
the better published totals (for both gigaplacers: GigaPlacer's), "whole" against the whole strategy (1.02:
without the part totals are 2 % higher), "worse" and "better" count cases against the whole. Both
are deterministic: the gigaplacers run on one thread and have no time limit, auto takes --effort, 3
unless told otherwise.
"""

import argparse
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

PARTS = {
    "gigaplacer": ["row-limit", "strips-plus-row", "alpha-sweep", "adapter-refinement",
                   "distance-refinement"],
    "gigaplacer-plus": ["snake-order", "free-height", "slides", "strips-above", "wide-sweep",
                        "time-tightening", "adapter-runs", "either-side"],
    "auto": ["signature-rows", "rows", "signature-dp", "gigaplacer-plus", "stack-rows", "bisection",
             "chain-row", "slicing-dp", "curve-annealing", "rectangle-annealing", "compaction",
             "annealing"],
}
BESIDE = {"gigaplacer-plus": ["gigaplacer"]}  # other strategies shown below the variants
PUBLISHED = {"gigaplacer": "gigaplacer", "gigaplacer-plus": "gigaplacer",
             "auto": "best_published"}  # columns of bench's CSV
OPTIONS = {"gigaplacer": ["--threads", "1"], "gigaplacer-plus": ["--threads", "1"],
           "auto": ["--effort", "3"]}


def run_bench(program, strategy, cases, extra):
    """Rows of one bench run by case name."""
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "bench.csv"
        command = [str(program), "bench", "--strategy", strategy, "--csv", str(table), *extra]
        if cases:
            command += ["--cases", cases]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if not table.exists():
            sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr.strip()}")
        with table.open(newline="") as file:
            return {row["case"]: row for row in csv.DictReader(file)}


def total(row):
    """Total of a row, None where there is no placement."""
    return float(row["total"]) if row["total"] else None


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def summary(name, rows, whole, column):
    """One line of the table: how a variant does against published totals and the whole strategy."""
    published, against_whole, seconds = [], [], 0.0
    failed = worse = better = 0
    for case, row in rows.items():
        mine = total(row)
        if mine is None:
            failed += 1
            continue
        seconds = max(seconds, float(row["wall_s"]))
        if row[column]:
            published.append(mine / float(row[column]))
        reference = total(whole[case])
        if reference is None:
            continue
        against_whole.append(mine / reference)
        worse += mine > reference
        better += mine < reference
    return {
        "strategy": name.replace("no-", "no ", 1) if name.startswith("no-") else name,
        "published": f"{geometric_mean(published):.4f}",
        "whole": f"{geometric_mean(against_whole):.4f}",
        "worse": worse,
        "better": better,
        "failed": failed,
        "slowest_s": f"{seconds:.1f}",
    }


def print_table(lines):
    columns = list(lines[0])
    widths = {c: max(len(c), *(len(str(line[c])) for line in lines)) for c in columns}
    for line in [dict(zip(columns, columns)), *lines]:
        cells = [str(line[columns[0]]).ljust(widths[columns[0]])]
        cells += [str(line[c]).rjust(widths[c]) for c in columns[1:]]
        print("  ".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], allow_abbrev=False)
    parser.add_argument("--strategy", choices=PARTS, default="gigaplacer")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/waferloom")
    parser.add_argument("--cases", help="as for bench, all by default")
    parser.add_argument("--csv", type=pathlib.Path, help="write the totals of every run")
    arguments, extra = parser.parse_known_args()
    if not arguments.program.exists():
        sys.exit(f"{arguments.program} does not exist; build it or name it with --program")

    whole = arguments.strategy
    options = [] if OPTIONS[whole][0] in extra else OPTIONS[whole]
    runs = {}
    variants = [f"{whole}-no-{part}" for part in PARTS[whole]]
    for name in [whole, *variants, *BESIDE.get(whole, [])]:
        print(f"{name} …", file=sys.stderr, flush=True)
        runs[name] = run_bench(arguments.program, name, arguments.cases,
                               [*options, *extra])
    print_table([summary(name.removeprefix(f"{whole}-"), rows, runs[whole], PUBLISHED[whole])
                 for name, rows in runs.items()])
    if arguments.csv:
        with arguments.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["case", *runs])
            for case in runs[whole]:
                writer.writerow([case, *(runs[name][case]["total"] for name in runs)])


if __name__ == "__main__":
    main()
