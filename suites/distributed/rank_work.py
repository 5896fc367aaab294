# SPDX-License-Identifier: BSD-3-Clause
"""Functions of a rank for the checks of Work objects, of streams, of ranks that are missing or die, and of abort."""

import contextlib
from datetime import timedelta

import torch
import torch.distributed as dist
from suites.distributed.rank import Alone, told

LARGE = 1 << 16
GROUPS, STREAMS = 8, ("the default stream", "another stream")
ADDITIONS, MOST_ADDITIONS = 30, 300
LAST = "all_reduce without the rank that died"


def finished(rank):
    """The state of a Work after wait()."""
    rank.join()
    with rank.case("the value after wait()") as out:
        x = rank.on([1.0 + rank.rank] * 4)
        work = dist.all_reduce(x, async_op=True)
        work.wait()
        out.append(x)
    with rank.case("is_completed() after wait()") as out:
        out.append(settled(work))
    rank.is_special = True
    with rank.case("the value after a second wait()") as out:
        work.wait()
        out.append(x)
    with rank.case("many works, waited for in the order of their start") as out:
        parts = [rank.on([1.0 + rank.rank + one]) for one in range(10)]
        for work in [dist.all_reduce(part, async_op=True) for part in parts]:
            work.wait()
        out.append([part.item() for part in parts])
    with rank.case("many works, waited for in reverse") as out:
        parts = [rank.on([1.0 + rank.rank + one]) for one in range(10)]
        for work in reversed([dist.all_reduce(part, async_op=True) for part in parts]):
            work.wait()
        out.append([part.item() for part in parts])


def settled(work):
    """On a device with streams, wait() may return before the work is done, so this function waits for
    the device first."""
    with contextlib.suppress(RuntimeError, NotImplementedError):
        torch.accelerator.synchronize()
    return work.is_completed()


def futures(rank):
    rank.join()
    for name, call in {
        "all_reduce": lambda x: dist.all_reduce(x, async_op=True),
        "broadcast": lambda x: dist.broadcast(x, 0, async_op=True),
    }.items():
        with rank.case(f"the future of {name}") as out:
            x = rank.on([1.0 + rank.rank] * 3)
            future = call(x).get_future()
            value = future.wait()
            out.append([[one.tolist() for one in value], x.tolist(), future.done()])
    with rank.case("a callback of the future") as out:
        x = rank.on([1.0 + rank.rank] * 3)
        future = dist.all_reduce(x, async_op=True).get_future().then(lambda done: done.value()[0] / rank.size)
        out.append(future.wait())


def not_early(rank):
    """Rank 0 enters each collective only after rank 1 has queried its own Work."""
    rank.join()
    for number in range(3):
        with rank.case(f"is_completed() before the other rank enters, time {number + 1}") as out:
            x = rank.on(torch.ones(LARGE))
            key = f"looked/{number}"
            if rank.rank == 0:
                rank.store.wait([key], rank.patience)
                dist.all_reduce(x)
                out.append([False, x[-1].item()])
            else:
                work = dist.all_reduce(x, async_op=True)
                early = work.is_completed()
                rank.store.set(key, "yes")
                work.wait()
                out.append([early, x[-1].item()])


def streams(rank):
    """Inputs that the current stream still computes, and results that the current stream uses immediately. Repeated in
    several groups, because a backend may use another stream for a later group."""
    rank.join()
    rank.use_device()
    unfinished = 0
    for number in range(GROUPS):
        group = dist.new_group()
        for kind in STREAMS:
            with rank.case(f"a tensor that {kind} computes, in group {number + 1}") as out:
                stream = torch.accelerator.current_stream() if kind.startswith("the") else torch.Stream(rank.device)
                with stream:
                    x = torch.zeros(LARGE, device=rank.device)
                    count, is_unfinished = add_until_unfinished(x, stream)
                    dist.all_reduce(x, group=group, async_op=True).wait()
                    y = x + 1
                stream.synchronize()
                unfinished += is_unfinished
                out.append([y.min().item() - count * rank.size, y.max().item() - count * rank.size])
    rank.say(unfinished=unfinished)


