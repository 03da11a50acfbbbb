"""Runs every command line of cases.json and compares what it leaves with what was recorded.

    python3 tests/recorded/recorded.py PROGRAM [--only NAME ...] [--part K/N] [--first]
    python3 tests/recorded/recorded.py PROGRAM --record [--only NAME ...]

A NAME ending in "/" stands for all cases that begin so. README.md has the rest. Exit code 0: all as
recorded; 1: not; 2: a table is wrong.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import comparison
from pictures import SIGNATURE, png_digest
from rules import RuleError, Rules, read_rules

HERE = Path(__file__).resolve().parent
TIMEOUT_S = 1200
# A line of progress: where the program is slow there are more of them. With --verbose each step has
# its line, on any machine, but simulate has them by the clock.
PROGRESS = re.compile(rb"(?m)^ {3,}[0-9.]+ (?:of [0-9.e+]+ )?s  .*\n")
# Larger outputs are stored packed; packed ones may not be larger either, nor all of them together.
STORED_BYTES = 40_000
TOTAL_BYTES = 2_000_000
PACKED = ".packed"

# By name: "exit_code", "stdout", "stderr", "files/NAME". Empty texts are left out.
Outputs = dict[str, bytes]


@dataclass(frozen=True)
class Case:
    name: str
    run: list[str]
    stdin: str
    before: list[list[str]]  # command lines that make its inputs; not recorded


def read_cases(folder: Path) -> list[Case]:
    known = {"name", "run", "stdin", "before"}
    cases = []
    for entry in json.loads((folder / "cases.json").read_text()):
        if set(entry) - known or not re.fullmatch(r"[a-z0-9_]+/[a-z0-9_.]+", entry["name"]):
            raise RuleError(f"cases.json: {entry}: expected keys {sorted(known)}, a name verb/what")
        cases.append(Case(entry["name"], shlex.split(entry["run"]), entry.get("stdin", ""),
                          [shlex.split(line) for line in entry.get("before", [])]))
    names = [case.name for case in cases]
    for name in names:
        if names.count(name) > 1:
            raise RuleError(f"cases.json: two cases are called {name}")
    return cases


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()}


def with_threads(arguments: list[str], threads: int | None) -> list[str]:
    if threads is None or "--threads" not in arguments:
        return arguments
    changed = list(arguments)
    changed[changed.index("--threads") + 1] = str(threads)
    return changed


def run_case(program: Path, home: Path, case: Case, rules: Rules, threads: int | None) -> Outputs:
    """What the case's command leaves, in a folder of its own that holds all inputs."""
    environment = {**os.environ, "NO_COLOR": "1", "LC_ALL": "C", "COLUMNS": "80"}
    with tempfile.TemporaryDirectory() as holder:
        folder = Path(holder).resolve() / "work"
        shutil.copytree(home / "inputs", folder)

        def start(arguments: list[str], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
            return subprocess.run([program, *with_threads(arguments, threads)], cwd=folder, input=stdin,
                                  capture_output=True, env=environment, timeout=TIMEOUT_S,
                                  check=False)

        for line in case.before:
            done = start(line, b"")
            if done.returncode != 0:
                raise RuleError(f"{case.name}: before: {shlex.join(line)}: {done.stderr.decode()}")
        inputs = files_of(folder)
        done = start(case.run, inputs[case.stdin] if case.stdin else b"")
        stepwise = {"-v", "--verbose"} & set(case.run) and case.run[0] != "simulate"
        said = done.stderr if stepwise else PROGRESS.sub(b"", done.stderr)
        outputs = {"exit_code": f"{done.returncode}\n".encode(), "stdout": done.stdout,
                   "stderr": said}
        for name, data in files_of(folder).items():
            if inputs.get(name) != data:
                outputs[f"files/{name}"] = gzip.decompress(data) if name.endswith(".gz") else data
        outputs |= {f"files/{name}": b"(gone)" for name in inputs if not (folder / name).exists()}
    return {name: kept(f"{case.name}/{name}", data, rules) for name, data in outputs.items() if data}


def kept(name: str, data: bytes, rules: Rules) -> bytes:
    if data.startswith(SIGNATURE) and len(data) > STORED_BYTES:
        return png_digest(data, rules.varying_rows(name))
    return comparison.scrubbed(name, data, rules)


def store(folder: Path, outputs: Outputs) -> int:
    """Writes them in place of what was there; the bytes they take."""
    shutil.rmtree(folder, ignore_errors=True)
    total = 0
    for name, data in outputs.items():
        if len(data) > STORED_BYTES:
            name, data = name + PACKED, gzip.compress(data, mtime=0)
        if len(data) > STORED_BYTES:
            raise RuleError(f"{folder.name}: {name}: {len(data)} bytes packed, at most "
                            f"{STORED_BYTES} are recorded; make the case smaller")
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        total += len(data)
    return total


def load(folder: Path) -> Outputs:
    return {name.removesuffix(PACKED): gzip.decompress(data) if name.endswith(PACKED) else data
            for name, data in files_of(folder).items()}


def difference(case: Case, recorded: Outputs, now: Outputs, rules: Rules) -> str | None:
    """The first difference, behind the names of the case and the output that it is in."""
    found = _difference(case, recorded, now, rules)
    return found and f"{case.name}: {found}"


def _difference(case: Case, recorded: Outputs, now: Outputs, rules: Rules) -> str | None:
    code, new_code = (outputs["exit_code"].decode().strip() for outputs in (recorded, now))
    if code != new_code:
        said = now.get("stderr", b"").decode("utf-8", "replace").strip().split("\n")[-1]
        return f"exit code: recorded {code}, now {new_code}" + (f" ({said})" if said else "")
    for name in sorted(recorded.keys() | now.keys()):
        if name.startswith("files/") and name not in now:
            return f"{name}: recorded {len(recorded[name])} bytes, now no such file"
        if name.startswith("files/") and name not in recorded:
            return f"{name}: recorded no such file, now {len(now[name])} bytes"
        try:
            found = comparison.first_difference(f"{case.name}/{name}", recorded.get(name, b""),
                                                now.get(name, b""), rules)
        except (ValueError, zlib.error) as error:
            return f"{name}: {error}"
        if found:
            return f"{name}: {found}"
    return None


def stale_rules(folder: Path, cases: list[Case]) -> list[str]:
    """Rules that fit no recorded output, and recorded outputs without a case."""
    rules = read_rules(folder)
    for case in cases:
        for name, data in load(folder / "recorded" / case.name).items():
            comparison.exercise(f"{case.name}/{name}", data, rules)
    found = rules.stale()
    names = {case.name for case in cases}
    for path in sorted((folder / "recorded").glob("*/*")):
        name = path.relative_to(folder / "recorded").as_posix()
        if name not in names:
            found.append(f"recorded/{name}: cases.json has no such case")
    return found


def chosen(cases: list[Case], only: list[str], part: str) -> list[Case]:
    for name in only:
        if not any(matches(case.name, name) for case in cases):
            raise RuleError(f"--only {name}: cases.json has no such case")
    index, count = map(int, part.split("/"))
    if not 1 <= index <= count:
        raise RuleError(f"--part {part}: expected K/N with K from 1 to N")
    picked = [case for case in cases if not only or any(matches(case.name, name) for name in only)]
    return picked[index - 1::count]


def matches(case: str, name: str) -> bool:
    return case.startswith(name) if name.endswith("/") else case == name


def record(options: argparse.Namespace, cases: list[Case], picked: list[Case], rules: Rules) -> int:
    """Runs twice: what is not the same both times may not be recorded."""
    def task(case: Case) -> str | None:
        first, second = (run_case(options.program, options.folder, case, rules, None) for _ in "12")
        found = difference(case, first, second, rules)
        if found:
            return f"not the same twice: {found}"
        store(options.folder / "recorded" / case.name, first)
        return None

    with ThreadPoolExecutor(options.jobs) as workers:
        failures = [text for text in workers.map(task, picked) if text]
    if len(picked) == len(cases):
        names = {case.name for case in cases}
        for path in sorted((options.folder / "recorded").glob("*/*")):
            if path.relative_to(options.folder / "recorded").as_posix() not in names:
                shutil.rmtree(path)
    total = sum(map(len, files_of(options.folder / "recorded").values()))
    if total > TOTAL_BYTES:
        failures.append(f"recorded/ has {total} bytes, at most {TOTAL_BYTES} are wanted")
    return finish(failures, f"{len(picked)} cases recorded, {total} bytes in all")


def compare(options: argparse.Namespace, cases: list[Case], picked: list[Case], rules: Rules) -> int:
    def task(case: Case) -> str | None:
        place = options.folder / "recorded" / case.name
        if not (place / "exit_code").exists():
            return f"{case.name}: nothing is recorded"
        now = run_case(options.program, options.folder, case, rules, options.threads)
        return difference(case, load(place), now, rules)

    failures = stale_rules(options.folder, cases)
    with ThreadPoolExecutor(options.jobs) as workers:
        for text in workers.map(task, picked):
            failures += [text] if text else []
            if failures and options.first:
                workers.shutdown(wait=False, cancel_futures=True)
                break
    return finish(failures, f"{len(picked)} cases as recorded")


def finish(failures: list[str], done: str) -> int:
    for failure in failures:
        print("DIFFERS", failure)
    print(f"{len(failures)} differ" if failures else done)
    return 1 if failures else 0


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("program", type=lambda text: Path(text).resolve())
    parser.add_argument("--record", action="store_true", help="write the outputs anew")
    parser.add_argument("--only", nargs="+", action="extend", default=[], metavar="NAME")
    parser.add_argument("--first", action="store_true", help="stop at the first that differs")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="every N-th case")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at once")
    parser.add_argument("--threads", type=int, help="in place of the cases' own --threads")
    parser.add_argument("--folder", type=lambda text: Path(text).resolve(), default=HERE,
                        help="where the tables, inputs and recorded outputs are")
    options = parser.parse_args(arguments)
    try:
        cases = read_cases(options.folder)
        rules = read_rules(options.folder)
        picked = chosen(cases, options.only, options.part)
        if options.threads is not None:
            # Of several threads any may be the first to find something better.
            rules.varying_keys.tables["*"] = {"threads": "asked for", "improvements": "wall time"}
        return (record if options.record else compare)(options, cases, picked, rules)
    except RuleError as error:
        print(f"recorded.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
