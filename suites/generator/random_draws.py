# SPDX-License-Identifier: BSD-3-Clause
"""A table of all ways to draw random numbers: name, draw, mean, deviation, and which numbers are possible.

Used by generator/test_random_overloads.py.
"""

import math

import torch

COUNT = (1 << 14) + 3  # not a multiple of any kernel's block size
ERRORS = 7
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.uint16, torch.uint32, torch.uint64)
LARGEST = {
    torch.uint8: 2**8 - 1, torch.int8: 2**7 - 1, torch.int16: 2**15 - 1, torch.int32: 2**31 - 1, torch.int64: 2**63 - 1, torch.bool: 1,
    torch.uint16: 2**16 - 1, torch.uint32: 2**32 - 1, torch.float16: 2**11, torch.bfloat16: 2**8, torch.float32: 2**24, torch.float64: 2**53,
}  # fmt: skip
FEW = 300  # if at most this many integers are possible, both ends must occur


def empty(device, dtype=torch.float32):
    return torch.zeros(COUNT, dtype=dtype, device=device)


def filled(name, *parameters, dtype=torch.float32):
    return lambda device, generator: getattr(empty(device, dtype), name)(*parameters, generator=generator)


def constant(value, device, *shape, dtype=torch.float32):
    return torch.full(shape or (COUNT,), value, dtype=dtype).to(device)


def into_out(function):
    """Draws into an out= tensor that was filled with other values."""

    def call(device, generator):
        out = torch.full((COUNT,), 99.0).to(device)
        function(device, generator, out)
        return out

    return call


def whole_between(low, high):
    return lambda x: bool(((x >= low) & (x <= high) & (x == x.round())).all())


def between(low, high):
    return lambda x: bool(((x >= low) & (x <= high)).all())


def anywhere(x):
    return bool(x.isfinite().all())


def uniform(low, high):
    return (low + high) / 2, (high - low) / math.sqrt(12), between(low, high)


def integers(low, high):
    """Integers from `low` to `high` - 1. If there are at most FEW, the lowest and the highest must occur."""
    inside, least, most = whole_between(low, high - 1), float(low), float(high - 1)

    def possible(x):
        return inside(x) and (high - low > FEW or (x.min().item(), x.max().item()) == (least, most))

    return (low + high - 1) / 2, math.sqrt(((high - low) ** 2 - 1) / 12), possible


def normal(mean, deviation):
    return mean, deviation, anywhere


def coin(p):
    return p, math.sqrt(p * (1 - p)), whole_between(0, 1)


