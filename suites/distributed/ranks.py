# SPDX-License-Identifier: BSD-3-Clause
"""Starts the ranks of a process group as processes of their own, collects their results, and ends them.

Used by the checks of this folder. Each rank is an interpreter that loads the target and runs one function of a
rank_*.py file (rank.py). The ranks meet through a TCPStore in the check's process, on a free port of the loopback
device. Therefore nobody has to choose a port, and the store outlives a rank that dies. A rank writes one JSON value per
line. No wait is longer than the time of the check, and no rank outlives its `with` block.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time

import torch.distributed as dist
from assay.checks import lent_interpreters, processes

PROGRAM = "from suites.distributed import rank; rank.main()"
HOST = "127.0.0.1"
SHARE = 0.7  # part of the check's time that the ranks may use


class Rank:
    """The process of one rank: the messages that it has sent, and how it ended."""

    def __init__(self, number):
        self.number, self.cases, self.under_way, self.said = number, {}, "the start", {}
        self.process, self.status, self.is_killed, self._rest = None, None, False, b""
        self.complaints = tempfile.TemporaryFile()

    def start(self, request, environment):
        read, self._write = os.pipe()
        self.pipe = os.fdopen(read, "rb", buffering=0)
        with tempfile.TemporaryFile() as words:
            words.write(json.dumps(request).encode())
            words.seek(0)
            files = {0: words.fileno(), 1: self._write, 2: self.complaints.fileno()}
            self.process = lent_interpreters.lent(["-c", PROGRAM], files, environment) or _new(files, environment)
        os.close(self._write)

    def hear(self):
        """Reads what the rank has written. Returns False at the end of its output."""
        data = os.read(self.pipe.fileno(), 1 << 16)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(json.loads(line))
        return bool(data)

    def _take(self, message):
        if "begin" in message:
            self.under_way = message["begin"]
        elif "case" in message:
            self.cases[message["case"]] = message
            self.under_way = f"the step after {message['case']}"
        else:
            self.said.update(message)

    @property
    def is_alive(self):
        return self.status is None and self.process.poll() is None

    def kill(self):
        if self.process and self.is_alive:
            self.is_killed = True
            os.kill(self.process.pid, signal.SIGKILL)

    def end(self):
        self.kill()
        if self.process:
            self.status = self.process.wait()
        self.pipe.close()

    def how_it_ended(self):
        """For example "rank 1 ended by SIGABRT in all_reduce of float32: terminate called without ..."."""
        self.complaints.seek(0)
        words = processes.last_words(self.complaints.read().decode(errors="replace"))
        last = words.strip().splitlines()[-1:] or ["it wrote nothing to standard error"]
        end = "did not end in time" if self.is_killed else f"ended by {processes.ended_by(self.status)}"
        return f"rank {self.number} {end} in {self.under_way}: {last[0][:300]}"


class Ranks:
    """`size` ranks that run `function` of the module suites.distributed.`module`.

        with Ranks(self, "rank_collectives", "reduce_all", size=2) as ranks:
            ranks.finish()
    """

    def __init__(self, case, module, function, *arguments, size=2, ends=False, share=SHARE, **options):
        self.case, self.ranks = case, [Rank(number) for number in range(size)]
        self.store = dist.TCPStore(HOST, 0, None, True, wait_for_workers=False)
        seconds = case.seconds_left * share
        self.deadline = time.monotonic() + seconds
        self._selector = selectors.DefaultSelector()
        self.request = {
            "steps": case.steps(), "module": module, "function": function, "arguments": arguments, "size": size,
            "device_name": case.device_name, "devices": [device.index for device in case.devices], "seed": case.seed,
            "port": self.store.port, "backend": registered_name(case), "ends": ends,
            "patience": max(2, seconds / 3), **options,
        }

    def __enter__(self):
        try:
            for rank in self.ranks:
                rank.start({**self.request, "rank": rank.number}, self._environment(rank.number))
                self._selector.register(rank.pipe, selectors.EVENT_READ, rank)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_exception):
        for rank in self.ranks:
            rank.kill()
        for rank in self.ranks:
            if rank.process:
                rank.end()
        self._selector.close()
        self.store = None

    def _environment(self, number):
        """The variables that torchrun sets, so that init_process_group() works as in a program of a user."""
        return {
            "GLOO_SOCKET_IFNAME": "lo", **os.environ, "MASTER_ADDR": HOST, "MASTER_PORT": str(self.request["port"]),
            "RANK": str(number), "LOCAL_RANK": str(number), "WORLD_SIZE": str(len(self.ranks)),
            "LOCAL_WORLD_SIZE": str(len(self.ranks)), "TORCHELASTIC_USE_AGENT_STORE": "True",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }

    def hear_until(self, is_enough):
        """Reads the messages of all ranks until `is_enough()`, the end of all ranks, or the deadline."""
        while self._selector.get_map() and not is_enough():
            left = self.deadline - time.monotonic()
            if left <= 0:
                return
            for key, _ in self._selector.select(left):
                if not key.data.hear():
                    self._selector.unregister(key.fileobj)

    def finish(self):
        """Waits for the end of all ranks, and kills ranks that do not end in time. Returns the ranks."""
        self.hear_until(lambda: False)
        for rank in self.ranks:
            if rank.pipe not in [key.fileobj for key in self._selector.get_map().values()]:
                self._await_end(rank)
        for rank in self.ranks:
            rank.end()
        return self.ranks

    def _await_end(self, rank):
        """A process closes its output shortly before it ends. If it does not end, rank.end() kills it."""
        try:
            rank.process.wait(max(0.1, self.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            rank.under_way = "its exit"


def _new(files, environment):
    from assay.host import SAFE

    return subprocess.Popen(
        [sys.executable, *SAFE, "-c", PROGRAM], stdin=files[0], stdout=files[1], stderr=files[2], env=environment
    )


def registered_name(case):
    """The name of the process group that torch uses for the target's device, or None."""
    return dist.Backend.default_device_backend_map.get(case.device_name) if dist.is_available() else None
