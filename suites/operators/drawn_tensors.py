# SPDX-License-Identifier: BSD-3-Clause
"""Tensors with pseudo-random shape, memory layout and values, for calls that no table contains. A fixed seed makes the
tensors the same in each run.

Values are multiples of 1/4 from -4 to 4. Sums, products and quotients by powers of two have no rounding in which
two devices could differ. Ties, zeros and halves are frequent.
"""

import itertools
import math
import random

import torch
from assay.checks.value_cases import numbers

SIZES = (1, 1, 2, 2, 3, 4, 5, 7, 17)
LONG = (255, 256, 257, 300, 1030)  # near the lengths at which kernels start another block
MOST = 4000
SPECIAL = (float("inf"), -float("inf"), float("nan"), -0.0)
DTYPES = (torch.float32,) * 5 + (torch.int64,) * 3 + (torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int16, torch.int8,
          torch.uint8, torch.bool, torch.complex64, torch.complex128)  # fmt: skip
FLOATS = tuple(one for one in DTYPES if one.is_floating_point)


class Draw(random.Random):
    """The random choices for one name. Another name gives other choices."""

    def __init__(self, name):
        super().__init__(name)
        self.count = itertools.count()

    def shape(self, least=0, most=5):
        shape = [self.choice(SIZES) for _ in range(self.randint(least, most))]
        if shape and self.random() < 0.3:
            shape[self.randrange(len(shape))] = self.choice((0, *LONG))
        while math.prod(shape) > MOST:
            shape[shape.index(max(one for one in shape if one not in LONG))] = 1
        return tuple(shape)

    def values(self, shape, dtype, special=False):
        seed = next(self.count)
        given = numbers(*shape, dtype=torch.int64, low=-16, high=16, seed=seed).double() / 4
        if special and dtype.is_floating_point and given.numel():
            flat = given.view(-1)
            for value in SPECIAL:
                flat[self.randrange(flat.numel())] = value
        if dtype is torch.bool:
            return given > 0
        if dtype.is_complex:
            other = numbers(*shape, dtype=torch.int64, low=-16, high=16, seed=seed + 1000).double() / 4
            return torch.complex(given, other).to(dtype)
        return (given if dtype.is_floating_point else given.abs() * 4 if dtype is torch.uint8 else given * 4).to(dtype)

    def tensor(self, shape, dtype, special=False, repeats=True):
        """`repeats`: whether several elements may share memory."""
        return self.laid_out(self.values(shape, dtype, special), repeats)

    def laid_out(self, tensor, repeats=True):
        """The same values in a random layout: contiguous, with an offset, reversed, every second element, or expanded."""
        ways = [lambda one: one, self.behind_an_offset]
        if tensor.dim():
            ways += [self.turned_round, self.stepped] + [self.repeated] * repeats
        return self.choice(ways)(tensor)

    def behind_an_offset(self, tensor):
        row = tensor.new_zeros(tensor.numel() + 3)
        row[3:] = tensor.reshape(-1)
        return row[3:].view(tensor.shape)

    def turned_round(self, tensor):
        order = self.sample(range(tensor.dim()), tensor.dim())
        return tensor.permute(order).contiguous().permute([order.index(dim) for dim in range(tensor.dim())])

    def stepped(self, tensor):
        dim = self.randrange(tensor.dim())
        wide = tensor.repeat_interleave(2, dim)
        return wide[(slice(None),) * dim + (slice(self.randint(0, 1), None, 2),)]

    def repeated(self, tensor):
        dim = self.randrange(tensor.dim())
        return tensor.narrow(dim, 0, 1).expand_as(tensor) if tensor.size(dim) else tensor

    def broadcast(self, shape):
        """A random shape that broadcasts to this shape."""
        kept = [1 if self.random() < 0.25 else size for size in shape]
        return tuple(kept[self.randint(0, len(kept)) if self.random() < 0.25 else 0 :])

    def index(self, shape, size):
        """Random indices below `size`, many of them repeated."""
        found = numbers(*shape, dtype=torch.int64, low=0, high=max(size - 1, 0), seed=next(self.count))
        return self.laid_out(found, repeats=False)
