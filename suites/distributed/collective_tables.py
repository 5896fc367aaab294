# SPDX-License-Identifier: BSD-3-Clause
"""The expected values of the functions of rank_collectives.py, computed on the CPU for any number of ranks.

Each method has the name of its function. All but uneven_sums() return {case: [expected value of each rank]}.
"""

from functools import reduce

import torch
from suites.distributed import rank_collectives as asked
from suites.distributed.rank import ALL, plain

REDUCE = {
    "SUM": lambda x: x.sum(0), "PRODUCT": lambda x: x.prod(0), "MIN": lambda x: x.amin(0), "MAX": lambda x: x.amax(0),
    "BAND": lambda x: reduce(torch.bitwise_and, x), "BOR": lambda x: reduce(torch.bitwise_or, x),
    "BXOR": lambda x: reduce(torch.bitwise_xor, x), "AVG": lambda x: x.sum(0) / len(x),
}
FRACTIONS = {("AVG", "int32"), ("BAND", "float32"), ("BOR", "float32"), ("BXOR", "float32")}  # must raise or be left out
VIEWS = {
    "every second column": lambda x: x[:, ::2], "a transposed matrix": lambda x: x.t(),
    "one column": lambda x: x[:, 1], "a slice with an offset": lambda x: x[1:3],
}


class Expected:
    """The tables of a group of `size` ranks."""

    def __init__(self, size):
        self.size, self.ranks = size, range(size)

    def of_ranks(self, shape=(4,), dtype="float32", step=0):
        """The inputs of all ranks, stacked."""
        return torch.stack([asked.numbers(rank + step, shape, dtype) for rank in self.ranks])

    def total(self, shape=(4,), step=0):
        return self.of_ranks(shape, step=step).sum(0)

    def same(self, value):
        """The same result on every rank."""
        return [plain(value)] * self.size

    def table(self, functions):
        table = {ALL: self.same([float(self.size)])}
        for function in functions:
            table.update(getattr(self, function)())
        return table

    def ops(self):
        return {
            f"{op} of {dtype}": self.same(compute(self.of_ranks((6,), dtype)))
            for dtype in ("float32", "int32") for op, compute in REDUCE.items() if (op, dtype) not in FRACTIONS
        }

    def dtypes(self):
        table = {}
        for dtype in asked.DTYPES:
            inputs = torch.stack([asked.of_dtype(rank, dtype) for rank in self.ranks])
            total = inputs.any(0) if dtype == "bool" else inputs.sum(0, dtype=inputs.dtype)
            table[f"all_reduce of {dtype}"] = self.same(total)
            table[f"broadcast of {dtype}"] = self.same(inputs[-1])
            table[f"all_gather of {dtype}"] = self.same(list(inputs))
        return table

    def sizes(self):
        table = {}
        for name, shape in asked.SIZES.items():
            inputs = self.of_ranks(shape)
            table[f"all_reduce of {name}"] = self.same(self.total(shape))
            table[f"broadcast of {name}"] = self.same(inputs[0])
            table[f"all_gather of {name}"] = self.same(list(inputs))
            table[f"reduce_scatter of {name}"] = [plain(self.total(shape, step=rank)) for rank in self.ranks]
        return table

    def strided(self):
        table = {}
        for name, view in VIEWS.items():
            inputs = [asked.numbers(rank, (4, 6)) for rank in self.ranks]
            reduced, sent = [x.clone() for x in inputs], [x.clone() for x in inputs]
            for x, y in zip(reduced, sent, strict=True):
                view(x).copy_(sum(view(one) for one in inputs))
                view(y).copy_(view(inputs[0]))
            table[f"all_reduce of {name}"], table[f"broadcast of {name}"] = plain(reduced), plain(sent)
        return table

    def rooted(self):
        table = {}
        for root in self.ranks:
            table[f"broadcast from rank {root}"] = self.same(self.of_ranks()[root])
            table[f"reduce to rank {root}"] = [plain(self.total()) if rank == root else None for rank in self.ranks]
        return table

    def gathered(self):
        return {
            "all_gather": self.same(list(self.of_ranks())),
            "all_gather_into_tensor": self.same(self.of_ranks().flatten()),
            "all_gather_into_tensor of stacked parts": self.same(self.of_ranks((2, 3))),
        }

    def scattered(self):
        inputs = self.of_ranks((3 * self.size,)).sum(0)
        return {
            "reduce_scatter": [plain(self.total(step=rank)) for rank in self.ranks],
            "reduce_scatter_tensor": plain(list(inputs.chunk(self.size))),
            "reduce_scatter with MAX": [plain(self.of_ranks(step=rank).amax(0)) for rank in self.ranks],
        }

    def one_to_many(self):
        table = {}
        for root in self.ranks:
            table[f"gather to rank {root}"] = [plain(list(self.of_ranks())) if rank == root else None for rank in self.ranks]
            table[f"scatter from rank {root}"] = [plain(asked.numbers(rank + 3)) for rank in self.ranks]
        return table

    def all_to_all(self):
        inputs = self.of_ranks((2 * self.size,))
        rows = [asked.numbers(rank, ((rank + 1) * self.size, 2)) for rank in self.ranks]
        return {
            "all_to_all_single": [plain(torch.cat([x.chunk(self.size)[rank] for x in inputs])) for rank in self.ranks],
            "all_to_all_single with uneven splits":
                [plain(torch.cat([x.chunk(self.size)[rank] for x in rows])) for rank in self.ranks],
            "all_to_all": [plain([asked.numbers(other + rank) for other in self.ranks]) for rank in self.ranks],
        }

    def uneven(self):
        splits = [[asked.rows(source, target) for target in self.ranks] for source in self.ranks]
        sent = [asked.numbers(rank, (sum(splits[rank]), 2)).split(splits[rank]) for rank in self.ranks]
        return {
            "all_to_all_single with a split for each pair":
                [plain(torch.cat([parts[rank] for parts in sent])) for rank in self.ranks],
        }

    def uneven_sums(self):
        """The values of one case, which a backend may refuse."""
        return [plain(self.total((rank + 1,), step=rank)) for rank in self.ranks]

    def ring(self):
        before = [plain(asked.numbers((rank - 1) % self.size)) for rank in self.ranks]
        return {"isend to the next rank, recv from the one before": before, "batch_isend_irecv around the ring": before}

    def sent(self):
        both = [plain([asked.numbers(tag) for tag in (1, 2)])] * 2
        return {
            "send and recv": self.same(asked.numbers(0)),
            "messages with tags": both,
            "recv from any rank": [[plain(asked.numbers(0)), source] for source in (None, 0)],
            "batch_isend_irecv": [plain(asked.numbers(1 - rank)) for rank in self.ranks],
        }

    def barriers(self):
        return {f"barrier that rank {late} enters last": [False] * self.size for late in self.ranks}

    def coalesced(self):
        shapes = [(3,), (4,)]
        return {
            "all_reduce_coalesced": self.same([self.total(shape, step=part) for part, shape in enumerate(shapes)]),
            "allgather_into_tensor_coalesced":
                self.same([self.of_ranks(shape, step=part).flatten() for part, shape in enumerate(shapes)]),
            "reduce_scatter_tensor_coalesced": [
                plain([self.total((self.size * (3 + part),), step=part).chunk(self.size)[rank] for part in range(2)])
                for rank in self.ranks
            ],
        }
