#!/usr/bin/env python3
"""How far the network models of `waferloom simulate --messages` are from measured completions.

    scripts/noc_reference.py FOLDER [--program build/release/waferloom] [--scenarios] [--csv FILE]

FOLDER holds message sets (docs/formats.md) whose messages have complete_cycle and
complete_cycle_ni4, measured with one and with four injection queues a tile. Per network and
queueing, over all sets:

    mean      |model − reference| / reference of a message's latency, mean within a set, then of sets
    p95       the same, 95th percentile of all messages
    makespan  |error| of the last completion, mean and worst (signed), and the worst without chains
    rank      Spearman's rank correlation of completions, mean and least, of sets with at least 8
              messages

Latency counts from release_cycle; of messages that wait for others from 0.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NETWORKS = ("analytic", "exclusive", "fair", "packet")
QUEUES = {1: "complete_cycle", 4: "complete_cycle_ni4"}
LEAST_RANKED = 8


def ranks(values):
    """Ranks from 0, ties at their mean."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    first = 0
    while first < len(order):
        last = first
        while last + 1 < len(order) and values[order[last + 1]] == values[order[first]]:
            last += 1
        for place in range(first, last + 1):
            result[order[place]] = (first + last) / 2
        first = last + 1
    return result


def spearman(a, b):
    """None where one of them is constant."""
    x, y = ranks(a), ranks(b)
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    both = sum((p - mean_x) * (q - mean_y) for p, q in zip(x, y))
    square = sum((p - mean_x) ** 2 for p in x) * sum((q - mean_y) ** 2 for q in y)
    return both / square ** 0.5 if square > 0 else None


def completions(program, path, network, queues):
    done = subprocess.run(
        [str(program), "simulate", "--messages", str(path), "--network", network,
         "--injection-queues", str(queues), "--report", "-", "-q"],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{path}: exit {done.returncode}: {done.stderr}{done.stdout}")
    return {one["id"]: one["complete_cycle"] for one in json.loads(done.stdout)["messages"]}


def judge(name, data, found, key):
    """One set's figures."""
    reference = [message[key] for message in data["messages"]]
    model = [found[message["id"]] for message in data["messages"]]
    errors = [abs(got - want) / (want - (0 if message.get("after") else message["release_cycle"]))
              for message, got, want in zip(data["messages"], model, reference)]
    return {"set": name, "family": data["family"], "mean": sum(errors) / len(errors),
            "worst": max(errors), "makespan": max(model) / max(reference) - 1,
            "rank": spearman(model, reference) if len(model) >= LEAST_RANKED else None,
            "errors": errors}


def summary(rows):
    pooled = sorted(error for row in rows for error in row["errors"])
    ranked = [row["rank"] for row in rows if row["rank"] is not None]
    makespans = [row["makespan"] for row in rows]
    others = [row["makespan"] for row in rows if row["family"] != "chain"] or [0]
    mean = lambda values: sum(values) / len(values)
    return (f"{100 * mean([row['mean'] for row in rows]):7.2f} "
            f"{100 * pooled[int(0.95 * len(pooled))]:7.1f} "
            f"{100 * mean([abs(one) for one in makespans]):8.2f} "
            f"{100 * max(makespans, key=abs):7.1f} {100 * max(others, key=abs):9.1f} "
            f"{mean(ranked):7.3f} {min(ranked):6.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", type=pathlib.Path,
                        default=ROOT / "build" / "release" / "waferloom")
    parser.add_argument("--scenarios", action="store_true", help="a line for every set too")
    parser.add_argument("--csv", type=pathlib.Path, help="a line for every set")
    options = parser.parse_args()
    sets = {path: json.loads(path.read_text()) for path in sorted(options.folder.glob("*.json"))}
    if not sets:
        sys.exit(f"{options.folder}: no message sets")
    print(f"{len(sets)} message sets")
    print("network    queues   mean %   p95 %  makespan   worst no chains    rank  least")
    lines = []
    for network in NETWORKS:
        for queues, key in QUEUES.items():
            rows = [judge(path.stem, data, completions(options.program, path, network, queues), key)
                    for path, data in sets.items()]
            print(f"{network:10} {queues:6} {summary(rows)}")
            lines += [{"network": network, "queues": queues, **row} for row in rows]
    if options.scenarios:
        for line in lines:
            rank = "" if line["rank"] is None else f"{line['rank']:.3f}"
            print(f"{line['network']:10} {line['queues']} {line['set']:28} {line['mean']:7.3f} "
                  f"{line['worst']:8.3f} {line['makespan']:7.3f} {rank:>6}")
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [key for key in lines[0] if key != "errors"],
                                    extrasaction="ignore")
            writer.writeheader()
            writer.writerows(lines)


if __name__ == "__main__":
    main()
