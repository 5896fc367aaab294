# SPDX-License-Identifier: BSD-3-Clause
"""Calls for test_captured_operators.py to capture in a graph: for each call its kernels, its function and its inputs.

`kernels`: if the backend has registered one of these, that kernel computes the call. Inputs are created twice, with
different numbers. All inputs are on the device except those marked `pinned`. All calls are plain: float32, int64
and bool, contiguous tensors, and results whose shape does not depend on values.
"""

import math
from typing import NamedTuple

import torch

ops = torch.ops.aten


class Given(NamedTuple):
    """An input tensor. Another `turn` gives other numbers of the same shape."""

    shape: tuple
    dtype: torch.dtype
    below: int = 11
    pinned: bool = False

    def numbers(self, turn):
        steps = torch.arange(math.prod(self.shape)).reshape(self.shape) * 7 + 3 * turn
        if self.dtype.is_floating_point:
            return (steps.remainder(self.below) - self.below // 2).to(self.dtype) / 4 + 0.125
        return steps.remainder(self.below).to(self.dtype)


class Call(NamedTuple):
    kernels: str
    call: object
    inputs: tuple


def row(kernels, call, *inputs):
    return Call(kernels, call, inputs)


def numbers(*shape):
    return Given(shape, torch.float32)


def whole(*shape, below=11, dtype=torch.int64):
    return Given(shape, dtype, below)


def truths(*shape):
    return Given(shape, torch.bool, 2)


def on_host(*shape):
    return Given(shape, torch.float32, pinned=True)


X = numbers(4, 6)
SQUARE = numbers(4, 4)
I = whole(4, 6)
EIGHT = numbers(2, 1, 3, 1, 2, 1, 2, 1)
NUMBER_HERE = torch.tensor(1.5)  # a zero-dimensional CPU tensor, which PyTorch treats as a number


def positive(function):
    return lambda x: function(x.abs() + 0.5)


def gradient_of_convolution(gradient, x, weight):
    return ops.convolution_backward(gradient, x, weight, [3], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True] * 3)


