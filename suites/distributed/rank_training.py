# SPDX-License-Identifier: BSD-3-Clause
"""Functions of a rank for the checks of training: three steps with gloo on the CPU, then the same three on the device.

Every function of STEPS gets a Place and returns values that must be the same in both places.
"""

import contextlib
import tempfile

import torch
import torch.distributed as dist
from torch import nn

STEPS = 3
BATCH, WIDTH = 6, 8


class Place:
    """The CPU or the device, and the rank that trains there."""

    def __init__(self, rank, device):
        self.rank, self.device, self.number, self.size = rank, device, rank.rank, rank.size

    def on(self, values):
        return values.to(self.device)

    def model(self, make):
        """The same model on every rank and in both places. Numbers are drawn on the CPU."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.rank.seed)
            return make().to(self.device)

    def batch(self, step, of_rank=None):
        """A batch of this rank or of another one. Batches of different ranks and steps differ."""
        source = torch.Generator().manual_seed(1000 * step + (self.number if of_rank is None else of_rank))
        x = torch.randn(BATCH, WIDTH, generator=source)
        return self.on(x), self.on(torch.sin(x.sum(1, keepdim=True)))

    def optimizer(self, model):
        return torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def train(self, model, optimizer, steps=STEPS):
        """The losses of the steps."""
        losses = []
        for step in range(steps):
            x, y = self.batch(step)
            optimizer.zero_grad()
            loss = (model(x) - y).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses


def network():
    return nn.Sequential(nn.Linear(WIDTH, 16), nn.Tanh(), nn.Linear(16, 1))


def alone(place):
    """The same training without a process group."""
    model = place.model(network)
    return [place.train(model, place.optimizer(model)), [one.detach() for one in model.parameters()]]


def in_both_places(rank, function):
    """Runs `function` on the CPU in a group of gloo, and then on the device in a group of the backend."""
    function = globals()[function]
    rank.say(alone=[alone(Place(rank, device)) for device in (torch.device("cpu"), rank.device)])
    rank.join("gloo", "on the CPU")
    expected = function(Place(rank, torch.device("cpu")))
    dist.destroy_process_group()
    rank.say(expected=expected)
    rank.use_device()
    rank.join(prefix="on the device")
    rank.sum_all()
    with rank.case("three steps on the device") as out:
        out.append(function(Place(rank, rank.device)))


def ddp(place):
    """The ranks start from different parameters: DDP must send the parameters of rank 0 to the other ranks."""
    model = place.model(network)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(place.number)
    parallel = nn.parallel.DistributedDataParallel(model, device_ids=_ids(place))
    losses = place.train(parallel, place.optimizer(model))
    return {"losses": losses, "parameters": [one.detach() for one in model.parameters()]}


def _ids(place):
    return None if place.device.type == "cpu" else [place.device.index]


class Counting(nn.Module):
    """Has a buffer that each call changes. BatchNorm is not used, because its kernel may be the one that is wrong."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(16))

    def forward(self, x):
        self.total.add_(x.detach()[0])
        return torch.tanh(x) + self.total


def ddp_options(place):
    """Small buckets, gradients as views of buckets, accumulation without communication, and a buffer."""
    model = place.model(lambda: nn.Sequential(nn.Linear(WIDTH, 16), Counting(), nn.Linear(16, 1)))
    parallel = nn.parallel.DistributedDataParallel(
        model, device_ids=_ids(place), bucket_cap_mb=0.0001, gradient_as_bucket_view=True
    )
    optimizer = place.optimizer(model)
    for step in range(STEPS):
        optimizer.zero_grad()
        for part in range(2):
            x, y = place.batch(2 * step + part)
            with parallel.no_sync() if part == 0 else contextlib.nullcontext():
                (parallel(x) - y).square().mean().backward()
        optimizer.step()
    return {"state": [one.detach() for one in (*model.parameters(), *model.buffers())]}


def fsdp(place):
    """Fully sharded parameters, in two groups of layers."""
    return _sharded(place, dist.init_device_mesh(place.device.type, (place.size,)))


