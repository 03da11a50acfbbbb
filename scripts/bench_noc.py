#!/usr/bin/env python3
"""What contention costs and how far `fair` and `auto` are from `packet`, by set of messages.

    scripts/bench_noc.py PROGRAM [--sets NAME…] [--reference FOLDER] [--networks NAME…] [--most S]
                         [--csv FILE] [--keep FOLDER]

For each set and network one row: CPU seconds of the whole command (user and system, reading and
report included), flit-hops a CPU second, peak memory, the makespan and how far it is from that of
`packet` (four injection queues), the mean distance of the completion of a message, and settles that
were cut. Sets are made here, or read from FOLDER (docs/formats.md, message sets):

    a2a_N_F         all-to-all: every tile of N x N sends F flits to every other at cycle 0
    uniform_N_F_L   every tile sends messages of F flits to tiles drawn at random for as long as
                    ten messages take, at L per cent of what a link of the middle can carry
    transpose_N_F   tile (x, y) sends F flits to (y, x)
    hot_N_F         every tile sends F flits to one of four hot tiles, a quarter at random
    groups_N_F_M    16 groups on N x N: M rounds of a ring's all-reduce of F flits a step in each,
                    then every tile sends F flits to its like in the next group

--most S: a command that takes longer is stopped and its row says so.
"""

import argparse
import csv
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading

SEED = 47
NETWORKS = ("packet", "fair", "auto")
SETS = (
    [f"a2a_{n}_160" for n in (4, 6, 8, 10, 12, 16)] + [f"a2a_{n}_16" for n in (4, 8, 16, 32)] +
    [f"uniform_8_{flits}_{load}" for flits in (16, 160) for load in (10, 30, 50, 70, 90)] +
    ["uniform_16_160_50", "uniform_32_160_30"] +
    [f"transpose_{n}_{flits}" for n in (8, 16, 32, 64) for flits in (16, 320)] +
    [f"hot_{n}_{flits}" for n in (8, 16, 32, 64) for flits in (16, 160)])
FIELDS = ("set", "network", "ran", "messages", "flit_hops", "cpu_s", "hops_per_s", "peak_mb",
          "makespan", "makespan_error", "completion_error", "settles", "cut")


def hops(a, b):
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def sends(pairs, flits):
    return [(source, to, flits, 0, []) for source, to in pairs]


def tiles_of(side):
    return [(x, y) for y in range(side) for x in range(side)]


def all_to_all(side, flits):
    tiles = tiles_of(side)
    return side, sends(((a, b) for a in tiles for b in tiles if a != b), flits)


def uniform(side, flits, load):
    """A link of the middle carries side / 4 of what a tile sends (bisection of a mesh)."""
    draw = random.Random(SEED)
    gap = flits * side / 4 / (load / 100)
    messages = []
    for tile in tiles_of(side):
        at = draw.random() * gap
        while at < 10 * gap:
            to = tile
            while to == tile:
                to = (draw.randrange(side), draw.randrange(side))
            messages.append((tile, to, flits, int(at), []))
            at += draw.expovariate(1 / gap)
    return side, messages


def transpose(side, flits):
    return side, sends(((t, t[::-1]) for t in tiles_of(side) if t[0] != t[1]), flits)


