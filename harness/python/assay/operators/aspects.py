# SPDX-License-Identifier: BSD-3-Clause
"""The aspects of `assay ops`: one function for each way of calling an operator.

An aspect calls the operator on `place` and returns a tree of results, of arguments after the call, and of facts. This
tree must be the same on the CPU and on the device. An aspect raises the operator's exceptions, or `Absent` if the
operator or the sample has no such form.
"""

import dataclasses
import functools

import torch
import torch.autograd.forward_ad as forward_ad
from assay.checks import late
from assay.operators import samples as own_samples, torch_testing
from assay.operators.arguments import (
    channels_last,
    conjugated,
    emptied,
    negated,
    overlapping,
    special,
    strided,
    with_many_dimensions,
)
from assay.operators.results import AFTERWARDS, GRADIENTS, MEMORY, OF_TENSOR, OUT, RESULT, TWICE, Named
from assay.operators.values import FOLDER, is_unwritten
from assay.releases import is_of
from assay.values import own_torch
from assay.values.results import bits_resolved
from assay.values.tables import rows
from assay.values.trees import copied, map_leaves, memory, spread, tensors

HOSTS = ("cpu", "meta")
STAY = {"tensor_split": "its indices must be on the CPU"}
# Cases in which the CPU cannot be the reference: aspect, operator and reason.
NO_REFERENCE = {(row["aspect"], row["operator"]): row["why"] for row in rows("no_reference.tsv", FOLDER) if is_of(row["releases"], torch.__version__)}


# Operators whose result is NaN wherever an operand is NaN: by OPS-069, or because they are arithmetic (IEEE 754).
KEEP_NAN = {
    "abs", "add", "ceil", "clamp", "clamp_max", "clamp_min", "cos", "div.no_rounding_mode", "exp", "floor", "log", "max.binary", "maximum",
    "min.binary", "minimum", "mul", "neg", "nn.functional.relu", "reciprocal", "rsqrt", "sigmoid", "sin", "sqrt", "square", "sub", "tanh", "trunc",
}


class Absent(Exception):
    """This operator or this sample has no such form."""


def given_on(operator, sample, place):
    given = sample.on(place, operator.name in STAY)
    if operator.is_factory_function:
        given.kwargs.setdefault("device", place)
    return given


def _need(condition):
    if not condition:
        raise Absent


def _alias(results, arguments):
    """Returns for each result the arguments with which it shares memory."""
    return [[torch._C._is_alias_of(one, other) for other in arguments] for one in results]


def _write_is_seen(one, other):
    seen = []
    for number in (0, 1):
        one.detach().fill_(number)
        seen.append(bits_resolved(other.detach()))
    return not own_torch.torch.allclose(*seen, rtol=0, atol=0, equal_nan=True)


def _alias_by_writing(operator, sample, place):
    """Like _alias, for tensors whose storage has no memory. Returns None if the answer is unknown. First raises errors
    of earlier calls, so that they are not attributed to the write."""
    if place not in HOSTS:
        late.settle(place)
    given = given_on(operator, sample, place)
    try:
        found = tensors(given.call(operator.op))
        if not all(one.numel() for one in found + given.tensors()):
            return None
        return [[_write_is_seen(one, other) for other in given.tensors()] for one in found]
    except Exception:
        return None


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
        return Named({RESULT: given.call(operator.op), AFTERWARDS: given.tensors()})

    return ask


def in_place_strided(operator, sample, place):
    """Calls the operator in place on a strided tensor. The memory between the elements must not change."""
    _need(operator.inplace_variant and isinstance(sample.input, torch.Tensor) and sample.input.numel() > 1)
    changed = dataclasses.replace(sample, input=spread(sample.input))
    given = given_on(operator, changed, place)
    strides = given.input.stride()
    given.call(operator.inplace_variant)
    return Named({
        "the tensor keeps its strides": given.input.stride() == strides,
        OF_TENSOR: memory(given.input.detach()),
    })


def _changes_shapes(operator):
    """True if the operator may change shapes, as squeeze_ and resize_ do. Any other in-place operator must not change
    shapes, even if it does so on the CPU."""
    packet = getattr(torch.ops.aten, f"{operator.name}_", None)
    return packet and any(torch.Tag.inplace_view in getattr(packet, one).tags for one in packet.overloads())


def in_place(operator, sample, place):
    function = operator.inplace_variant
    _need(function and isinstance(sample.input, torch.Tensor))
    given = given_on(operator, sample, place)
    version, before = given.input._version, given.input.shape
    result = given.call(function)
    _need(place != "cpu" or given.input.shape == before or _changes_shapes(operator))
    return Named({
        RESULT: result,
        AFTERWARDS: given.tensors(),
        "the result is the tensor itself": result is given.input,
        "its version counter has increased": given.input._version > version,
    })


# ---- out= ---------------------------------------------------------------------------------------


def _garbage(like, dtype=None, rows=0):
    shape = (like.size(0) + rows, *like.shape[1:]) if rows and like.dim() else like.shape
    return torch.full(shape, 7, dtype=torch.float64).to(dtype or like.dtype)