# name: (how to draw, mean, deviation, whether all drawn numbers are possible)
DRAWS = {
    "rand": (lambda d, g: torch.rand(COUNT, device=d, generator=g), *uniform(0, 1)),
    "randn": (lambda d, g: torch.randn(COUNT, device=d, generator=g), *normal(0, 1)),
    "randint": (lambda d, g: torch.randint(3, 40, (COUNT,), device=d, generator=g), *integers(3, 40)),
    "randint from 0": (lambda d, g: torch.randint(9, (COUNT,), device=d, generator=g), *integers(0, 9)),
    "random_ from, to": (filled("random_", -5, 50), *integers(-5, 50)),
    "random_ to": (filled("random_", 50), *integers(0, 50)),
    "random_ with two negative bounds": (filled("random_", -50, -5), *integers(-50, -5)),
    "random_ of torch.int64 with a negative lower bound": (filled("random_", -(2**40), 5, dtype=torch.int64), *integers(-(2**40), 5)),
    "random_ of torch.float16 beyond its exact integers": (filled("random_", 0, 4097, dtype=torch.float16), *integers(0, 4097)),
    "random_ of torch.float32 beyond its exact integers": (filled("random_", 0, 2**26 + 1), *integers(0, 2**26 + 1)),
    "random_ up to the last exact integer of float32": (filled("random_", 2**24 - 1, None), 2**24 - 0.5, 0.5, whole_between(2**24 - 1, 2**24)),
    "random_ of torch.float16 up to its last exact integer": (lambda d, g: filled("random_", 2**11 - 1, None, dtype=torch.float16)(d, g) - (2**11 - 1), 0.5, 0.5, whole_between(0, 1)),
    "random_ of torch.bfloat16 up to its last exact integer": (lambda d, g: filled("random_", 2**8 - 1, None, dtype=torch.bfloat16)(d, g) - (2**8 - 1), 0.5, 0.5, whole_between(0, 1)),
    "random_ of torch.float64 up to its last exact integer": (lambda d, g: filled("random_", 2**53 - 1, None, dtype=torch.float64)(d, g) - (2**53 - 1), 0.5, 0.5, whole_between(0, 1)),
    "bernoulli_ seldom": (filled("bernoulli_", 0.02), *coin(0.02)),
    "bernoulli_ mostly": (filled("bernoulli_", 0.9), *coin(0.9)),
    "bernoulli_ of a tensor with one element": (lambda d, g: empty(d).bernoulli_(constant(0.2, d, 1), generator=g), *coin(0.2)),
    "bernoulli_ of a tensor of torch.float64": (lambda d, g: empty(d).bernoulli_(constant(0.2, d, dtype=torch.float64), generator=g), *coin(0.2)),
    "bernoulli into an empty out=": (lambda d, g: torch.bernoulli(constant(0.3, d), generator=g, out=torch.empty(0, device=d)), *coin(0.3)),
    "uniform_ far from 0": (filled("uniform_", 100.0, 100.5, dtype=torch.float64), *uniform(100, 100.5)),
    "exponential_": (filled("exponential_", 2.5), 0.4, 0.4, lambda x: bool((x >= 0).all())),
    "exponential_ of float64": (filled("exponential_", 0.5, dtype=torch.float64), 2, 2, lambda x: bool((x >= 0).all())),
    "log_normal_": (filled("log_normal_", 0.3, 0.2), math.exp(0.32), math.exp(0.32) * math.sqrt(math.exp(0.04) - 1), lambda x: bool((x > 0).all())),
    "geometric_": (filled("geometric_", 0.3), 1 / 0.3, math.sqrt(0.7) / 0.3, lambda x: bool(((x >= 1) & (x == x.round())).all())),
    "bernoulli": (lambda d, g: torch.bernoulli(constant(0.3, d), generator=g), *coin(0.3)),
    "bernoulli of float64": (lambda d, g: torch.bernoulli(constant(0.7, d, dtype=torch.float64), generator=g), *coin(0.7)),
    "bernoulli_ of a tensor": (lambda d, g: empty(d).bernoulli_(constant(0.2, d), generator=g), *coin(0.2)),
    "bernoulli_ of a tensor of the host": (lambda d, g: empty(d).bernoulli_(torch.full((COUNT,), 0.2), generator=g), *coin(0.2)),
    "bernoulli with one probability": (lambda d, g: torch.bernoulli(empty(d), 0.8, generator=g), *coin(0.8)),
    "bernoulli into out=": (into_out(lambda d, g, out: torch.bernoulli(constant(0.3, d), generator=g, out=out)), *coin(0.3)),
    "normal of two tensors": (lambda d, g: torch.normal(constant(4.0, d), constant(0.5, d), generator=g), *normal(4, 0.5)),
    "normal of a tensor and a number": (lambda d, g: torch.normal(constant(-4.0, d), 0.5, generator=g), *normal(-4, 0.5)),
    "normal of a number and a tensor": (lambda d, g: torch.normal(3.0, constant(2.0, d), generator=g), *normal(3, 2)),
    "normal of two numbers": (lambda d, g: torch.normal(-2.0, 3.0, (COUNT,), device=d, generator=g), *normal(-2, 3)),
    "normal of two tensors into out=": (into_out(lambda d, g, out: torch.normal(constant(4.0, d), constant(0.5, d), generator=g, out=out)), *normal(4, 0.5)),
    "normal of a tensor and a number into out=": (into_out(lambda d, g, out: torch.normal(constant(4.0, d), 0.5, generator=g, out=out)), *normal(4, 0.5)),
    "normal of a number and a tensor into out=": (into_out(lambda d, g, out: torch.normal(4.0, constant(0.5, d), generator=g, out=out)), *normal(4, 0.5)),
    "every second element": (lambda d, g: torch.zeros(2 * COUNT, device=d)[::2].normal_(1, 2, generator=g), *normal(1, 2)),
    "a column-major matrix": (lambda d, g: torch.zeros(64, 256, device=d).t().uniform_(1, 3, generator=g).reshape(-1), *uniform(1, 3)),
    "nine dimensions": (lambda d, g: torch.zeros([3] * 9, device=d).uniform_(1, 3, generator=g).reshape(-1), *uniform(1, 3)),
    "poisson": (lambda d, g: torch.poisson(constant(4.0, d), generator=g), 4, 2, lambda x: bool(((x >= 0) & (x == x.round())).all())),
    "binomial": (lambda d, g: torch.binomial(constant(10.0, d), constant(0.3, d), generator=g), 3, math.sqrt(2.1), whole_between(0, 10)),
    "multinomial with replacement": (lambda d, g: torch.multinomial(torch.tensor([1.0, 2.0, 0.0, 5.0]).to(d), COUNT, True, generator=g), 2.125, math.sqrt(5.875 - 2.125**2),
                                     lambda x: bool(((x == 0) | (x == 1) | (x == 3)).all())),
    "multinomial of rows": (lambda d, g: torch.multinomial(torch.tensor([[3.0, 1.0], [3.0, 1.0]]).to(d), COUNT, True, generator=g)[1], *coin(0.25)),
    "multinomial of many rows": (lambda d, g: torch.multinomial(torch.tensor([3.0, 1.0, 4.0]).to(d).expand(COUNT, 3).contiguous(), 1, generator=g)[:, 0], 1.125, math.sqrt(17 / 8 - 1.125**2), whole_between(0, 2)),
    "multinomial into out=": (lambda d, g: torch.multinomial(torch.tensor([1.0, 3.0]).to(d), COUNT, True, generator=g, out=torch.empty(0, dtype=torch.int64, device=d)), *coin(0.75)),
    **{f"uniform_ of {dtype}": (filled("uniform_", -2, 3, dtype=dtype), *uniform(-2, 3)) for dtype in FLOATS},
    **{f"normal_ of {dtype}": (filled("normal_", 1, 2, dtype=dtype), *normal(1, 2)) for dtype in FLOATS},
    **{f"random_ of {dtype}": (filled("random_", 3, 100, dtype=dtype), *integers(3, 100)) for dtype in (*WHOLE, *FLOATS)},
    **{f"bernoulli_ of {dtype}": (filled("bernoulli_", 0.25, dtype=dtype), *coin(0.25)) for dtype in (*WHOLE, *FLOATS)},
    **{f"randint of {dtype}": (lambda d, g, t=dtype: torch.randint(2, 90, (COUNT,), dtype=t, device=d, generator=g), *integers(2, 90)) for dtype in (*WHOLE, *FLOATS)},
    **{f"random_ over all of {dtype}": (filled("random_", dtype=dtype), *integers(0, most + 1)) for dtype, most in LARGEST.items()},
    **{
        f"random_ over the whole range of {dtype}": (filled("random_", ends.min, ends.max + 1, dtype=dtype), *integers(ends.min, ends.max + 1))
        for dtype, ends in ((dtype, torch.iinfo(dtype)) for dtype in (torch.int8, torch.int16, torch.int32, torch.uint8, torch.uint16))
    },
}  # fmt: skip


