#!/usr/bin/env python3
"""What a sweep itself costs: plans, runs and collects many trivial points.

    scripts/bench_sweep.py [--points 10000] [--program build/release/waferloom]

A point is `model tile gemm` with a size of its own, which is done in a few milliseconds. Prints the
seconds of `sweep plan`, of `sweep exec` (one task) and `sweep collect`, what a point took in its own
process, start and end of it included, and what the sweep took beside that, and the most memory of each
of the three. Nothing is judged; docs/sweeps.md has figures.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def timed(words: list[str], folder: Path) -> tuple[float, float]:
    """Seconds and megabytes of a run that has to work; of its own process, not of its children."""
    begin = time.monotonic()
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL)
    peak = 0
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        try:
            lines = status.read_text().splitlines()
        except OSError:
            break
        peak = max([peak, *(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))])
        time.sleep(0.02)
    if process.wait() != 0:
        sys.exit(f"bench_sweep.py: exit code {process.returncode} of {' '.join(words)}")
    return time.monotonic() - begin, peak / 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--program", type=Path, default=Path(__file__).resolve().parents[1] / "build/release/waferloom")
    options = parser.parse_args()
    program = str(options.program.resolve())
    if not os.access(program, os.X_OK):
        print(f"bench_sweep.py: {program}: no such program", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        space = {"command": "model tile", "set": {"OPERATOR": "gemm", "k": 64, "n": 64,
                                                  "tiles": "8x8"},
                 "axes": {"m": {"from": 8, "to": 8 + options.points - 1, "step": 1}}}
        (folder / "space.json").write_text(json.dumps(space))
        print("step      seconds  memory MB")
        taken = {}
        for step, words in (("plan", ["plan", "space.json", "-o", "run"]),
                            ("exec", ["exec", "run", "--task", "0/1"]),
                            ("collect", ["collect", "run", "-o", "all.csv"])):
            taken[step], peak = timed([program, "sweep", *words], folder)
            print(f"{step:8s}  {taken[step]:7.2f}  {peak:9.1f}", flush=True)
        with open(folder / "all.csv", encoding="utf-8", newline="") as file:
            work = [float(row["point_wall_s"]) for row in csv.DictReader(file)]
    beside = (taken["exec"] - sum(work)) / len(work)
    print(f"a point in its process {1000 * sum(work) / len(work):.2f} ms, beside it "
          f"{1000 * beside:.2f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
