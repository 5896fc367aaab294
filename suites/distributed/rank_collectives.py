# SPDX-License-Identifier: BSD-3-Clause
"""Functions of a rank for the checks of collectives. Numbers are small integers, which every dtype holds exactly."""

from datetime import timedelta

import torch
import torch.distributed as dist

WHILE = timedelta(milliseconds=300)  # a rank that does not wait leaves a barrier in less than a millisecond
OPS = ("SUM", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR", "AVG")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
DTYPES = (*FLOATS, *INTEGERS, "bool", "complex64")
# The sum of two of these numbers is exact in its dtype, and inexact in each smaller dtype.
LARGE = {"float16": 1023, "bfloat16": 127, "float32": (1 << 23) - 1, "float64": (1 << 52) - 1, "uint8": 125, "int8": 61,
         "int16": (1 << 14) - 3, "int32": (1 << 30) - 3, "int64": (1 << 62) - 3, "complex64": (1 << 23) - 1}
SIZES = {"no element": (0,), "one element": (1,), "seven elements": (7,), "a scalar": (), "three dimensions": (3, 1, 5),
         "10007 elements": (10007,)}


def numbers(rank, shape=(4,), dtype="float32"):
    """Different numbers on each rank, from 1 to 5."""
    count = torch.Size(shape).numel()
    values = (torch.arange(count) + 2 * rank) % 5 + 1
    if dtype == "bool":
        values = values % 2
    return values.to(getattr(torch, dtype)).reshape(shape)


def of_dtype(rank, dtype):
    """Five numbers, of which the first is large."""
    values = numbers(rank, (5,), dtype)
    if dtype in LARGE:
        values[0] = LARGE[dtype] + rank
    return values


def put(rank, values):
    return rank.on(values, values.dtype)


def in_one_group(rank, functions):
    """Runs these functions of this file one after the other in one group."""
    rank.join()
    rank.sum_all()
    for function in functions:
        globals()[function](rank)


def ops(rank):
    """all_reduce with each operator, for a dtype of floats and one of integers."""
    for dtype in ("float32", "int32"):
        for op in OPS:
            with rank.case(f"{op} of {dtype}") as out:
                x = put(rank, numbers(rank.rank, (6,), dtype))
                dist.all_reduce(x, getattr(dist.ReduceOp, op))
                out.append(x)


def three_collectives(rank, what, put_new, root):
    with rank.case(f"all_reduce of {what}") as out:
        x = put_new()
        dist.all_reduce(x)
        out.append(x)
    with rank.case(f"broadcast of {what}") as out:
        x = put_new()
        dist.broadcast(x, root)
        out.append(x)
    with rank.case(f"all_gather of {what}") as out:
        x = put_new()
        parts = [torch.empty_like(x) for _ in range(rank.size)]
        dist.all_gather(parts, x)
        out.append(parts)


def dtypes(rank):
    for dtype in DTYPES:
        three_collectives(rank, dtype, lambda dtype=dtype: put(rank, of_dtype(rank.rank, dtype)), rank.size - 1)


def sizes(rank):
    for name, shape in SIZES.items():
        three_collectives(rank, name, lambda shape=shape: put(rank, numbers(rank.rank, shape)), 0)
        with rank.case(f"reduce_scatter of {name}") as out:
            x = [put(rank, numbers(rank.rank + part, shape)) for part in range(rank.size)]
            own = torch.empty_like(x[0])
            dist.reduce_scatter(own, x)
            out.append(own)


def strided(rank):
    """Views whose elements are not side by side. The rest of their memory must keep its values."""

    def views():
        whole = put(rank, numbers(rank.rank, (4, 6)))
        return {
            "every second column": (whole, whole[:, ::2]),
            "a transposed matrix": (whole, whole.t()),
            "one column": (whole, whole[:, 1]),
            "a slice with an offset": (whole, whole[1:3]),
        }

    for name in views():
        with rank.case(f"all_reduce of {name}") as out:
            whole, view = views()[name]
            dist.all_reduce(view)
            out.append(whole)
        with rank.case(f"broadcast of {name}") as out:
            whole, view = views()[name]
            dist.broadcast(view, 0)
            out.append(whole)


def rooted(rank):
    for root in range(rank.size):
        with rank.case(f"broadcast from rank {root}") as out:
            x = put(rank, numbers(rank.rank))
            dist.broadcast(x, root)
            out.append(x)
        with rank.case(f"reduce to rank {root}") as out:
            x = put(rank, numbers(rank.rank))
            dist.reduce(x, root)
            out.append(x if rank.rank == root else None)


def gathered(rank):
    with rank.case("all_gather") as out:
        x = put(rank, numbers(rank.rank))
        parts = [torch.zeros_like(x) for _ in range(rank.size)]
        dist.all_gather(parts, x)
        out.append(parts)
    with rank.case("all_gather_into_tensor") as out:
        x = put(rank, numbers(rank.rank))
        whole = put(rank, torch.zeros(4 * rank.size))
        dist.all_gather_into_tensor(whole, x)
        out.append(whole)
    with rank.case("all_gather_into_tensor of stacked parts") as out:
        x = put(rank, numbers(rank.rank, (2, 3)))
        whole = put(rank, torch.zeros(rank.size, 2, 3))
        dist.all_gather_into_tensor(whole, x)
        out.append(whole)


def scattered(rank):
    with rank.case("reduce_scatter") as out:
        parts = [put(rank, numbers(rank.rank + part)) for part in range(rank.size)]
        own = torch.zeros_like(parts[0])
        dist.reduce_scatter(own, parts)
        out.append(own)
    with rank.case("reduce_scatter_tensor") as out:
        whole = put(rank, numbers(rank.rank, (3 * rank.size,)))
        own = put(rank, torch.zeros(3))
        dist.reduce_scatter_tensor(own, whole)
        out.append(own)
    with rank.case("reduce_scatter with MAX") as out:
        parts = [put(rank, numbers(rank.rank + part)) for part in range(rank.size)]
        own = torch.zeros_like(parts[0])
        dist.reduce_scatter(own, parts, dist.ReduceOp.MAX)
        out.append(own)


def one_to_many(rank):
    for root in range(rank.size):
        is_root = rank.rank == root
        with rank.case(f"gather to rank {root}") as out:
            x = put(rank, numbers(rank.rank))
            parts = [torch.zeros_like(x) for _ in range(rank.size)] if is_root else None
            dist.gather(x, parts, dst=root)
            out.append(parts)
        with rank.case(f"scatter from rank {root}") as out:
            x = put(rank, torch.zeros(4))
            parts = [put(rank, numbers(part + 3)) for part in range(rank.size)] if is_root else None
            dist.scatter(x, parts, src=root)
            out.append(x)


def all_to_all(rank):
    with rank.case("all_to_all_single") as out:
        x = put(rank, numbers(rank.rank, (2 * rank.size,)))
        into = torch.zeros_like(x)
        dist.all_to_all_single(into, x)
        out.append(into)
    with rank.case("all_to_all_single with uneven splits") as out:
        splits = [rank.rank + 1] * rank.size  # rank r sends r + 1 rows to each rank
        x = put(rank, numbers(rank.rank, (sum(splits), 2)))
        came = [other + 1 for other in range(rank.size)]
        into = put(rank, torch.zeros(sum(came), 2))
        dist.all_to_all_single(into, x, came, splits)
        out.append(into)
    with rank.case("all_to_all") as out:
        parts = [put(rank, numbers(rank.rank + other)) for other in range(rank.size)]
        into = [torch.zeros_like(part) for part in parts]
        dist.all_to_all(into, parts)
        out.append(into)


def uneven(rank):
    """Parts of a different size for each pair of ranks. Some parts are empty."""
    with rank.case("all_to_all_single with a split for each pair") as out:
        sent = [rows(rank.rank, other) for other in range(rank.size)]
        came = [rows(other, rank.rank) for other in range(rank.size)]
        x = put(rank, numbers(rank.rank, (sum(sent), 2)))
        into = put(rank, torch.zeros(sum(came), 2))
        dist.all_to_all_single(into, x, came, sent)
        out.append(into)


def uneven_sums(rank):
    """Many backends refuse this, so no other function should follow it in the same group."""
    with rank.case("reduce_scatter of uneven parts") as out:
        parts = [put(rank, numbers(rank.rank + part, (part + 1,))) for part in range(rank.size)]
        own = torch.zeros_like(parts[rank.rank])
        dist.reduce_scatter(own, parts)
        out.append(own)


def rows(source, target):
    """The number of rows that a rank sends to another one: 0, 1 or 2."""
    return (source + 2 * target) % 3


def ring(rank):
    """Each rank sends to the next one and receives from the one before."""
    after, before = (rank.rank + 1) % rank.size, (rank.rank - 1) % rank.size
    with rank.case("isend to the next rank, recv from the one before") as out:
        x, into = put(rank, numbers(rank.rank)), put(rank, torch.zeros(4))
        work = dist.isend(x, after)
        dist.recv(into, before)
        work.wait()
        out.append(into)
    with rank.case("batch_isend_irecv around the ring") as out:
        x, into = put(rank, numbers(rank.rank)), put(rank, torch.zeros(4))
        pair = [dist.P2POp(dist.isend, x, after), dist.P2POp(dist.irecv, into, before)]
        for work in dist.batch_isend_irecv(pair):
            work.wait()
        out.append(into)


def sent(rank):
    """Rank 0 sends, rank 1 receives."""
    is_sender = rank.rank == 0
    with rank.case("send and recv") as out:
        x = put(rank, numbers(rank.rank))
        dist.send(x, 1) if is_sender else dist.recv(x, 0)
        out.append(x)
    with rank.case("messages with tags") as out:
        first, second = (put(rank, numbers(rank.rank + tag)) for tag in (1, 2))
        if is_sender:
            for work in [dist.isend(first, 1, tag=1), dist.isend(second, 1, tag=2)]:
                work.wait()
        else:
            dist.recv(second, 0, tag=2)
            dist.recv(first, 0, tag=1)
        out.append([first, second])
    with rank.case("recv from any rank") as out:
        x = put(rank, numbers(rank.rank))
        source = dist.send(x, 1) if is_sender else dist.recv(x)
        out.append([x, source])
    with rank.case("batch_isend_irecv") as out:
        x, into = put(rank, numbers(rank.rank)), put(rank, torch.zeros(4))
        pair = [dist.P2POp(dist.isend, x, 1 - rank.rank), dist.P2POp(dist.irecv, into, 1 - rank.rank)]
        for work in dist.batch_isend_irecv(pair):
            work.wait()
        out.append(into)


def barriers(rank):
    """Each rank in turn enters the barrier last. Before that, this rank waits for a while, or until all other ranks
    have left the barrier. The result says whether the other ranks left too early."""
    rank.use_device()
    for late in range(rank.size):
        with rank.case(f"barrier that rank {late} enters last") as out:
            if rank.rank == late:
                out.append(has_left(rank, late))
                dist.barrier()
            else:
                dist.barrier()
                rank.store.set(f"left/{late}/{rank.rank}", "yes")
                out.append(False)


def has_left(rank, late):
    others = [f"left/{late}/{other}" for other in range(rank.size) if other != late]
    try:
        rank.store.wait(others, WHILE)
    except RuntimeError:
        return False
    return True


def coalesced(rank):
    """The collectives over several tensors at once, as DTensor and FSDP use them."""
    group = dist.group.WORLD
    with rank.case("all_reduce_coalesced") as out:
        parts = [put(rank, numbers(rank.rank + part, (3 + part,))) for part in range(2)]
        dist.all_reduce_coalesced(parts)
        out.append(parts)
    with rank.case("allgather_into_tensor_coalesced") as out:
        parts = [put(rank, numbers(rank.rank + part, (3 + part,))) for part in range(2)]
        wholes = [put(rank, torch.zeros(rank.size * (3 + part))) for part in range(2)]
        group.allgather_into_tensor_coalesced(wholes, parts).wait()
        out.append(wholes)
    with rank.case("reduce_scatter_tensor_coalesced") as out:
        wholes = [put(rank, numbers(rank.rank + part, (rank.size * (3 + part),))) for part in range(2)]
        owns = [put(rank, torch.zeros(3 + part)) for part in range(2)]
        group.reduce_scatter_tensor_coalesced(owns, wholes).wait()
        out.append(owns)