def hot_spots(side, flits):
    draw = random.Random(SEED)
    hot = [(side // 4, side // 4), (3 * side // 4, side // 4), (side // 4, 3 * side // 4),
           (3 * side // 4, 3 * side // 4)]
    pairs = [(t, draw.choice(hot) if draw.random() < 0.75 else draw.choice(tiles_of(side)))
             for t in tiles_of(side)]
    return side, sends(((a, b) for a, b in pairs if a != b), flits)


def groups(side, flits, rounds):
    """A ring goes through a group of side / 4 x side / 4 as a snake; each step waits for the one
    that came."""
    messages = []
    width = side // 4
    for group in range(16):
        left, bottom = group % 4 * width, group // 4 * width
        ring = [(left + (x if y % 2 == 0 else width - 1 - x), bottom + y)
                for y in range(width) for x in range(width)]
        came = [None] * len(ring)
        for _ in range(rounds):
            sent = len(messages)
            for place, tile in enumerate(ring):
                before = [] if came[place] is None else [came[place]]
                messages.append((tile, ring[(place + 1) % len(ring)], flits, 0, before))
            came = [sent + (place - 1) % len(ring) for place in range(len(ring))]
        to = (group + 1) % 16
        for place, (x, y) in enumerate(ring):
            other = (x - left + to % 4 * width, y - bottom + to // 4 * width)
            messages.append(((x, y), other, flits, 0, [came[place]]))
    return side, messages


KINDS = {"a2a": all_to_all, "uniform": uniform, "transpose": transpose, "hot": hot_spots,
         "groups": groups}


def write_set(name, path):
    """Writes a set; its messages and flit-hops."""
    kind, *numbers = name.split("_")
    if kind not in KINDS:
        sys.exit(f"{name}: no such set; kinds are {', '.join(KINDS)}")
    side, messages = KINDS[kind](*map(int, numbers))
    with open(path, "w", encoding="utf-8") as out:
        out.write(f'{{"mesh":[{side},{side}],"routing":"xy","packet_flits":16,"messages":[\n')
        for place, (a, b, flits, release, after) in enumerate(messages):
            waits = f',"after":{after}' if after else ""
            out.write(f'{"," if place else ""}{{"id":{place},"src":[{a[0]},{a[1]}],'
                      f'"dst":[{b[0]},{b[1]}],"flits":{flits},"release_cycle":{release}{waits}}}\n')
        out.write("]}\n")
    return len(messages), sum(m[2] * hops(m[0], m[1]) for m in messages)


def read_set(path):
    """What a file has, and the first cycle of each message."""
    messages = json.loads(path.read_text(encoding="utf-8"))["messages"]
    return len(messages), sum(m["flits"] * hops(m["src"], m["dst"]) for m in messages)


def run(program, path, network, most, folder):
    """A row of figures, and completions by id; none of a command that took longer than `most`."""
    report = folder / f"{network}.json"
    log = folder / "errors"
    with open(log, "w", encoding="utf-8") as errors:
        child = subprocess.Popen([program, "simulate", "--messages", str(path), "--network",
                                  network, "--report", str(report), "-q"],
                                 stdout=subprocess.DEVNULL, stderr=errors)
    timer = threading.Timer(most, child.kill)
    timer.start()
    _, status, usage = os.wait4(child.pid, 0)
    timer.cancel()
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return {"ran": "stopped", "peak_mb": usage.ru_maxrss / 1e3}, None
    if status:
        sys.exit(f"{path}, {network}: exit {os.waitstatus_to_exitcode(status)}: {log.read_text()}")
    data = json.loads(report.read_text(encoding="utf-8"))
    error = data.get("rate_error") or {}
    row = {"ran": data["network"], "makespan": data["makespan"],
           "cpu_s": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss / 1e3,
           "settles": error.get("settles", ""), "cut": error.get("cut", "")}
    return row, {m["id"]: m["complete_cycle"] for m in data["messages"]}


def judge(row, found, judged):
    """How far a row is from that of `packet`; completions count from cycle 0."""
    row["makespan_error"] = row["makespan"] / max(judged.values()) - 1
    row["completion_error"] = sum(abs(found[key] - want) / max(1, want)
                                  for key, want in judged.items()) / len(judged)


def show(row):
    def text(key, form):
        value = row.get(key, "")
        return format(value, form) if value != "" else "-"
    print(f"{row['set']:24} {row['network']:7} {row['ran']:7} {row['messages']:9,} "
          f"{text('flit_hops', '.3g'):>8} {text('cpu_s', '.3f'):>8} "
          f"{text('hops_per_s', '.3g'):>8} {text('peak_mb', '.0f'):>6} "
          f"{text('makespan', ','):>10} {text('makespan_error', '+.1%'):>8} "
          f"{text('completion_error', '.1%'):>7} {text('settles', ''):>7} {text('cut', ''):>6}",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--sets", nargs="*", default=None)
    parser.add_argument("--reference", type=pathlib.Path)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--most", type=float, default=120)
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="keeps the sets that are made")
    options = parser.parse_args()
    rows = []
    print(f"{'set':24} {'network':7} {'ran':7} {'messages':>9} {'hops':>8} {'CPU s':>8} "
          f"{'hops/s':>8} {'MB':>6} {'makespan':>10} {'off':>8} {'each':>7} {'settles':>7} "
          f"{'cut':>6}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        paths = sorted(options.reference.glob("*.json")) if options.reference else []
        made = options.sets if options.sets is not None else ([] if paths else SETS)
        for name in [*paths, *made]:
            path = name
            if isinstance(name, str):
                path = (options.keep or folder) / f"{name}.json"
                path.parent.mkdir(parents=True, exist_ok=True)
                count, flit_hops = write_set(name, path)
            else:
                count, flit_hops = read_set(path)
            judged = None
            for network in options.networks:
                row, found = run(options.program, path, network, options.most, folder)
                row.update(set=path.stem, network=network, messages=count, flit_hops=flit_hops)
                if found is not None:
                    row["hops_per_s"] = flit_hops / max(1e-3, row["cpu_s"])
                    if network == "packet":
                        judged = found
                    elif judged is not None:
                        judge(row, found, judged)
                show(row)
                rows.append(row)
            if isinstance(name, str) and not options.keep:
                path.unlink()
    if options.csv:
        with open(options.csv, "w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, FIELDS, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)
    summary(rows)


def summary(rows):
    """What issue lines ask: mean and worst over sets, and cost against the cheaper one."""
    by_set = {}
    for row in rows:
        by_set.setdefault(row["set"], {})[row["network"]] = row
    for network in ("fair", "auto"):
        judged = [at[network] for at in by_set.values()
                  if network in at and "makespan_error" in at[network]]
        if not judged:
            continue
        makespans = [abs(row["makespan_error"]) for row in judged]
        each = [row["completion_error"] for row in judged]
        print(f"{network}: makespan off by {sum(makespans) / len(makespans):.1%} in mean, "
              f"worst {max(makespans):.1%}; completions by {sum(each) / len(each):.1%}, "
              f"worst set {max(each):.1%}; {len(judged)} sets, "
              f"{sum(1 for row in judged if row.get('cut'))} with settles cut")
    dearer = []
    for name, at in by_set.items():
        rest = [at[n]["cpu_s"] for n in ("fair", "packet") if "cpu_s" in at.get(n, {})]
        if rest and "cpu_s" in at.get("auto", {}):
            dearer.append((at["auto"]["cpu_s"] / min(rest), name))
    if dearer:
        print(f"auto: at most {max(dearer)[0]:.2f} times the cheaper one ({max(dearer)[1]})")
    slower = [(at["fair"]["cpu_s"] / at["packet"]["cpu_s"], name) for name, at in by_set.items()
              if "cpu_s" in at.get("fair", {}) and "cpu_s" in at.get("packet", {})]
    if slower:
        print(f"fair: at most {max(slower)[0]:.2f} times packet's CPU ({max(slower)[1]}); dearer "
              f"on {sum(1 for ratio, _ in slower if ratio > 1)} of {len(slower)}")


if __name__ == "__main__":
    main()
