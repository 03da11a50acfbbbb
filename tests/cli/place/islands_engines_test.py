"""waferloom place --islands on GNU parallel and on a Slurm of two nodes that this test starts.
Skipped by name where the programs are not installed (scripts/install_dependencies.sh cluster)."""

import json
import os
import random
import signal
import socket
import subprocess
import time
import unittest
from pathlib import Path
from typing import Any

from program import PATIENCE_S, PROGRAM, TIGHT_CASE, ProgramTest, Run, wait_until
from slurm import SLURM_PROGRAMS, SlurmTest, missing

SEED = 20200330
# A quarter of a second a task, and islands that differ.
CASE = ("cases", "--family", "dag", "--kernels", "10", "--fabric", "120x120", "-o", "A.kgraph", "-q")
ISLANDS = ("--islands", "3", "--epochs", "3")
SEARCH = (*ISLANDS, "--effort", "1")
LONGER = (*ISLANDS, "--effort", "5")  # some seconds a task


class Islands(ProgramTest):
    environment: dict[str, str] = {}

    def setUp(self) -> None:
        super().setUp()
        self.assertEqual(self.run_here(*CASE).code, 0)

    def place(self, *words: str, out: str = "out.sol",
              search: tuple[str, ...] = SEARCH) -> Run:
        return self.run_here("place", "A.kgraph", "-o", out, *search, *words,
                             env={**os.environ, **self.environment})

    def begin(self, *words: str, search: tuple[str, ...] = SEARCH) -> subprocess.Popen[str]:
        """The same in the background."""
        process = subprocess.Popen(
            [PROGRAM, "place", "A.kgraph", "-o", "out.sol", *search, *words], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, **self.environment})
        self.addCleanup(process.communicate)
        self.addCleanup(self.kill, process)
        return process

    def tasks(self) -> list[int]:
        """Processes of islands that work in this folder; each is in a group of its own."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and b"\0--task\0" in (entry / "cmdline").read_bytes() and \
                        os.readlink(entry / "cwd") == str(self.folder):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def wait_for_tasks(self) -> None:
        wait_until("task", self.tasks)

    def kill(self, process: subprocess.Popen[str], with_tasks: bool = True) -> None:
        """A driver, what it started, and the tasks of that."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        for task in self.tasks() if with_tasks else []:
            try:
                os.kill(task, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def local(self, search: tuple[str, ...] = SEARCH) -> bytes:
        """The solution that the threads of this machine find."""
        self.assertEqual(self.place("-q", out="local.sol", search=search).code, 0)
        return (self.folder / "local.sol").read_bytes()

    def found(self, name: str = "out.sol") -> bytes:
        return (self.folder / name).read_bytes()

    def records(self, run: str) -> dict[str, bytes]:
        """All that is in a folder of islands but what engines wrote there."""
        root = self.folder / run
        return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*"))
                if path.is_file() and "engine" not in path.relative_to(root).parts}

    def wait_for_records(self, run: str, count: int) -> None:
        wait_until(f"{count} records in {run}", lambda: len(list(
            (self.folder / run).glob("results/epoch-*/island-*.json"))) >= count)

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
        # The tasks are lines behind ":::".
        script.write_text("#!/usr/bin/env python3\nimport subprocess, sys\n"
                          f"lost = {lost!r}\n"
                          "at = sys.argv.index(':::')\n"
                          "for line in sys.argv[at + 1:]:\n"
                          "    task = line.split('--task ')[1]\n"
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
            schema = {"run.json": "islands_run"}.get(
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
        closed = [json.loads(self.records("run")[f"results/epoch-{epoch}/closed.json"])["islands"]
                  for epoch in (1, 2, 3)]
        self.assertEqual(closed, [[1, 2, 3], [1, 2], [1, 2, 3]])
        totals = [json.loads(text)["total"] for name, text in self.records("run").items()
                  if "island-" in name]
        self.assertEqual(report["score"]["total"], min(totals))
        # What comes late counts no more.
        self.environment = {}
        late = self.on_parallel("--task", "2/3")
        self.assertEqual((late.code, late.stdout), (0, "run/results/epoch-2/island-3.json: the epoch "
                                                       "is closed\n"))
        self.assertNotIn("results/epoch-2/island-3.json", self.records("run"))

    def test_what_was_lost_is_told(self) -> None:
        self.losing("1/2", "1/3")
        done = self.on_parallel()
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("epoch 1 of 3: lost the tasks of islands 2, 3", done.stderr)
        self.assertRegex(done.stdout, r"in epoch [123] of 3, 2 tasks lost,\s+seed 1\n")

    def test_an_epoch_of_which_nothing_came_is_run_again(self) -> None:
        self.losing("2/")
        self.assert_fails(self.on_parallel("-q"), 2, "no island of epoch 2 left a result; what its tasks said "
                          "is above")
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
            if "/." not in name:  # what a kill left half written
                self.assertEqual(text, whole.get(name), name)

    def test_an_interrupt_leaves_the_best_so_far(self) -> None:
        process = self.begin("--engine", "parallel", "--run", "run",
                             search=("--islands", "2", "--epochs", "1000", "--effort", "1"))
        self.wait_for_records("run", 3)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 130, stderr)
        self.assertIn("best placement so far is written", stderr)
        self.assertEqual(self.run_here("score", "A.kgraph", "out.sol").code, 0)

    def test_an_interrupt_does_not_wait_for_long_tasks(self) -> None:
        process = self.begin("--engine", "parallel", "--run", "run", "-q",
                             search=("--islands", "2", "--effort", "9"))
        self.wait_for_tasks()
        process.send_signal(signal.SIGINT)  # to it alone, not to what it started
        _, stderr = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 5, stderr)
        self.assertEqual(list(self.folder.glob("run/results/epoch-*")), [])

    def test_a_folder_that_was_being_made_is_made(self) -> None:
        (self.folder / "run").mkdir()
        self.write("run/.waferloom.abc123", "half")
        self.assertEqual(self.on_parallel("-q").code, 0)

    def test_two_calls_at_once_agree(self) -> None:
        other = self.begin("--engine", "parallel", "--run", "run", "-q")
        done = self.on_parallel("-q", out="second.sol")
        self.assertEqual(done.code, 0, done.stderr)
        _, stderr = other.communicate(timeout=PATIENCE_S)
        self.assertEqual(other.returncode, 0, stderr)
        self.assertEqual(self.found("second.sol"), self.found())

    def test_names_may_have_anything_in_them(self) -> None:
        name = "a {} {#} % $x 'b'.kgraph"
        (self.folder / "A.kgraph").rename(self.folder / name)
        done = self.run_here("place", name, "-o", "it's.sol", *SEARCH, "--engine", "parallel",
                             "--run", "my {} run", "-q")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertEqual(self.run_here("score", name, "it's.sol").code, 0)

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
            self.assert_fails(done, 2, "run/run.json: is of another run: " + key)
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
        path = self.folder / "run/results/epoch-1/island-2.json"
        whole = path.read_text()
        for text, part in (("", "expected a JSON value, found the end of the file"),
                           (whole.replace("R0)", "R180)"), "expected R0 or R90"),
                           (whole.replace("k1 : place(", "k1 : place(9999"), "illegal placement")):
            path.write_text(text)
            self.assert_fails(self.on_parallel("-q"), 2, "run/results/epoch-1/island-2.json", part)
        path.write_text(whole)
        closed = self.folder / "run/results/epoch-1/closed.json"
        for islands, part in (("", ":1:52: expected at least 1 item in islands"),
                              ("0", ":1:53: expected an island as a whole number from 1"),
                              ("4", ": expected islands from 1 to 3, found 4")):
            closed.write_text(f'{{"schema": "waferloom/islands_closed/1", "islands": [{islands}]}}')
            self.assert_fails(self.on_parallel("-q"), 2, "run/results/epoch-1/closed.json" + part)

    def test_a_record_without_its_end_is_found_again(self) -> None:
        self.assertEqual(self.on_parallel("-q").code, 0)
        before = self.records("run")
        epoch = self.folder / "run/results/epoch-1"
        (epoch / "closed.json").unlink()
        whole = (epoch / "island-2.json").read_text()
        # As a power failure leaves it, and what a killed task was writing.
        (epoch / "island-2.json").write_text(whole[:-1])
        process = subprocess.Popen(["true"])
        process.wait()
        (epoch / f".island-3.{socket.gethostname()}.{process.pid}").write_text("half")
        self.assertEqual(self.on_parallel("-q").code, 0)
        self.assertEqual(self.records("run"), before)

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
                (("--engine", "parallel", "--run", "run", "--task", "1/1"),
                 "run: expected a folder of islands; found no run.json in it"),
                (("--engine", "parallel", "--run", "x" * 300), "x" * 300),
                (("--engine", "parallel", "--run", "run", "--task", "x"), "found 'x'")):
            self.assert_fails(self.place(*words), 2, part)
        done = self.run_here("place", "-", "-o", "x.sol", "--islands", "2", "--engine", "parallel",
                             "--run", "run", stdin=(self.folder / "A.kgraph").read_text())
        self.assert_fails(done, 2, "its tasks cannot read standard input")
        done = self.run_here("place", "-o", "x.sol", *SEARCH, "--engine", "parallel", "--run", "run",
                             "--", "A.kgraph", "--jobs", "1")
        self.assert_fails(done, 2, "CASE: has to stand before --")
        self.environment = {"PATH": "/nowhere"}
        self.assert_fails(self.on_parallel(), 2, "there is no program parallel here")
        self.assertNotIn("run", self.names())

    def test_infeasible_is_infeasible_on_all_islands(self) -> None:
        self.write("tight.kgraph", TIGHT_CASE)
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
        return [line.split()[0] for line in path.read_text().splitlines()] if path.exists() else []

    def wait_for_jobs(self, count: int) -> None:
        wait_until(f"{count} jobs", lambda: len(self.jobs()) == count)

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
        self.wait_for_empty_queue()
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
        process = self.begin(*self.words, search=LONGER)
        wait_until("tasks on n2", lambda: len(self.processes_of("n2")) > 2)
        self.kill_node("n2")
        _, stderr = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertRegex((self.slurm / "slurmctld.log").read_text(), "(?i)requeu")
        self.assertEqual(self.found(), self.local(LONGER))

    def test_jobs_outlive_who_waits_for_them(self) -> None:
        process = self.begin(*self.words, search=LONGER)
        self.wait_for_jobs(3)
        self.kill(process, with_tasks=False)
        process.communicate()
        done = self.place(*self.words, "--report", "-", search=LONGER)
        self.assert_lost(done, 0)
        self.assertIn("of an earlier call: epoch 3 of 3", done.stderr)
        self.assertEqual(self.found(), self.local(LONGER))
        self.assertEqual(len(self.jobs()), 3)  # nothing was submitted twice

    def test_jobs_of_an_earlier_call_are_cancelled_too(self) -> None:
        process = self.begin(*self.words, "--", "--hold")
        self.wait_for_jobs(3)
        self.kill(process)
        process.communicate()
        again = self.begin(*self.words)
        wait_until("note", lambda: "earlier call" in again.stderr.readline())
        again.send_signal(signal.SIGINT)
        _, stderr = again.communicate(timeout=PATIENCE_S)
        self.assertEqual(again.returncode, 5, stderr)
        self.wait_for_empty_queue()

    def test_jobs_that_were_cancelled_are_submitted_anew(self) -> None:
        process = self.begin(*self.words, "--", "--hold")
        self.wait_for_jobs(3)
        self.kill(process)
        process.communicate()
        again = self.begin(*self.words, "--report", "-")
        wait_until("note", lambda: "earlier call" in again.stderr.readline())
        self.slurm_says("scancel", *self.jobs()[::-1])
        stdout, stderr = again.communicate(timeout=PATIENCE_S)
        self.assert_lost(Run(again.returncode, stdout, stderr), 0)
        self.assertEqual(self.found(), self.local())

    def test_a_failure_leaves_no_job(self) -> None:
        process = self.begin(*self.words, "--", "--hold")
        self.wait_for_jobs(3)
        self.slurm_says("scancel", self.jobs()[0])
        _, stderr = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 2, stderr)
        self.assertIn("no island of epoch 1 left a result; ", stderr)
        self.assertIn("run/engine has what its tasks said", stderr)
        self.wait_for_empty_queue()

    def test_words_that_would_part_the_epochs_are_refused(self) -> None:
        for word in ("--dependency=afterany:1", "-dafterany:1", "--array=1-2"):
            self.assert_fails(self.place(*self.words, "--", word), 2, f"found '{word}'")
        self.assertNotIn("run", self.names())

    def test_arrays_are_no_longer_than_this_slurm_takes(self) -> None:
        done = self.run_here("place", "A.kgraph", "-o", "out.sol", "--islands", "64", *self.words,
                             env={**os.environ, **self.environment})
        self.assert_fails(done, 2, "numbers tasks of an array below 64 (MaxArraySize), found 64")
        self.assertNotIn("run", self.names())


if __name__ == "__main__":
    unittest.main()
