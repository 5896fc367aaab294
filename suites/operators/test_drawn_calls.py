# SPDX-License-Identifier: BSD-3-Clause
"""Pseudo-random calls with shapes, dims, dtypes, strides, offsets and values that no table contains, compared with the
CPU.

Tables contain cases that an author has thought of. These checks cover other cases; the calls are the same in each
run.
"""

import torch
from assay.checks import Case
from assay.checks.value_cases import ask_values
from suites.operators.drawn_tensors import DTYPES, FLOATS, Draw

TIMES = 16  # calls of each function
ONE = ("abs", "neg", "sign", "floor", "ceil", "round", "trunc", "frac", "square", "relu", "isnan", "isinf", "isfinite", "logical_not",
       "bitwise_not", "positive", "sgn", "exp", "log", "sqrt", "rsqrt", "sin", "cos", "tanh", "sigmoid", "reciprocal", "expm1", "log1p", "erf")  # fmt: skip
TWO = ("add", "sub", "mul", "div", "true_divide", "floor_divide", "remainder", "fmod", "maximum", "minimum", "eq", "ne", "lt", "le", "gt",
       "ge", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor", "atan2", "hypot", "copysign")  # fmt: skip
# functions for which the suites do not specify NaN or the sign of zero
NO_SPECIAL = ("round", "hypot", "atan2", "copysign")
ALONG = ("sum", "mean", "amax", "amin", "any", "all")
WHOLE_DIVISION = ("div", "true_divide", "floor_divide", "remainder", "fmod")


def nonzero_whole(tensor):
    """Replaces each 0 in an integer tensor by 1, so that division is defined."""
    return tensor if tensor.dtype.is_floating_point or tensor.dtype.is_complex else tensor.masked_fill(tensor == 0, 1)


def on_dim(name):
    return lambda x, dim: getattr(torch, name)(x, dim)


def kept_or_not(name):
    def call(x, dim, keepdim):
        found = getattr(torch, name)(x, dim, keepdim=keepdim)
        # which of several equal elements is found is not specified
        return found if isinstance(found, torch.Tensor) else found[0]

    return call


class Calls(dict):
    """Maps a name to a call and its list of arguments, as ask_values expects."""

    def take(self, name, call, *given):
        self.setdefault(name, (call, []))[1].append(given)


def calls_of_one():
    calls = Calls()
    for name in ONE:
        draw = Draw(name)
        for _ in range(TIMES):
            special = draw.random() < 0.3 and name not in NO_SPECIAL
            calls.take(name, getattr(torch, name), draw.tensor(draw.shape(), draw.choice(DTYPES), special))
    return calls


def calls_of_several():
    calls = Calls()
    for name in TWO:
        draw = Draw(name)
        for _ in range(TIMES):
            shape, dtype = draw.shape(), draw.choice(DTYPES)
            x = draw.tensor(draw.broadcast(shape), dtype, special=draw.random() < 0.2 and name not in NO_SPECIAL)
            y = draw.values(shape, draw.choice((dtype, dtype, draw.choice(DTYPES))))
            calls.take(name, getattr(torch, name), x, draw.laid_out(nonzero_whole(y) if name in WHOLE_DIVISION else y))
    draw = Draw("factors")
    for _ in range(2 * TIMES):
        shape, dtype = draw.shape(), draw.choice((*FLOATS, torch.int64, torch.complex64))
        x, y, z = (draw.tensor(draw.broadcast(shape), dtype) for _ in range(3))
        factor = draw.choice((-2, 3) if dtype is torch.int64 else (0.5, -2, 3, -0.25))
        mask, whole = draw.tensor(draw.broadcast(shape), torch.bool), draw.tensor(shape, dtype, repeats=False)
        calls.take("add with alpha", lambda x, y, alpha: torch.add(x, y, alpha=alpha), x, y, factor)
        calls.take("addcmul", lambda x, y, z, value: torch.addcmul(x, y, z, value=value), x, y, z, factor)
        calls.take("where", torch.where, mask, x, y)
        calls.take("masked_fill_", lambda x, mask, value: x.masked_fill_(mask, value), whole, mask, factor)
        calls.take("copy_", lambda x, y: x.copy_(y), whole, y)
        calls.take("add_", lambda x, y: x.add_(y), whole, y)
        calls.take("fill_", lambda x, value: x.fill_(value), whole, factor)
        calls.take("zero_", lambda x: x.zero_(), whole)
        if dtype.is_floating_point:
            calls.take("lerp", torch.lerp, x, y, z)
            calls.take("clamp with tensors", torch.clamp, x, y, z)
    return calls


def take_along_one(calls, draw, name):
    shape, dtype = draw.shape(1), draw.choice(FLOATS if "softmax" in name else DTYPES)
    dim, values = draw.randrange(-len(shape), len(shape)), draw.values(shape, dtype, special=name in ("amax", "amin"))
    x = draw.laid_out(signs(values) if name.endswith("prod") else values)
    if name.startswith("cum") or "softmax" in name:
        calls.take(name, on_dim(name), x, dim)
    else:
        calls.take(name, kept_or_not(name), x, dim, draw.random() < 0.5)


def signs(tensor):
    """Values whose product has no rounding."""
    return tensor if tensor.is_complex() or tensor.dtype is torch.bool else tensor.sign()


def calls_of_reductions():
    calls = Calls()
    draw = Draw("reductions")
    for _ in range(TIMES):
        for name in (*ALONG, "prod", "argmax", "argmin", "max", "min", "cumsum", "cumprod", "softmax", "log_softmax"):
            take_along_one(calls, draw, name)
        for name in ALONG:
            shape = draw.shape(2)
            dims = draw.sample(range(len(shape)), draw.randint(1, len(shape)))
            calls.take(f"{name} over several dims", kept_or_not(name), draw.tensor(shape, draw.choice(DTYPES)), dims, draw.random() < 0.5)
        for name in (*ALONG[:4], "prod", "argmax", "any"):
            x = draw.values(draw.shape(), draw.choice(DTYPES))
            calls.take(f"{name} of all elements", getattr(torch, name), draw.laid_out(signs(x) if name == "prod" else x))
    return calls


def at(dim, index):
    return (*(slice(None),) * dim, index)


def written(x, place, values):
    x[place] = values
    return x


def take_of_no_dims(calls, draw, dtype):
    """A zero-dimensional tensor behaves as a tensor with a single element."""
    x, index = draw.tensor((), dtype), torch.zeros(draw.choice(((), (1,))), dtype=torch.int64)
    calls.take("gather", lambda x, dim, i: x.gather(dim, i), x, 0, torch.zeros((), dtype=torch.int64))
    calls.take("scatter_ of a number", lambda x, dim, i: x.scatter_(dim, i, 1), x, 0, torch.zeros((), dtype=torch.int64))
    calls.take("index_select", lambda x, dim, i: x.index_select(dim, i), x, 0, index)
    calls.take("index_add_", lambda x, dim, i, y: x.index_add_(dim, i, y), x, 0, index, draw.tensor(index.shape, dtype))
    row, one = draw.tensor((3,), dtype, repeats=False), draw.index((1,), 3)
    calls.take("scatter_", lambda x, dim, i, y: x.scatter_(dim, i, y), row, 0, one, draw.tensor((), dtype))
    calls.take("scatter_add_", lambda x, dim, i, y: x.scatter_add_(dim, i, y), row, 0, one, draw.tensor((), dtype))


def take_along(calls, draw, x, dim):
    """Reads and writes by an index along one dim."""
    shape, size = x.shape, x.size(dim)
    part = list(shape)
    part[dim] = draw.randint(0, 5) if size else 0
    index, source, row = draw.index(tuple(part), size), draw.tensor(tuple(part), x.dtype), draw.index((part[dim],), size)
    calls.take("gather", lambda x, dim, i: x.gather(dim, i), x, dim, index)
    calls.take("scatter_add_", lambda x, dim, i, y: x.scatter_add_(dim, i, y), x, dim, index, source)
    calls.take("scatter_ of a number", lambda x, dim, i: x.scatter_(dim, i, 1), x, dim, index)
    calls.take("index_select", lambda x, dim, i: x.index_select(dim, i), x, dim, row)
    calls.take("index_add_", lambda x, dim, i, y: x.index_add_(dim, i, y), x, dim, row, source)
    calls.take("x[..., i] at a dim", lambda x, dim, i: x[at(dim, i)], x, dim, draw.index(draw.shape(0, 3), size) if size else row)
    calls.take("x[..., i] = 1 at a dim", lambda x, dim, i: written(x, at(dim, i), 1), x, dim, row)
    calls.take("cat", lambda x, y, dim: torch.cat([x, y], dim), x, source, dim)
    calls.take("flip", torch.flip, x, [dim])
    calls.take("roll", torch.roll, x, 2, dim)
    # the result of writing one element twice is not specified
    once = torch.tensor(draw.sample(range(size), min(size, part[dim])), dtype=torch.int64)
    calls.take("x[..., i] = y at a dim", lambda x, dim, i, y: written(x, at(dim, i), y), x, dim, draw.laid_out(once, repeats=False),
               draw.tensor((*shape[:dim], len(once), *shape[dim + 1 :]), x.dtype))  # fmt: skip


def calls_of_indexing():
    calls = Calls()
    draw = Draw("indexing")
    for _ in range(2 * TIMES):
        dtype, shape = draw.choice(DTYPES), draw.shape(1)
        x = draw.tensor(shape, dtype, repeats=False)
        take_along(calls, draw, x, draw.randrange(len(shape)))
        take_of_no_dims(calls, draw, dtype)
        calls.take("x[mask]", lambda x, mask: x[mask], x, draw.tensor(shape, torch.bool, repeats=False))
        calls.take("masked_select", torch.masked_select, x, draw.tensor(draw.broadcast(shape), torch.bool))
        calls.take("nonzero", torch.nonzero, x)
        lists = [draw.index((3,), size) for size in shape[: draw.randint(1, len(shape))]]
        if 0 not in shape:
            more = draw.tensor((3, *shape[len(lists) :]), dtype)
            calls.take("x[i, j]", lambda x, lists: x[tuple(lists)], x, lists)
            calls.take("x[i, j] += y", lambda x, lists, y: x.index_put_(tuple(lists), y, accumulate=True), x, lists, more)
        target = draw.choice(DTYPES)
        # the conversion of a negative number is not specified
        if target is not torch.uint8 or dtype in (torch.uint8, torch.bool):
            calls.take("cast", torch.Tensor.to, x, target)
    return calls


def calls_of_products():
    calls = Calls()
    draw = Draw("products")
    for _ in range(3 * TIMES):
        dtype = draw.choice((*FLOATS, torch.int64, torch.int32, torch.complex64, torch.complex128))
        n, k, m = (draw.choice((0, 1, 2, 3, 5, 8, 17, 33, 65)) for _ in range(3))
        batch, alpha, beta = draw.choice((1, 2, 3)), draw.choice((1, 2, -3)), draw.choice((0, 1, 2))
        a, b, c = draw.tensor((n, k), dtype), draw.tensor((k, m), dtype), draw.tensor(draw.broadcast((n, m)), dtype)
        x, y, z = draw.tensor((batch, n, k), dtype), draw.tensor((batch, k, m), dtype), draw.tensor(draw.broadcast((batch, n, m)), dtype)
        calls.take("mm", torch.mm, a, b)
        calls.take("addmm", lambda c, a, b, alpha, beta: torch.addmm(c, a, b, alpha=alpha, beta=beta), c, a, b, alpha, beta)
        calls.take("mv", torch.mv, a, draw.tensor((k,), dtype))
        calls.take("dot", torch.dot, draw.tensor((k,), dtype), draw.tensor((k,), dtype))
        calls.take("bmm", torch.bmm, x, y)
        calls.take("baddbmm", lambda z, x, y, alpha, beta: torch.baddbmm(z, x, y, alpha=alpha, beta=beta), z, x, y, alpha, beta)
        calls.take("matmul", torch.matmul, draw.tensor((batch, 2, n, k), dtype), draw.tensor(draw.choice(((k, m), (k,), (2, k, m))), dtype))
        if dtype.is_floating_point:
            calls.take("linear", torch.nn.functional.linear, a, draw.tensor((m, k), dtype), draw.tensor((m,), dtype))
    return calls


class DrawnCalls(Case):
    def ask(self, calls):
        ask_values(self, calls, layouts={"": lambda tensor: tensor}, places=[self.device])

    def test_one(self):
        """operators.sampled_unary_calls_match_the_cpu"""
        self.ask(calls_of_one())

    def test_several(self):
        """operators.sampled_calls_of_several_operands_match_the_cpu"""
        self.ask(calls_of_several())

    def test_reductions(self):
        """operators.sampled_reductions_match_the_cpu"""
        self.ask(calls_of_reductions())

    def test_indexing(self):
        """operators.sampled_indexing_matches_the_cpu"""
        self.ask(calls_of_indexing())

    def test_products(self):
        """operators.sampled_products_match_the_cpu"""
        self.ask(calls_of_products())
