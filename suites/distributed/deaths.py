# SPDX-License-Identifier: BSD-3-Clause
"""Kills a rank at random moments, many times, and examines what the other ranks do.

    python -m suites.distributed.deaths --import MODULE [--deaths 200] [--seed 1] [--on-cpu]

Each round forks two to four ranks, which join a group and run collectives without end. One rank is killed after a random
time. Every other rank must raise an exception with a message and end, at the latest after the timeout of the group. No
process, file or shared memory of the round may be left. Ports need no test of their own, because a port ends with its
process. Prints a table of the moments and one line for each violation. Exits with status 1 if there is one.
"""

import argparse
import collections
import contextlib
import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
import warnings
from datetime import timedelta

import torch
import torch.distributed as dist
from assay.host import engine_threads, load_steps
from suites.distributed.rank import HOST, Rank, told

SPAN = 0.5  # seconds; longer than a rank needs to join and to run each collective a few times
TIMEOUT = 4  # seconds; of the group
DEADLINE = 60  # for a slow machine; a rank that still lives then hangs


def collectives(rank):
    """One call of each, by name."""
    after, before = (rank.rank + 1) % rank.size, (rank.rank - 1) % rank.size
    x, whole = rank.on([1.0] * 1000), rank.on([0.0] * 1000 * rank.size)
    yield "all_reduce", lambda: dist.all_reduce(x)
    yield "broadcast", lambda: dist.broadcast(x, rank.size - 1)
    yield "all_gather_into_tensor", lambda: dist.all_gather_into_tensor(whole, x)
    yield "reduce_scatter_tensor", lambda: dist.reduce_scatter_tensor(x, whole)
    yield "all_to_all_single", lambda: dist.all_to_all_single(whole.clone(), whole)
    yield "barrier", dist.barrier
    yield "new_group", lambda: dist.destroy_process_group(dist.new_group(list(range(rank.size))))
    yield "send and recv", lambda: [one.wait() for one in (dist.isend(x, after), dist.irecv(x.clone(), before))]


def live(rank):
    """Never returns. Ends with the exception of the first call that fails."""
    rank.say(begin="init_process_group")
    rank.join(timeout=timedelta(seconds=TIMEOUT))
    if rank.device_type != "cpu":
        rank.use_device()
    while True:
        for name, call in collectives(rank):
            rank.say(begin=name)
            call()


