# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of every operator, one function for each way of asking.

An aspect calls the operator on a place and returns what is to be the same on the CPU and on the device:
a tree of results, of arguments as they are afterwards, and of facts. It raises what the operator raises. `Absent`
says that there is nothing to ask.
"""

import torch
import torch.autograd.forward_ad as forward_ad
from operator_samples import channels_last, conjugated, copied, emptied, map_leaves, negated, strided, tensors


STAY = {"tensor_split": "its indices have to be on the CPU"}
# Where the CPU is no measure: aspect and operator, and why.
NO_MEASURE = {
    ("empty", "_segment_reduce_lengths"): "the CPU ends the process over lengths that do not fit",
    ("empty", "_segment_reduce_offsets"): "the CPU ends the process over offsets that do not fit",
    ("empty", "nn_functional_multi_margin_loss"): "the CPU answers with memory that nobody wrote",
    ("empty", "nn_functional_multilabel_margin_loss"): "the CPU answers with memory that nobody wrote",
    ("empty", "nn_functional_pixel_unshuffle"): "the CPU forgets to change the shape",
    ("empty", "native_layer_norm"): "core's composite form gives the mean another shape than the CPU",
}


class Absent(Exception):
    """This operator, or this sample, has no such form."""


def given_on(operator, sample, place):
    given = sample.on(place, operator.name in STAY)
    if operator.is_factory_function:
        given.kwargs.setdefault("device", place)
    return given


def _need(condition):
    if not condition:
        raise Absent


def _alias(results, arguments):
    """Which result shares memory with which argument."""
    return [[torch._C._is_alias_of(one, other) for other in arguments] for one in results]


# ---- results ------------------------------------------------------------------------------------


def forward(operator, sample, place):
    given = given_on(operator, sample, place)
    result = given.call(operator.op)
    return {
        "forward": result,
        "views": _alias(tensors(result), given.tensors()),
        "inputs": given.tensors(),
    }


def in_form(form):
    def ask(operator, sample, place):
        changed = form(sample)
        _need(changed is not None)
        given = given_on(operator, changed, place)
        return given.call(operator.op), given.tensors()

    return ask


def in_place(operator, sample, place):
    function = operator.inplace_variant
    _need(function and isinstance(sample.input, torch.Tensor))
    given = given_on(operator, sample, place)
    version = given.input._version
    result = given.call(function)
    return result, given.tensors(), result is given.input, given.input._version > version


# ---- out= ---------------------------------------------------------------------------------------


def _garbage(like, dtype=None, rows=0):
    shape = (like.size(0) + rows, *like.shape[1:]) if rows and like.dim() else like.shape
    return torch.full(shape, 7, dtype=torch.float64).to(dtype or like.dtype)


def _addresses(of):
    """None for one that has no address: then there is nothing to keep."""
    found = []
    for one in of:
        try:
            found.append(one.data_ptr())
        except RuntimeError:
            found.append(None)
    return found


def into(make):
    """`make` gives the tensor to write into for each tensor of the CPU's result."""

    def ask(operator, sample, place):
        _need(operator.supports_out and not operator.is_factory_function)
        wanted = sample.on("cpu").call(operator.op)
        _need(tensors(wanted) and isinstance(wanted, (torch.Tensor, tuple, list)))
        out = map_leaves(wanted, lambda one: copied(make(one), place))
        given, before = given_on(operator, sample, place), _addresses(tensors(out))
        result = given.call(operator.op, out=out if isinstance(out, torch.Tensor) else tuple(out))
        same = [one is other for one, other in zip(tensors(result), tensors(out))]
        kept = [one == other for one, other in zip(_addresses(tensors(out)), before)]
        return tensors(out), given.tensors(), same, kept if make is _garbage else None

    return ask


def _longer(like):
    return _garbage(like, rows=1)


def _other_dtype(like):
    """One that can hold the result."""
    wider = {torch.float32: torch.float64, torch.complex64: torch.complex128, torch.bool: torch.int64}
    return _garbage(like, wider.get(like.dtype, torch.float64))


def _whole_numbers(like):
    _need(like.is_floating_point() or like.is_complex())
    return _garbage(like, torch.int64)


def _conj_view(like):
    _need(like.is_complex())
    return _garbage(like).conj()


# ---- derivatives ---------------------------------------------------------------------------------


def _weights(tensor):
    """Some numbers like `tensor`, the same wherever it is."""
    numbers = torch.linspace(0.5, 1.5, max(1, tensor.numel()), dtype=torch.float64)[: tensor.numel()]
    return copied(numbers.reshape(tensor.shape).to(tensor.dtype), tensor.device)


def gradients(operator, sample, place):
    given = given_on(operator, sample, place)
    variables = [one for one in given.tensors() if one.requires_grad]
    results = [one for one in tensors(sample.finish(given.call(operator.op))) if one.requires_grad]
    _need(variables and results)
    found = torch.autograd.grad(results, variables, [_weights(one) for one in results], allow_unused=True)
    return list(found)


def forward_mode(operator, sample, place):
    _need(operator.supports_forward_ad)
    with forward_ad.dual_level():
        given = given_on(operator, sample, place).with_tensors(
            lambda one: forward_ad.make_dual(one.detach(), _weights(one)) if one.requires_grad else one
        )
        result = sample.finish(given.call(operator.op))
        return [forward_ad.unpack_dual(one).tangent for one in tensors(result)]


# ---- the rest ------------------------------------------------------------------------------------


def repeated(operator, sample, place):
    def bits(tensor):
        plain = tensor.detach().cpu().resolve_conj().resolve_neg()
        return torch.nan_to_num(plain) if plain.is_floating_point() or plain.is_complex() else plain

    first, second = (tensors(refused(operator, sample, place)) for _ in range(2))
    same = [torch.equal(bits(one), bits(other)) for one, other in zip(first, second)]
    _need(place != "cpu" or all(same))
    return same


def refused(operator, sample, place):
    return given_on(operator, sample, place).call(operator.op)


# What an aspect is called, how it asks, of how many samples, and whether only something is noted when
# the device does otherwise. `needs_gradient`: of samples that require one.
ASPECTS = {
    "forward": forward,  # and "views", "inputs"
    "out": into(_garbage),
    "out_longer": into(_longer),
    "out_other_dtype": into(_other_dtype),
    "out_whole_numbers": into(_whole_numbers),
    "out_conj_view": into(_conj_view),
    "in_place": in_place,
    "strided": in_form(strided),
    "empty": in_form(emptied),
    "channels_last": in_form(channels_last),
    "gradients": gradients,
    "forward_mode": forward_mode,
    "second_device": refused,
    "repeated": repeated,
    "errors": refused,
    "conj_view": in_form(conjugated),  # last: a backend whose copies do not know them may end here
    "neg_view": in_form(negated),
}
NOTED = {"repeated", "errors"}
MAY_NOT_SUCCEED = {"errors", "out_whole_numbers"}  # where the CPU refuses, so must the device
OTHER_OVERLOADS = ("out", "in_place", "gradients")
WITH_GRADIENT = {"gradients", "forward_mode"}
SAMPLES = {"forward": 24, "errors": 24}
FEW = 4