ELEMENTWISE = {
    "x + y": row("aten::add.Tensor aten::add.out", torch.add, X, X),
    "x + 1.5": row("aten::add.Tensor aten::add.out", lambda x: x + 1.5, X),
    "x + a zero-dimensional CPU tensor": row("aten::add.Tensor aten::add.out", lambda x: x + NUMBER_HERE, X),
    "a zero-dimensional CPU tensor + x": row("aten::add.Tensor aten::add.out", lambda x: NUMBER_HERE + x, X),
    "torch.add with alpha": row("aten::add.Tensor aten::add.out", lambda x, y: torch.add(x, y, alpha=3), X, X),
    "torch.add with broadcasting": row("aten::add.Tensor aten::add.out", torch.add, X, numbers(6)),
    "torch.add of integers": row("aten::add.Tensor aten::add.out", torch.add, I, I),
    "torch.div of integers with floor rounding": row("aten::div.Tensor_mode aten::div.out_mode", lambda x: torch.div(x, 3, rounding_mode="floor"), I),
    "torch.remainder of integers": row("aten::remainder.Tensor aten::remainder.Tensor_out", lambda x: torch.remainder(x, 3), I),
    "torch.add of integers and floats": row("aten::add.Tensor aten::add.out", torch.add, I, X),
    "torch.add into out=": row("aten::add.out", lambda x, y, out: torch.add(x, y, out=out), X, X, X),
    "x.add_": row("aten::add_.Tensor aten::add.out", lambda x, y: x.add_(y), X, X),
    "torch.sub with alpha": row("aten::sub.Tensor aten::sub.out", lambda x, y: torch.sub(x, y, alpha=2), X, X),
    "1.5 - x": row("aten::rsub.Scalar aten::sub.Tensor aten::sub.out", lambda x: 1.5 - x, X),
    "x * y": row("aten::mul.Tensor aten::mul.out", torch.mul, X, X),
    "x * 2": row("aten::mul.Tensor aten::mul.out", lambda x: x * 2, X),
    "truths * truths": row("aten::mul.Tensor aten::mul.out", torch.mul, truths(4, 6), truths(4, 6)),
    "x / y": row("aten::div.Tensor aten::div.out", torch.div, X, X),
    "integers / 4": row("aten::div.Tensor aten::div.out", lambda x: x / 4, I),
    "torch.div rounded down": row(
        "aten::div.Tensor_mode aten::div.out_mode", lambda x, y: torch.div(x, y, rounding_mode="floor"), X, X
    ),
    "torch.fmod": row("aten::fmod.Tensor aten::fmod.Tensor_out", torch.fmod, X, X),
    "x ** 2": row("aten::pow.Tensor_Scalar aten::pow.Tensor_Scalar_out", lambda x: x**2, X),
    "x ** y": row("aten::pow.Tensor_Tensor aten::pow.Tensor_Tensor_out", lambda x, y: (x.abs() + 1) ** y, X, X),
    "torch.maximum": row("aten::maximum aten::maximum.out", torch.maximum, X, X),
    "torch.minimum": row("aten::minimum aten::minimum.out", torch.minimum, X, X),
    "torch.atan2": row("aten::atan2 aten::atan2.out", torch.atan2, X, X),
    "x == y": row("aten::eq.Tensor aten::eq.Tensor_out", torch.eq, I, I),
    "x < 0.5": row("aten::lt.Scalar aten::lt.Scalar_out", lambda x: x < 0.5, X),
    "x >= y": row("aten::ge.Tensor aten::ge.Tensor_out", torch.ge, X, X),
    "torch.logical_and": row("aten::logical_and aten::logical_and.out", torch.logical_and, truths(4, 6), truths(4, 6)),
    "torch.logical_not": row("aten::logical_not aten::logical_not.out", torch.logical_not, truths(4, 6)),
    **{
        f"torch.{name}": row(f"aten::{name} aten::{name}.out", getattr(torch, name), X)
        for name in ("abs", "neg", "sign", "floor", "ceil", "round", "trunc", "exp", "sin", "cos", "tanh", "sigmoid", "erf")
    },
    **{
        f"torch.{name}": row(f"aten::{name} aten::{name}.out", positive(getattr(torch, name)), X)
        for name in ("log", "sqrt", "rsqrt")
    },
    "torch.relu": row("aten::relu aten::relu.out", torch.relu, X),
    "torch.relu_": row("aten::relu_", torch.relu_, X),
    "the gradient of relu": row(
        "aten::threshold_backward aten::threshold_backward.grad_input", lambda g, x: ops.threshold_backward(g, x, 0), X, X
    ),
    "x.clamp": row("aten::clamp aten::clamp.out", lambda x: x.clamp(-0.5, 0.5), X),
    "x.clamp with a minimum": row("aten::clamp aten::clamp.out", lambda x: x.clamp(min=-0.5), X),
    "x.clamp with a maximum": row("aten::clamp aten::clamp.out", lambda x: x.clamp(max=0.5), X),
    "x.clamp_min": row("aten::clamp_min aten::clamp_min.out", lambda x: x.clamp_min(0.25), X),
    "x.clamp_max": row("aten::clamp_max aten::clamp_max.out", lambda x: x.clamp_max(0.25), X),
    "clamp of uint8 from 0": row(
        "aten::clamp aten::clamp.out", lambda x: x.clamp(min=0), whole(4, 6, below=251, dtype=torch.uint8)
    ),
    "clamp of uint8": row(
        "aten::clamp aten::clamp.out", lambda x: x.clamp(5, 200), whole(4, 6, below=251, dtype=torch.uint8)
    ),
    "clamp of int8": row(
        "aten::clamp aten::clamp.out", lambda x: x.clamp(max=100), whole(4, 6, below=127, dtype=torch.int8)
    ),
    "clamp of int64": row("aten::clamp aten::clamp.out", lambda x: x.clamp(2, 9), I),
    "torch.where": row("aten::where.self aten::where.self_out", torch.where, truths(4, 6), X, X),
    "torch.where with a number": row("aten::where.self aten::where.self_out", lambda c, x: torch.where(c, x, 1.5), truths(4, 6), X),
    "torch.lerp by a number": row("aten::lerp.Scalar aten::lerp.Scalar_out", lambda x, y: torch.lerp(x, y, 0.25), X, X),
    "torch.lerp by a large number": row("aten::lerp.Scalar aten::lerp.Scalar_out", lambda x, y: torch.lerp(x, y, 0.75), X, X),
    "torch.addcmul": row("aten::addcmul aten::addcmul.out", lambda x, y, z: torch.addcmul(x, y, z, value=2), X, X, X),
    "torch.addcdiv": row("aten::addcdiv aten::addcdiv.out", lambda x, y, z: torch.addcdiv(x, y, z, value=2), X, X, X),
    "x.masked_fill_": row("aten::masked_fill_.Scalar", lambda x, m: x.masked_fill_(m, 2.5), X, truths(4, 6)),
    "torch.nn.functional.mse_loss": row("aten::mse_loss aten::mse_loss.out", torch.nn.functional.mse_loss, X, X),
    "torch.nn.functional.smooth_l1_loss": row(
        "aten::smooth_l1_loss aten::smooth_l1_loss.out", torch.nn.functional.smooth_l1_loss, X, X
    ),
}

