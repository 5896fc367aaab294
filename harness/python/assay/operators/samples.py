# SPDX-License-Identifier: BSD-3-Clause
"""Additional samples, derived from PyTorch's samples of an operator: tensors larger than the blocks of any kernel, ties
and duplicates, every dim, and every scalar argument of the schema.

Each function takes the operator and one of its samples and yields other samples. Some of these samples are invalid: the
CPU refuses them, so they are not tested.
"""

import dataclasses
import inspect
import math

import torch
from assay.operators import torch_testing
from assay.operators.arguments import Arguments
from assay.values.trees import is_plain, map_leaves

SIZES = [[3, 5, 7, 9, 11], [5, 9, 13, 17, 21], [9, 17, 33, 41, 65], [33, 129, 65, 41, 17], [257, 259, 65, 33, 17],
         [1025, 257, 129, 65, 33], [65537, 257, 129, 65, 33]]
LARGE, LARGER = 1 << 10, 1 << 16  # the largest tensor has more elements than this
MOST = 1 << 21  # limit of the elements of a result
MOST_WORK = 1 << 33  # limit of the product of two numbers of elements: of the result and of the largest argument
MOST_OF_CONVOLUTION = 1 << 27  # the limit for convolutions, because the CPU has no fast convolution in double
# A matrix of random numbers is singular or nearly singular, so the results of these operators cannot be compared.
OF_MATRICES = ("linalg_", "cholesky", "lu", "svd", "qr", "geqrf", "ormqr", "pinverse", "lobpcg", "matrix_exp", "logdet",
               "triangular_solve", "pca_lowrank", "det", "inverse", "symeig", "nn_functional_ctc_loss")
# Some arguments of these operators are positions in other tensors, and the CPU does not check the bounds.
UNCHECKED = {"nn_functional_embedding_bag", "_segment_reduce_lengths", "_segment_reduce_offsets"}
# With duplicate indices, these operators have one right answer, because they sum or read all elements with the same
# index. Other operators may use any of the duplicates.
ADDING = {"scatter_add", "scatter_reduce_sum", "scatter_reduce_mean", "scatter_reduce_amax", "scatter_reduce_amin",
          "scatter_reduce_prod", "index_add", "index_reduce_mean", "index_reduce_amax", "index_reduce_amin", "index_reduce_prod",
          "nn_functional_embedding", "gather", "index_select", "take", "take_along_dim",
          "bincount", "index_fill"}
FIXED = {"out", "dtype", "layout", "device", "pin_memory", "memory_format", "generator", "size_average", "reduce", "inplace",
         "requires_grad", "training", "use_input_stats", "p", "dropout_p", "max_norm", "check_errors", "sparse", "input", "self"}
CHOICES = {"reduction": ["sum", "none"], "rounding_mode": ["floor", "trunc"], "correction": [0, 2], "approximate": ["tanh"],
           "mode": [], "side": ["right"], "padding_mode": [], "scale_grad_by_freq": [True]}


def of_matrices(name):
    return name.startswith(OF_MATRICES)


def _plain(sample):
    return [one for one in sample.tensors() if is_plain(one)]


# ---- large ------------------------------------------------------------------------------------------


def _sizes(sample, least):
    """Maps each size in the sample to a larger size, in the order of appearance. Different sizes stay different. Sizes
    of 1 do not change."""
    found = []
    for tensor in _plain(sample):
        found += [size for size in tensor.shape if size > 1 and size not in found]
    for new in SIZES:
        known = dict(zip(found, new))
        if len(found) <= len(new) and max(math.prod(_shape(one.shape, known)) for one in _plain(sample)) > least:
            return known
    return None


def _shape(shape, known):
    return [known.get(size, size) for size in shape]


