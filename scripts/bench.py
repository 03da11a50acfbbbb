#!/usr/bin/env python3
"""Runs the microbenchmarks and the contest cases several times and prints medians.

Microbenchmarks (tests/bench, Google Benchmark) are there after
    scripts/install_dependencies.sh build bench
    cmake --preset release -DWAFERLOOM_BENCHMARKS=ON && cmake --build --preset release
and are left out otherwise; the contest cases need the program alone (`waferloom bench`), and are
run only on request because each takes its time: --cases A,K or --cases all. So are the runs that
show how well a time limit is kept where single steps take long: --time-limit 1 prints how long the
program took, from its start to its end, on wide wafers, with many kinds of kernels, and with plans
of a large network on a wafer of 853,776 tiles. --routes prints what `waferloom route` takes of wall
time, processor time (of the user and the system) and memory: of cases A and C, and of 1,500 kernels
on a wafer of 2500x2500 tiles, near one another and far apart; and what simulating A and C on these
routes takes. Placements are quick ones, made once, and not measured.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
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
        if entry.get("error_occurred"):  # what it reads is not installed
            continue
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
            taken = limited([program, verb, "t_1t", "--hardware", "wse2_dfmodel", "-o",
                             Path(folder) / "best", "-q"], seconds)
        samples[f"limit {seconds} s, {verb} t_1t on wse2_dfmodel"]["ns"].append(taken)


@dataclass(frozen=True)
class RoutedCase:
    """A case to route: how it is made, how it is placed, and on which hardware."""

    name: str
    make: list[str]
    strategy: str
    side: int = 0  # of a square wafer in place of wse1's; 0: wse1 itself
    simulated: bool = False


VGG_1500 = ["--family", "vgg", "--kernels", "1500", "--fabric", "2500x2500"]
ROUTED_CASES = (
    RoutedCase("A", ["A"], "gigaplacer-plus", simulated=True),
    RoutedCase("C", ["C"], "gigaplacer-plus", simulated=True),
    RoutedCase("1500 kernels in rows", VGG_1500, "signature-rows", 2500),
    RoutedCase("1500 kernels by bisection", VGG_1500, "bisection", 2500),
)


def square_wafer(program: Path, side: int) -> str:
    """Hardware like wse1 with as many rows and columns, and host ports all along its west and east."""
    hardware = json.loads(output_of([str(program), "hardware", "wse1", "-o", "-"]))["fabric"]
    hardware["name"] = f"square{side}"
    hardware["columns"] = hardware["rows"] = side
    for ports in hardware["host_ports"]:
        ports["last"] = side - 1
    return json.dumps(hardware)


def place_routed_cases(program: Path, folder: Path) -> None:
    """Files of each case, NUMBER.kgraph, NUMBER.sol and NUMBER.json, its hardware where it has one."""
    for number, case in enumerate(ROUTED_CASES):
        path = folder / str(number)
        output_of([str(program), "cases", *case.make, "-o", f"{path}.kgraph", "-q"])
        output_of([str(program), "place", f"{path}.kgraph", "-o", f"{path}.sol", "-q",
                   "--strategy", case.strategy, "--effort", "1", "--seed", "1"])
        if case.side:
            Path(f"{path}.json").write_text(square_wafer(program, case.side), encoding="utf-8")


def measured(command: list[str], quantities: dict[str, list[float]]) -> None:
    """Wall time, processor time and peak memory of a command that must succeed."""
    with tempfile.TemporaryFile() as errors:
        start = time.monotonic_ns()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, used = os.wait4(child.pid, 0)
        taken = time.monotonic_ns() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            errors.seek(0)
            sys.exit(f"bench.py: exit {child.returncode} of {' '.join(command)}\n"
                     f"{errors.read().decode()}")
    quantities["ns"].append(taken)
    quantities["cpu_ns"].append((used.ru_utime + used.ru_stime) * NANOSECONDS["s"])
    quantities["peak_mb"].append(used.ru_maxrss * 1024 / 1e6)


def run_routes(program: Path, folder: Path, samples: Samples) -> None:
    """One run of the router and the simulator on what place_routed_cases() left in a folder."""
    for number, case in enumerate(ROUTED_CASES):
        path = folder / str(number)
        inputs = [f"{path}.kgraph", f"{path}.sol"]
        hardware = ["--hardware", f"{path}.json"] if case.side else []
        routes = f"{path}.routes"
        measured([str(program), "route", *inputs, *hardware, "-o", routes, "-q"],
                 samples[f"route {case.name}"])
        measured([str(program), "route", *inputs, *hardware, "--bound", "-q"],
                 samples[f"bound of {case.name}"])
        if case.simulated:
            measured([str(program), "simulate", *inputs, *hardware, "--routes", routes, "-q"],
                     samples[f"simulate {case.name} on its routes"])


def medians(samples: Samples) -> dict[str, dict[str, float]]:
    """Median of every quantity, in the order in which they were first seen."""
    return {name: {quantity: median(values) for quantity, values in quantities.items()}
            for name, quantities in samples.items()}


def readable_time(nanoseconds: float) -> str:
    """A time with three digits and the unit that fits: 1.23 us."""
    unit = next((u for u in ("s", "ms", "us") if nanoseconds >= NANOSECONDS[u]), "ns")
    return f"{nanoseconds / NANOSECONDS[unit]:.3g} {unit}"


def readable(quantity: str, value: float) -> str:
    """A quantity with its name, of which the time `ns` has none."""
    if quantity == "ns":
        return readable_time(value)
    if quantity == "cpu_ns":
        return f"cpu {readable_time(value)}"
    if quantity == "peak_mb":
        return f"peak {value:.3g} MB"
    return f"{quantity} {value:.10g}"


def print_table(result: dict[str, dict[str, float]]) -> None:
    width = max(map(len, result))
    for name, quantities in result.items():
        texts = [readable(quantity, value) for quantity, value in quantities.items()]
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
    parser.add_argument("--routes", action="store_true",
                        help="route cases A and C and one of 1,500 kernels (default: none)")
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
    program = chosen.build / "waferloom"
    samples: Samples = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as folder:
        if chosen.routes:
            place_routed_cases(program, Path(folder))
        for _ in range(chosen.runs):
            for binary in binaries:
                run_micro(binary, chosen.filter, samples)
            if chosen.cases:
                run_cases(program, chosen.cases, chosen.options, samples)
            if chosen.time_limit:
                run_limits(program, chosen.time_limit, samples)
            if chosen.routes:
                run_routes(program, Path(folder), samples)
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
