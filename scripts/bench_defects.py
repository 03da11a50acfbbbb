#!/usr/bin/env python3
"""What dead tiles cost: places cases with and without 50 dead rectangles, 1 % of the wafer.

Two kinds of wafers, drawn from a seed:
  edge       all dead rectangles within 12 tiles of the wafer's edge
  anywhere   dead rectangles anywhere

Every placement is judged by scripts/score_oracle.py. Per case: the totals without and with the
dead tiles, their ratio (growth), and the total with them over a lower bound that knows them.

examples:
  scripts/bench_defects.py --time-limit 20
  scripts/bench_defects.py --kind edge --cases A,K,Q --seeds 3 --csv defects.csv

exit codes: 0 all legal, 1 an illegal or missing placement, 2 wrong usage
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = ("edge", "anywhere")
EDGE = 12


def dead_rectangles(kind, side, count, share, rng):
    """`count` rectangles that do not overlap, together `share` of a square wafer, as dicts."""
    area = share * side * side / count
    chosen = []
    while len(chosen) < count:
        aspect = math.exp(rng.uniform(-1.0, 1.0))
        width = max(1, round(math.sqrt(area * aspect)))
        height = max(1, round(area / width))
        if kind == "edge":
            depth, along = min(width, height), max(width, height)
            depth = min(depth, EDGE)
            along = max(1, round(area / depth))
            at = rng.randrange(side - along + 1)
            off = rng.randrange(EDGE - depth + 1)
            low = rng.random() < 0.5
            off = off if low else side - off - depth
            if rng.random() < 0.5:
                box = (at, off, along, depth)
            else:
                box = (off, at, depth, along)
        else:
            box = (rng.randrange(side - width + 1), rng.randrange(side - height + 1), width, height)
        x, y, w, h = box
        if all(x >= a + c or a >= x + w or y >= b + d or b >= y + h for a, b, c, d in chosen):
            chosen.append(box)
    return [{"x": x, "y": y, "width": w, "height": h} for x, y, w, h in chosen]


def run(command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def place(program, case, seed, limit, folder, wafer=None):
    """Total, bound, and whether the oracle agrees, of one run; None where there is no placement."""
    solution = folder / "placement.sol"
    report = folder / "report.json"
    for path in (solution, report):
        path.unlink(missing_ok=True)
    extra = ["--wafer", str(wafer)] if wafer else []
    run([program, "place", str(case), "-o", str(solution), "--report", str(report),
         "--time-limit", str(limit), "--seed", str(seed), "--quiet", *extra])
    if not solution.exists():
        return None
    facts = json.loads(report.read_text())
    oracle = run([sys.executable, str(ROOT / "scripts" / "score_oracle.py"), str(case),
                  str(solution), *extra])
    verdict = json.loads(oracle.stdout) if oracle.stdout.startswith("{") else {}
    return {
        "total": float(facts["score"]["total"]),
        "bound": float(facts["bound"]["total"]),
        "legal": verdict.get("legal") is True and float(verdict["total"]) == float(facts["score"]["total"]),
        "strategy": facts["strategy"],
    }


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "waferloom"))
    parser.add_argument("--cases", default="ABCDEFGHIJKLMNOPQRST",
                        help="letters, with or without commas (default: all 20)")
    parser.add_argument("--kind", choices=KINDS, action="append", help="default: both")
    parser.add_argument("--time-limit", type=float, default=20, help="seconds a run (default: 20)")
    parser.add_argument("--seeds", type=int, default=1, help="wafers of each kind (default: 1)")
    parser.add_argument("--csv", help="write the rows there")
    options = parser.parse_args()
    rows, ill = [], 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        plain = {}
        for name in options.cases.replace(",", ""):
            case = folder / f"{name}.kgraph"
            made = run([options.program, "cases", name])
            if made.returncode != 0:
                print(made.stderr.strip(), file=sys.stderr)
                return 2
            case.write_text(made.stdout)
            plain[name] = place(options.program, case, 1, options.time_limit, folder)
        for kind in options.kind or KINDS:
            print(f"{kind}: 50 dead rectangles, 1 % of the wafer")
            print(f"{'case':4} {'seed':>4} {'without':>14} {'with':>14} {'growth':>7} {'/bound':>7}")
            growths = []
            for seed in range(1, options.seeds + 1):
                wafer = folder / "wafer.json"
                dead = dead_rectangles(kind, 633, 50, 0.01, random.Random(f"{kind}{seed}"))
                wafer.write_text(json.dumps({"schema": "waferloom/wafer/1", "width": 633,
                                             "height": 633, "dead": dead}))
                for name, base in plain.items():
                    got = place(options.program, folder / f"{name}.kgraph", seed,
                                options.time_limit, folder, wafer)
                    if got is None or not got["legal"] or not base["legal"]:
                        ill += 1
                        print(f"{name:4} {seed:4} no legal placement")
                        continue
                    growth = got["total"] / base["total"]
                    growths.append(growth)
                    rows.append((kind, name, seed, base["total"], got["total"], growth,
                                 got["total"] / got["bound"]))
                    print(f"{name:4} {seed:4} {base['total']:14.1f} {got['total']:14.1f} "
                          f"{growth:7.4f} {got['total'] / got['bound']:7.4f}", flush=True)
            if growths:
                print(f"growth, geometric mean of {len(growths)}: {geometric_mean(growths):.4f}\n")
    if options.csv:
        head = "kind,case,seed,without,with,growth,over_bound\n"
        text = "".join(",".join(str(field) for field in row) + "\n" for row in rows)
        pathlib.Path(options.csv).write_text(head + text)
    return 1 if ill else 0


if __name__ == "__main__":
    sys.exit(main())
