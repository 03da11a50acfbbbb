"""A fault of our own is told as a bug, exit code 1, on every command; never as a wrong input.

The fault is an exception out of the middle of a command's work (fault.cpp). The command lines are
those of tests/recorded, the last that succeeds of each command: the first do the most work.
"""

import json
import os
import shlex
import shutil
import subprocess
import unittest
from pathlib import Path

from documented_commands import names_of_commands
from program import PROGRAM, ProgramTest

RECORDED = Path(__file__).resolve().parents[1] / "recorded"
FAULT = os.environ["WAFERLOOM_FAULT_LIBRARY"]
SHARES = (0.4, 0.75)  # of a command's allocations
# Destructors of the JSON library allocate; an exception out of them ends the program at once. The
# fault then comes a little later.
MOST_TRIES = 20
ABORTED = -6


# Commands over a folder of results, whose times are no case to be recorded.
PLANNED = ["sweep plan space_small.json -o run"]
SWEPT = [*PLANNED, "sweep exec run --task 0/1"]
SWEEPS = [{"name": f"sweep/{words.split()[0]}", "run": "sweep " + words, "before": before}
          for words, before in (("exec run --task 0/1", PLANNED), ("submit run --tasks 1", PLANNED),
                                ("status run", SWEPT), ("cancel run", SWEPT),
                                ("collect run -o all.csv", SWEPT),
                                ("report run -o r.html --objective total:min", SWEPT))]


def cases_of(command: str) -> list[dict]:
    """Those of a command, the last first."""
    cases = json.loads((RECORDED / "cases.json").read_text()) + SWEEPS
    return [case for case in reversed(cases) if case["run"].startswith(command + " ")]


class OwnFaultsTest(ProgramTest):
    def run_case(self, case: dict, **environment: str) -> subprocess.CompletedProcess:
        folder = self.folder / "case"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(RECORDED / "inputs", folder)
        for line in case.get("before", []):
            subprocess.run([PROGRAM, *shlex.split(line)], cwd=folder, check=True,
                           capture_output=True)
        stdin = (folder / case["stdin"]).read_text() if "stdin" in case else ""
        return subprocess.run([PROGRAM, *shlex.split(case["run"])], cwd=folder, input=stdin,
                              capture_output=True, text=True,
                              env={**os.environ, "LD_PRELOAD": FAULT, **environment})

    def allocations(self, case: dict) -> int:
        count = self.folder / "count"
        done = self.run_case(case, WAFERLOOM_FAULT_COUNT=str(count))
        return int(count.read_text()) if done.returncode == 0 else 0

    def faulty_run(self, case: dict, at: int) -> subprocess.CompletedProcess:
        for later in range(MOST_TRIES):
            done = self.run_case(case, WAFERLOOM_FAULT_AT=str(at + later))
            if done.returncode != ABORTED:
                break
        return done

    def test_every_command_tells_it_as_a_bug(self) -> None:
        names = names_of_commands()
        self.assertGreater(len(names), 15)
        for command in names:
            counted = ((case, self.allocations(case)) for case in cases_of(command))
            case, count = next((pair for pair in counted if pair[1] > 0), (None, 0))
            self.assertIsNotNone(case, f"no recorded case of {command} succeeds")
            for share in SHARES:
                with self.subTest(case=case["name"], share=share):
                    done = self.faulty_run(case, int(count * share))
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("error: injected fault\n", done.stderr)
                    self.assertIn("This is a bug of waferloom", done.stderr)

    def test_reports_tell_the_class(self) -> None:
        case = {"run": "score small.kgraph small.sol --report -"}
        count = self.allocations(case)
        self.assertGreater(count, 0)
        done = self.faulty_run(case, count // 2)
        error = json.loads(done.stdout)["error"]
        self.assertEqual((error["class"], error["message"]), ("internal", "injected fault"))


if __name__ == "__main__":
    unittest.main()
