"""waferloom place --islands on GNU parallel and on a Slurm of two nodes that this test starts.
Skipped by name where the programs are not installed (scripts/install_dependencies.sh cluster)."""

import json
import os
import random
import signal
import subprocess
import time
import unittest
from pathlib import Path
from typing import Any

from program import PROGRAM, ProgramTest, Run
from slurm import SLURM_PROGRAMS, SlurmTest, missing

SEED = 20200330
PATIENCE_S = 120
# A quarter of a second a task, and islands that differ.
CASE = ("cases", "--family", "dag", "--kernels", "10", "--fabric", "120x120", "-o", "A.kgraph", "-q")
SEARCH = ("--islands", "3", "--epochs", "3", "--effort", "1")


class Islands(ProgramTest):
    environment: dict[str, str] = {}

    def setUp(self) -> None:
        super().setUp()
        self.assertEqual(self.run_here(*CASE).code, 0)

    def place(self, *words: str, out: str = "out.sol") -> Run:
        return self.run_here("place", "A.kgraph", "-o", out, *SEARCH, *words,
                             env={**os.environ, **self.environment})

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """The same in a process group of its own, with all that it starts."""
        process = subprocess.Popen(
            [PROGRAM, "place", "A.kgraph", "-o", "out.sol", *SEARCH, *words], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, **self.environment})
        self.addCleanup(process.communicate)
        self.addCleanup(self.kill, process)
        return process

    def kill(self, process: subprocess.Popen[str]) -> None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def local(self) -> bytes:
        """The solution that the threads of this machine find."""
        self.assertEqual(self.place("-q", out="local.sol").code, 0)
        return (self.folder / "local.sol").read_bytes()

    def found(self, name: str = "out.sol") -> bytes:
        return (self.folder / name).read_bytes()

    def records(self, run: str) -> dict[str, bytes]:
        """All that is in a folder of islands but what engines wrote there."""
        root = self.folder / run
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*"))
                if path.is_file() and "engine" not in path.relative_to(root).parts}

    def wait_for_records(self, run: str, count: int) -> None:
        end = time.monotonic() + PATIENCE_S
        while len(list((self.folder / run).glob("epoch-*/island-*.json"))) < count:
            self.assertLess(time.monotonic(), end, f"no {count} records in {run}")
            time.sleep(0.02)

    def assert_lost(self, done: Run, lost: int) -> dict[str, Any]:
        """A report of a run that works but for so many tasks."""
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("place", done.stdout)
        report = done.json()
        self.assertEqual(report["islands"]["lost"], lost)
        judged = self.run_here("score", "A.kgraph", "out.sol", "--report", "-").json()
        self.assertEqual(judged["total"], report["score"]["total"])
        return report


