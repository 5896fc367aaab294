# SPDX-License-Identifier: BSD-3-Clause
"""A training program that torchrun starts on each device. The launcher is a process that has loaded the target."""

import json
import os
import unittest

import torch
import torch.distributed as dist
from suites.distributed import launched
from suites.distributed.group_case import GroupCase, is_close

MOST_RANKS = 4  # on a machine with more devices, the number of ranks is given instead of the name of the device
# The same function as the program `torchrun`.
LAUNCHER = """
import json, os, sys, tempfile
from torch.distributed import run
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

answer = {}
with tempfile.TemporaryDirectory() as folder:
    sys.argv = ["torchrun", *ARGUMENTS, folder]
    try:
        run.main()
        answer["launcher"] = "ended"
    except ChildFailedError as error:
        answer["launcher"] = str(error)
    for rank in sorted(os.listdir(folder)):
        with open(os.path.join(folder, rank), encoding="utf-8") as file:
            answer[rank] = json.load(file)
"""
ADDRESS = ["--nnodes=1", "--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:0", "--local-addr=127.0.0.1"]


class Launcher(GroupCase):
    def test_trains(self):
        """distributed.program_of_torchrun_trains"""
        self.need_group()
        count = torch.accelerator.device_count()
        wanted = self.device_name if count <= MOST_RANKS else str(MOST_RANKS)
        size = min(count, MOST_RANKS)
        seen = self.launch(wanted, self.device_name)
        words = failure_of(seen)
        if words:
            self.need_launcher()
        self.require(self.expect(not words, f"the program of torchrun --nproc-per-node={wanted} ends with status 0", words))
        del seen["launcher"]
        self.require(self.expect_equal(sorted(seen), [str(rank) for rank in range(size)], f"the ranks of torchrun --nproc-per-node={wanted}"))
        parameters = launched.expected(size, self.seed)
        if not all(is_close(one["parameters"], parameters) for one in seen.values()):
            self.need_right_training(*(launched.alone(self.seed, device) for device in (torch.device("cpu"), self.device)))
        for rank, one in sorted(seen.items()):
            self.expect_equal(one["ranks"], size, f"the number of ranks that rank {rank} sees")
            self.expect(is_close(one["parameters"], parameters), f"the parameters of rank {rank} equal those that one process trains", f"got {one['parameters']}, expected {parameters}"[:400])

    def launch(self, processes_wanted, device_type):
        """The results of the ranks, by rank."""
        program = os.path.abspath(launched.__file__)
        arguments = [*ADDRESS, f"--nproc-per-node={processes_wanted}", program, json.dumps(self.steps()), device_type, str(self.seed)]
        code = LAUNCHER.replace("ARGUMENTS", repr(arguments))
        return self.fresh(code, "torchrun starts", GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1")

    def need_launcher(self):
        """Ends the check if torchrun fails on the CPU too, as on a machine without a loopback device."""
        if not dist.is_gloo_available():
            return
        words = failure_of(self.launch("2", "cpu"))
        if words:
            self.does_not_apply(f"torchrun fails with gloo on the CPU too: {words}")


def failure_of(seen):
    """Returns the exception of the first rank that failed, otherwise the message of the launcher, or None if it ended."""
    for rank, one in sorted(seen.items()):
        if rank != "launcher" and "raised" in one:
            return f"rank {rank} raised {one['raised'][-1500:]}"
    return None if seen["launcher"] == "ended" else seen["launcher"]


if __name__ == "__main__":
    unittest.main()