FILLED = {
    "x.fill_": row("aten::fill_.Scalar", lambda x: x.fill_(3), X),
    "x.fill_ with a device tensor": row("aten::fill_.Tensor", lambda x, value: x.fill_(value), X, numbers()),
    "x.fill_ of bools": row("aten::fill_.Scalar", lambda x: x.fill_(True), truths(4, 6)),
    "x.zero_": row("aten::zero_", lambda x: x.zero_(), X),
    "torch.zeros_like": row("aten::zero_ aten::zeros_like", torch.zeros_like, X),
    "torch.full_like": row("aten::fill_.Scalar aten::full_like", lambda x: torch.full_like(x, 2.5), X),
    "torch.arange": row("aten::arange.start_out", lambda x: torch.arange(5, device=x.device), whole(5)),
    "torch.arange of large numbers": row(
        "aten::arange.start_out", lambda out: torch.arange(9_000_000, 9_000_004, out=out), whole(4)
    ),
    "torch.arange of floats": row(
        "aten::arange.start_out", lambda x: torch.arange(1, 6, dtype=torch.float32, device=x.device), numbers(5)
    ),
}

MOVED = {
    "x.clone": row("aten::_copy_from aten::copy_ aten::clone", torch.clone, X),
    "x.copy_": row("aten::_copy_from aten::copy_", lambda x, y: x.copy_(y), X, X),
    "x.copy_ of another dtype": row("aten::_copy_from aten::copy_", lambda x, y: x.copy_(y), X, I),
    "x.t().contiguous": row("aten::_copy_from aten::copy_ aten::clone", lambda x: x.t().contiguous(), X),
    "x.t().contiguous of bools": row("aten::_copy_from aten::copy_ aten::clone", lambda x: x.t().contiguous(), truths(4, 6)),
    "x[:, ::2].copy_": row("aten::_copy_from aten::copy_", lambda x, y: x[:, ::2].copy_(y), X, numbers(4, 3)),
    "x.expand().clone": row("aten::_copy_from aten::copy_ aten::clone", lambda x: x.expand(4, 6).contiguous(), numbers(6)),
    "x.to(torch.int64)": row("aten::_copy_from aten::copy_ aten::_to_copy", lambda x: x.to(torch.int64), X),
    "x.bool": row("aten::_copy_from aten::copy_ aten::_to_copy", lambda x: x.bool(), X),
    "x.copy_ from pinned memory, non_blocking": row(
        "aten::_copy_from aten::copy_", lambda x, host: x.copy_(host, non_blocking=True), X, on_host(4, 6)
    ),
    "copy_ into pinned memory, non_blocking": row(
        "aten::_copy_from aten::copy_", lambda host, x: host.copy_(x, non_blocking=True), on_host(4, 6), X
    ),
    "torch.cat": row("aten::cat aten::cat.out", lambda x, y: torch.cat([x, y]), X, X),
    "torch.cat over the last dim": row("aten::cat aten::cat.out", lambda x, y: torch.cat([x, y], 1), X, numbers(4, 2)),
    "torch.cat with an empty tensor": row("aten::cat aten::cat.out", lambda x, y: torch.cat([x, y]), X, numbers(0)),
    "torch.stack": row("aten::cat aten::cat.out aten::stack", lambda x, y: torch.stack([x, y], 1), X, X),
}

