"""A Slurm of two nodes on this machine, as whoever runs the test, and what engines are missing here."""

import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from program import ProgramTest, wait_until

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
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={n1_port} CPUs=1
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port={n2_port} CPUs=1
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


class SlurmTest(ProgramTest):
    """Two nodes for all tests of a class; each leaves an empty queue. `environment` is what programs
    need to find them."""

    environment: dict[str, str] = {}
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
            n2_port=ports[2]))
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
        wait_until("idle nodes", lambda: self.slurm_says("sinfo", "-h", "-o", "%T %D").split()
                   == ["idle", "2"])

    def slurm_says(self, *words: str) -> str:
        return subprocess.run(words, env={**os.environ, **self.environment}, capture_output=True,
                              text=True, check=False).stdout

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

    def kill_node(self, node: str) -> None:
        """Its daemon, its step daemons and their tasks at once; then it is back, without them."""
        for pid in self.processes_of(node):
            os.kill(pid, signal.SIGKILL)
        self.daemons[node].wait()
        self.start(node, "slurmd", "-D", "-N", node)

    def wait_for_empty_queue(self) -> None:
        wait_until("empty queue", lambda: self.slurm_says("squeue", "-h") == "")
