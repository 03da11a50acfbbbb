#!/usr/bin/env python3
"""Seeds single faults into C++ sources and names those that the tests let through.

    scripts/mutate.py planner sim --count 100 --seed 16
    scripts/mutate.py planner/plans/plan_time.cpp --list
    scripts/mutate.py planner/plans/plan_time.cpp --only 7

FILE is a source or a folder of them; headers are taken where they are named. A fault is one change
of one expression or statement: another operator, min for max, a constant times 0, plus or minus 1,
doubled or halved, a loop one off, a term or factor dropped, a statement dropped, two arguments
exchanged, a condition negated, or a constant returned. Comments, texts, what is put together into a
message, includes and assertions are left alone. A kind is drawn first, then a place, so that
constants do not crowd out the rest.

Each fault goes into a copy of the tree under build/mutants, never into the sources themselves. What
changed is rebuilt, and the unit tests of the fault's library (its top folder) are run, without
those that need the reference data; where they see nothing, all recorded outputs (tests/recorded)
are compared, but for --unit-only. A fault that does not compile is not counted: the next is drawn.
Tests that take five times as long as without a fault, and 10 s at least, count as failed.
The same sources and seed give the same faults.

Exit code: 0; 1 if fewer than --least-killed PERCENT of the faults were killed; 2 for wrong usage;
4 if the sources do not build or pass their tests without a fault.
"""

import argparse
import json
import os
import queue
import random
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path

from mutation.faults import Fault, faults_in
from mutation.workspace import Broken, Commands, Outcome, Workspace, library_of

PROJECT = Path(__file__).resolve().parents[1]


def sources(root: Path, named: list[str]) -> list[str]:
    """Paths of the sources within the tree, sorted."""
    found = set()
    for name in named:
        path = Path(name) if Path(name).exists() else root / name
        if not path.exists():
            raise ValueError(f"there is no {name}")
        files = path.rglob("*.cpp") if path.is_dir() else [path]
        try:
            found.update(each.resolve().relative_to(root).as_posix() for each in files)
        except ValueError as error:
            raise ValueError(f"{name} is not in {root}") from error
    for file in found:
        if not (root / "tests" / library_of(file)).is_dir():
            raise ValueError(f"{file}: there is no tests/{library_of(file)}")
    return sorted(found)


def drawn(faults: list[Fault], seed: int) -> Iterator[Fault]:
    """All faults, each once, in the order of the draw: a kind, a place, and what stands there."""
    chance = random.Random(seed)
    places: dict[str, dict[tuple[str, int, int], list[Fault]]] = {}
    for fault in faults:
        at = (fault.file, fault.start, fault.end)
        places.setdefault(fault.kind, {}).setdefault(at, []).append(fault)
    while places:
        kind = chance.choice(sorted(places))
        at = chance.choice(sorted(places[kind]))
        here = places[kind][at]
        yield here.pop(chance.randrange(len(here)))
        if not here:
            del places[kind][at]
        if not places[kind]:
            del places[kind]


class Run:
    """Tries faults in the order of the draw until `count` of them compiled."""

    def __init__(self, workspaces: list[Workspace], texts: dict[str, str]) -> None:
        self.free: queue.Queue[Workspace] = queue.Queue()
        for workspace in workspaces:
            self.free.put(workspace)
        self.jobs, self.texts = len(workspaces), texts
        self.results: dict[int, tuple[Fault, Outcome]] = {}
        self.speaking = threading.Lock()

    def of(self, numbered: Iterator[tuple[int, Fault]], count: int) -> None:
        with ThreadPoolExecutor(self.jobs) as pool:
            pending: set[Future[bool]] = set()
            counted, is_exhausted = 0, False
            while True:
                while not is_exhausted and len(pending) < min(self.jobs, count - counted):
                    following = next(numbered, None)
                    is_exhausted = following is None
                    if following is not None:
                        pending.add(pool.submit(self.one, *following))
                if not pending:
                    return
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                counted += sum(each.result() for each in done)

    def one(self, number: int, fault: Fault) -> bool:
        """Whether the fault counts."""
        workspace = self.free.get()
        try:
            outcome = workspace.try_fault(fault)
        finally:
            self.free.put(workspace)
        self.results[number] = (fault, outcome)
        with self.speaking:
            note = f" by: {outcome.killed_by}" if outcome.killed_by else ""
            print(f"{number:4} {outcome.verdict:9} {outcome.seconds:5.0f} s  "
                  f"{fault.file}:{fault.line} {fault.kind}{note}", file=sys.stderr, flush=True)
            if outcome.verdict == "survived":
                print(described(number, fault, self.texts), flush=True)
        return outcome.verdict != "stillborn"

    def verdicts(self) -> Counter[str]:
        return Counter(outcome.verdict for _, outcome in self.results.values())