INDEXED = {
    "torch.gather": row("aten::gather aten::gather.out", lambda x, i: torch.gather(x, 1, i), X, whole(4, 3, below=6)),
    "torch.scatter": row("aten::scatter.src aten::scatter.src_out", lambda x, i, y: torch.scatter(x, 0, i, y), X, whole(1, 6, below=4), X),
    "torch.scatter of a number": row(
        "aten::scatter.value aten::scatter.value_out", lambda x, i: torch.scatter(x, 0, i, 1.5), X, whole(1, 6, below=4)
    ),
    "torch.scatter_add": row(
        "aten::scatter_add aten::scatter_add.out", lambda x, i, y: torch.scatter_add(x, 0, i, y), X, whole(4, 6, below=4), X
    ),
    "torch.index_select": row("aten::index_select aten::index_select.out", lambda x, i: torch.index_select(x, 1, i), X, whole(3, below=6)),
    "x[i]": row("aten::index.Tensor aten::index.Tensor_out", lambda x, i: x[i], X, whole(3, below=4)),
    "x[i] of 32 bits": row("aten::index.Tensor aten::index.Tensor_out", lambda x, i: x[i], X, whole(3, below=4, dtype=torch.int32)),
    "x[i, j]": row("aten::index.Tensor aten::index.Tensor_out", lambda x, i, j: x[i, j], X, whole(3, below=4), whole(3, below=6)),
    "x[:, i]": row("aten::index.Tensor aten::index.Tensor_out", lambda x, i: x[:, i], X, whole(2, 2, below=6)),
    "x[i] of bools": row("aten::index.Tensor aten::index.Tensor_out", lambda x, i: x[i], truths(4, 6), whole(3, below=4)),
    "x[i] = y": row("aten::_index_put_impl_ aten::index_put_ aten::index_put", lambda x, i, y: _put(x, i, y, False), X, whole(1, below=4), numbers(1, 6)),
    "x.index_put_ that accumulates": row(
        "aten::_index_put_impl_ aten::index_put_ aten::index_put", lambda x, i, y: _put(x, i, y, True), X, whole(5, below=4), numbers(5, 6)
    ),
    "torch.nn.functional.embedding": row(
        "aten::embedding aten::index_select", lambda i, w: torch.nn.functional.embedding(i, w), whole(2, 3, below=4), X
    ),
}


def _put(x, index, values, accumulate):
    return x.index_put_((index,), values, accumulate)