def _resized(sample, known, draw):
    """The sample with tensors of these sizes. Arguments that repeat the end of the input's shape change as well."""
    shape = list(sample.input.shape) if is_plain(sample.input) else []

    def resize(tree):
        if isinstance(tree, (list, tuple)) and tree and all(type(one) is int for one in tree):
            return type(tree)(_shape(tree, known)) if list(tree) == shape[-len(tree):] else tree
        return tree

    made = sample.with_tensors(lambda one: _drawn(one, _shape(one.shape, known), draw))
    made.args = tuple(map(resize, made.args))
    made.kwargs = {key: resize(value) for key, value in made.kwargs.items()}
    return made


def _drawn(tensor, shape, draw):
    """A tensor of `shape` with the same kind of numbers in random order. Real numbers are all different."""
    flat = tensor.detach().reshape(-1)
    made = flat[torch.randint(0, flat.numel(), (math.prod(shape),), generator=draw)].reshape(shape)
    if made.is_floating_point() or made.is_complex():
        made = made * (0.75 + 0.25 * torch.rand(shape, generator=draw)).to(made.dtype)
    return made.requires_grad_(tensor.requires_grad)


def _fits(operator, sample):
    """True if the result is small enough. If the meta device does not support the operator, True only for a small
    sample."""
    try:
        result = sample.on("meta").call(operator.op)
    except NotImplementedError:
        return max(one.numel() for one in sample.tensors()) < 1 << 14
    except Exception:
        return False
    found = []
    map_leaves(result, lambda leaf: found.append(leaf.numel() if isinstance(leaf, torch.Tensor) else 0))
    most = MOST_OF_CONVOLUTION if operator.formatted_name.startswith("nn_functional_conv") else MOST_WORK
    return sum(found) < MOST and sum(found) * max(one.numel() for one in sample.tensors()) < most


def _grown(operator, sample, least):
    if operator.formatted_name in UNCHECKED or of_matrices(operator.formatted_name) or not sample.tensors():
        return
    if len(_plain(sample)) != len(sample.tensors()) or any(one.numel() == 0 for one in sample.tensors()):
        return
    known = _sizes(sample, least)
    made = known and _resized(sample, known, torch.Generator().manual_seed(5))
    if made and _fits(operator, made):
        yield made


def large(operator, sample):
    yield from _grown(operator, sample, LARGE)


def larger(operator, sample):
    yield from _grown(operator, sample, LARGER)


def with_dimensions(operator, sample):
    """Yields samples with four and two dimensions for elementwise operators whose own samples have fewer than two."""
    given = _plain(sample)
    if not isinstance(operator, torch_testing.elementwise()) or any(one.dim() > 1 for one in given) or not given:
        return
    if all(one.dim() == 1 and one.numel() for one in given) and len(given) == len(sample.tensors()):
        for shape in ((2, 3, 4, 5), (5, 7)):
            draw = torch.Generator().manual_seed(5)
            yield sample.with_tensors(lambda one: _drawn(one, shape, draw))


# ---- layouts ----------------------------------------------------------------------------------------


def _laid_out(sample, change):
    if any(is_plain(one) and one.dim() > 1 and one.numel() > 1 for one in sample.tensors()):
        yield sample.with_tensors(lambda one: change(one) if is_plain(one) and one.dim() > 1 else one)


def transposed(_, sample):
    """Stores each matrix in column-major order."""
    yield from _laid_out(sample, lambda one: one.detach().mT.contiguous().mT.requires_grad_(one.requires_grad))


def expanded(operator, sample):
    """Yields two samples. In the first, the input repeats its first row. In the second, each element of the input is at
    several positions."""
    given = sample.input
    if not is_plain(given) or not given.dim() or given.numel() < 2 or of_matrices(operator.formatted_name):
        return
    plain = given.detach().contiguous()
    yield dataclasses.replace(sample, input=plain[:1].expand(plain.shape).requires_grad_(given.requires_grad))
    steps = [1] * plain.dim()
    yield dataclasses.replace(sample, input=plain.as_strided(plain.shape, steps).requires_grad_(given.requires_grad))


