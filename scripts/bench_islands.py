#!/usr/bin/env python3
"""How much placements by islands and by single runs of the same work differ from seed to seed.

    scripts/bench_islands.py [--cases J,mixed-36] [--seeds 10] [--islands 8] [--epochs 3] [--effort 4]
                             [--kinds islands,single] [--threads N] [--program build/release/waferloom]

Islands do islands × epochs times the annealing moves of --effort. A single run of effort e makes
240,000·2^e of them, so it gets the least effort that makes at least as many, 9 at most: at 8 islands, 3
epochs and effort 4 effort 9, a third more moves. All go by effort alone, so totals do not depend on
the machine. Cases are names of `waferloom cases`, or of the generated ones.

Prints for each case and kind: best and worst total over the seeds, (worst - best) / best, and the
seconds of all cores and of the wall in the mean. Each run goes to stderr as it ends. Nothing is
judged; docs/placer.md has figures.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[1] / "build/release/waferloom"
HIGHEST_EFFORT = 9


def equal_effort(options: argparse.Namespace) -> int:
    """The least effort of one run that is as much annealing as all islands together."""
    moves = options.islands * options.epochs << options.effort
    return min(HIGHEST_EFFORT, (moves - 1).bit_length())


def write_case(program: str, name: str, folder: Path) -> Path:
    """NAME.kgraph in the folder; a contest's case, or a generated one."""
    path = folder / f"{name}.kgraph"
    of_contest = len(name) == 1
    words = [program, "cases", *([] if of_contest else ["--generated", "full"]), name, "-o", str(path), "-q"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench_islands.py: {name}: {done.stderr.strip()}")
    return path


def place(words: list[str], folder: Path) -> tuple[float, float, float]:
    """Total of one run, its seconds of all cores and of the wall."""
    report = folder / "report.json"
    begin = time.monotonic()
    process = subprocess.Popen([*words, "-o", str(folder / "x.sol"), "--report", str(report), "-q"],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"bench_islands.py: exit code {process.returncode} of {' '.join(words)}")
    wall = time.monotonic() - begin
    total = json.loads(report.read_text(encoding="utf-8"))["score"]["total"]
    return total, usage.ru_utime + usage.ru_stime, wall


def options_of() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--cases", default="J,mixed-36")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--islands", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--effort", type=int, default=4)
    parser.add_argument("--kinds", default="islands,single")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--program", type=Path, default=PROGRAM)
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        parser.error(f"{options.program}: no such program")
    return options


def main() -> int:
    options = options_of()
    program = str(options.program.resolve())
    words_of = {
        "islands": ["--islands", str(options.islands), "--epochs", str(options.epochs),
                    "--effort", str(options.effort)],
        "single": ["--effort", str(equal_effort(options))],
    }
    print("case        kind     runs       best      worst  spread %  core s  wall s")
    for name in options.cases.split(","):
        with tempfile.TemporaryDirectory() as holder:
            folder = Path(holder)
            case = write_case(program, name, folder)
            for kind in options.kinds.split(","):
                runs = []
                for seed in range(1, options.seeds + 1):
                    words = [program, "place", str(case), "--seed", str(seed), "--threads",
                             str(options.threads), *words_of[kind]]
                    runs.append(place(words, folder))
                    print(f"{name} {kind} seed {seed}: {runs[-1][0]}, {runs[-1][1]:.1f} core s",
                          file=sys.stderr)
                totals = [run[0] for run in runs]
                best, worst = min(totals), max(totals)
                core, wall = (sum(run[i] for run in runs) / len(runs) for i in (1, 2))
                print(f"{name:10s}  {kind:7s}  {len(runs):4d}  {best:9.7g}  {worst:9.7g}  "
                      f"{100 * (worst - best) / best:8.3f}  {core:6.1f}  {wall:6.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
