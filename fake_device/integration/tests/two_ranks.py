# SPDX-License-Identifier: BSD-3-Clause
"""The program that test_collectives.py runs: two ranks, forked from one process before its first use of the device.

The group is created three times: by default, by name (all steps), and mixed with gloo for the CPU. Each step
is a function that returns its result. Rank 0 prints {step: [result of rank 0, result of rank 1]}. Arguments:
a folder for the rendezvous.
"""

import json
import os
import sys
import traceback
from datetime import timedelta

import torch
import torch.distributed as dist

DEVICE = "fakedev"
# After this time, a rank reports that its peer is dead. The deadline of the test is later.
PATIENCE = timedelta(seconds=100)


def on(rank, *values):
    return torch.tensor(values, dtype=torch.float32, device=f"{DEVICE}:{rank}")


def step_identity(rank):
    group = dist.group.WORLD
    backend = group._get_backend(torch.device(DEVICE))
    return [dist.get_backend(), backend.name(), dist.get_backend_config(), backend.rank(),
            backend.size()]


def step_all_reduce(rank):
    seen = {}
    for name in ("SUM", "PRODUCT", "MIN", "MAX"):
        x = on(rank, 2.0 + rank, 5.0 - rank)
        dist.all_reduce(x, getattr(dist.ReduceOp, name))
        seen[name] = [x.tolist(), str(x.device)]
    return seen


def step_all_reduce_refused(rank):
    try:
        dist.all_reduce(on(rank, 1.0), dist.ReduceOp.BAND)
    except (RuntimeError, ValueError) as error:
        return type(error).__name__
    return "no error"


def step_all_reduce_strided(rank):
    base = on(rank, 1, 2, 3, 4).reshape(2, 2)
    dist.all_reduce(base.t()[0])
    return base.tolist()


def step_all_reduce_pending(rank):
    """A tensor is sent while the current stream still computes it."""
    stream = torch.Stream(f"{DEVICE}:{rank}")
    with stream:
        x = torch.zeros(1000, device=f"{DEVICE}:{rank}")
        for _ in range(20):
            x.add_(1)
        dist.all_reduce(x)
    stream.synchronize()
    return [x.min().item(), x.max().item()]


def step_each_root(rank):
    seen = []
    for root in (0, 1):
        x = on(rank, 10.0 + rank)
        dist.broadcast(x, root)
        y = on(rank, 1.0 + rank)
        dist.reduce(y, root)
        seen.append([x.item(), y.item()])
    return seen


def step_gathered(rank):
    parts = [on(rank, 0, 0) for _ in range(2)]
    dist.all_gather(parts, on(rank, rank, rank + 10))
    whole = on(rank, 0, 0, 0, 0)
    dist.all_gather_into_tensor(whole, on(rank, rank, rank + 10))
    return [[p.tolist() for p in parts], whole.tolist()]


def step_reduce_scattered(rank):
    part = on(rank, 0)
    dist.reduce_scatter(part, [on(rank, 1 + rank), on(rank, 10 + rank)])
    chunk = on(rank, 0, 0)
    dist.reduce_scatter_tensor(chunk, on(rank, 1, 2, 3, 4 + rank))
    return [part.tolist(), chunk.tolist()]


def step_gather_scatter(rank):
    parts = [on(rank, 0), on(rank, 0)] if rank == 1 else None
    dist.gather(on(rank, 7 + rank), parts, dst=1)
    part = on(rank, 0)
    dist.scatter(part, [on(rank, 3), on(rank, 4)] if rank == 0 else None, src=0)
    return [[p.item() for p in parts] if parts else None, part.item()]


def step_all_to_all(rank):
    sent, received = ([1, 2], [1, 1]) if rank == 0 else ([1, 2], [2, 2])
    target = torch.zeros(sum(received), device=f"{DEVICE}:{rank}")
    dist.all_to_all_single(target, on(rank, *(10 * rank + i for i in range(3))), received, sent)
    return target.tolist()


def step_all_to_all_lists(rank):
    try:
        dist.all_to_all([on(rank, 0), on(rank, 0)], [on(rank, 1), on(rank, 2)])
    except RuntimeError as error:
        return str(error).splitlines()[0]
    return "no error"


