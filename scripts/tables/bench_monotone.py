#!/usr/bin/env python3
"""More machine never makes the best plan slower: random pairs of machines, of which one is better.

    scripts/tables/bench_monotone.py build/release/waferloom [--count 24] [--seed 1] [--jobs 2]

Draws a mesh, makes one thing of it better (a rate, a capacity, a latency, columns, rows, or fewer dead tiles),
and plans a network on both in all ways. Prints each pair whose best plan, or whose plan of some way, is slower on
the better machine: by more than 0.1 % where it is a model's price, by more than 2 % where it was simulated.
Exits with 1 where a best plan is.
"""

import argparse
import copy
import json
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# For what each may be drawn. The first is drawn most.
NETWORKS = {"resnet50": ("infer", "train"), "gpt2_small": ("infer", "train", "serve"),
            "bert_base": ("infer", "train"), "llama_68m": ("infer", "serve", "train"), "cerebras_gpt_111m": ("infer", "train")}
SMALL, LARGE = (6, 14), (24, 48)  # sides of meshes
GIGA = 10**9
PRICE_TOLERANCE, SIMULATION_TOLERANCE = 0.001, 0.02
INFEASIBLE = 3


def port(side: str, position: int, rate: int, capacity: int = 0) -> dict:
    made = {"side": side, "position": position, "bytes_per_s": rate, "response_ps": 200_000}
    return made | ({"capacity_bytes": capacity} if capacity else {})


def drawn_mesh(chance: random.Random) -> dict:
    """A mesh between a Grayskull and a part of a wafer."""
    is_large = chance.random() < 0.4
    columns, rows = (chance.randint(*(LARGE if is_large else SMALL)) for _ in range(2))
    dram = chance.choice((8, 16, 24, 100)) * GIGA
    fabric = {"columns": columns, "rows": rows, "clock_hz": GIGA, "element_bytes": 2,
              "link": {"bytes_per_s": chance.choice((4, 16, 32, 64)) * GIGA, "latency_ps": chance.choice((1000, 9000))},
              "sram_bytes_per_tile": chance.choice((256, 512, 1024, 1536)) * 1024,
              "peak_flop_per_s_per_tile": {"fp16": chance.choice((64, 256, 512, 1024)) * GIGA},
              "routing": {"colours": 64, "kernel_colours": 0},
              "host_ports": [port("west", rows // 2, chance.choice((16, 32, 256)) * GIGA)],
              "dram_ports": []}
    if chance.random() < 0.6:
        fabric["dram_ports"] = [port(side, at, dram, 8 * GIGA) for side in ("north", "south")
                                for at in range(1, columns - 1, max(2, columns // 4))]
    fabric["dead"] = [{"x": chance.randrange(1, columns), "y": chance.randrange(rows), "width": 1, "height": 1}
                      for _ in range(chance.choice((0, 0, 0, 1, 3)))]
    return {"schema": "waferloom/machine/1", "name": "drawn", "fabric": fabric}


def better(machine: dict, chance: random.Random) -> tuple[dict, str]:
    """One thing better, and what."""
    made = copy.deepcopy(machine)
    fabric = made["fabric"]
    factor = chance.choice((1.05, 1.3, 2.0))
    changes = ["columns", "columns", "rows", "rows", "link", "latency", "sram", "peak", "host"]
    if fabric["dram_ports"]:
        changes += ["dram", "dram_bytes"]
    if fabric["dead"]:
        changes += ["dead"] * 3
    change = chance.choice(changes)
    if change in ("columns", "rows"):
        more = chance.randint(1, 3)
        fabric[change] += more
        return made, f"{change} +{more}"
    if change == "dead":
        fabric["dead"].pop(chance.randrange(len(fabric["dead"])))
        return made, "a dead tile fewer"
    if change == "link":
        fabric["link"]["bytes_per_s"] = int(fabric["link"]["bytes_per_s"] * factor)
    elif change == "latency":
        fabric["link"]["latency_ps"] = int(fabric["link"]["latency_ps"] / factor)
    elif change == "sram":
        fabric["sram_bytes_per_tile"] = int(fabric["sram_bytes_per_tile"] * factor) // 16 * 16
    elif change == "peak":
        peak = fabric["peak_flop_per_s_per_tile"]
        peak["fp16"] = int(peak["fp16"] * factor)
    else:
        key = "capacity_bytes" if change == "dram_bytes" else "bytes_per_s"
        for each in fabric["host_ports" if change == "host" else "dram_ports"]:
            each[key] = int(each[key] * factor)
    return made, f"{change} x{factor}"


def planned(program: str, network: str, purpose: str, machine: Path) -> dict[str, dict]:
    """Each way that is possible, by its name; "best" the best of them."""
    done = subprocess.run([program, "plan", network, "--for", purpose, "--hardware", str(machine), "--threads", "1",
                           "--report", "-", "-q"], capture_output=True, text=True, check=False)
    if done.returncode == INFEASIBLE:
        return {}
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(done.args)}: exit {done.returncode}\n{done.stderr.strip()}")
    rows = [row for row in json.loads(done.stdout)["ways"] if not row["lacks"]]
    return {"best": rows[0]} | {row["way"]: row for row in rows}


def judged(program: str, number: int, seed: int, folder: Path) -> tuple[list[str], bool]:
    """A line for each way that is slower, and whether the best is."""
    chance = random.Random(f"{seed}/{number}")
    machine = drawn_mesh(chance)
    network = chance.choice(list(NETWORKS))
    purpose = chance.choice(NETWORKS[network])
    made, change = better(machine, chance)
    rates = []
    for name, each in (("base", machine), ("better", made)):
        file = folder / f"{number}_{name}.json"
        file.write_text(json.dumps(each), encoding="utf-8")
        rates.append(planned(program, network, purpose, file))
    before, after = rates
    lines = []
    is_slower = False
    size = f"{machine['fabric']['columns']} x {machine['fabric']['rows']}"
    for way, row in before.items():
        simulated = "simulated" in row["note"] and "not simulated" not in row["note"]
        tolerance = SIMULATION_TOLERANCE if simulated else PRICE_TOLERANCE
        now = after[way]["samples_per_s"] if way in after else 0.0
        if now >= (1 - tolerance) * row["samples_per_s"]:
            continue
        is_slower = is_slower or way == "best"
        which = f"best ({row['way']})" if way == "best" else way
        lines.append(f"{number}: {network} to {purpose} on {size}, {change}: {which} {row['samples_per_s']:.6g} -> "
                     f"{now:.6g} ({100 * now / row['samples_per_s'] - 100:+.2f} %): {row['how']} -> "
                     f"{after[way]['how'] if way in after else 'impossible'}")
    best = before.get("best")
    if not lines:
        lines.append(f"{number}: {network} to {purpose} on {size}, {change}: " +
                     (f"{best['way']} {best['samples_per_s']:.6g} -> {after['best']['samples_per_s']:.6g}" if best
                      else "no way before"))
    return lines, is_slower


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="waferloom")
    parser.add_argument("--count", type=int, default=24, help="pairs")
    parser.add_argument("--first", type=int, default=0, help="number of the first pair")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2, help="pairs at once")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the machines")
    asked = parser.parse_args()
    slower = 0
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(asked.jobs) as pool:
        folder = asked.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for lines, is_slower in pool.map(lambda number: judged(asked.program, number, asked.seed, folder),
                                         range(asked.first, asked.first + asked.count)):
            print("\n".join(lines), flush=True)
            slower += is_slower
    print(f"{slower} of {asked.count} best plans are slower on the better machine")
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