PRODUCTS = {
    "torch.mm": row("aten::mm aten::mm.out", torch.mm, X, numbers(6, 3)),
    "torch.mm of a transposed factor": row("aten::mm aten::mm.out", lambda x, y: torch.mm(x, y.t()), X, numbers(3, 6)),
    "torch.mm with no rows": row("aten::mm aten::mm.out", torch.mm, numbers(0, 6), numbers(6, 3)),
    "torch.mm with inner size 0": row("aten::mm aten::mm.out", torch.mm, numbers(4, 0), numbers(0, 3)),
    "torch.bmm": row("aten::bmm aten::bmm.out", torch.bmm, numbers(2, 4, 6), numbers(2, 6, 3)),
    "torch.bmm with batch size 0": row("aten::bmm aten::bmm.out", torch.bmm, numbers(0, 4, 6), numbers(0, 6, 3)),
    "torch.addmm": row("aten::addmm aten::addmm.out", torch.addmm, numbers(3), X, numbers(6, 3)),
    "torch.addmm with alpha and beta": row(
        "aten::addmm aten::addmm.out", lambda s, x, y: torch.addmm(s, x, y, alpha=2, beta=3), numbers(4, 3), X, numbers(6, 3)
    ),
    "torch.addmm with no rows": row("aten::addmm aten::addmm.out", torch.addmm, numbers(3), numbers(0, 6), numbers(6, 3)),
    "torch.baddbmm": row("aten::baddbmm aten::baddbmm.out", torch.baddbmm, numbers(2, 4, 3), numbers(2, 4, 6), numbers(2, 6, 3)),
    "torch.baddbmm with batch size 0": row(
        "aten::baddbmm aten::baddbmm.out", torch.baddbmm, numbers(0, 4, 3), numbers(0, 4, 6), numbers(0, 6, 3)
    ),
    "torch.dot": row("aten::dot", torch.dot, numbers(5), numbers(5)),
    "torch.nn.functional.linear": row(
        "aten::addmm aten::addmm.out aten::linear", torch.nn.functional.linear, X, numbers(3, 6), numbers(3)
    ),
}

REDUCED = {
    f"{name} {where}": row(kernels, lambda x, call=call, by=by: call(x, *by), given)
    for name, kernels, call, of_all in (
        ("torch.sum", "aten::sum.dim_IntList aten::sum.IntList_out", torch.sum, True),
        ("torch.mean", "aten::mean.dim aten::mean.out", torch.mean, True),
        ("torch.amax", "aten::amax aten::amax.out", torch.amax, True),
        ("torch.amin", "aten::amin aten::amin.out", torch.amin, True),
        ("torch.prod", "aten::prod.dim_int aten::prod.int_out", torch.prod, False),
        ("torch.argmax", "aten::argmax aten::argmax.out", torch.argmax, True),
        ("torch.argmin", "aten::argmin aten::argmin.out", torch.argmin, True),
        ("torch.max", "aten::max.dim aten::max.dim_max", torch.max, False),
        ("torch.min", "aten::min.dim aten::min.dim_min", torch.min, False),
    )
    for where, given, by in (
        ("over a dim", X, (1,)),
        ("over a dim of size one", numbers(1), (0,)),
        ("over the first dim", X, (0,)),
        ("over a dim of an eight-dimensional tensor", EIGHT, (2,)),
        ("over all dims", X, ()),
    )
    if of_all or by
} | {
    "x.sum over two dims": row("aten::sum.dim_IntList aten::sum.IntList_out", lambda x: x.sum((0, 2)), numbers(2, 3, 4)),
    "x.sum of integers": row("aten::sum.dim_IntList aten::sum.IntList_out", lambda x: x.sum(0), I),
    "x.sum of bools": row("aten::sum.dim_IntList aten::sum.IntList_out", lambda x: x.sum(1), truths(4, 6)),
    "x.amax over two dims": row("aten::amax aten::amax.out", lambda x: x.amax((0, 1), True), X),
    "x.sum of an empty tensor": row("aten::sum.dim_IntList aten::sum.IntList_out", lambda x: x.sum(0), numbers(0, 3)),
    "torch.max over all dims": row("aten::max", torch.max, X),
    "torch.min over all dims": row("aten::min", torch.min, X),
    "torch.prod over all dims": row("aten::prod", torch.prod, X),
    "torch.all over a dim": row("aten::all.dim aten::all.out", lambda x: x.all(1), truths(4, 6)),
    "torch.all over all dims": row("aten::all aten::all.all_out", torch.all, truths(4, 6)),
    "torch.any over a dim": row("aten::any.dim aten::any.out", lambda x: x.any(1), truths(4, 6)),
    "torch.any over all dims": row("aten::any aten::any.all_out", torch.any, truths(4, 6)),
    "torch.cumsum": row("aten::cumsum aten::cumsum.out", lambda x: x.cumsum(1), X),
    "torch.cumsum over a dim of an eight-dimensional tensor": row("aten::cumsum aten::cumsum.out", lambda x: x.cumsum(2), EIGHT),
    "torch.cumsum of integers": row("aten::cumsum aten::cumsum.out", lambda x: x.cumsum(0), I),
    "torch.softmax": row("aten::_softmax aten::_softmax.out", lambda x: x.softmax(1), X),
    "torch.log_softmax": row("aten::_log_softmax aten::_log_softmax.out", lambda x: x.log_softmax(0), X),
    "the gradient of softmax": row(
        "aten::_softmax_backward_data aten::_softmax_backward_data.out",
        lambda g, x: ops._softmax_backward_data(g, x, 1, torch.float32), X, X,
    ),
    "the gradient of log_softmax": row(
        "aten::_log_softmax_backward_data aten::_log_softmax_backward_data.out",
        lambda g, x: ops._log_softmax_backward_data(g, x, 1, torch.float32), X, X,
    ),
}

