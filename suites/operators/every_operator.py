# SPDX-License-Identifier: BSD-3-Clause
"""One call of every kind of operator. The arguments differ from their neutral values and from each other."""

import torch
import torch.nn.functional as F
from assay.checks.value_cases import numbers


def index(*values):
    return torch.tensor(values)


# The operands x and y have shape (4, 3). Each call also gets an index of rows.
OF_ROWS = {
    "abs": lambda x, y, i: x.abs(), "neg": lambda x, y, i: -x, "sgn": lambda x, y, i: x.sgn(), "square": lambda x, y, i: x.square(), "exp": lambda x, y, i: x.exp(),
    "sqrt": lambda x, y, i: x.abs().sqrt(), "rsqrt": lambda x, y, i: (x.abs() + 1).rsqrt(), "tanh": lambda x, y, i: x.tanh(), "sin": lambda x, y, i: x.sin(), "reciprocal": lambda x, y, i: (x * 2 + 1).reciprocal(),
    "ceil": lambda x, y, i: x.ceil(), "floor": lambda x, y, i: x.floor(), "trunc": lambda x, y, i: x.trunc(), "round to one decimal": lambda x, y, i: x.round(decimals=1), "frac": lambda x, y, i: x.frac(),
    "relu": F.relu, "isnan": lambda x, y, i: x.isnan(), "isfinite": lambda x, y, i: x.isfinite(), "logical_not": lambda x, y, i: x.logical_not(), "bitwise_not": lambda x, y, i: ~x, "signbit": lambda x, y, i: x.signbit(),
    "add of large numbers": lambda x, y, i: torch.add(x * 40, y * 40), "add with alpha": lambda x, y, i: torch.add(x, y, alpha=2), "sub with alpha": lambda x, y, i: torch.sub(x, y, alpha=3), "rsub": lambda x, y, i: torch.rsub(x, y, alpha=2), "mul": lambda x, y, i: x * y,
    "div": lambda x, y, i: x / (y * 2 + 1), "div rounded to zero": lambda x, y, i: torch.div(x, y * 2 + 1, rounding_mode="trunc"), "div rounded down": lambda x, y, i: torch.div(x, y * 2 + 1, rounding_mode="floor"),
    "remainder": lambda x, y, i: torch.remainder(x, y * 2 + 1), "fmod": lambda x, y, i: torch.fmod(x, y * 2 + 1), "maximum": lambda x, y, i: torch.maximum(x, y), "fmin": lambda x, y, i: torch.fmin(x, y),
    "pow": lambda x, y, i: torch.pow(x, y.abs()), "pow of a number": lambda x, y, i: torch.pow(2, y.abs()), "pow to 3": lambda x, y, i: x**3, "pow to a half": lambda x, y, i: x.abs() ** 0.5,
    "eq": lambda x, y, i: x == y, "ne": lambda x, y, i: x != y, "lt": lambda x, y, i: x < y, "ge": lambda x, y, i: x >= y, "gt a number": lambda x, y, i: x > 1, "le a number": lambda x, y, i: x <= 1,
    "logical_and": lambda x, y, i: torch.logical_and(x, y), "logical_xor": lambda x, y, i: torch.logical_xor(x, y), "bitwise_and": lambda x, y, i: x & y, "bitwise_or": lambda x, y, i: x | y, "bitwise_xor": lambda x, y, i: x ^ 3,
    "where": lambda x, y, i: torch.where(x == y.abs(), x, y * 2), "where of numbers": lambda x, y, i: torch.where(x == y.abs(), 3, y), "clamp": lambda x, y, i: x.clamp(0, 2), "clamp by tensors": lambda x, y, i: x.clamp(y, y + 1),
    "clamp_min": lambda x, y, i: x.clamp_min(1), "addcmul": lambda x, y, i: torch.addcmul(x, x, y, value=2), "addcdiv": lambda x, y, i: torch.addcdiv(x, x, y.abs() + 1, value=2), "lerp": lambda x, y, i: torch.lerp(x, y, 0.25),
    "lerp by a tensor": lambda x, y, i: torch.lerp(x, y, y.abs() / 4), "masked_fill": lambda x, y, i: x.masked_fill(y.bool(), 2), "fill_": lambda x, y, i: x.clone().fill_(3), "zero_": lambda x, y, i: x.clone().zero_(),
    "sum": lambda x, y, i: x.sum(1), "sum of all elements": lambda x, y, i: x.sum(), "mean": lambda x, y, i: x.mean(0, keepdim=True), "prod": lambda x, y, i: x.prod(1, keepdim=True), "prod of all elements": lambda x, y, i: x[:2].prod(),
    "amax": lambda x, y, i: x.amax(1, keepdim=True), "amin": lambda x, y, i: x.amin(0), "aminmax": lambda x, y, i: torch.aminmax(x, dim=1), "all": lambda x, y, i: x.all(1, keepdim=True), "any": lambda x, y, i: x.any(0),
    "all of all elements": lambda x, y, i: x.all(), "any over two dims": lambda x, y, i: torch.any(x, (0, 1)), "argmax of all elements": lambda x, y, i: (x * 0).argmax(), "std": lambda x, y, i: x.std(1), "var": lambda x, y, i: x.var((0, 1), correction=0),
    "norm": lambda x, y, i: x.norm(dim=1), "logsumexp": lambda x, y, i: x.logsumexp(1), "count_nonzero": lambda x, y, i: x.count_nonzero(1), "cumsum": lambda x, y, i: x.cumsum(1), "cumprod": lambda x, y, i: x.cumprod(0),
    "softmax": lambda x, y, i: x.softmax(1), "log_softmax": lambda x, y, i: x.log_softmax(0), "sort": lambda x, y, i: x.sort(1).values, "topk": lambda x, y, i: x.topk(2, 1).values, "max along": lambda x, y, i: x.max(1).values,
    "min along": lambda x, y, i: x.min(0, keepdim=True).values, "median": lambda x, y, i: x.median(), "unique": lambda x, y, i: x.unique(), "kthvalue": lambda x, y, i: x.kthvalue(2, 1).values, "cummax": lambda x, y, i: x.cummax(0).values,
    "mm": lambda x, y, i: x.mm(y.t()), "addmm": lambda x, y, i: torch.addmm(x[:, :1], x, y.t(), beta=2, alpha=3), "mv": lambda x, y, i: x.mv(y[0]), "dot": lambda x, y, i: x[0].dot(y[1]), "outer": lambda x, y, i: torch.outer(x[0], y[0]),
    "bmm": lambda x, y, i: torch.bmm(x[None], y.t()[None]), "baddbmm": lambda x, y, i: torch.baddbmm(x[:1], x[None], y.t()[None, :, :3], beta=2), "einsum": lambda x, y, i: torch.einsum("ij,kj->ik", x, y), "linear": lambda x, y, i: F.linear(x, y, y[:, 0]),
    "gather": lambda x, y, i: x.gather(0, i[:3, None].expand(3, 2)), "index_select": lambda x, y, i: x.index_select(0, i), "index": lambda x, y, i: x[i, i % 3], "take": lambda x, y, i: x.take(i), "masked_select": lambda x, y, i: x.masked_select(y.bool()),
    "scatter": lambda x, y, i: x.scatter(0, i[:, None].expand(4, 3), y), "scatter of a number": lambda x, y, i: x.scatter(0, i[:2, None], 2), "scatter_add": lambda x, y, i: x.scatter_add(0, (i % 2)[:, None].expand(4, 3), y),
    "index_add": lambda x, y, i: x.index_add(0, i % 2, y, alpha=2), "index_copy": lambda x, y, i: x.index_copy(0, i, y), "index_fill": lambda x, y, i: x.index_fill(1, i[:1] % 3, 2), "index_put": lambda x, y, i: x.index_put((i,), y),
    "index_put that accumulates": lambda x, y, i: x.index_put((i % 2,), y, accumulate=True), "nonzero": lambda x, y, i: x.nonzero(), "cat": lambda x, y, i: torch.cat([x, y[:2], x]), "cat with integers": lambda x, y, i: torch.cat([x, i[:, None]], 1),
    "stack": lambda x, y, i: torch.stack([x, y], 1), "flip": lambda x, y, i: x.flip(1), "roll": lambda x, y, i: x.roll(1, 0), "tril": lambda x, y, i: x.tril(-1), "triu": lambda x, y, i: x.triu(1), "diag": lambda x, y, i: torch.diag(x[0]),
    "index of the middle dim": lambda x, y, i: torch.stack([x, y]).permute(2, 1, 0)[:, i], "dropout backward": lambda x, y, i: torch.ops.aten.native_dropout_backward(x, y > 0, 2.0),
    "repeat": lambda x, y, i: x.repeat(2, 1), "repeat_interleave": lambda x, y, i: x.repeat_interleave(2, 0), "equal": lambda x, y, i: torch.tensor([x.equal(x.clone()), x.equal(y)], device=x.device), "isclose": lambda x, y, i: torch.isclose(x, y),
    "arange": lambda x, y, i: torch.arange(1, 9, 3, dtype=x.dtype, device=x.device), "full": lambda x, y, i: torch.full((2, 3), 1, dtype=x.dtype, device=x.device), "eye": lambda x, y, i: torch.eye(3, 4, dtype=x.dtype, device=x.device),
    "linspace": lambda x, y, i: torch.linspace(0, 8, 5, dtype=x.dtype, device=x.device), "item": lambda x, y, i: torch.tensor(x[1, 2].item(), device=x.device), "real": lambda x, y, i: torch.real(x), "conj": lambda x, y, i: x.conj().clone(),
}  # fmt: skip


def operands(dtype, *shape):
    return (
        numbers(*shape, dtype=dtype),
        numbers(*shape, dtype=dtype, seed=1),
        index(2, 0, 3, 1),
    )
