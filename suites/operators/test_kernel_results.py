# SPDX-License-Identifier: BSD-3-Clause
"""Errors of kernels apart from their arithmetic: strides, ends of blocks, NaN, division of integers, indices. Every
result is compared with the same code on the CPU."""

import torch
from assay.checks import Case
from assay.values.closeness import each_offered

LONG = 2**32  # truncated to 32 bits, this index would be 0
# Slices of a tensor of shape (20, 30), which is longer than a block of any kernel.
PARTS = {
    "rows behind an offset": lambda x: x[2:],
    "a row": lambda x: x[3],
    "a column": lambda x: x[:, 4],
    "every third element": lambda x: x[::3, 1::3],
    "a transposed part": lambda x: x[:15].t(),
    "five reversed dimensions": lambda x: x.view(2, 10, 3, 2, 5).permute(4, 2, 0, 3, 1),
    "all of the tensor": lambda x: x,
    "255 in a row": lambda x: x.view(-1)[10:265],
    "511 in a row": lambda x: x.view(-1)[3:514],
    "every second of 255": lambda x: x.view(-1)[1:510:2],
}
WRITES = {
    "fill_": lambda part, other: part.fill_(7),
    "zero_": lambda part, other: part.zero_(),
    "add_": lambda part, other: part.add_(other),
    "mul_": lambda part, other: part.mul_(other),
    "copy_ of another dtype": lambda part, other: part.copy_(other.int()),
    "copy_ of every second element": lambda part, other: part.copy_(other.repeat_interleave(2, -1)[..., ::2]),
}
NAN = float("nan")
NAN_KEPT = {
    "relu": lambda x: x.relu(),
    "clamp": lambda x: x.clamp(0, 2),
    "maximum": lambda x: torch.maximum(x, x.flip(1)),
    "minimum": lambda x: torch.minimum(x, x.flip(1)),
    "max": lambda x: x.max(),
    "min": lambda x: x.min(),
    "max of a row": lambda x: x.max(1).values,
    "min of a row": lambda x: x.min(1).values,
    "amax": lambda x: x.amax(1),
    "amin": lambda x: x.amin(1),
    "argmax": lambda x: x.argmax(1),
    "sort": lambda x: x.sort(1).values,
    "topk": lambda x: x.topk(2, 1).values,
}
DIVISIONS = {
    "/": lambda x, y: x / y,
    "div, rounding_mode=trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "div, rounding_mode=floor": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "//": lambda x, y: x // y,
    "remainder": lambda x, y: torch.remainder(x, y),
    "fmod": lambda x, y: torch.fmod(x, y),
}
# A function of tensors of ones, and shapes that are empty or whose sum has no terms.
OVER_NOTHING = {
    "mm": (torch.mm, [(2, 0), (0, 3)]),
    "mm with no rows": (torch.mm, [(0, 2), (2, 3)]),
    "bmm": (torch.bmm, [(2, 2, 0), (2, 0, 3)]),
    "bmm with batch size 0": (torch.bmm, [(0, 2, 2), (0, 2, 3)]),
    "matmul": (torch.matmul, [(2, 0), (0,)]),
    "addmm": (torch.addmm, [(2, 3), (2, 0), (0, 3)]),
    "linear": (torch.nn.functional.linear, [(2, 0), (3, 0), (3,)]),
    "einsum": (lambda x, y: torch.einsum("ij,jk->ik", x, y), [(2, 0), (0, 3)]),
}
# Calls that read or write at five indices, which are only two positions.
INDEXED = {
    "x[i]": lambda x, i, y: x[i],
    "x[i] = y": lambda x, i, y: x.index_put_((i,), y[2:3]),
    "index_put_ that accumulates": lambda x, i, y: x.index_put_((i,), y, accumulate=True),
    "index_add_": lambda x, i, y: x.index_add_(0, i, y),
    "scatter_add_": lambda x, i, y: x.scatter_add_(0, i, y),
    "scatter_ that reduces": lambda x, i, y: x.scatter_reduce_(0, i, y, reduce="sum"),
}
BEYOND = {
    "x[5]": lambda x, i, j: x[j],
    "x[i]": lambda x, i, j: x[i],
    "x[i] = 1": lambda x, i, j: x.index_put_((i,), x.new_ones(1)),
    "index_select": lambda x, i, j: x.index_select(0, i),
    "gather": lambda x, i, j: x.gather(0, i),
    "gather with an empty index": lambda x, i, j: x[:0].gather(0, i),
    "scatter_": lambda x, i, j: x.scatter_(0, i, 1.0),
    "scatter_ with an empty index": lambda x, i, j: x[:0].scatter_(0, i, 1.0),
    "embedding": lambda x, i, j: torch.nn.functional.embedding(i, x[:, None]),
}


def least_numbers():
    """Maps names to divisions of the smallest integer by -1, and their operands. The remainder is 0. The quotient
    overflows and is not specified, so a division that rounds down only has to return."""
    table = {}
    for dtype in (torch.int64, torch.int32, torch.int16, torch.int8):
        least = torch.full((5,), torch.iinfo(dtype).min, dtype=dtype)
        for name in ("remainder", "fmod", *(["//", "div, rounding_mode=floor"] if dtype in (torch.int64, torch.int32) else [])):
            table[f"{name} of the least {dtype} by a tensor of -1"] = DIVISIONS[name], least, torch.full_like(least, -1)
            table[f"{name} of the least {dtype} by -1"] = (lambda x, call=DIVISIONS[name]: call(x, -1)), least
    return table