def hybrid(place):
    """Parameters sharded over the ranks of each row of a mesh. The rows are replicas."""
    shape = (2, place.size // 2)
    return _sharded(place, dist.init_device_mesh(place.device.type, shape, mesh_dim_names=("replicas", "shards")))


def _sharded(place, mesh):
    from torch.distributed.fsdp import fully_shard

    model = place.model(network)
    fully_shard(model[0], mesh=mesh)
    fully_shard(model, mesh=mesh)
    losses = place.train(model, place.optimizer(model))
    return {"losses": losses, "parameters": [one.full_tensor().detach() for one in model.parameters()]}


def pipeline(place):
    """A model of two stages, one on each rank, with two schedules. The last rank computes the loss."""
    from torch.distributed import pipelining

    seen = {}
    for kind in (pipelining.ScheduleGPipe, pipelining.Schedule1F1B):
        layers = place.model(network)
        model = layers[:2] if place.number == 0 else layers[2:]
        stage = pipelining.PipelineStage(model, place.number, place.size, place.device)
        schedule = kind(stage, n_microbatches=2, loss_fn=nn.functional.mse_loss)
        optimizer, losses = place.optimizer(model), []
        for step in range(STEPS):
            x, y = place.batch(step, of_rank=0)
            optimizer.zero_grad()
            schedule.step(x) if place.number == 0 else schedule.step(target=y, losses=losses)
            optimizer.step()
        seen[f"losses of {kind.__name__}"] = [one.item() for one in losses]
        seen[f"parameters of {kind.__name__}"] = [one.detach() for one in model.parameters()]
    return seen


def dtensor(place):
    """A column-wise and a row-wise sharded layer, and changes of placement."""
    from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    mesh = dist.init_device_mesh(place.device.type, (place.size,))
    whole = place.on(torch.arange(24.0).reshape(6, 4))
    rows = distribute_tensor(whole, mesh, [Shard(0)])
    columns = rows.redistribute(mesh, [Shard(1)])
    partial = DTensor.from_local(whole + place.number, mesh, [Replicate()])
    seen = {
        "rows": rows.to_local(), "columns": columns.to_local(), "whole": columns.full_tensor(),
        "sum": rows.sum().full_tensor(), "product": (rows @ partial.t()).full_tensor()[0, :2],
    }
    model = place.model(network)
    parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    optimizer = place.optimizer(model)
    for step in range(STEPS):
        source = torch.Generator().manual_seed(step)
        x = place.on(torch.randn(BATCH, WIDTH, generator=source))
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    return {**seen, "parameters": [one.full_tensor().detach() for one in model.parameters()]}


def checkpoint(place):
    """Saves a sharded model after a step and loads it into another model."""
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.state_dict import get_model_state_dict, set_model_state_dict
    from torch.distributed.fsdp import fully_shard

    folder = [tempfile.mkdtemp() if place.number == 0 else None]
    key = f"checkpoint folder {place.device.type}"
    if place.number == 0:
        place.rank.store.set(key, folder[0])
    folder = place.rank.store.get(key).decode()
    mesh = dist.init_device_mesh(place.device.type, (place.size,))

    def sharded():
        return fully_shard(place.model(network), mesh=mesh)

    model = sharded()
    place.train(model, place.optimizer(model), steps=1)
    with _removed(folder, place):
        dcp.save({"model": get_model_state_dict(model)}, checkpoint_id=folder)
        other = sharded()
        state = {"model": get_model_state_dict(other)}
        dcp.load(state, checkpoint_id=folder)
        set_model_state_dict(other, state["model"])
    devices = {one.to_local().device.type == place.device.type for one in other.parameters()}
    pairs = zip(model.parameters(), other.parameters(), strict=True)
    same = [torch.equal(a.full_tensor().cpu(), b.full_tensor().cpu()) for a, b in pairs]
    return {"parameters": [one.full_tensor().detach() for one in other.parameters()], "same": same, "device": list(devices)}


@contextlib.contextmanager
def _removed(folder, place):
    import shutil

    try:
        yield
        dist.barrier()
    finally:
        if place.number == 0:
            shutil.rmtree(folder, ignore_errors=True)
