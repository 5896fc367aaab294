# SPDX-License-Identifier: BSD-3-Clause
"""The only comparison of values: decides whether the result of a device is right.

The judge uses three results: the result of the device, the CPU's result in the same dtype, and the CPU's result in
double. It measures the CPU's own error, and allows a device a multiple of that error. So a long sum has a wide
tolerance and an addition has a narrow tolerance. If a rounding of the inputs changes the result (`Reference.moved`),
that change is allowed as well.

    from judge import Reference, compare
    for difference in compare(seen, Reference.of(call, arguments)):
        print(difference)

The judge runs no operator on the device, except to copy a result to the CPU. uncompared.tsv lists operators that are
not compared; no_reference.tsv lists operators for which the CPU is no reference (assay/values/tables.py).
"""

import functools

from assay.values import sums
from assay.values.own_torch import torch
from assay.values.results import Difference, difference_in_form, resolved_on_cpu, same_numbers
from assay.values.trees import is_plain, leaves, map_leaves, spread, word
from assay.values.words import all_zero, differing

# Allowed error of a result without any sum, in roundings of the dtype. Other libraries promise similar bounds for their
# functions (CUDA: 9, OpenCL: 16). Short dtypes have lower bounds, because backends compute them in float32 and round.
ROUNDINGS = {1: 1, 2: 4, 4: 16, 8: 16}  # by the bytes of a number
MOVES = 4
OF_A_SUM = 2  # is multiplied by the square root of the number of terms; sums of short dtypes are computed in float32
FACTOR = 8  # times the CPU's own error
NOISE = 64  # multiple of the CPU's own error, if no digit of the CPU's result is right
# multiple of the median error; a larger error of one CPU element does not widen the tolerance of the others
OUTLIER = 1000
WIDER = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
         torch.complex32: torch.complex128, torch.complex64: torch.complex128}


# ---- the reference ---------------------------------------------------------------------------------


def widened(tree):
    """The tree in double, including dtype arguments. Tensors that share memory no longer share it."""

    def widen(leaf):
        if isinstance(leaf, torch.dtype):
            return WIDER.get(leaf, leaf)
        if not isinstance(leaf, torch.Tensor) or leaf.dtype not in WIDER:
            return leaf
        return leaf.detach().to(WIDER[leaf.dtype]).requires_grad_(leaf.requires_grad)

    return map_leaves(tree, widen)


def moved(tree, seed):
    """The tree with each number changed by at most two roundings of its dtype, up or down."""
    draw = torch.Generator().manual_seed(seed)

    def move(leaf):
        if not isinstance(leaf, torch.Tensor) or not (leaf.is_floating_point() or leaf.is_complex()):
            return leaf
        by = torch.rand(leaf.shape, generator=draw, dtype=torch.float64).mul_(4).sub_(2)
        wide = leaf.detach().to(WIDER.get(leaf.dtype, leaf.dtype))
        near = (wide * (1 + torch.finfo(leaf.dtype).eps / 2 * by)).to(leaf.dtype)
        return near.requires_grad_(leaf.requires_grad)

    return map_leaves(tree, move)


def _or_none(call):
    try:
        return call()
    except Exception:  # the operator does not support double, so only the CPU's own result is used
        return None


