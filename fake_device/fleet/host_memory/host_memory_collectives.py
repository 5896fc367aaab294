# SPDX-License-Identifier: BSD-3-Clause
"""The process group of host_memory: a ProcessGroup in Python that copies tensors to the host for gloo."""

import torch
import torch.distributed as dist

DEVICE, NAME = "host_memory", "stagedccl"
# The reduction unit computes in float32: reduces-in-float32.
REDUCED_AS = {torch.float64: torch.float32, torch.int64: torch.float32}
# Collectives whose first argument has the results. PyTorch calls some of them by a name that gloo does not have.
REDUCTIONS = {
    "allreduce": "allreduce", "allreduce_coalesced": "allreduce_coalesced", "reduce": "reduce",
    "reduce_scatter": "reduce_scatter", "_reduce_scatter_base": "_reduce_scatter_base",
    "reduce_scatter_single": "_reduce_scatter_base",
}
TRANSFERS = {
    "broadcast": "broadcast", "allgather": "allgather", "_allgather_base": "_allgather_base",
    "all_gather_single": "_allgather_base", "gather": "gather", "scatter": "scatter", "alltoall": "alltoall",
    "alltoall_base": "alltoall_base", "all_to_all_single": "alltoall_base", "recv": "recv",
    "recv_anysource": "recv_anysource",
}


def _mapped(change, argument):
    if isinstance(argument, (list, tuple)):
        return [_mapped(change, one) for one in argument]
    return change(argument) if isinstance(argument, torch.Tensor) else argument


def _flat(argument):
    if isinstance(argument, (list, tuple)):
        return [tensor for one in argument for tensor in _flat(one)]
    return [argument] if isinstance(argument, torch.Tensor) else []


def _to_host(tensor):
    return tensor.cpu().contiguous()


def _to_reduction(tensor):
    staged = _to_host(tensor)
    return staged.to(REDUCED_AS.get(staged.dtype, staged.dtype))


class StagedWork(dist._Work):
    """Copies the results to the device when gloo is done."""

    def __init__(self, work, results, staged):
        super().__init__()
        self._work, self._results, self._staged, self._future = work, results, staged, None

    def wait(self, *timeout):
        self._work.wait(*timeout)
        self._finish()
        return True

    def is_completed(self):
        return self._work.is_completed()

    def get_future(self):
        self._future = self._future or self._work.get_future().then(self._finished)
        return self._future

    def _finish(self):
        for to, source in zip(_flat(self._results), _flat(self._staged)):
            to.copy_(source)
        self._staged = ()

    def _finished(self, done):
        done.value()  # raises the error of gloo
        self._finish()
        return self._results

    def _source_rank(self):
        return self._work._source_rank()


class StagedGroup(dist.ProcessGroup):
    def __init__(self, store, rank, size, timeout):
        super().__init__(rank, size)
        self._gloo = dist.ProcessGroupGloo(store, rank, size, timeout)

    def getBackendName(self):
        return NAME

    def setGroupName(self, name):
        self._name = name

    def getGroupName(self):
        return self._name

    def send(self, tensors, *where):
        return StagedWork(self._gloo.send(_mapped(_to_host, tensors), *where), (), ())

    def barrier(self, opts):
        return self._gloo.barrier(opts)

    def abort(self):
        self._gloo.abort()


def _collective(name, stage):
    def call(self, results, *arguments):
        staged, *others = (_mapped(stage, one) for one in (results, *arguments))
        return StagedWork(getattr(self._gloo, name)(staged, *others), results, staged)

    return call


for _stage, _names in ((_to_reduction, REDUCTIONS), (_to_host, TRANSFERS)):
    for _name, _name_of_gloo in _names.items():
        setattr(StagedGroup, _name, _collective(_name_of_gloo, _stage))


def register():
    if dist.is_available() and dist.is_gloo_available():
        dist.Backend.register_backend(NAME, StagedGroup, devices=[DEVICE])
