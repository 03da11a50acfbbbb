"""Copies of the sources that faults are put into, built and tested beside the user's own.

A copy is kept for the next run: what differs from the user's sources is copied again, so that a
run that was killed leaves no fault behind.
"""

import filecmp
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from mutation.faults import Fault

LEFT_OUT = {"build", "out", ".git", ".cache", "__pycache__"}
MEMORY_LIMIT = 4 << 30  # bytes, of a test whose fault makes it take ever more
LEAST_LIMIT_S = 10.0
LIMIT_FACTOR = 5  # of what the tests take without a fault

# As users build it, but compiled faster; a fault may leave a variable unused, so no -Werror.
CONFIGURE = ("cmake -S {root} -B {build} -G Ninja -DCMAKE_BUILD_TYPE=Release"
             " -DCMAKE_CXX_FLAGS_RELEASE='-O1 -DNDEBUG -w' -DWAFERLOOM_TESTS=ON")
BUILD = "cmake --build {build} --parallel {processors} --target test_{library}"
TEST = ("{build}/tests/{library}/test_{library} --test-case-exclude=*[shared]*"
        " --abort-after=1 --no-colors=true")
# The test that mirrors the source is likely to fail first, and takes no time.
NEAR_TEST = TEST + " --source-file=*/{stem}_test.cpp"
# What unit tests let through is in the whole program; its outputs know each number of a plan.
PROGRAM = "cmake --build {build} --parallel {processors} --target waferloom"
RECORDED = "python3 -B tests/recorded/recorded.py {build}/waferloom --first --jobs {processors}"
FAILED = re.compile(r"^(?:TEST CASE:|DIFFERS)\s*(.*)$", re.MULTILINE)


class Broken(Exception):
    """The sources do not build or do not pass without a fault: nothing can be said of any."""


@dataclass(frozen=True)
class Commands:
    """Shell words with {root}, {build}, {library}, {stem} (of the source's name) and {processors};
    nothing is run for an empty one."""

    configure: str = CONFIGURE
    build: str = BUILD
    near_test: str = NEAR_TEST
    test: str = TEST
    program: str = PROGRAM
    recorded: str = RECORDED


@dataclass(frozen=True)
class Outcome:
    verdict: str  # killed, timeout, survived or stillborn (does not compile)
    seconds: float
    killed_by: str = ""  # the test case that failed first, or the recorded output that differs


class Workspace:
    """One copy of the tree and its build folder."""

    def __init__(self, root: Path, folder: Path, commands: Commands, processors: int) -> None:
        self.root, self.copy, self.commands = root, folder, commands
        self.build_folder = folder / "build" / "mutants"
        self.processors = processors
        self.limits_s: dict[tuple[str, str], float] = {}  # by library and source; all: no source

    def prepare(self, files: list[str]) -> None:
        """Brings the copy up to date, builds it and takes the time of the files' tests."""
        synchronise(self.root, self.copy)
        self.build_folder.mkdir(parents=True, exist_ok=True)
        command = self.commands.configure
        if command and shutil.which("ccache"):
            command += " -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
        self._must(command, "")
        for library in sorted({library_of(file) for file in files}):
            self._must(self.commands.build, library)
            self._time(self.commands.test, library, "")
        self._must(self.commands.program, "")
        self._time(self.commands.recorded, "", "")
        for file in files:
            self._time(self.commands.near_test, library_of(file), Path(file).stem)

    def try_fault(self, fault: Fault) -> Outcome:
        """Puts the fault in, builds, tests, and takes it out again."""
        library = library_of(fault.file)
        target = self.copy / fault.file
        text = target.read_text(encoding="utf-8")
        begin = time.monotonic()
        write(target, fault.apply(text))
        try:
            if self._run(self.commands.build, library, None)[0] != 0:
                return Outcome("stillborn", time.monotonic() - begin)
            code, output = self._test(self.commands.near_test, library, target.stem)
            if code == 0:
                code, output = self._test(self.commands.test, library, "")
            if code == 0:
                self._must(self.commands.program, "")
                code, output = self._test(self.commands.recorded, "", "")
        finally:
            write(target, text)
        seconds = time.monotonic() - begin
        if code is None:
            return Outcome("timeout", seconds)
        named = FAILED.search(output)
        return Outcome("killed" if code else "survived", seconds,
                       named[1].strip() if code and named else "")

    def _test(self, command: str, library: str, stem: str) -> tuple[int | None, str]:
        return self._run(command, library, self.limits_s[library, stem], stem)

    def _time(self, command: str, library: str, stem: str) -> None:
        """Runs tests that must pass, and derives their time limit."""
        begin = time.monotonic()
        self._must(command, library, stem)
        limit_s = LIMIT_FACTOR * (time.monotonic() - begin)
        self.limits_s[library, stem] = max(LEAST_LIMIT_S, limit_s)

    def _must(self, command: str, library: str, stem: str = "") -> None:
        code, output = self._run(command, library, None, stem)
        if code != 0:
            raise Broken(f"without a fault, exit {code} of: {command}\n{output[-4000:]}")

    def _run(self, command: str, library: str, limit_s: float | None,
             stem: str = "") -> tuple[int | None, str]:
        """Exit code, none after the time limit, and what was printed."""
        if not command:
            return 0, ""
        fields = {"root": self.copy, "build": self.build_folder, "library": library, "stem": stem,
                  "processors": self.processors}
        words = [word.format(**fields) for word in shlex.split(command)]
        with (self.build_folder / "log").open("w+", encoding="utf-8", errors="replace") as log:
            child = subprocess.Popen(words, cwd=self.copy, env=self._environment(), stdout=log,
                                     stderr=subprocess.STDOUT, start_new_session=True,
                                     preexec_fn=None if limit_s is None else limit_memory)
            try:
                code = child.wait(limit_s)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
            log.seek(0)
            return code, log.read()

    def _environment(self) -> dict[str, str]:
        """Paths in the compiler's cache are relative to the copy, so that copies share it."""
        shared = os.environ.get("WAFERLOOM_SHARED", str(self.root.parent / "shared"))
        return {**os.environ, "CCACHE_BASEDIR": str(self.copy), "CCACHE_NOHASHDIR": "1",
                "WAFERLOOM_SHARED": shared}


def library_of(file: str) -> str:
    """The top folder, whose tests are tests/<folder>."""
    return Path(file).parts[0]


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def write(target: Path, text: str) -> None:
    """Newer than before in any case, so that what depends on the file is built again."""
    before = target.stat().st_mtime_ns
    target.write_text(text, encoding="utf-8")
    if target.stat().st_mtime_ns <= before:
        os.utime(target, ns=(before + 1_000_000, before + 1_000_000))


def files_of(root: Path) -> dict[str, Path]:
    found = {}
    for folder, names, files in os.walk(root):
        names[:] = [name for name in names if name not in LEFT_OUT]
        for name in files:
            path = Path(folder) / name
            if path.is_file():
                found[path.relative_to(root).as_posix()] = path
    return found


def synchronise(root: Path, copy: Path) -> None:
    """Makes the copy equal to the tree; what is equal keeps its time, and so its object."""
    copy.mkdir(parents=True, exist_ok=True)
    theirs, ours = files_of(root), files_of(copy)
    for name in ours.keys() - theirs.keys():
        ours[name].unlink()
    for name, path in theirs.items():
        target = copy / name
        if name in ours and filecmp.cmp(path, target, shallow=False):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        shutil.copymode(path, target)
