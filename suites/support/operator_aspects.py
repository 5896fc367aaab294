# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of every operator, one function for each way of asking.

An aspect calls the operator on a place and returns what is to be the same on the CPU and on the device:
a tree of results, of arguments as they are afterwards, and of facts. It raises what the operator raises. `Absent`
says that there is nothing to ask.
"""

import dataclasses

import torch
import torch.autograd.forward_ad as forward_ad
import torch_testing
from judge_results import bits_resolved
from operator_results import Named
from operator_samples import channels_last, conjugated, copied, emptied, map_leaves, memory, negated
from operator_samples import overlapping, special, spread, strided, tensors, with_many_dimensions


STAY = {"tensor_split": "its indices have to be on the CPU"}
# Where the CPU is no measure: aspect and operator, and why.
NO_MEASURE = {
    ("empty", "_segment_reduce_lengths"): "the CPU ends the process over lengths that do not fit",
    ("empty", "_segment_reduce_offsets"): "the CPU ends the process over offsets that do not fit",
    ("empty", "nn_functional_multi_margin_loss"): "the CPU answers with memory that nobody wrote",
    ("empty", "nn_functional_multilabel_margin_loss"): "the CPU answers with memory that nobody wrote",
    ("empty", "nn_functional_pixel_unshuffle"): "the CPU forgets to change the shape",
    ("out_overlapping", "addr"): "core makes it of others, with a result of its own between",
    ("repeated", "linalg_lstsq"): "the CPU's own bits depend on where its memory lies",
    ("repeated", "linalg_lstsq_grad_oriented"): "the CPU's own bits depend on where its memory lies",
    ("empty", "native_layer_norm"): "core's composite form gives the mean another shape than the CPU",
}


NO_VALUES = {  # what they give is not initialised
    "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "resize_", "resize_as_",
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


def _write_is_seen(one, other):
    seen = []
    for number in (0, 1):
        one.detach().fill_(number)
        seen.append(bits_resolved(other.detach()))
    return not torch.allclose(*seen, rtol=0, atol=0, equal_nan=True)


def _alias_by_writing(operator, sample, place):
    """The same where storages say nothing, because there is no memory behind them. None: it cannot be said."""
    given = given_on(operator, sample, place)
    try:
        found = tensors(given.call(operator.op))
        if not all(one.numel() for one in found + given.tensors()):
            return None
        return [[_write_is_seen(one, other) for other in given.tensors()] for one in found]
    except Exception:
        return None


AFTERWARDS = "an argument after the call"


# ---- results ------------------------------------------------------------------------------------


def forward(operator, sample, place):
    given = given_on(operator, sample, place)
    result = given.call(operator.op)
    results, arguments = tensors(result), given.tensors()
    has_memory = not any(address in (None, 0) for address in _addresses(arguments))
    shared = _alias(results, arguments) if has_memory else _alias_by_writing(operator, sample, place)
    return {
        "forward": result,
        "views": shared and Named({"it shares memory with an argument": shared}),
        "inputs": Named({AFTERWARDS: given.tensors()}),
    }


def in_form(form):
    def ask(operator, sample, place):
        changed = form(sample)
        _need(changed is not None)
        given = given_on(operator, changed, place)
        return Named({"the result": given.call(operator.op), AFTERWARDS: given.tensors()})

    return ask


def in_place_strided(operator, sample, place):
    """Also what lies between the elements."""
    _need(operator.inplace_variant and isinstance(sample.input, torch.Tensor) and sample.input.numel() > 1)
    changed = dataclasses.replace(sample, input=spread(sample.input))
    given = given_on(operator, changed, place)
    strides = given.input.stride()
    given.call(operator.inplace_variant)
    return Named({
        "the tensor keeps its strides": given.input.stride() == strides,
        "the memory of the tensor": memory(given.input.detach()),
    })


def in_place(operator, sample, place):
    function = operator.inplace_variant
    _need(function and isinstance(sample.input, torch.Tensor))
    given = given_on(operator, sample, place)
    version = given.input._version
    result = given.call(function)
    return Named({
        "the result": result,
        AFTERWARDS: given.tensors(),
        "the result is the tensor itself": result is given.input,
        "its version is a new one": given.input._version > version,
    })


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
        except Exception:
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
        if make is _strided and place == "cpu":  # some of the CPU's own kernels write such a tensor wrongly
            _need(all(map(torch.equal, tensors(out), tensors(wanted))))
        found = Named({"out=": tensors(out), AFTERWARDS: given.tensors(), "the result is out= itself": same})
        if make in (_garbage, _strided):  # that has the right shape
            found["out= stays where it is"] = kept
        if make is _strided:
            found["out= keeps its strides"] = [one.stride() for one in tensors(out)]
            found["the memory of out="] = [memory(one) for one in tensors(out)]
        return found

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


def _strided(like):
    _need(like.numel() > 1)
    return spread(_garbage(like))


def _conj_view(like):
    _need(like.is_complex())
    return _garbage(like).conj()


def out_overlapping(operator, sample, place):
    """The result is to go where a part of the input lies. Only what the CPU refuses is asked."""
    _need(operator.supports_out and not operator.is_factory_function)
    changed = overlapping(sample, sample.on("cpu").call(operator.op))
    _need(changed)
    given_on(operator, changed, place).call(operator.op)
    _need(place != "cpu")


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


# ---- memory that nobody wrote ---------------------------------------------------------------------


def filled(operator, sample, place):
    """What is there where the same result is asked for each time."""
    _need(operator.formatted_name in NO_VALUES)
    sample = emptied(sample) or sample if operator.name == "resize_" else sample  # so that it grows
    torch.use_deterministic_algorithms(True)
    try:
        return given_on(operator, sample, place).call(operator.op)
    finally:
        torch.use_deterministic_algorithms(False)


def many_dimensions(operator, sample, place):
    _need(isinstance(operator, torch_testing.elementwise()))
    changed = with_many_dimensions(sample)
    _need(changed)
    return given_on(operator, changed, place).call(operator.op)


def special_values(operator, sample, place):
    _need(isinstance(operator, torch_testing.elementwise()))
    changed = special(sample)
    _need(changed)
    return given_on(operator, changed, place).call(operator.op)


# ---- the rest ------------------------------------------------------------------------------------


def repeated(operator, sample, place):
    def bits(tensor):
        plain = bits_resolved(tensor.detach())
        return torch.nan_to_num(plain) if plain.is_floating_point() or plain.is_complex() else plain

    first, second = (tensors(refused(operator, sample, place)) for _ in range(2))
    same = [torch.equal(bits(one), bits(other)) for one, other in zip(first, second)]
    _need(place != "cpu" or all(same))
    return Named({"a second call gives the same bits": same})


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
    "out_strided": into(_strided),
    "out_overlapping": out_overlapping,
    "in_place": in_place,
    "in_place_strided": in_place_strided,
    "strided": in_form(strided),
    "many_dimensions": many_dimensions,
    "empty": in_form(emptied),
    "channels_last": in_form(channels_last),
    "gradients": gradients,
    "forward_mode": forward_mode,
    "second_device": refused,
    "filled": filled,
    "special_values": special_values,
    "repeated": repeated,
    "errors": refused,
    "out_conj_view": into(_conj_view),  # last: a backend whose copies do not know the bits may end here
    "conj_view": in_form(conjugated),
    "neg_view": in_form(negated),
}
NOTED = {"repeated", "errors", "filled", "special_values", "out_overlapping"}
MAY_NOT_SUCCEED = {"errors", "out_whole_numbers", "out_overlapping"}  # where the CPU refuses, so must the device
OTHER_OVERLOADS = ("out", "in_place", "gradients")
WITH_GRADIENT = {"gradients", "forward_mode"}
SAMPLES = {"forward": 24, "errors": 24}
FEW = 4
