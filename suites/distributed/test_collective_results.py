# SPDX-License-Identifier: BSD-3-Clause
"""The collectives of two ranks, with their results computed here on the CPU."""

import unittest

import torch
from suites.distributed import rank_collectives as asked
from suites.distributed.group_case import GroupCase
from suites.distributed.rank import plain

SIZE = 2
RANKS = range(SIZE)
REDUCE = {
    "SUM": lambda x: x.sum(0), "PRODUCT": lambda x: x.prod(0), "MIN": lambda x: x.amin(0), "MAX": lambda x: x.amax(0),
    "BAND": lambda x: x[0] & x[1], "BOR": lambda x: x[0] | x[1], "BXOR": lambda x: x[0] ^ x[1],
    "AVG": lambda x: x.sum(0) / SIZE,
}
FRACTIONS = {("AVG", "int32"), ("BAND", "float32"), ("BOR", "float32"), ("BXOR", "float32")}  # must raise or be left out


def of_ranks(shape=(4,), dtype="float32", step=0):
    """The inputs of all ranks, stacked."""
    return torch.stack([asked.numbers(rank + step, shape, dtype) for rank in RANKS])


def total(shape=(4,), step=0):
    return of_ranks(shape, step=step).sum(0)


def same(value):
    """The same result on every rank."""
    return [plain(value)] * SIZE


class Collectives(GroupCase):
    MODULE = "rank_collectives"

    def check(self, function, table):
        self.judge(self.ask(function), table)

    def test_ops(self):
        """distributed.all_reduce_computes_each_operator"""
        table = {}
        for dtype in ("float32", "int32"):
            for op, compute in REDUCE.items():
                name = f"{op} of {dtype}"
                if (op, dtype) not in FRACTIONS:
                    table[name] = same(compute(of_ranks((6,), dtype)))
        done = self.ask("ops")
        self.judge(done, table)
        for op, dtype in sorted(FRACTIONS):
            if op != "AVG":
                self.expect_all_raised(done, f"{op} of {dtype}", ["RuntimeError", "ValueError", "TypeError"])

    def test_dtypes(self):
        """distributed.collectives_keep_the_values_of_each_dtype"""
        table = {}
        for dtype in asked.DTYPES:
            inputs = torch.stack([asked.of_dtype(rank, dtype) for rank in RANKS])
            table[f"all_reduce of {dtype}"] = same(inputs.any(0) if dtype == "bool" else inputs.sum(0, dtype=inputs.dtype))
            table[f"broadcast of {dtype}"] = same(inputs[SIZE - 1])
            table[f"all_gather of {dtype}"] = same(list(inputs))
        self.check("dtypes", table)

    def test_sizes(self):
        """distributed.collectives_accept_odd_and_empty_sizes"""
        table = {}
        for name, shape in asked.SIZES.items():
            inputs = of_ranks(shape)
            table[f"all_reduce of {name}"] = same(total(shape))
            table[f"broadcast of {name}"] = same(inputs[0])
            table[f"all_gather of {name}"] = same(list(inputs))
            table[f"reduce_scatter of {name}"] = [plain(total(shape, step=rank)) for rank in RANKS]
        self.check("sizes", table)

    def test_strided(self):
        """distributed.collectives_write_through_strides"""
        views = {
            "every second column": lambda x: x[:, ::2], "a transposed matrix": lambda x: x.t(),
            "one column": lambda x: x[:, 1], "a slice with an offset": lambda x: x[1:3],
        }
        table = {}
        for name, view in views.items():
            inputs = [asked.numbers(rank, (4, 6)) for rank in RANKS]
            reduced, sent = [x.clone() for x in inputs], [x.clone() for x in inputs]
            for x, y in zip(reduced, sent, strict=True):
                view(x).copy_(sum(view(one) for one in inputs))
                view(y).copy_(view(inputs[0]))
            table[f"all_reduce of {name}"], table[f"broadcast of {name}"] = plain(reduced), plain(sent)
        self.check("strided", table)

    def test_rooted(self):
        """distributed.broadcast_and_reduce_work_for_every_root"""
        table = {}
        for root in RANKS:
            table[f"broadcast from rank {root}"] = same(of_ranks()[root])
            table[f"reduce to rank {root}"] = [plain(total()) if rank == root else None for rank in RANKS]
        self.check("rooted", table)

    def test_gathered(self):
        """distributed.all_gather_orders_chunks_by_rank"""
        self.check("gathered", {
            "all_gather": same(list(of_ranks())),
            "all_gather_into_tensor": same(of_ranks().flatten()),
            "all_gather_into_tensor of stacked parts": same(of_ranks((2, 3))),
        })

    def test_scattered(self):
        """distributed.reduce_scatter_gives_each_rank_its_chunk"""
        inputs = of_ranks((3 * SIZE,)).sum(0)
        self.check("scattered", {
            "reduce_scatter": [plain(total(step=rank)) for rank in RANKS],
            "reduce_scatter_tensor": plain(list(inputs.chunk(SIZE))),
            "reduce_scatter with MAX": [plain(of_ranks(step=rank).amax(0)) for rank in RANKS],
        })

    def test_one_to_many(self):
        """distributed.gather_and_scatter_give_the_right_data_or_raise"""
        table = {}
        for root in RANKS:
            table[f"gather to rank {root}"] = [plain(list(of_ranks())) if rank == root else None for rank in RANKS]
            table[f"scatter from rank {root}"] = [plain(asked.numbers(rank + 3)) for rank in RANKS]
        self.check("one_to_many", table)

    def test_all_to_all(self):
        """distributed.all_to_all_gives_the_right_data_or_raises"""
        inputs = of_ranks((2 * SIZE,))
        rows = [asked.numbers(rank, ((rank + 1) * SIZE, 2)) for rank in RANKS]
        self.check("all_to_all", {
            "all_to_all_single": [plain(torch.cat([x.chunk(SIZE)[rank] for x in inputs])) for rank in RANKS],
            "all_to_all_single with uneven splits":
                [plain(torch.cat([x.chunk(SIZE)[rank] for x in rows])) for rank in RANKS],
            "all_to_all": [plain([asked.numbers(other + rank) for other in RANKS]) for rank in RANKS],
        })

    def test_sent(self):
        """distributed.messages_arrive_by_tag_and_source"""
        both = [plain([asked.numbers(tag) for tag in (1, 2)])] * 2
        self.check("sent", {
            "send and recv": same(asked.numbers(0)),
            "messages with tags": both,
            "recv from any rank": [[plain(asked.numbers(0)), source] for source in (None, 0)],
            "batch_isend_irecv": [plain(asked.numbers(1 - rank)) for rank in RANKS],
        })

    def test_barrier(self):
        """distributed.barrier_holds_every_rank_until_the_last_one_enters"""
        self.check("barriers", {f"barrier that rank {late} enters last": [False] * SIZE for late in RANKS})

    def test_coalesced(self):
        """distributed.coalesced_collectives_give_the_right_data_or_raise"""
        shapes = [(3,), (4,)]
        self.check("coalesced", {
            "all_reduce_coalesced": same([total(shape, step=part) for part, shape in enumerate(shapes)]),
            "allgather_into_tensor_coalesced":
                same([of_ranks(shape, step=part).flatten() for part, shape in enumerate(shapes)]),
            "reduce_scatter_tensor_coalesced": [
                plain([total((SIZE * (3 + part),), step=part).chunk(SIZE)[rank] for part in range(2)]) for rank in RANKS
            ],
        })


if __name__ == "__main__":
    unittest.main()