CONVOLVED = "aten::convolution_overrideable aten::convolution aten::_convolution"
CONVOLVED_BACK = "aten::convolution_backward_overrideable aten::convolution_backward"
ATTENDED = "aten::_scaled_dot_product_fused_attention_overrideable"
HEADS = numbers(1, 2, 4, 8)

LAYERS = {
    "torch.native_dropout without training": row("aten::native_dropout", lambda x: torch.native_dropout(x, 0.5, False)[0], X),
    "torch.nn.functional.conv2d": row(
        CONVOLVED, torch.nn.functional.conv2d, numbers(1, 2, 5, 5), numbers(3, 2, 3, 3), numbers(3)
    ),
    "torch.nn.functional.conv1d with padding": row(
        CONVOLVED, lambda x, w: torch.nn.functional.conv1d(x, w, padding=1), numbers(1, 2, 6), numbers(3, 2, 3)
    ),
    "torch.nn.functional.conv_transpose2d": row(
        CONVOLVED, torch.nn.functional.conv_transpose2d, numbers(1, 2, 3, 3), numbers(2, 3, 2, 2)
    ),
    "the gradient of conv2d": row(
        CONVOLVED_BACK, gradient_of_convolution, numbers(1, 3, 3, 3), numbers(1, 2, 5, 5), numbers(3, 2, 3, 3)
    ),
    "fused attention": row(ATTENDED, lambda q, k, v: ops._scaled_dot_product_fused_attention_overrideable(q, k, v)[0], HEADS, HEADS, HEADS),
    "torch.nn.functional.layer_norm": row(
        "aten::native_layer_norm", lambda x: torch.nn.functional.layer_norm(x, (6,)), X
    ),
    "torch.nn.functional.gelu": row("aten::gelu aten::gelu.out", torch.nn.functional.gelu, X),
    "torch.nn.functional.silu": row("aten::silu aten::silu.out", torch.nn.functional.silu, X),
}

CALLS = ELEMENTWISE | FILLED | MOVED | INDEXED | PRODUCTS | REDUCED | LAYERS

# Calls that draw random numbers, each with a function that says which results are possible.
DRAWN = {
    "x.uniform_": (row("aten::uniform_", lambda x: x.uniform_(2, 3), numbers(64)), lambda drawn: (2 <= drawn) & (drawn < 3)),
    "x.normal_": (row("aten::normal_", lambda x: x.normal_(100, 1), numbers(64)), lambda drawn: (90 < drawn) & (drawn < 110)),
    "x.bernoulli_": (row("aten::bernoulli_.float", lambda x: x.bernoulli_(0.5), numbers(64)), lambda drawn: (drawn == 0) | (drawn == 1)),
    "x.random_": (row("aten::random_.from", lambda x: x.random_(3, 9), whole(64)), lambda drawn: (3 <= drawn) & (drawn < 9)),
    "x.exponential_": (row("aten::exponential_", lambda x: x.exponential_(), numbers(64)), lambda drawn: drawn >= 0),
}