def described(number: int, fault: Fault, texts: dict[str, str]) -> str:
    """Number, place and the changed lines."""
    before, after = fault.lines(texts[fault.file])
    changed = [f"  - {line.strip()}" for line in before.split("\n")]
    changed += [f"  + {line.strip()}" for line in after.split("\n")]
    return "\n".join([f"{number} {fault.file}:{fault.line} {fault.kind}", *changed])


def report(path: Path, run: Run, options: argparse.Namespace) -> None:
    rows = []
    for number, (fault, outcome) in sorted(run.results.items()):
        before, after = fault.lines(run.texts[fault.file])
        rows.append({"number": number, **asdict(fault), "before": before, "after": after,
                     **asdict(outcome)})
    written = {"files": options.files, "seed": options.seed, "counts": run.verdicts(),
               "faults": rows}
    path.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE", nargs="+", help="a source, or a folder of them")
    parser.add_argument("--count", type=positive, default=20, help="faults to try (20)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--jobs", type=positive, default=1, help="copies that work at once (1)")
    parser.add_argument("--list", action="store_true",
                        help="print the first COUNT faults of the draw, or the N-th: number, place,"
                        " kind and the lines before (-) and after (+); try none, so that some may"
                        " not compile")
    parser.add_argument("--only", type=positive, metavar="N", help="try the N-th of the draw alone")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write all results as JSON")
    parser.add_argument("--least-killed", type=float, metavar="PERCENT",
                        help="exit with 1 if fewer were killed")
    parser.add_argument("--root", type=Path, default=PROJECT, help="the tree (this project)")
    parser.add_argument("--work", type=Path, help="folder of the copies (build/mutants)")
    given = Commands()
    parser.add_argument("--unit-only", action="store_true", help="compare no recorded outputs")
    for name in ("configure", "build", "near_test", "test", "program", "recorded"):
        parser.add_argument(f"--{name.replace('_', '-')}", default=getattr(given, name),
                            metavar="COMMAND", help=argparse.SUPPRESS)  # for the script's own tests
    options = parser.parse_args(arguments)
    if options.unit_only:
        options.program = options.recorded = ""
    return options


def positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("expected a number of at least 1")
    return value


def workspaces(options: argparse.Namespace, root: Path, files: list[str]) -> list[Workspace]:
    """One after the other is prepared: the first fills the compiler's cache for the others."""
    folder = (options.work or root / "build" / "mutants").resolve()
    commands = Commands(options.configure, options.build, options.near_test, options.test,
                        options.program, options.recorded)
    jobs = 1 if options.only else options.jobs
    found = []
    for number in range(1, jobs + 1):
        print(f"preparing copy {number} of {jobs}", file=sys.stderr, flush=True)
        found.append(Workspace(root, folder / str(number), commands, os.cpu_count() or 1))
        found[-1].prepare(files)
        found[-1].processors = max(1, (os.cpu_count() or 1) // jobs)
    return found


def main(arguments: list[str]) -> int:
    options = parsed(arguments)
    root = options.root.resolve()
    try:
        files = sources(root, options.files)
    except ValueError as error:
        print(f"mutate.py: {error}", file=sys.stderr)
        return 2
    texts = {file: (root / file).read_text(encoding="utf-8") for file in files}
    faults = [fault for file in files for fault in faults_in(file, texts[file])]
    if options.only and options.only > len(faults):
        print(f"mutate.py: --only {options.only}: the draw has {len(faults)} faults",
              file=sys.stderr)
        return 2
    numbered = enumerate(drawn(faults, options.seed), 1)
    count = options.count
    if options.only:
        numbered, count = (each for each in numbered if each[0] == options.only), 1
    if options.list:
        for number, fault in list(numbered)[:count]:
            print(described(number, fault, texts))
        return 0
    try:
        run = Run(workspaces(options, root, files), texts)
    except Broken as error:
        print(f"mutate.py: {error}", file=sys.stderr)
        return 4
    run.of(numbered, count)
    return conclude(run, options)


def conclude(run: Run, options: argparse.Namespace) -> int:
    if options.report:
        report(options.report, run, options)
    found = run.verdicts()
    killed = found["killed"] + found["timeout"]
    counted = killed + found["survived"]
    print(f"{counted} faults, {killed} killed ({found['timeout']} by the time limit), "
          f"{found['survived']} survived; {found['stillborn']} more did not compile")
    if counted == 0:
        print("mutate.py: no fault was tried", file=sys.stderr)
        return 2
    if options.least_killed is not None and 100 * killed < options.least_killed * counted:
        print(f"mutate.py: fewer than {options.least_killed:g} % were killed", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