def empty_dims(_, sample):
    """Yields a sample without elements along each dimension after the first."""
    for dim in range(1, sample.input.dim() if is_plain(sample.input) else 0):
        size = sample.input.size(dim)

        def empty(one, dim=dim, size=size):
            same = is_plain(one) and one.dim() > dim and one.size(dim) == size
            return one.detach().narrow(dim, 0, 0).clone() if same else one

        yield sample.with_tensors(empty)


# ---- values -----------------------------------------------------------------------------------------


def tied(operator, sample):
    """Rounds floating-point numbers to integers, so that most values occur several times."""
    if of_matrices(operator.formatted_name):
        return
    for grown in _grown(operator, sample, LARGE):
        if any(one.is_floating_point() for one in grown.tensors()):
            yield grown.with_tensors(lambda one: one.detach().round().requires_grad_(one.requires_grad)
                                     if one.is_floating_point() else one)


def duplicated(operator, sample):
    """Indices that occur several times."""
    if operator.formatted_name not in ADDING:
        return

    def halve(leaf):
        return leaf // 2 if isinstance(leaf, torch.Tensor) and leaf.dtype is torch.int64 else leaf

    for one in [sample, *_grown(operator, sample, LARGE)]:
        yield Arguments(one.input if one.input.is_floating_point() else halve(one.input),
                        *map_leaves((one.args, one.kwargs), halve), one.finish)


def zero_dim(operator, sample):
    """Makes the second operand zero-dimensional. aspects.host_scalar keeps that operand on the host."""
    if isinstance(operator, torch_testing.elementwise()[1]) and sample.args and is_plain(sample.args[0]):
        other = sample.args[0].detach().reshape(-1)[:1]
        if other.numel() and is_plain(sample.input):
            yield dataclasses.replace(sample, args=(other[0].clone(), *sample.args[1:]))


# ---- scalars and options ------------------------------------------------------------------------------


def _of_schema(operator):
    name = (operator.aten_name or operator.name).split(".")[-1]
    packet = getattr(torch.ops.aten, name, None)
    for overload in packet.overloads() if packet else []:
        for place, argument in enumerate(getattr(packet, overload)._schema.arguments):
            if argument.has_default_value():
                yield argument.name, argument.default_value, place if not argument.kwarg_only else None


def _of_signature(operator):
    try:
        parameters = list(inspect.signature(operator.op).parameters.values())
    except (TypeError, ValueError):
        return
    for place, one in enumerate(parameters):
        if one.default is not inspect.Parameter.empty:
            yield one.name, one.default, place


def _choices(name, default, dims, is_real):
    if name in ("dim", "axis"):
        return range(dims)
    if name in CHOICES:
        return CHOICES[name]
    if isinstance(default, bool):
        return [not default]
    if name in ("alpha", "beta", "value"):
        return [2.5, -0.5] if is_real else [3, -2]
    if isinstance(default, float):
        return [default * 3 + 0.25]
    return [default + 1] if isinstance(default, int) else []


def options(operator, sample):
    """Yields one sample for another value of each argument with a default, and one for each dim."""
    if not is_plain(sample.input):
        return
    seen, is_real = set(sample.kwargs) | FIXED, sample.input.is_floating_point() or sample.input.is_complex()
    for name, default, place in [*_of_schema(operator), *_of_signature(operator)]:
        if name in seen or place is not None and place <= len(sample.args):
            continue
        seen.add(name)
        for value in _choices(name, default, sample.input.dim(), is_real):
            yield dataclasses.replace(sample, kwargs={**sample.kwargs, name: value})
    if sample.input.is_floating_point() and "beta" in seen:  # beta = 0: the input must be ignored, even if it is NaN
        blank = torch.full_like(sample.input.detach(), math.nan)
        yield dataclasses.replace(sample, input=blank, kwargs={**sample.kwargs, "beta": 0})