@unittest.skipIf(missing("parallel"), "GNU parallel is not installed")
class ParallelTest(Islands):
    def on_parallel(self, *words: str, run: str = "run", out: str = "out.sol") -> Run:
        return self.place("--engine", "parallel", "--run", run, *words, out=out)

    def losing(self, *lost: str) -> None:
        """From now on GNU parallel never runs these tasks, nor any task of an epoch "E/"."""
        (self.folder / "bin").mkdir(exist_ok=True)
        script = self.folder / "bin" / "parallel"
        # The command is in the word before ":::", the tasks are behind it.
        script.write_text("#!/usr/bin/env python3\nimport subprocess, sys\n"
                          f"lost = {lost!r}\n"
                          "at = sys.argv.index(':::')\n"
                          "for island in sys.argv[at + 1:]:\n"
                          "    line = sys.argv[at - 1].replace('{}', island)\n"
                          "    task = line.split('--task ')[1].strip(chr(39))\n"
                          "    if task not in lost and task[:2] not in lost:\n"
                          "        subprocess.run(line, shell=True, check=True)\n")
        script.chmod(0o755)
        self.environment = {"PATH": f"{self.folder}/bin:{os.environ['PATH']}"}

    def test_same_bytes_as_here_with_any_number_of_jobs(self) -> None:
        here = self.local()
        for jobs in ("1", "2"):
            done = self.on_parallel("--report", "-", "-q", "--", "--jobs", jobs, run=f"run{jobs}")
            report = self.assert_lost(done, 0)
            self.assertEqual(done.stderr, "")
            self.assertEqual(self.found(), here)
            totals = [note["total"] for note in report["improvements"]]
            self.assertEqual(totals, sorted(set(totals), reverse=True))
        records = self.records("run1")
        self.assertEqual(self.records("run2"), records)
        self.assertEqual(len(records), 1 + 3 * (3 + 1))
        for name, text in records.items():
            schema = {"islands.json": "islands_run"}.get(
                name, "islands_closed" if name.endswith("closed.json") else "island")
            self.assert_valid(schema, text.decode())

    def test_a_run_that_is_done_is_read_again(self) -> None:
        self.assertEqual(self.on_parallel("-q").code, 0)
        before = self.records("run")
        self.losing("1/", "2/", "3/")  # nothing may be run
        done = self.on_parallel("-q", out="again.sol")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertEqual(self.found("again.sol"), self.found())
        self.assertEqual(self.records("run"), before)

    def test_a_lost_task_leaves_its_island_what_it_had(self) -> None:
        self.losing("2/3")
        report = self.assert_lost(self.on_parallel("--report", "-"), 1)
        closed = [json.loads(self.records("run")[f"epoch-{epoch}/closed.json"])["islands"]
                  for epoch in (1, 2, 3)]
        self.assertEqual(closed, [[1, 2, 3], [1, 2], [1, 2, 3]])
        totals = [json.loads(text)["total"] for name, text in self.records("run").items()
                  if "island-" in name]
        self.assertEqual(report["score"]["total"], min(totals))
        # What comes late counts no more.
        self.environment = {}
        late = self.on_parallel("--task", "2/3")
        self.assertEqual((late.code, late.stdout), (0, "run/epoch-2/island-3.json: the epoch is "
                                                       "closed\n"))
        self.assertNotIn("epoch-2/island-3.json", self.records("run"))

    def test_what_was_lost_is_told(self) -> None:
        self.losing("1/2", "1/3")
        done = self.on_parallel()
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("epoch 1 of 3: lost the tasks of islands 2, 3", done.stderr)
        self.assertRegex(done.stdout, r"in epoch [123] of 3, 2 tasks lost,\s+seed 1\n")

    def test_an_epoch_of_which_nothing_came_is_run_again(self) -> None:
        self.losing("2/")
        self.assert_fails(self.on_parallel("-q"), 2, "no island of epoch 2 left a result",
                          "run/engine has what its tasks said")
        self.environment = {}
        self.assertEqual(self.on_parallel("-q").code, 0)
        self.assertEqual(self.found(), self.local())

    def test_killed_at_random_moments_it_goes_on(self) -> None:
        here = self.local()
        moments = random.Random(SEED)
        begin = time.monotonic()
        self.assertEqual(self.on_parallel("-q", run="whole").code, 0)
        whole_s = time.monotonic() - begin
        for _ in range(4):
            process = self.begin("--engine", "parallel", "--run", "run", "-q")
            time.sleep(moments.uniform(0.1, 0.6) * whole_s)
            self.kill(process)
            process.communicate()
        self.assertEqual(self.on_parallel("-q").code, 0)
        self.assertEqual(self.found(), here)
        whole = self.records("whole")
        for name, text in self.records("run").items():
            if "/." not in name and ".tmp" not in name:  # what a kill left half written
                self.assertEqual(text, whole.get(name), name)

    def test_an_interrupt_leaves_the_best_so_far(self) -> None:
        process = self.begin("--engine", "parallel", "--run", "run")
        self.wait_for_records("run", 4)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertIn("best placement so far is written", stderr)
        self.assertEqual(self.run_here("score", "A.kgraph", "out.sol").code, 0)
        self.assertEqual(self.on_parallel("-q").code, 0)
        self.assertEqual(self.found(), self.local())

    def test_an_interrupt_does_not_wait_for_long_tasks(self) -> None:
        process = subprocess.Popen(
            [PROGRAM, "place", "A.kgraph", "-o", "out.sol", "--islands", "2", "--effort", "9",
             "--engine", "parallel", "--run", "run", "-q"], cwd=self.folder, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(self.kill, process)
        self.wait_for_tasks()
        process.send_signal(signal.SIGINT)  # to it alone, not to what it started
        _, stderr = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 5, stderr)
        self.assertEqual(list(self.folder.glob("run/epoch-*")), [])

    def wait_for_tasks(self) -> None:
        """Until a task of this folder runs."""
        mark = f"{self.folder}".encode()
        end = time.monotonic() + PATIENCE_S
        while True:
            for entry in Path("/proc").iterdir():
                try:
                    if entry.name.isdigit() and b"--task" in (entry / "cmdline").read_bytes() and \
                            os.readlink(entry / "exe") == str(PROGRAM) and \
                            os.readlink(entry / "cwd").encode() == mark:
                        return
                except OSError:
                    continue
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def test_a_folder_is_of_one_run(self) -> None:
        self.assertEqual(self.on_parallel("-q").code, 0)
        for words, key in ((("--effort", "2"), "its effort differs"),
                           (("--seed", "2"), "its seed differs"),
                           (("--islands", "4"), "its islands differ"),
                           (("--start", "out.sol"), "its options differ")):
            names = [word for word in SEARCH if word not in (words[0], )]
            if words[0] in SEARCH:
                names.pop(SEARCH.index(words[0]))
            done = self.run_here("place", "A.kgraph", "-o", "x.sol", *names, *words, "--engine",
                                 "parallel", "--run", "run", "-q")
            self.assert_fails(done, 2, "run/islands.json: is of another run: " + key)
        case = self.folder / "A.kgraph"
        case.write_text(case.read_text().replace("wlength=1", "wlength=2"))
        self.assert_fails(self.on_parallel("-q", out="x.sol"), 2, "its inputs differ")
        (self.folder / "full").mkdir()
        self.write("full/else.txt", "")
        self.assert_fails(self.on_parallel("-q", run="full", out="x.sol"), 2,
                          "full: expected a folder of islands, or nothing there")
        self.assertNotIn("x.sol", self.names())

    def test_records_that_are_no_records_are_told(self) -> None:
        self.assertEqual(self.on_parallel("-q").code, 0)
        path = self.folder / "run/epoch-1/island-2.json"
        whole = path.read_text()
        for text, part in (("", "expected what a task of islands wrote, found something else"),
                           (whole.replace("R0)", "R180)"), "expected R0 or R90"),
                           (whole.replace("k1 : place(", "k1 : place(9999"), "illegal placement")):
            path.write_text(text)
            self.assert_fails(self.on_parallel("-q"), 2, "run/epoch-1/island-2.json", part)

    def test_what_cannot_be_is_refused(self) -> None:
        for words, part in (
                (("--engine", "parallel"), "--engine parallel: needs --run"),
                (("--run", "run"), "--run: needs --engine parallel or slurm"),
                (("--task", "1/1"), "--task: needs --engine parallel or slurm"),
                (("--", "--jobs"), "OPTIONS: needs --engine parallel or slurm"),
                (("--engine", "parallel", "--run", "run", "--time-limit", "9"),
                 "--time-limit: goes without --engine parallel"),
                (("--engine", "parallel", "--run", "run", "--task", "4/1"),
                 "--task: expected E/K with an epoch from 1 to 3 and an island from 1 to 3"),
                (("--engine", "parallel", "--run", "run", "--task", "x"), "found 'x'")):
            self.assert_fails(self.place(*words), 2, part)
        done = self.run_here("place", "-", "-o", "x.sol", "--islands", "2", "--engine", "parallel",
                             "--run", "run", stdin=(self.folder / "A.kgraph").read_text())
        self.assert_fails(done, 2, "its tasks cannot read standard input")
        self.environment = {"PATH": "/nowhere"}
        self.assert_fails(self.on_parallel(), 2, "there is no program parallel here")
        self.assertNotIn("run", self.names())

    def test_infeasible_is_infeasible_on_all_islands(self) -> None:
        self.write("tight.kgraph", "(* width=1 height=1 wdeltat=1 wlength=0 wadapter=0 "
                                   "memlimit=24576 *)\n"
                                   "conv[1] W=1 H=1 R=1 S=1 C=1 K=1 T=1 U=1 name='k'\n")
        done = self.run_here("place", "tight.kgraph", "-o", "out.sol", "--islands", "2", "--engine",
                             "parallel", "--run", "run", "-q")
        self.assert_fails(done, 3, "k")
        self.assertNotIn("out.sol", self.names())

    def test_stages_of_a_plan_are_placed_like_here(self) -> None:
        self.write("plan.json", '{"tensor": 4, "data": 1, "pipeline": 10, "micro_batches": 30}')
        words = ("place", "T-18B", "--plan", "plan.json", "--hardware", "palm_wafer", "--islands",
                 "2", "--epochs", "2", "--effort", "1", "-q", "-o")
        self.assertEqual(self.run_here(*words, "here.json").code, 0)
        done = self.run_here(*words, "there.json", "--engine", "parallel", "--run", "run")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertEqual(self.found("there.json"), self.found("here.json"))