def step_tags(rank):
    if rank == 0:
        work = [dist.isend(on(0, 1.0), 1, tag=1), dist.isend(on(0, 2.0), 1, tag=2)]
        for item in work:
            item.wait()
        return None
    first, second = on(1, 0), on(1, 0)
    dist.recv(second, 0, tag=2)
    dist.recv(first, 0, tag=1)
    return [first.item(), second.item()]


def step_any_source(rank):
    if rank == 0:
        dist.send(on(0, 5.0), 1)
        return None
    x = on(1, 0)
    return [dist.recv(x), x.item()]


def step_async(rank):
    x = on(rank, 1.0 + rank)
    work = dist.all_reduce(x, async_op=True)
    result = work.get_future().wait()
    work.wait()
    work.wait()
    return [x.item(), work.is_completed(), work.is_success(), result[0].data_ptr() == x.data_ptr()]


def step_wrong_tensor(rank):
    """Our backend refuses a tensor of another device with a message."""
    backend = dist.group.WORLD._get_backend(torch.device(DEVICE))
    try:
        backend.allreduce([torch.ones(1)])
    except RuntimeError as error:
        return str(error).splitlines()[0]
    return "no error"


def step_routes_by_device(rank):
    host, device = torch.ones(1), on(rank, 1.0)
    dist.all_reduce(host)
    dist.all_reduce(device)
    return [host.item(), device.item(), str(device.device)]


def step_barrier(rank):
    store = dist.distributed_c10d._get_default_store()
    if rank == 1:
        store.set("entered", "yes")
    dist.barrier()
    return store.check(["entered"])


def step_subgroup(rank):
    groups = [dist.new_group([0, 1]), dist.new_group([1])]
    x = on(rank, 1.0)
    dist.all_reduce(x, group=groups[0])
    if rank == 1:
        dist.all_reduce(x, group=groups[1])
    return x.item()


def step_ddp(rank):
    torch.manual_seed(rank)
    model = torch.nn.Linear(3, 2).to(f"{DEVICE}:{rank}")
    parallel = torch.nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    parallel(torch.full((4, 3), 1.0 + rank, device=f"{DEVICE}:{rank}")).sum().backward()
    return [model.weight.sum().item(), model.weight.grad.tolist()]


def step_mesh(rank):
    mesh = dist.device_mesh.init_device_mesh(DEVICE, (2,))
    x = on(rank, 1.0)
    dist.all_reduce(x, group=mesh.get_group())
    return [mesh.get_rank(), x.item()]


def step_functional(rank):
    import torch.distributed._functional_collectives as functional

    return functional.all_reduce(on(rank, 1.0 + rank), "sum", dist.group.WORLD).tolist()


def step_object(rank):
    things = [{"a": 1}, "b"] if rank == 0 else [None, None]
    dist.broadcast_object_list(things, 0, device=torch.device(DEVICE, rank))
    return things


def attempt(step, rank):
    try:
        return step(rank)
    except Exception:  # the test reports every exception of a step and fails on it
        return "raised: " + traceback.format_exc()


def leave_together():
    """gloo connects each pair of ranks separately. A rank that ends first closes a connection on which its peer may
    still wait, and the peer then reports a crash.
    """
    dist.barrier()
    dist.destroy_process_group()


def run(rank, folder):
    os.environ["LOCAL_RANK"] = str(rank)
    torch.accelerator.set_device_index(rank)
    seen = {}
    for turn, backend in enumerate((None, "fakedist", f"cpu:gloo,{DEVICE}:fakedist")):
        dist.init_process_group(backend, init_method=f"file://{folder}/{turn}", rank=rank,
                                world_size=2, timeout=PATIENCE)
        for name, step in sorted(globals().items()):
            only_mixed = name == "step_routes_by_device"
            if name.startswith("step_") and only_mixed == (turn == 2):
                if turn == 0 and name != "step_identity":
                    continue
                seen[f"{name[5:]}_{turn}"] = attempt(step, rank)
        leave_together()
    return seen


def main(folder):
    read, write = os.pipe()
    if os.fork() == 0:
        with os.fdopen(write, "w") as pipe:
            json.dump(run(1, folder), pipe)
        sys.exit(0)
    os.close(write)
    ours = run(0, folder)
    with os.fdopen(read) as pipe:
        theirs = json.load(pipe)
    _, status = os.wait()
    ours["exit"], theirs["exit"] = 0, os.waitstatus_to_exitcode(status)
    print(json.dumps({step: [ours[step], theirs[step]] for step in ours}))


main(sys.argv[1])