def be_rank(number, size, port, device, output):
    """The life of a forked rank. Exits as a program does."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    file = os.fdopen(output, "w", encoding="utf-8")
    devices = [0] if device == "cpu" else list(range(torch.accelerator.device_count()))
    request = {
        "rank": number, "size": size, "seed": 0, "backend": dist.Backend.default_device_backend_map[device],
        "device_name": device, "devices": devices, "port": port, "patience": TIMEOUT,
    }
    try:
        live(Rank(request, file))
    except Exception as error:
        json.dump({"raised": told(error)}, file)
        file.write("\n")
    file.close()
    engine_threads.let_finish()


def be_store(output):
    """Serves the store of one round until the pipe of the round closes."""
    store = dist.TCPStore(HOST, 0, None, True, wait_for_workers=False)
    os.write(output, str(store.port).encode())
    signal.pause()


class Child:
    """A forked process and what it has written."""

    def __init__(self, work):
        self.said, self.status = b"", None
        read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(read)
            work(write)
            raise SystemExit(0)  # runs the exit handlers
        os.close(write)
        self.pipe = read

    def is_over(self, deadline):
        """Reads until the end of the output and waits for the process. Returns False at the deadline."""
        while self.status is None and select.select([self.pipe], [], [], max(0, deadline - time.monotonic()))[0]:
            data = os.read(self.pipe, 1 << 16)
            self.said += data
            if not data and not self._reap(deadline):
                return False
        return self.status is not None

    def _reap(self, deadline):
        descriptor = os.pidfd_open(self.pid)
        with os.fdopen(descriptor, "rb"):
            if not select.select([descriptor], [], [], max(0, deadline - time.monotonic()))[0]:
                return False
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return True

    def kill(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.is_over(time.monotonic() + DEADLINE)

    def messages(self):
        return [json.loads(line) for line in self.said.splitlines() if line.endswith(b"}")]

    def moment(self):
        """The call that was under way when the process last wrote."""
        begun = [one["begin"] for one in self.messages() if "begin" in one]
        return begun[-1] if begun else "the start"

    def raised(self):
        return next((one["raised"] for one in self.messages() if "raised" in one), None)


def one_round(source, device):
    """Kills one rank. Returns the moment of its death, the seconds until the last rank ended, and the violations."""
    size, delay = source.choice((2, 3, 4)), source.uniform(0, SPAN)
    store = Child(be_store)
    port = int(os.read(store.pipe, 16))
    ranks = [Child(lambda output, number=number: be_rank(number, size, port, device, output)) for number in range(size)]
    victim = source.randrange(size)
    ranks[victim].is_over(time.monotonic() + delay)
    ranks[victim].kill()
    killed = time.monotonic()
    deadline = killed + DEADLINE
    found = [f"rank {number} of {size} {words}" for number, one in enumerate(ranks) if number != victim and (words := wrong(one, deadline))]
    seconds = time.monotonic() - killed
    for child in (*ranks, store):
        child.kill()
        os.close(child.pipe)
    return ranks[victim].moment(), seconds, found


def wrong(rank, deadline):
    """The violation of this surviving rank, or None."""
    if not rank.is_over(deadline):
        return f"hung in {rank.moment()}"
    error = rank.raised()
    if rank.status != 0:
        return f"ended with status {rank.status} in {rank.moment()}, after {error and error['text'][:100]!r}"
    if not error or not error["text"].strip() or "INTERNAL ASSERT" in error["text"]:
        return f"did not say what happened in {rank.moment()}: {error and error['text'][:100]!r}"
    return None


def shared_memory():
    with contextlib.suppress(FileNotFoundError):
        return set(os.listdir("/dev/shm"))
    return set()


def left_over(folder, before):
    """Files, shared memory that no process has open, and processes that the rounds left."""
    found = [f"file {name}" for name in os.listdir(folder)]
    with contextlib.suppress(ChildProcessError):
        while pid := os.waitpid(-1, os.WNOHANG)[0]:
            found.append(f"process {pid} was not reaped")
        found.append("a process still lives")
    open_files = set()
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{entry}/maps", encoding="utf-8") as maps:
            open_files |= {line.split("/dev/shm/", 1)[1].split()[0] for line in maps if "/dev/shm/" in line}
    return found + [f"shared memory {name}" for name in shared_memory() - before - open_files]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--import", dest="module", required=True, help="the module that registers the backend")
    parser.add_argument("--on-cpu", action="store_true", help="kill ranks of gloo on the CPU, to compare")
    parser.add_argument("--deaths", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("ASSAY_SEED", "1")))
    arguments = parser.parse_args()
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    load_steps.run("import", arguments.module, None)
    adopt_orphans()
    device = "cpu" if arguments.on_cpu else torch._C._get_privateuse1_backend_name()
    source, moments, found, before = random.Random(arguments.seed), collections.defaultdict(list), [], shared_memory()
    folder = tempfile.tempdir = os.environ["TMPDIR"] = tempfile.mkdtemp()  # a `with` block would end in each rank too
    for number in range(arguments.deaths):
        moment, seconds, violations = one_round(source, device)
        moments[moment].append(seconds)
        found += [f"death {number + 1}, in {moment}: {words}" for words in violations]
    found += left_over(folder, before)
    shutil.rmtree(folder)
    print("deaths  longest end of the others  moment")
    for moment, seconds in sorted(moments.items()):
        print(f"{len(seconds):6}  {max(seconds):24.1f} s  {moment}")
    print("\n".join(found + [f"{arguments.deaths} deaths, {len(found)} violations"]))
    return 1 if found else 0


def adopt_orphans():
    """Processes whose parent ends become children of this process, so that none is overlooked."""
    import ctypes

    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main())
