#!/usr/bin/env python3
"""Compares spans of device traces, simulated, with those that were measured.

    scripts/tables/bench_traces.py PROGRAM [--folder DIR] [--issue-times recorded|shifted] [--machine NAME]

Runs `PROGRAM simulate --messages TRACE --hardware NAME` on each trace of the folder that its
measured.json names, and prints a row a trace: cycles measured, ours, the error in per cent, the
program's CPU seconds. Then the mean and the worst of the errors' amounts, of all and of kinds of
traces (what their names begin with), and the CPU seconds of all.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def default_folder() -> Path:
    shared = os.environ.get("WAFERLOOM_SHARED", Path(__file__).resolve().parents[3] / "shared")
    return Path(shared) / "published" / "wormhole_traces"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--folder", type=Path, default=default_folder())
    parser.add_argument("--machine", default="wormhole")
    parser.add_argument("--issue-times", default="recorded")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    options = parser.parse_args()
    measured = options.folder / "measured.json"
    if not measured.is_file():
        print(f"{measured}: not there", file=sys.stderr)
        return 2
    traces = json.loads(measured.read_text(encoding="utf-8"))["traces"]
    errors: dict[str, list[float]] = {}
    begin = cpu_seconds()
    print(f"{'trace':36} {'measured':>8} {'ours':>8} {'error %':>8} {'cpu s':>6}")
    for name, facts in sorted(traces.items()):
        before = cpu_seconds()
        changes = [word for change in options.set for word in ("--set", change)]
        done = subprocess.run(
            [options.program, "simulate", "--messages", str(options.folder / name), "--hardware",
             options.machine, "--issue-times", options.issue_times, *changes, "--report", "-", "-q"],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(done.stderr, end="", file=sys.stderr)
            return 1
        ours = json.loads(done.stdout)["span_cycles"]
        error = 100 * (ours - facts["span_cycles"]) / facts["span_cycles"]
        kind = "DRAM" if name.startswith("DRAM") else "BLOCK" if "BLOCK_TO" in name else "other"
        errors.setdefault(kind, []).append(error)
        print(f"{name:36} {facts['span_cycles']:8} {ours:8} {error:8.2f} "
              f"{cpu_seconds() - before:6.3f}")
    errors["all"] = [error for errors_of in errors.values() for error in errors_of]
    for kind, of_kind in errors.items():
        mean = sum(map(abs, of_kind)) / len(of_kind)
        print(f"{kind}: {len(of_kind)} traces, mean {mean:.2f} %, worst "
              f"{max(of_kind, key=abs):.2f} %")
    print(f"cpu: {cpu_seconds() - begin:.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