@unittest.skipIf(missing(*SLURM_PROGRAMS), "Slurm is not installed")
class SlurmIslandsTest(Islands, SlurmTest):
    words = ("--engine", "slurm", "--run", "run")

    def queue(self, form: str) -> list[str]:
        return self.slurm_says("squeue", "-h", "-r", "-o", form).split()

    def jobs(self) -> list[str]:
        path = self.folder / "run/engine/slurm_jobs.txt"
        return path.read_text().split() if path.exists() else []

    def wait_for_jobs(self, count: int) -> None:
        self.wait_for(f"{count} jobs", lambda: len(self.jobs()) == count, 60)

    def test_same_bytes_as_here(self) -> None:
        self.assert_lost(self.place(*self.words, "--report", "-", "--", "--time=10"), 0)
        self.assertEqual(self.found(), self.local())
        self.assertEqual(len(self.jobs()), 3)

    def test_an_epoch_waits_for_the_one_before(self) -> None:
        process = self.begin(*self.words, "--", "--hold")
        self.wait_for_jobs(3)
        first, second, third = self.jobs()
        waits = self.slurm_says("squeue", "-h", "-o", "%F %E")
        self.assertIn(f"{second} afterany:{first}_*", waits)
        self.assertIn(f"{third} afterany:{second}_*", waits)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 5, stderr)
        self.wait_for_empty_queue(20)
        self.assertNotIn("out.sol", self.names())

    def test_a_task_that_is_cancelled_is_lost(self) -> None:
        process = self.begin(*self.words, "--report", "-", "--", "--hold")
        self.wait_for_jobs(3)
        self.slurm_says("scancel", f"{self.jobs()[0]}_2")
        for job in self.jobs():
            self.slurm_says("scontrol", "release", job)
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
        self.assert_lost(Run(process.returncode, stdout, stderr), 1)
        self.assertIn("epoch 1 of 3: lost the tasks of islands 2;", stderr)

    def test_a_node_that_is_killed_loses_nothing(self) -> None:
        process = self.begin(*self.words)
        self.wait_for("tasks on n2", lambda: len(self.processes_of("n2")) > 2, 30)
        self.kill_node("n2")
        _, stderr = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertRegex((self.slurm / "slurmctld.log").read_text(), "(?i)requeu")
        self.assertEqual(self.found(), self.local())

    def test_jobs_outlive_who_waits_for_them(self) -> None:
        process = self.begin(*self.words)
        self.wait_for_jobs(3)
        self.kill(process)
        process.communicate()
        done = self.place(*self.words, "--report", "-")
        self.assert_lost(done, 0)
        self.assertEqual(self.found(), self.local())
        self.assertEqual(len(self.jobs()), 3)  # nothing was submitted twice

    def test_arrays_are_no_longer_than_this_slurm_takes(self) -> None:
        done = self.run_here("place", "A.kgraph", "-o", "out.sol", "--islands", "64", *self.words,
                             env={**os.environ, **self.environment})
        self.assert_fails(done, 2, "numbers tasks of an array below 64 (MaxArraySize), found 64")
        self.assertEqual(self.jobs(), [])


if __name__ == "__main__":
    unittest.main()
