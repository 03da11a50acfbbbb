"""Runs the commands that pages show, each once on the same files.

Pages show the same commands: one that ran on the same files before is not run again, its files are
laid there.
"""

import hashlib
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What a line of a page begins with where it is a command.
STARTS = ("waferloom", "echo", "scripts/", "python3 scripts/")


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    stdout: str
    stderr: str

    def failure(self) -> str:
        """Nothing where it went well."""
        if self.code == 0:
            return ""
        return f"exit code {self.code}: {self.stdout[-500:]}{self.stderr[-500:]}"


def run_in(folder: Path, command: str, limit_s: float, program: Path) -> Done:
    """Runs a line of the shell, in which `waferloom` is the program. Throws subprocess.TimeoutExpired
    after the limit."""
    path = f"{program.parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], cwd=folder, timeout=limit_s,
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": path, "NO_COLOR": "1"})
    return Done(done.returncode, done.stdout, done.stderr)


def files_of(folder: Path) -> dict[str, str]:
    """The files below a folder, without the project's own scripts, and hashes of them."""
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*") if path.is_file() and not path.is_symlink()
            and path.relative_to(folder).parts[0] != "scripts"}


class Ran:
    """What commands printed and left behind, by their words and the files that they name."""

    def __init__(self, program: Path) -> None:
        self.program = program
        self.left_: dict[tuple[str, ...], tuple[Done, dict[str, bytes]]] = {}
        self.runs = 0

    def __call__(self, folder: Path, command: str, limit_s: float) -> Done:
        """Runs a command unless it went well on the same files before."""
        before = files_of(folder)
        words = set(re.split(r"[\s=,'\"<>|;:]+", command))
        inputs = sorted(f"{name} {content}" for name, content in before.items()
                        if words & {name, name.split("/")[0]})
        key = (command, *inputs)
        if key in self.left_:
            done, left = self.left_[key]
            for name, content in left.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
            return done
        self.runs += 1
        done = run_in(folder, command, limit_s, self.program)
        if done.code == 0:
            self.left_[key] = (done, {name: (folder / name).read_bytes()
                                      for name, content in files_of(folder).items()
                                      if before.get(name) != content})
        return done