class Reference:
    """The CPU's result, its result in double, and pairs of both for changed inputs (`moves`). The last two may be
    functions; each is called once, on first use.

    `terms` is the number of elements of the largest argument, because an element of a result may be a sum of so many
    terms. `precision` is the dtype of the computation if the result has a wider dtype. `is_long` is set if the
    computation is so long that a small element may be a difference of large numbers. `again` is a function that
    computes the result in double once more; it is needed to bound sums in 16-bit dtypes (sums.py).
    """

    def __init__(self, cpu, double=None, moved=None, terms=1, precision=None, is_long=False, again=None):
        self.cpu, self.terms, self.precision, self.is_long = cpu, terms, precision, is_long
        self._double, self._moved, self._again = double, moved, again

    @classmethod
    def of(cls, call, arguments):
        """The reference for call(*arguments) with CPU tensors. The call must not write into the arguments."""
        given = list(arguments)
        return cls(call(*given), lambda: call(*widened(given)), lambda: moves(lambda change: call(*change(given))),
                   terms_of(given), again=lambda: call(*widened(given)))

    @functools.cached_property
    def double(self):
        return _or_none(self._double) if callable(self._double) else self._double

    @functools.cached_property
    def moved(self):
        return _or_none(self._moved) or [] if callable(self._moved) else self._moved or []

    @functools.cached_property
    def sizes(self):
        """The sums of the absolute values of all terms, and their roundings, if the result is one sum. Else None."""
        return _or_none(lambda: sums.size(self._again)) if self._again else None

    def part(self, key):
        """The reference for one part of a result that is a dict or a list."""

        def of(tree):
            return tree[key] if tree is not None else None

        return Reference(self.cpu[key], lambda: of(self.double), lambda: [tuple(map(of, pair)) for pair in self.moved],
                         self.terms, self.precision, self.is_long, lambda: of(self._again()) if self._again else None)

    def wide(self, number):
        """For one leaf of the CPU's result: its value in double, or None, and the pairs for changed inputs."""
        count = len(leaves(self.cpu))
        return (_leaf(self.double, number, count),
                [tuple(_leaf(tree, number, count) for tree in pair) for pair in self.moved])

    def wrong_sums(self, seen, number):
        """The elements of one leaf that are less exact than a sum in float32, or None."""
        cpu, count = leaves(self.cpu)[number], len(leaves(self.cpu))
        if not cpu.is_floating_point() or cpu.dtype.itemsize != 2 or self.sizes is None or seen.numel() == 0:
            return None
        tree, roundings = self.sizes
        double, sizes = (_wide(_leaf(one, number, count), cpu, torch.float64) for one in (self.double, tree))
        if double is None or sizes is None:
            return None
        return sums.wrong(seen.double(), cpu, double, sizes, roundings, roundings_of(torch.float32, self.terms))


def relaid(tree):
    """The same numbers in a different memory layout, because the CPU then uses another loop with other errors."""
    return map_leaves(tree, lambda leaf: _relaid(leaf) if is_plain(leaf) else leaf)


def _relaid(tensor):
    if tensor.is_contiguous():
        return spread(tensor)
    return tensor.detach().clone(memory_format=torch.contiguous_format).requires_grad_(tensor.requires_grad)


def moves(call):
    """Pairs of call(change) in double and in the dtype, for several changes of the inputs and for a different memory
    layout. Several changes are needed because one result may be exact by chance."""
    pairs = [(call(lambda tree: widened(moved(tree, seed))), call(lambda tree: moved(tree, seed))) for seed in range(MOVES)]
    return [*pairs, (call(widened), call(relaid))]


def _leaf(tree, number, count):
    found = leaves(tree)
    return found[number] if len(found) == count else None


def terms_of(arguments):
    return max((leaf.numel() for leaf in leaves(list(arguments)) if isinstance(leaf, torch.Tensor)), default=1)


# ---- the tolerance -----------------------------------------------------------------------------------


def _usual_worst(errors):
    """The largest of these errors, ignoring outliers."""
    positive = errors[errors > 0]
    if not positive.numel():
        return 0.0
    return positive[positive <= OUTLIER * positive.median()].max().item()


def _error(one, other):
    """The distance of each element, or 0 for elements that are not finite."""
    return (one - other).abs().nan_to_num(0, 0, 0)


def _size(tensor):
    return tensor.abs().nan_to_num(0, 0, 0)


def _of_its_size(own, size):
    """For each element, the largest error among elements that are smaller or not much larger. Usually errors grow with
    the numbers, but a small element may be a difference of large numbers and have a large error."""
    order = size.reshape(-1).argsort()
    sizes, worst = size.reshape(-1)[order], own.reshape(-1)[order].cummax(0).values
    upto = torch.searchsorted(sizes, sizes * 4, right=True) - 1
    return torch.empty_like(worst).scatter_(0, order, worst[upto]).reshape(size.shape)


def _of_noise(own, double):
    """A multiple of the CPU's error if no digit of the CPU's result is right (an exact 0, for example). Otherwise 0."""
    return NOISE * own.max().item() if own.max() > 0.1 * _size(double).max() else 0.0