class KernelResults(Case):
    def written(self, part, write, device):
        """The whole memory after a write into a slice of it."""
        whole = torch.arange(600.0).reshape(20, 30).to(device)
        there = part(whole)
        write(there, torch.arange(1.0, 1.0 + there.numel()).reshape(there.shape).to(device))
        return whole

    def test_strides(self):
        """operators.writes_to_a_slice_change_only_that_slice"""
        for place, part in PARTS.items():
            for name, seen in each_offered(
                self, WRITES, lambda write, part=part: self.written(part, write, self.device)
            ):
                wanted = self.written(part, WRITES[name], "cpu")
                self.expect_tensor(seen, wanted, f"{name} of {place} changes only that part")

    def test_reads(self):
        """operators.operands_are_read_with_their_strides"""
        given = torch.arange(600.0).reshape(20, 30)
        zeros = torch.zeros(600)
        for place, part in PARTS.items():
            here, there = part(given), part(self.on_device(given))
            other = self.on_device(zeros[: here.numel()].reshape(here.shape))
            seen = self.op("aten::add.out", torch.add, there, other)
            self.expect_tensor(seen, here.contiguous(), f"add reads {place}")

    def test_nan(self):
        """operators.nan_is_propagated"""
        given = torch.tensor([[1.0, NAN, 3.0, -2.0], [NAN, 0.5, NAN, 2.0], [1.0, 4.0, 2.0, 8.0]])
        x = self.on_device(given)
        for name, seen in each_offered(self, NAN_KEPT, lambda call: self.on_cpu(call(x))):
            wanted = NAN_KEPT[name](given)
            self.expect_equal(seen.isnan().tolist(), wanted.isnan().tolist(), f"{name} keeps NaN")
            numbers = f"{name} is right next to NaN"
            self.expect_tensor(seen.nan_to_num(), wanted.nan_to_num(), numbers)

    def test_division(self):
        """operators.integer_division_matches_the_cpu"""
        left, right = torch.tensor([5, 7, -7, 7, -7, -6]), torch.tensor([2, 2, 2, -2, -2, 2])
        x, y = self.on_device(left), self.on_device(right)
        for what, mine, divisor in (("a tensor", y, right), ("2", 2, 2), ("-2", -2, -2)):
            for name, seen in each_offered(self, DIVISIONS, lambda call, divisor=mine: call(x, divisor)):
                wanted = DIVISIONS[name](left, divisor)
                self.expect_tensor(seen, wanted, f"{name} of integers by {what}")
        table = least_numbers()
        for name, seen in each_offered(self, table, lambda row: row[0](*(self.on_device(one) for one in row[1:]))):
            least = table[name][1]
            if name.startswith(("remainder", "fmod")):
                self.expect_tensor(seen, torch.zeros_like(least), name)
            else:
                self.expect_equal((seen.dtype, self.on_cpu(seen).shape), (least.dtype, least.shape), name)

    def test_products(self):
        """operators.products_over_an_empty_dim_are_zero"""

        def tensors(*shapes):
            return [torch.ones(shape).to(self.device) for shape in shapes]

        def over_something(case):
            call, shapes = case
            return call(*tensors(*([size or 2 for size in shape] for shape in shapes)))

        for name, seen in each_offered(
            self, OVER_NOTHING, lambda case: self.on_cpu(case[0](*tensors(*case[1]))), over_something
        ):
            call, shapes = OVER_NOTHING[name]
            self.expect_tensor(seen, call(*map(torch.ones, shapes)), f"{name} of shapes {shapes}")

    def test_indexed(self):
        """operators.indexed_writes_change_the_tensor"""
        given = torch.tensor([1, 1, 3, 1, 3]), torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0])
        index, values = (self.on_device(one) for one in given)
        for name, seen in each_offered(self, INDEXED, lambda call: call(self.on_device(torch.ones(4)), index, values)):
            self.expect_tensor(seen, INDEXED[name](torch.ones(4), *given), name)

    def error_of(self, call, number):
        """Returns the error that an index out of range raises before the device has finished, or None."""
        x, index = self.on_device(torch.ones(4)), self.on_device(torch.tensor([number]))
        try:
            call(x, index, number)
            torch.accelerator.synchronize(self.device)
            index.cpu()  # before 2.12 PyTorch does not wait for a device whose module has no _lazy_init
        except (RuntimeError, IndexError) as error:
            if isinstance(error, NotImplementedError) or self.refused_means(str(error)):
                raise
            return error
        return None

    def test_beyond(self):
        """operators.out_of_range_indices_raise"""
        for number in (4, 5, -5, LONG):
            for name, error in each_offered(self, BEYOND, lambda call, number=number: self.error_of(call, number)):
                what = f"{name} raises for index {number} of 4 elements"
                self.expect_true(error is not None, what, "nothing was raised, immediately or after waiting")
