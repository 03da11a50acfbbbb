#!/usr/bin/env python3
"""Runs the microbenchmarks and the contest cases several times and prints medians.

Microbenchmarks (tests/bench, Google Benchmark) are there after
    scripts/install_dependencies.sh build bench
    cmake --preset release -DWAFERLOOM_BENCHMARKS=ON && cmake --build --preset release
and are left out otherwise; the contest cases need the program alone (`waferloom bench`), and are
run only on request because each takes its time: --cases A,K or --cases all. So are the runs that
show how well a time limit is kept where single steps take long: --time-limit 1 prints how long the
program took, from its start to its end, on wide wafers, with many kinds of kernels, and with plans
of a large network on a wafer of 853,776 tiles.
"""

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median

NOTHING_LEGAL_YET = 5  # exit code of a run that its time limit cut
NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}

# What was measured: name of the benchmark -> quantity -> one value a run.
Samples = dict[str, dict[str, list[float]]]


def output_of(command: list[str]) -> str:
    """Standard output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench.py: exit {done.returncode} of {' '.join(command)}\n{done.stderr}")
    return done.stdout


def run_micro(binary: Path, pattern: str, samples: Samples) -> None:
    """One run of one Google Benchmark program: CPU times, which bear with a busy machine, in nanoseconds."""
    report = json.loads(output_of(
        [str(binary), "--benchmark_format=json", f"--benchmark_filter={pattern}"]) or "{}")
    for entry in report.get("benchmarks", []):
        scale = NANOSECONDS[entry["time_unit"]]
        samples[f"{binary.name}/{entry['name']}"]["ns"].append(entry["cpu_time"] * scale)


def run_cases(program: Path, cases: str, options: list[str], samples: Samples) -> None:
    """One run of `waferloom bench`: every column of its table that is a number."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "bench.csv"
        chosen = [] if cases == "all" else ["--cases", cases]
        output_of([str(program), "bench", *chosen, "--csv", str(table), *options])
        with table.open(newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                name = row.pop("case")
                for column, text in row.items():
                    try:
                        value = float(text)
                    except ValueError:
                        continue  # words, such as why a run stopped
                    samples[f"case {name}"][column].append(value)


def blocks_case(kernels: int, side: int) -> str:
    """A chain of residual blocks, no two alike, on a square wafer."""
    header = (f"(*\ntest=limit\nwidth={side}\nheight={side}\nwdeltat=1\nwlength=1\nwadapter=1\n"
              "memlimit=24576\n*)\n")
    ends = [f"{'dblock' if i % 2 else 'cblock'}[{i}]" for i in range(1, kernels + 1)]
    nodes = "".join(f"{end} h={14 + 2 * (i % 20)} w={14 + 2 * (i // 20 % 40)} f={64 + 4 * i}"
                    f" name='k{i + 1}'\n" for i, end in enumerate(ends))
    edges = "".join(f"{a}:y -> {b}:x, shape:[1][1][1]\n" for a, b in zip(ends, ends[1:]))
    return header + nodes + edges


def limited(command: list[str | Path], seconds: str) -> int:
    """How long a command takes under a time limit, in nanoseconds."""
    start = time.monotonic_ns()
    done = subprocess.run([*command, "--time-limit", seconds], capture_output=True, check=False)
    taken = time.monotonic_ns() - start
    if done.returncode not in (0, NOTHING_LEGAL_YET):
        sys.exit(f"bench.py: exit {done.returncode} of {command[1]}\n{done.stderr.decode()}")
    return taken


def run_limits(program: Path, seconds: str, samples: Samples) -> None:
    """One run under the time limit of each case that has long steps: what it took in all."""
    for kernels, side in ((2, 32_000), (120, 633), (120, 8_000)):
        with tempfile.TemporaryDirectory() as folder:
            case = Path(folder) / "limit.kgraph"
            case.write_text(blocks_case(kernels, side), encoding="utf-8")
            taken = limited([program, "place", case, "-o", case.with_suffix(".sol"), "-q"], seconds)
        samples[f"limit {seconds} s, {kernels} blocks on {side}x{side}"]["ns"].append(taken)
    for verb in ("plan", "optimize"):
        with tempfile.TemporaryDirectory() as folder:
            taken = limited([program, verb, "t_1t", "--hardware", "wse2", "-o",
                             Path(folder) / "best", "-q"], seconds)
        samples[f"limit {seconds} s, {verb} t_1t on wse2"]["ns"].append(taken)


def medians(samples: Samples) -> dict[str, dict[str, float]]:
    """Median of every quantity, in the order in which they were first seen."""
    return {name: {quantity: median(values) for quantity, values in quantities.items()}
            for name, quantities in samples.items()}


def readable_time(nanoseconds: float) -> str:
    """A time with three digits and the unit that fits: 1.23 us."""
    unit = next((u for u in ("s", "ms", "us") if nanoseconds >= NANOSECONDS[u]), "ns")
    return f"{nanoseconds / NANOSECONDS[unit]:.3g} {unit}"


def print_table(result: dict[str, dict[str, float]]) -> None:
    width = max(map(len, result))
    for name, quantities in result.items():
        texts = [readable_time(value) if quantity == "ns" else f"{quantity} {value:.10g}"
                 for quantity, value in quantities.items()]
        print(f"{name:<{width}}  {'  '.join(texts)}")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    project = Path(__file__).resolve().parent.parent
    parser.add_argument("--build", type=Path, default=project / "build" / "release",
                        help="build folder (default: build/release)")
    parser.add_argument("--runs", type=int, default=3, help="runs of everything (default: 3)")
    parser.add_argument("--filter", default=".", metavar="REGEX",
                        help="microbenchmarks whose name matches (default: all)")
    parser.add_argument("--cases", help="contest cases to place, as A,K or all (default: none)")
    parser.add_argument("--time-limit", metavar="S",
                        help="place and plan hard cases under this limit (default: none)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the medians there")
    parser.add_argument("options", nargs="*", metavar="-- OPTION",
                        help="options for `waferloom bench`, such as -- --effort 3")
    chosen = parser.parse_args()
    if chosen.runs < 1:
        parser.error("--runs must be at least 1")
    try:
        re.compile(chosen.filter)
    except re.error as error:
        parser.error(f"--filter: {error}")
    return chosen


def main() -> int:
    chosen = arguments()
    binaries = sorted(path for path in (chosen.build / "tests" / "bench").glob("bench_*")
                      if path.is_file())
    samples: Samples = defaultdict(lambda: defaultdict(list))
    for _ in range(chosen.runs):
        for binary in binaries:
            run_micro(binary, chosen.filter, samples)
        if chosen.cases:
            run_cases(chosen.build / "waferloom", chosen.cases, chosen.options, samples)
        if chosen.time_limit:
            run_limits(chosen.build / "waferloom", chosen.time_limit, samples)
    if not samples:
        print("bench.py: nothing to measure (see --help)", file=sys.stderr)
        return 2
    result = medians(samples)
    print_table(result)
    if chosen.json:
        chosen.json.write_text(json.dumps({"runs": chosen.runs, "medians": result}, indent=2) + "\n",
                               encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