def roundings_of(dtype, length):
    """The relative error that is always allowed for a sum of `length` terms."""
    info = torch.finfo(dtype)
    return (ROUNDINGS[info.bits // 8] + (OF_A_SUM * length**0.5 if info.bits > 16 else 0)) * info.eps


def is_within(seen, references, share, least):
    """True if each number differs from one of the references by less than `share` of that reference plus `least`. All
    tensors are in double. If there are infinities or NaN, False means nothing."""
    near = None
    for one in references:
        own = (seen - one).abs() < one.abs().mul(share).add(least)
        near = own if near is None else near | own
        if near.all():
            return True
    return False


def tolerance(cpu, double, moved, dtype, length, is_long=False, off=None):
    """The largest allowed distance of each element from the reference. All tensors are in double; `moved` is a list of
    pairs. `off` are the actual distances. If a part of the tolerance that is cheap to compute covers all of them, that
    part is returned."""
    info, size = torch.finfo(dtype), torch.maximum(_size(cpu), _size(cpu if double is None else double))
    roundings, largest = roundings_of(dtype, length), size.max().item()
    least = roundings * size + info.smallest_normal
    if double is None or is_long:
        least = least + roundings * largest
    if double is None:
        return least
    # a larger difference comes from another branch of the computation and does not concern other elements
    jump = info.eps**0.5 * largest
    own = _error(cpu, double)
    relative, most = _usual_worst(own / size.clamp_min(info.smallest_normal)), _usual_worst(own)
    model = torch.full_like(size, most) if is_long else torch.minimum(relative * size, torch.full_like(size, most))
    least = least + _of_noise(own, double) if is_long else least
    if off is not None and (off <= least + FACTOR * model).all():
        return least + FACTOR * model
    own = torch.where(own > jump, 0, own)
    for wide, short in moved:
        moved_by = torch.maximum(_error(double, wide), _error(wide, short))
        own = torch.maximum(own, torch.where(moved_by > jump, 0, moved_by))
    return least + FACTOR * torch.maximum(model, _of_its_size(own, size))


# ---- the verdict -------------------------------------------------------------------------------------


def _kinds_fit(seen, one):
    """The elements whose NaN or infinity agrees with `one`. For complex numbers, only isfinite() must agree."""
    if one.is_complex():
        return seen.isfinite() == one.isfinite()
    return (seen.isnan() == one.isnan()) & ((seen == one) | ~(seen.isinf() | one.isinf()))


def _describe(seen, wanted, near, kind, off=None):
    wrong = (~near).reshape(-1).nonzero().reshape(-1)
    at = int(wrong[0]) if off is None else int(wrong[off.reshape(-1)[wrong].nan_to_num(0).argmax()])
    left, right = seen.reshape(-1)[at].item(), wanted.reshape(-1)[at].item()
    where = f"element {at} is {left!r}, expected {right!r}" + (" (the worst)" if off is not None and len(wrong) > 1 else "")
    return Difference(f"{where}; {differing(wrong, near.numel())}{all_zero(seen, wanted)}{as_float32(seen, wanted)}", kind)


def as_float32(seen, wanted):
    """Returns a remark if results in double are right only in the digits of a float32."""
    is_double = seen.dtype in (torch.float64, torch.complex128) and seen.dtype == wanted.dtype
    off = (seen - wanted).abs() if is_double else None
    is_off = is_double and bool((off > wanted.abs() * 2.0**-34).any())  # a different order of the sum causes a smaller error
    return ", as if computed in float32" if is_off and bool((off <= wanted.abs() * 2.0**-20).all()) else ""


def _coarser(dtype, precision):
    if precision is None or not (precision.is_floating_point or precision.is_complex):
        return dtype
    return max(dtype, precision, key=lambda one: torch.finfo(one).eps)


def _wide(tensor, cpu, wide):
    fits = isinstance(tensor, torch.Tensor) and tensor.dtype == wide and tensor.shape == cpu.shape
    return resolved_on_cpu(tensor) if fits else None


def _pair(double, short, cpu, wide):
    double, short = _wide(double, cpu, wide), _wide(short, cpu, cpu.dtype)
    return None if double is None or short is None else (double, short.to(wide))


def _floats(seen, cpu, double, moved, terms, precision, is_long):
    dtype = _coarser(cpu.dtype, precision)
    wide = torch.complex128 if cpu.is_complex() else torch.float64
    is_wider = torch.finfo(dtype).bits < 64
    double = _wide(double, cpu, wide) if is_wider else None
    moved = [pair for pair in (_pair(*pair, cpu, wide) for pair in moved) if pair] if double is not None else []
    left, right = seen.to(wide), cpu.to(wide)
    references = [right] if double is None else [right, double]
    if is_within(left, references, roundings_of(dtype, terms / cpu.numel()), torch.finfo(dtype).smallest_normal):
        return None
    fits = functools.reduce(torch.logical_or, (_kinds_fit(left, one) for one in references))
    if not fits.all():
        return _describe(seen, cpu, fits, "nonfinite")
    off = torch.stack([(left - one).abs().nan_to_num(float("inf"), float("inf")) for one in references]).amin(0)
    is_exact = (left == right) | ~left.isfinite()
    allowed = tolerance(right, double, moved, dtype, terms / cpu.numel(), is_long, torch.where(is_exact, 0, off))
    near = (off <= allowed) | is_exact
    return None if near.all() else _describe(seen, cpu, near, "value", off / allowed)


def _whole_numbers(seen, cpu, double):
    near = seen == cpu
    if double is not None and double.shape == cpu.shape and double.dtype == cpu.dtype:
        near |= seen == double  # a rounding may move the result across a boundary, so the exact result is also right
    return None if near.all() else _describe(seen, cpu, near, "value")


def difference_of_values(seen, cpu, double=None, moved=(), terms=1, precision=None, is_long=False):
    """Compares two CPU tensors of the same dtype and shape. Returns a Difference, or None."""
    if same_numbers(seen, cpu):
        return None
    if cpu.is_quantized:
        return _whole_numbers(seen.int_repr(), cpu.int_repr(), None)
    if cpu.is_floating_point() or cpu.is_complex():
        return _floats(seen, cpu, double, moved, terms, precision, is_long)
    return _whole_numbers(seen, cpu, double)


def difference_of_signs(seen, cpu):
    """Compares the signs of zeros, for backends that promise IEEE arithmetic."""
    if not cpu.is_floating_point():
        return None
    near = (seen != 0) | (cpu != 0) | (seen.signbit() == cpu.signbit())
    return None if near.all() else _describe(seen, cpu, near, "signed zero")


def _of_tensors(seen, cpu, place, wide, limits, signs, values, wrong_sums):
    said = difference_in_form(seen, cpu, place)
    if said or not values:
        return said
    seen, cpu = resolved_on_cpu(seen), resolved_on_cpu(cpu)
    if not same_numbers(seen, cpu):
        said = difference_of_values(seen, cpu, *wide(), *limits)
        wrong = None if said else wrong_sums(seen)
        said = said if wrong is None else _describe(seen, cpu, ~wrong, "value", (seen.double() - cpu.double()).abs())
    return said or (difference_of_signs(seen, cpu) if signs else None)


def _of_plain_values(seen, cpu, wide, limits, values):
    if type(seen) is not type(cpu):
        return Difference(f"got {word(seen)}, expected {word(cpu)}", "structure")
    if not values or isinstance(cpu, (torch.device, torch.Generator)) or seen is cpu or seen == cpu:
        return None
    if not isinstance(cpu, (float, complex)):
        return Difference(f"got {word(seen)}, expected {word(cpu)}", "value")
    # .item() of a float32 tensor is a Python float, which is a double
    dtype = torch.complex64 if isinstance(cpu, complex) else torch.float32
    double, moved = wide()
    double = torch.tensor(double, dtype=WIDER[dtype]) if isinstance(double, (float, complex)) else None
    moved = [(torch.tensor(one, dtype=WIDER[dtype]), torch.tensor(other, dtype=dtype)) for one, other in moved
             if isinstance(one, (float, complex)) and isinstance(other, (float, complex))]
    return difference_of_values(torch.tensor(seen, dtype=dtype), torch.tensor(cpu, dtype=dtype), double, moved, *limits)


def compare(seen, reference, place=None, signs=False, values=True):
    """Returns all differences as strings with a `kind`. The list is empty if the device is right.

    `seen` is a tree of results. `reference` is a Reference, or only the CPU's tree. `place` is the device where tensors
    must be, or None. With `signs`, a zero must have the CPU's sign. If `values` is True, the values of all results are
    compared. If it is False, only the number of results, device, dtype, shape and layout are compared. A function as
    `values` decides by the number of the result.
    """
    reference = reference if isinstance(reference, Reference) else Reference(reference)
    mine, theirs = leaves(seen), leaves(reference.cpu)
    if len(mine) != len(theirs):
        return [Difference(f"got {len(mine)} results, expected {len(theirs)}", "structure")]
    found, limits = [], (reference.terms, reference.precision, reference.is_long)
    for number, (one, other) in enumerate(zip(mine, theirs)):
        wide = functools.partial(reference.wide, number)
        asked = values(number) if callable(values) else values
        if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
            said = _of_tensors(one, other, place, wide, limits, signs, asked, functools.partial(reference.wrong_sums, number=number))
        else:
            said = _of_plain_values(one, other, wide, limits, asked)
        if said:
            found.append(said if len(mine) == 1 else Difference(f"number {number}: {said}", said.kind))
    return found
