# SPDX-License-Identifier: BSD-3-Clause
"""Functions of a rank for the checks of groups: how a group is created, found, divided, ended and created again."""

import torch
import torch.distributed as dist

HAS_BACKENDS = "the group consists of Backend objects"


def total(rank, group=None, start=1):
    """The sum of the rank's numbers over the group. If this sum is right, the group works."""
    x = rank.on([start + dist.get_rank(), 2.0])
    dist.all_reduce(x, group=group)
    return x.tolist()


def by_name(rank):
    rank.join()
    with rank.case("the group") as out:
        out.append([dist.get_backend(), dist.get_rank(), dist.get_world_size()])
    with rank.case("all_reduce") as out:
        out.append(total(rank))
    with rank.case(HAS_BACKENDS) as out:
        out.append(has_backends())
    if has_backends():
        rank.attempt("the name of the Backend object", own_name, rank)


def has_backends():
    """False for a process group in Python, which replaces the group and has no Backend object."""
    return type(dist.group.WORLD) is dist.ProcessGroup


def own_name(rank):
    return dist.group.WORLD._get_backend(rank.device).name()


def default(rank):
    """init_process_group as torchrun's programs call it: without a backend and without a store."""
    rank.use_device()
    rank.is_special = True
    with rank.case("a group without a backend") as out:
        dist.init_process_group(timeout=rank.patience)
        is_bindable = has_backends()
        out.append([own_name(rank) if is_bindable else rank.name, total(rank)])
        dist.destroy_process_group()
    if not is_bindable:
        return  # device_id needs a Backend object
    with rank.case("a group with device_id") as out:
        _join_bound(rank)
        out.append([own_name(rank), total(rank)])
        dist.destroy_process_group()


def _join_bound(rank):
    store = dist.PrefixStore("bound", rank.connect())
    dist.init_process_group(
        store=store, rank=rank.rank, world_size=rank.size, timeout=rank.patience, device_id=rank.device
    )


def mixed(rank):
    rank.join(f"cpu:gloo,{rank.device_type}:{rank.name}")
    rank.is_special = True
    with rank.case("a tensor of the CPU") as out:
        x = torch.tensor([1.0 + rank.rank])
        dist.all_reduce(x)
        out.append([x.tolist(), x.device.type])
    with rank.case("a tensor of the device") as out:
        x = rank.on([10.0 + rank.rank])
        dist.all_reduce(x)
        out.append([x.tolist(), x.device.type == rank.device_type])
    if has_backends():
        with rank.case("the backends by device") as out:
            group = dist.group.WORLD
            out.append([group._get_backend(torch.device(one)).name() for one in ("cpu", rank.device_type)])


def wrong_device(rank):
    """Tensors that the backend cannot accept. All ranks pass the same tensors, so every rank must raise."""
    rank.join()
    with rank.case(HAS_BACKENDS) as out:
        out.append(has_backends())
    if not has_backends():
        return
    with rank.case("all_reduce before") as out:
        out.append(total(rank))
    rank.attempt("all_reduce of a CPU tensor", dist.all_reduce, torch.ones(2))
    backend = dist.group.WORLD._get_backend(rank.device)
    rank.attempt("allreduce of the Backend with a CPU tensor", lambda: backend.allreduce([torch.ones(2)]).wait())
    rank.attempt("broadcast of the Backend with a CPU tensor", lambda: backend.broadcast([torch.ones(2)], dist.BroadcastOptions()).wait())
    rank.attempt("all_gather of a CPU tensor", lambda: dist.all_gather([rank.on([0.0])] * rank.size, torch.ones(1)))
    with rank.case("all_reduce after") as out:
        out.append(total(rank))


def without_backend(rank):
    """Tensors of the device in a group that has gloo for the CPU alone."""
    rank.join("gloo")
    with rank.case("all_gather of a device tensor") as out:
        x, whole = rank.on([1.0, 2.0]), rank.on([0.0, 0.0])
        dist.all_gather_into_tensor(whole, x)
        out.append(whole)
    with rank.case("the device") as out:
        out.append(rank.on([1.0, 2.0]))
    with rank.case("all_reduce of a CPU tensor") as out:
        x = torch.ones(2)
        dist.all_reduce(x)
        out.append(x)