def _addresses(of):
    """The address of a tensor, or None if its memory has no address. Then the address cannot be compared."""
    found = []
    for one in of:
        try:
            found.append(one.data_ptr())
        except Exception:
            found.append(None)
    return found


def into(make):
    """The aspect for out=. For each tensor of the CPU's result, `make` returns the tensor to write into."""

    def ask(operator, sample, place):
        _need(operator.supports_out and not operator.is_factory_function)
        wanted = sample.on("cpu").call(operator.op)
        _need(tensors(wanted) and isinstance(wanted, (torch.Tensor, tuple, list)))
        out = map_leaves(wanted, lambda one: copied(make(one), place))
        given, before = given_on(operator, sample, place), _addresses(tensors(out))
        result = given.call(operator.op, out=out if isinstance(out, torch.Tensor) else tuple(out))
        same = [one is other for one, other in zip(tensors(result), tensors(out))]
        kept = [one == other for one, other in zip(_addresses(tensors(out)), before)]
        if make in KEPT and place == "cpu":  # Some CPU kernels write such a tensor incorrectly.
            _need(all(map(own_torch.torch.equal, tensors(out), tensors(wanted))))
        found = Named({OUT: tensors(out), AFTERWARDS: given.tensors(), "the result is out= itself": same})
        if make is _garbage or make in KEPT:  # `out` already has the right shape
            found["out= keeps its memory"] = kept
        if make in KEPT:
            found["out= keeps its strides"] = [one.stride() for one in tensors(out)]
            found[MEMORY] = [memory(one) for one in tensors(out)]
        return found

    return ask


def _column_major(like):
    _need(like.dim() > 1 and like.numel() > 1)
    return _garbage(like).mT.contiguous().mT


def _longer(like):
    return _garbage(like, rows=1)


def _other_dtype(like):
    """An out= tensor of a different dtype that can hold the result."""
    wider = {torch.float32: torch.float64, torch.complex64: torch.complex128, torch.bool: torch.int64}
    return _garbage(like, wider.get(like.dtype, torch.float64))


def _whole_numbers(like):
    _need(like.is_floating_point() or like.is_complex())
    return _garbage(like, torch.int64)


def _strided(like):
    _need(like.numel() > 1)
    return spread(_garbage(like))


KEPT = (_strided, _column_major)


def _conj_view(like):
    _need(like.is_complex())
    return _garbage(like).conj()


def out_overlapping(operator, sample, place):
    """The out= tensor overlaps the input. Only calls that the CPU refuses are tested."""
    _need(operator.supports_out and not operator.is_factory_function)
    changed = overlapping(sample, sample.on("cpu").call(operator.op))
    _need(changed)
    given_on(operator, changed, place).call(operator.op)
    _need(place != "cpu")


# ---- derivatives ---------------------------------------------------------------------------------


def _weights(tensor):
    """Fixed numbers with the shape of `tensor`, equal on every device."""
    numbers = torch.linspace(0.5, 1.5, max(1, tensor.numel()), dtype=torch.float64)[: tensor.numel()]
    return copied(numbers.reshape(tensor.shape).to(tensor.dtype), tensor.device)


def _differentiated(operator, sample, place):
    """Returns the results and the arguments that require a gradient, and a flag for each result that says whether it
    requires a gradient. On the device, no gradient may be missing."""
    given = given_on(operator, sample, place)
    variables = [one for one in given.tensors() if one.requires_grad]
    results = tensors(sample.finished(given.call(operator.op)))
    require = [(one.requires_grad, one.grad_fn is not None) for one in results]
    results = [one for one in results if one.requires_grad]
    _need(place != "cpu" or variables and results)
    return results, variables, require


def _derivatives(results, variables, **options):
    if not results:
        return []
    return list(torch.autograd.grad(results, variables, [_weights(one) for one in results], allow_unused=True, **options))


def gradients(operator, sample, place):
    results, variables, require = _differentiated(operator, sample, place)
    return Named({"which results require a gradient and have a grad_fn": require,
                  GRADIENTS: _derivatives(results, variables)})


def second_gradients(operator, sample, place):
    _need(operator.supports_gradgrad)
    results, variables, _ = _differentiated(operator, sample, place)
    first = [one for one in _derivatives(results, variables, create_graph=True) if one is not None and one.requires_grad]
    _need(place != "cpu" or first)
    return _derivatives(first, variables)


def forward_mode(operator, sample, place):
    _need(operator.supports_forward_ad)
    with forward_ad.dual_level():
        given = given_on(operator, sample, place).with_tensors(
            lambda one: forward_ad.make_dual(one.detach(), _weights(one)) if one.requires_grad else one
        )
        result = sample.finished(given.call(operator.op))
        return [forward_ad.unpack_dual(one).tangent for one in tensors(result)]


# ---- uninitialized memory -------------------------------------------------------------------------