def add_until_unfinished(x, stream):
    """Adds ones to `x` until the stream has not finished the last of them. Returns their number, and False if the stream
    finishes each addition within its call."""
    for count in range(ADDITIONS, MOST_ADDITIONS, ADDITIONS):
        for _ in range(ADDITIONS):
            x.add_(1)
        with contextlib.suppress(RuntimeError, NotImplementedError):  # query() is not what this case is about
            if not stream.query():
                return count, True
    return count, False


def join_together(rank, seconds):
    """Joins a group with a short timeout. The timeout begins when every rank is here, so a slow start does not use it up."""
    rank.store.set(f"here/{rank.rank}", "yes")
    rank.store.wait([f"here/{other}" for other in range(rank.size)], rank.patience)
    rank.join(timeout=timedelta(seconds=seconds))


def missing(rank, seconds):
    """Rank 0 does not enter the last all_reduce until the other ranks have given up."""
    join_together(rank, seconds)
    rank.sum_all()
    with rank.case("all_reduce that rank 0 does not enter") as out:
        if rank.rank == 0:
            rank.store.wait([f"gave up/{other}" for other in range(1, rank.size)], rank.patience + timedelta(seconds=5))
            raise RuntimeError("rank 0 does not enter")
        try:
            x = rank.on([1.0])
            dist.all_reduce(x)
            out.append(x.tolist())  # a device with streams raises here
        finally:
            rank.store.set(f"gave up/{rank.rank}", "yes")


def dies(rank, seconds, is_pending):
    """Rank 0 is killed while the other ranks wait in a collective, or before they enter the collective."""
    join_together(rank, seconds)
    rank.sum_all()
    rank.say(begin=LAST)
    if rank.rank == 0:
        rank.say(ready=True)
        rank.store.wait(["never"], timedelta(hours=1))
    if not is_pending:
        rank.say(ready=True)
        rank.store.wait(["killed"], timedelta(hours=1))
    try:
        work = dist.all_reduce(rank.on([1.0]), async_op=True)
        if is_pending:
            rank.say(ready=True)
        work.wait()
        rank.say(case=LAST, value=settled(work))
    except Exception as error:
        rank.say(case=LAST, **told(error))
    raise Alone


def aborts(rank):
    """The last rank never enters. The other ranks abort the group, then all ranks create a new group."""
    rank.join()
    rank.sum_all()
    group = dist.group.WORLD
    with rank.case("abort() while a collective is pending") as out:
        if rank.rank != rank.size - 1:
            work = dist.all_reduce(rank.on([1.0]), async_op=True)
        group.abort()
        out.append(True)
    with rank.case("the end of the aborted group") as out:
        work = None
        dist.destroy_process_group()
        out.append(dist.is_initialized())
    del work
    rank.is_special = True
    with rank.case("all_reduce of the second group") as out:
        rank.join(prefix="after abort")
        x = rank.on([2.0])
        dist.all_reduce(x)
        out.append(x)


def unsupported(rank):
    """Collectives that few backends implement."""
    rank.join()
    with rank.case("all_to_all") as out:
        into = [rank.on([0.0]) for _ in range(rank.size)]
        dist.all_to_all(into, [rank.on([1.0 + rank.rank]) for _ in range(rank.size)])
        out.append([one.item() for one in into])
    with rank.case("all_gather_coalesced") as out:
        lists = [[rank.on([0.0])] for _ in range(rank.size)]
        dist.all_gather_coalesced(lists, [rank.on([1.0 + rank.rank])])
        out.append([one[0].item() for one in lists])
    with rank.case("all_reduce_coalesced") as out:
        parts = [rank.on([1.0 + rank.rank]), rank.on([2.0])]
        dist.all_reduce_coalesced(parts)
        out.append([one.item() for one in parts])
    with rank.case("all_reduce of a sparse tensor") as out:
        x = torch.sparse_coo_tensor(torch.tensor([[rank.rank]]), torch.tensor([1.0]), (rank.size,)).to(rank.device)
        dist.all_reduce(x)
        out.append(x.to_dense())


def new_timeout(rank):
    rank.join()
    with rank.case("a new timeout of the Backend") as out:
        dist.set_timeout(rank.patience)
        out.append("returned")
    with rank.case("all_reduce with the new timeout") as out:
        x = rank.on([1.0 + rank.rank])
        dist.all_reduce(x)
        out.append(x)
