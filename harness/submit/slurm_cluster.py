# SPDX-License-Identifier: BSD-3-Clause
"""A real Slurm on this machine, in a folder of its own: munged, slurmctld and several slurmd that call themselves nodes. Needs root, and
Debian's packages slurm-wlm and munge. Nothing of a Slurm that the machine may have is touched."""

import contextlib
import ctypes
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")
FIRST_PORT = 16817
STARTED_S = 60

CONF = """\
ClusterName=assay
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
CryptoType=crypto/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmctldPort={port}
SlurmdPort={next_port}
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool-%n
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/%n.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/%n.log
ReturnToService=2
SlurmdTimeout=10
KillWait=2
MessageTimeout=30
JobRequeue=1
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName={nodes} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports} CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def is_possible():
    return os.geteuid() == 0 and all(shutil.which(program) for program in PROGRAMS)


def wait_until(what, seconds=STARTED_S):
    """Polls what another program does; its deadline is for a program that hangs."""
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            raise TimeoutError(f"not so within {seconds} s: {what.__doc__ or what}")
        time.sleep(0.2)


class Cluster:
    """`nodes`: their names. `environment`: what finds it."""

    def __init__(self, count=3):
        self.nodes = [f"n{number}" for number in range(1, count + 1)]
        self.place = Path(tempfile.mkdtemp(prefix="assay-slurm-"))
        self.place.chmod(0o755)
        self.environment = {"SLURM_CONF": str(self.place / "slurm.conf")}

    def start(self):
        self._write()
        (self.place / "state").mkdir()
        files = [f"--{name}={self.place}/munge.{ending}" for name, ending in
                 (("socket", "socket"), ("key-file", "key"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))]  # fmt: skip
        subprocess.run(["munged", "--force", *files], check=True, capture_output=True)
        self._run("slurmctld")
        for node in self.nodes:
            self.start_node(node)
        wait_until(self.is_ready)

    def _write(self):
        count = len(self.nodes)
        text = CONF.format(host=socket.gethostname(), place=self.place, port=FIRST_PORT, next_port=FIRST_PORT + 1, nodes=f"n[1-{count}]",
                           ports=f"[{FIRST_PORT + 2}-{FIRST_PORT + 1 + count}]")  # fmt: skip
        (self.place / "slurm.conf").write_text(text, encoding="utf-8")
        key = self.place / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)

    def _run(self, *words):
        return subprocess.run(words, env={**os.environ, **self.environment}, check=True, capture_output=True, text=True).stdout

    def start_node(self, node):
        (self.place / f"spool-{node}").mkdir(exist_ok=True)
        self._run("slurmd", "-N", node)

    def is_ready(self):
        """all nodes are idle"""
        with contextlib.suppress(subprocess.CalledProcessError):
            return self._run("sinfo", "--noheader", "--format=%T").split() == ["idle"]
        return False

    def node_of(self, job, task):
        """Where a task runs, "" while it does not."""
        return self._run("squeue", "--noheader", f"--jobs={job}_{task}", "--states=RUNNING", "--format=%N").strip()

    def kill_node(self, node):
        """As if its power went: the daemon, and all that it started."""
        pid = int((self.place / f"{node}.pid").read_text())
        dead = [pid, *descendants(pid), *steps_of(self.place / f"spool-{node}")]
        for one in dead:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)

    def daemons(self):
        found = []
        for path in self.place.glob("*.pid"):
            with contextlib.suppress(ValueError, OSError):
                found.append(int(path.read_text()))
        return found

    def processor_seconds(self):
        """Of all that was done since adopt(): by what has ended, and by the daemons."""
        reap()
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ended.ru_utime + ended.ru_stime + sum(seconds_of(pid) for pid in self.daemons())

    def stop(self):
        daemons = self.daemons()
        for pid in daemons:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGTERM)
        wait_until(lambda: reap() or not any(Path("/proc", str(pid)).exists() for pid in daemons))
        shutil.rmtree(self.place, ignore_errors=True)


ADOPT = 36  # PR_SET_CHILD_SUBREAPER


def adopt():
    """From here on this process is the parent of what loses its own, as daemons and slurmstepd do: what they used is counted here."""
    if ctypes.CDLL(None, use_errno=True).prctl(ADOPT, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def reap():
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def seconds_of(pid):
    """Of a process and its children that it reaped."""
    with contextlib.suppress(OSError):
        return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0


def parents():
    """{process: parent} of this machine."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            found[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    return found


def descendants(*pids):
    known, found, waiting = parents(), [], list(pids)
    while waiting:
        current = waiting.pop()
        children = [pid for pid, parent in known.items() if parent == current]
        found += children
        waiting += children
    return found


def steps_of(spool):
    """The keepers of a node's jobs (slurmstepd, which leaves its daemon), and all below them: known by the spool folder of the job's script."""
    found = []
    for pid in parents():
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
            if str(spool) in words:
                found.append(pid)
    above = {known for pid, known in parents().items() if pid in found and known > 1}
    keepers = [pid for pid in above if "slurmstepd" in Path(f"/proc/{pid}/comm").read_text()]
    return [*found, *keepers, *descendants(*found, *keepers)]
