"""waferloom sweep on GNU parallel and on a Slurm of two nodes that this test starts on this machine,
as whoever runs it. Skipped by name where the programs are not installed
(scripts/install_dependencies.sh cluster)."""

import csv
import getpass
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Callable

from program import SMALL_CASE, ProgramTest, Run

RUN_COLUMNS = ("wall_s", "point_wall_s", "point_peak_memory_bytes")
SLURM_PROGRAMS = ("slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "scancel", "sinfo")
SBIN = "/usr/sbin"
SLURM_CONF = """ClusterName=waferloom
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
SlurmdTimeout=5
MinJobAge=2
KillWait=2
MaxArraySize=64
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={n1_port} CPUs={cpus}
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port={n2_port} CPUs={cpus}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing(*programs: str) -> list[str]:
    path = f"{os.environ['PATH']}:{SBIN}"
    return [program for program in programs if shutil.which(program, path=path) is None]


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [holder.getsockname()[1] for holder in sockets]
    for holder in sockets:
        holder.close()
    return ports


class EnginesTest(ProgramTest):
    environment: dict[str, str] = {}

    def sweep(self, *words: str) -> Run:
        return self.run_here("sweep", *words, env={**os.environ, **self.environment})

    def planned(self, space: dict[str, Any], *runs: str) -> None:
        self.write("space.json", json.dumps(space))
        for run in runs:
            done = self.sweep("plan", "space.json", "-o", run)
            self.assertEqual(done.code, 0, done.stderr)

    def space_of_400(self) -> dict[str, Any]:
        """4 cases, 5 hardware (wafers), 4 seeds, 5 options; a wafer is too small for the cases."""
        for i in range(2, 5):
            self.write(f"case{i}.kgraph", SMALL_CASE.replace("wlength=2", f"wlength={i + 1}"))
        for i, side in enumerate((3, 16, 24, 32, 40)):
            self.write(f"wafer{i}.json", json.dumps({"width": side, "height": side}))
        return {"command": "place", "set": {"effort": 1},
                "axes": {"CASE": ["small.kgraph", *(f"case{i}.kgraph" for i in range(2, 5))],
                         "wafer": [f"wafer{i}.json" for i in range(5)],
                         "seed": {"from": 1, "to": 4, "step": 1},
                         "strategy": ["rows", "stack-rows", "bisection", "gigaplacer",
                                      "gigaplacer-plus"]}}

    def table(self, run: str) -> list[list[str]]:
        done = self.sweep("collect", run, "-o", f"{run}.csv")
        self.assertEqual(done.code, 0, done.stderr)
        with open(self.folder / f"{run}.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        kept = [i for i, name in enumerate(rows[0]) if name not in RUN_COLUMNS]
        self.assertEqual(kept, list(range(len(rows[0]) - len(RUN_COLUMNS))))
        return [row[:len(kept)] for row in rows]

    def assert_all_answered(self, done: Run) -> None:
        self.assertEqual(done.code, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, "400 points, [0-9]+ done, [1-9][0-9]+ infeasible, 0 failed, "
                                      "0 left")

    def wait_for(self, what: str, condition: Callable[[], bool], seconds: float) -> None:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                self.fail(f"no {what} within {seconds} s")
            time.sleep(0.1)


@unittest.skipIf(missing("parallel"), "GNU parallel is not installed")
class ParallelTest(EnginesTest):
    def test_400_points_are_those_of_local(self) -> None:
        self.planned(self.space_of_400(), "local", "parallel")
        self.assert_all_answered(self.sweep("submit", "local", "-q"))
        self.assert_all_answered(self.sweep("submit", "parallel", "-q", "--engine", "parallel",
                                            "--tasks", "8", "--", "--jobs", "2"))
        self.assertEqual(self.table("parallel"), self.table("local"))

    def test_what_is_missing_runs_again_whatever_the_log_says(self) -> None:
        space = self.space_of_400()
        space["axes"]["wafer"] = ["wafer3.json"]
        self.planned(space, "run")
        words = ("submit", "run", "-q", "--engine", "parallel", "--tasks", "4")
        self.assertEqual(self.sweep(*words).code, 0)
        results = sorted(self.folder.glob("run/results/*/*.json"))
        self.assertEqual(len(results), 80)
        for path in results[:5]:
            path.unlink()
        kept = {path: path.stat().st_mtime_ns for path in results[5:]}
        self.assertEqual(self.sweep(*words).code, 0)
        self.assertEqual(sorted(self.folder.glob("run/results/*/*.json")), results)
        self.assertEqual({path: path.stat().st_mtime_ns for path in kept}, kept)


@unittest.skipIf(missing(*SLURM_PROGRAMS), "Slurm is not installed")
class SlurmTest(EnginesTest):
    """Two nodes for all tests; each leaves an empty queue."""

    holder: tempfile.TemporaryDirectory[str]
    slurm: Path
    daemons: dict[str, subprocess.Popen[bytes]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.holder = tempfile.TemporaryDirectory()
        cls.slurm = Path(cls.holder.name).resolve()
        for name in ("state", "spool.n1", "spool.n2"):
            (cls.slurm / name).mkdir()
        ports = free_ports(3)
        (cls.slurm / "slurm.conf").write_text(SLURM_CONF.format(
            folder=cls.slurm, user=getpass.getuser(), controller_port=ports[0], n1_port=ports[1],
            n2_port=ports[2], cpus=os.cpu_count()))
        cls.environment = {"SLURM_CONF": str(cls.slurm / "slurm.conf"),
                           "PATH": f"{os.environ['PATH']}:{SBIN}"}
        cls.daemons = {}
        cls.start("slurmctld", "slurmctld", "-D")
        for node in ("n1", "n2"):
            cls.start(node, "slurmd", "-D", "-N", node)

    @classmethod
    def start(cls, name: str, *words: str) -> None:
        with open(cls.slurm / f"{name}.out", "wb") as output:
            cls.daemons[name] = subprocess.Popen(
                words, stdout=output, stderr=output, cwd=cls.slurm,
                env={**os.environ, **cls.environment}, start_new_session=True)

    @classmethod
    def tearDownClass(cls) -> None:
        for name in ("n1", "n2", "slurmctld"):
            cls.daemons[name].terminate()
        for daemon in cls.daemons.values():
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        cls.holder.cleanup()

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self.slurm_says, "scancel", f"--user={getpass.getuser()}")
        self.wait_for("idle nodes", lambda: self.slurm_says("sinfo", "-h", "-o", "%T %D").split()
                      == ["idle", "2"], 30)

    def slurm_says(self, *words: str) -> str:
        return subprocess.run(words, env={**os.environ, **self.environment}, capture_output=True,
                              text=True, check=False).stdout

    def test_400_points_are_those_of_local(self) -> None:
        self.planned(self.space_of_400(), "local", "slurm")
        self.assert_all_answered(self.sweep("submit", "local", "-q"))
        done = self.sweep("submit", "slurm", "--engine", "slurm", "--tasks", "8", "--wait", "--",
                          "--time=10", "--comment=a sweep")
        self.assert_all_answered(done)
        self.assertIn("of Slurm", done.stderr)
        self.assertEqual(self.table("slurm"), self.table("local"))
        self.assertEqual(self.sweep("submit", "slurm", "--tasks", "65", "--engine", "slurm").code,
                         0)  # nothing is left

    def test_arrays_are_no_longer_than_this_slurm_takes(self) -> None:
        self.planned(self.space_of_400(), "run")
        done = self.sweep("submit", "run", "--engine", "slurm", "--tasks", "65")
        self.assert_fails(done, 2, "arrays of at most 64 tasks (MaxArraySize), found 65")
        self.assertEqual(os.listdir(self.folder / "run/engine"), [])

    def processes_of(self, node: str) -> list[int]:
        """The node's daemon, and the step daemons and tasks whose environment names it."""
        found = [self.daemons[node].pid]
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == self.daemons[node].pid:
                continue
            try:
                command = (entry / "cmdline").read_bytes()
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            ours = f"SLURM_CONF={self.environment['SLURM_CONF']}".encode() in environment
            is_task = f"SLURMD_NODENAME={node}".encode() in environment
            if ours and is_task or command.startswith(b"slurmstepd") and \
                    self.parent_node(int(entry.name)) == node:
                found.append(int(entry.name))
        return found

    def parent_node(self, pid: int) -> str:
        """The node of a step daemon, by what it runs."""
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            for child in children:
                environment = Path(f"/proc/{child}/environ").read_bytes()
                if self.environment["SLURM_CONF"].encode() not in environment:
                    continue
                for node in ("n1", "n2"):
                    if f"SLURMD_NODENAME={node}".encode() in environment:
                        return node
        except OSError:
            pass
        return ""

    def test_a_node_that_is_killed_loses_nothing(self) -> None:
        self.run_here("cases", "A", "-o", "A.kgraph")
        self.planned({"command": "place", "set": {"effort": 1, "strategy": "gigaplacer"},
                      "axes": {"CASE": ["A.kgraph"], "seed": {"from": 1, "to": 16, "step": 1}}},
                     "local", "slurm")
        self.assertEqual(self.sweep("submit", "local", "-q").code, 0)
        done = self.sweep("submit", "slurm", "--engine", "slurm", "--tasks", "4")
        self.assertEqual(done.code, 0, done.stderr)
        self.wait_for("tasks on n2", lambda: len(self.processes_of("n2")) > 2, 20)
        killed = self.processes_of("n2")
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        self.daemons["n2"].wait()
        # The node is back, without its tasks.
        self.start("n2", "slurmd", "-D", "-N", "n2")
        self.wait_for("empty queue", lambda: self.slurm_says("squeue", "-h") == "", 60)
        log = (self.slurm / "slurmctld.log").read_text()
        self.assertRegex(log, "(?i)requeu")
        # What was lost ran again by itself: nothing is left to submit.
        done = self.sweep("submit", "slurm", "--engine", "slurm")
        self.assertEqual(done.code, 0, done.stdout + done.stderr)
        self.assertIn("slurm: 0 tasks; 16 points, 16 done", done.stdout)
        self.assertEqual(self.table("slurm"), self.table("local"))

    def test_cancel(self) -> None:
        self.planned(self.space_of_400(), "run")
        done = self.sweep("submit", "run", "--engine", "slurm", "--tasks", "8", "--", "--hold")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertNotEqual(self.slurm_says("squeue", "-h"), "")
        self.assertIn("1 jobs of Slurm cancelled", self.sweep("cancel", "run").stdout)
        self.wait_for("empty queue", lambda: self.slurm_says("squeue", "-h") == "", 20)


if __name__ == "__main__":
    unittest.main()