def complex_draws():
    """Like DRAWS, for the real and imaginary parts of complex numbers. If the mean is not 0, only the real part is
    tested, because the CPU adds the mean to both parts."""

    def part(number, draw):
        return lambda d, g: torch.view_as_real(draw(d, g))[:, number].contiguous()

    def standard(d, g):
        return torch.randn(COUNT, dtype=torch.complex64, device=d, generator=g)

    return {
        "the real part of randn": (part(0, standard), *normal(0, math.sqrt(0.5))),
        "the real part of normal_ around 1": (part(0, filled("normal_", 1.0, 2.0, dtype=torch.complex64)), *normal(1, math.sqrt(2))),
        "the imaginary part of randn": (part(1, standard), *normal(0, math.sqrt(0.5))),
        "the real part of normal_": (part(0, filled("normal_", 0.0, 2.0, dtype=torch.complex64)), *normal(0, math.sqrt(2))),
        "the imaginary part of normal_": (part(1, filled("normal_", 0.0, 2.0, dtype=torch.complex64)), *normal(0, math.sqrt(2))),
    }


def is_plain(name):
    """Returns whether a row uses only float32 or int64, and only device tensors."""
    return not any(words in name for words in (" of torch.", "float64", "part of", "nine", "of the host"))


def family(name):
    """The family of a row. A device that supports one row of a family must support all rows of the family."""
    function, _, rest = name.partition(" ")
    if function in ("random_", "randint", "bernoulli_"):  # one family for all dtypes
        return function, rest.startswith("of a tensor")
    return function, rest.partition("of torch.")[2]


def dtype_of(name):
    """Returns the dtype in the name of the row, or else float32."""
    return getattr(torch, name.partition("of torch.")[2].partition(" ")[0] or "float32")