def filled(operator, sample, place):
    """The contents of uninitialized memory in deterministic mode, where PyTorch fills it with fixed values."""
    _need(is_unwritten(operator.formatted_name))
    # the tensor is emptied, so that resize_ must grow it
    sample = emptied(sample) or sample if operator.name == "resize_" else sample
    torch.use_deterministic_algorithms(True)
    try:
        return given_on(operator, sample, place).call(operator.op)
    finally:
        torch.use_deterministic_algorithms(False)


def host_scalar(operator, sample, place):
    """Passes a zero-dimensional CPU tensor as the second operand. The other operands are on the device."""
    given = given_on(operator, dataclasses.replace(sample, args=sample.args[1:]), place)
    given.args = (sample.args[0].clone(), *given.args)
    return given.call(operator.op)


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


def nan_kept(operator, sample, place):
    """Counts the results that are a number although an operand is NaN. Unlike special_values, this is a must."""
    _need(operator.full_name in KEEP_NAN)
    changed = special(sample)
    _need(changed)
    operands = [one for one in changed.tensors() if one.is_floating_point()]
    result = bits_resolved(given_on(operator, changed, place).call(operator.op).detach())
    has_nan = functools.reduce(own_torch.torch.logical_or, (one.isnan() for one in operands))
    return Named({"numbers where an operand is NaN": int((has_nan & ~result.isnan()).sum())})


# ---- the rest ------------------------------------------------------------------------------------


def repeated(operator, sample, place):
    def bits(tensor):
        plain = bits_resolved(tensor.detach())
        return torch.nan_to_num(plain) if plain.is_floating_point() or plain.is_complex() else plain

    first, second = (tensors(refused(operator, sample, place)) for _ in range(2))
    same = [own_torch.torch.equal(bits(one), bits(other)) for one, other in zip(first, second)]
    _need(place != "cpu" or all(same))
    return Named({TWICE: same})


def refused(operator, sample, place):
    return given_on(operator, sample, place).call(operator.op)


# forms of a sample with which the strides of results are compared as well
FORMS = {"strided": strided, "channels_last": channels_last}
as_given = in_form(lambda sample: sample)

# The function of each aspect, by name. SAMPLES gives the number of samples. NOTED names the aspects whose differences
# are only noted. WITH_GRADIENT names the aspects whose samples require a gradient.
ASPECTS = {
    "forward": forward,  # also covers "views" and "inputs"
    "out": into(_garbage),
    "out_longer": into(_longer),
    "out_other_dtype": into(_other_dtype),
    "out_whole_numbers": into(_whole_numbers),
    "out_strided": into(_strided),
    "out_overlapping": out_overlapping,
    "in_place": in_place,
    "in_place_strided": in_place_strided,
    "strided": in_form(FORMS["strided"]),
    "many_dimensions": many_dimensions,
    "empty": in_form(emptied),
    "channels_last": in_form(FORMS["channels_last"]),
    "out_column_major": into(_column_major),
    "column_major": as_given,
    "expanded": as_given,
    "empty_dims": as_given,
    "large": as_given,
    "larger": as_given,
    "ties": as_given,
    "duplicates": as_given,
    "options": as_given,
    "zero_dim": as_given,
    "host_scalar": host_scalar,
    "gradients": gradients,
    "large_gradients": gradients,
    "second_gradients": second_gradients,
    "forward_mode": forward_mode,
    "second_device": refused,
    "filled": filled,
    "special_values": special_values,
    "nan_kept": nan_kept,
    "repeated": repeated,
    "errors": refused,
    "out_conj_view": into(_conj_view),  # these run last, because backends whose copies ignore the bits may crash here
    "conj_view": in_form(conjugated),
    "neg_view": in_form(negated),
}
NOTED = {"layout_unpromised", "repeated", "errors", "filled", "special_values", "out_overlapping"}
MAY_NOT_SUCCEED = {"errors", "out_whole_numbers", "out_overlapping"}  # if the CPU refuses a call, the device must too
OTHER_OVERLOADS = ("out", "in_place", "gradients")
WITH_GRADIENT = {"gradients", "forward_mode", "large_gradients", "second_gradients"}
OWN = {  # aspects with samples of assay, derived from PyTorch's samples
    "column_major": own_samples.transposed,
    "expanded": own_samples.expanded,
    "empty_dims": own_samples.empty_dims,
    "large": own_samples.large,
    "larger": own_samples.larger,
    "ties": own_samples.tied,
    "duplicates": own_samples.duplicated,
    "options": own_samples.options,
    "zero_dim": own_samples.zero_dim,
    "host_scalar": own_samples.zero_dim,
    "large_gradients": own_samples.large,
}
WITHOUT_FORM = {"strided": as_given}  # the result is also compared with the result of this aspect, which keeps the original layouts
# aspects for which the strides of results are compared as well
LAYOUTS = {"forward", "strided", "channels_last", "column_major"}
DEEP = {"larger", "large_gradients"}  # only with --deep
# The number of samples: by default, and with --deep.
SAMPLES = {"forward": (24, 24), "errors": (24, 24), "options": (12, 40), "second_gradients": (1, 4), "large": (2, 6),
           "larger": (2, 4), "large_gradients": (1, 3), "ties": (1, 4), "expanded": (2, 8)}
FEW = (4, 8)