def subgroups(rank):
    """Each group has work of its own. While a group of some ranks works, the other ranks wait."""
    rank.join()
    with rank.case("the whole group") as out:
        out.append(total(rank))
    rank.is_special = True
    with rank.case("new_group") as out:
        pairs = [dist.new_group([one, (one + 1) % rank.size]) for one in range(rank.size)]
        own = dist.new_group([rank.rank], use_local_synchronization=True)
        out.append(own.size())
    with rank.case("pairs of ranks in turn") as out:
        seen = []
        for number, group in enumerate(pairs):
            if rank.rank in (number, (number + 1) % rank.size):
                x = rank.on([1.0 + rank.rank])
                dist.all_reduce(x, group=group)
                seen.append(x.item())
        out.append(seen)
    with rank.case("groups of one rank") as out:
        x = rank.on([5.0 + rank.rank])
        dist.all_reduce(x, group=own)
        out.append(x)
    with rank.case("two groups with work under way") as out:
        x, y = rank.on([1.0 + rank.rank]), rank.on([100.0])
        works = [dist.all_reduce(x, async_op=True)]
        if rank.rank in (0, 1):
            works.append(dist.all_reduce(y, group=pairs[0], async_op=True))
        for work in reversed(works):
            work.wait()
        out.append([x, y])
    with rank.case("a group after another one is destroyed") as out:
        if rank.rank in (0, 1):
            dist.destroy_process_group(pairs[0])
        out.append(total(rank))


def numbered(rank):
    """Two groups of two of four ranks, made in both ways, and their objects. The roots are ranks of the whole group."""
    rank.join()
    rank.sum_all()
    rank.use_device()
    rank.is_special = True
    with rank.case("new_subgroups") as out:
        out.append(within(rank, dist.new_subgroups(group_size=2)[0]))
    with rank.case("new_subgroups_by_enumeration") as out:
        out.append(within(rank, dist.new_subgroups_by_enumeration([[0, 2], [1, 3]])[0]))
    with rank.case("objects within a sub-group") as out:
        group = dist.new_subgroups_by_enumeration([[0, 3], [1, 2]])[0]
        last = dist.get_process_group_ranks(group)[-1]
        things = [f"of rank {rank.rank}"]
        dist.broadcast_object_list(things, last, group=group)
        everyone = [None] * group.size()
        dist.all_gather_object(everyone, rank.rank, group=group)
        gathered = [None] * group.size() if rank.rank == last else None
        dist.gather_object({"rank": rank.rank}, gathered, dst=last, group=group)
        out.append([things, everyone, gathered])


def within(rank, group):
    """The numbers of all ranks of the group, the number of its last rank, and their sum."""
    parts = [rank.on([0.0]) for _ in range(group.size())]
    dist.all_gather(parts, rank.on([float(rank.rank)]), group=group)
    sent = rank.on([float(rank.rank)])
    dist.broadcast(sent, dist.get_process_group_ranks(group)[-1], group=group)
    dist.all_reduce(total := rank.on([float(rank.rank)]), group=group)
    return [dist.get_rank(group), [one.item() for one in parts], sent.item(), total.item()]


def split(rank):
    """The ranks 0 and 2 become a group, and rank 1 another one."""
    rank.use_device()
    rank.join(device_id=rank.device)
    rank.sum_all()
    with rank.case("split_group") as out:
        out.append(within(rank, dist.split_group(split_ranks=[[0, 2], [1]])))
    with rank.case("the whole group after the split") as out:
        out.append(total(rank))


def objects(rank):
    rank.join()
    rank.use_device()
    with rank.case("broadcast_object_list") as out:
        things = [{"a": 1}, "b" * 100] if rank.rank == 0 else [None, None]
        dist.broadcast_object_list(things, 0)
        out.append(things)
    with rank.case("all_gather_object") as out:
        things = [None] * rank.size
        dist.all_gather_object(things, {"rank": rank.rank, "text": "x" * (1 + 50 * rank.rank)})
        out.append([[one["rank"], len(one["text"])] for one in things])
    with rank.case("a tensor of the device in an object") as out:
        things = [rank.on([1.0, 2.0])] if rank.rank == 0 else [None]
        dist.broadcast_object_list(things, 0)
        out.append([things[0].device.type == rank.device_type, things[0].tolist()])


def again(rank):
    """Three groups, one after the other."""
    for number in range(3):
        with rank.case(f"group {number + 1}") as out:
            rank.join(prefix=f"group {number}")
            out.append(total(rank, start=number))
        rank.is_special = True
        with rank.case(f"the end of group {number + 1}") as out:
            dist.destroy_process_group()
            out.append(dist.is_initialized())


def exits(rank, is_destroyed):
    """Releases neither the work, nor the tensors, nor the group before the program ends."""
    rank.join()
    rank.kept = []
    for _ in range(20):
        x = rank.on([1.0])
        rank.kept = [dist.all_reduce(x, async_op=True).get_future().wait()]
    with rank.case("the last sum") as out:
        out.append(x)
    if is_destroyed:
        dist.destroy_process_group()
