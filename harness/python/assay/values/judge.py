# SPDX-License-Identifier: BSD-3-Clause
"""One judge of values: whether what a device gave is what it had to give.

Three results are asked of it: the device's, the CPU's in the same dtype, and the CPU's in double. The CPU's own
error is measured, and a device may be off by a factor of it; so a long sum is given what a long sum needs, and an
addition is not. Where the inputs, moved by a rounding, move the result (`Reference.moved`), that is allowed, too.

    from judge import Reference, compare
    for difference in compare(seen, Reference.of(call, arguments)):
        print(difference)

Nothing here runs an operator on the device, except to copy a result from it. Operators that are not compared stand
in uncompared.tsv, those of which the CPU is no reference in no_reference.tsv (assay/values/tables.py).
"""

import functools

from assay.values.own_torch import torch
from assay.values.results import Difference, difference_in_form, resolved_on_cpu, same_numbers
from assay.values.trees import is_plain, leaves, map_leaves, spread, word
from assay.values.words import all_zero, differing

# Roundings of the dtype that a result may be off by without any sum: what the functions of other libraries promise
# (CUDA: 9, OpenCL: 16). Of the short dtypes fewer: who computes in them computes in float32 and rounds.
ROUNDINGS = {1: 1, 2: 4, 4: 16, 8: 16}  # by bytes of a number
MOVES = 4
OF_A_SUM = 2  # times the root of its terms; short dtypes are added up in float32
FACTOR = 8  # times the CPU's own error
NOISE = 64  # times the same, where nothing but error is left
OUTLIER = 1000  # times the median error: one element that the CPU itself gets wrong excuses no other one
WIDER = {torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
         torch.complex32: torch.complex128, torch.complex64: torch.complex128}


# ---- the reference ---------------------------------------------------------------------------------


def widened(tree):
    """The same in double, also dtypes that are arguments; tensors that share memory do not share it afterwards."""

    def widen(leaf):
        if isinstance(leaf, torch.dtype):
            return WIDER.get(leaf, leaf)
        if not isinstance(leaf, torch.Tensor) or leaf.dtype not in WIDER:
            return leaf
        return leaf.detach().to(WIDER[leaf.dtype]).requires_grad_(leaf.requires_grad)

    return map_leaves(tree, widen)


def moved(tree, seed):
    """Each number of its tensors moved by at most two roundings of its dtype, up or down."""
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
    except Exception:  # an operator that has no double: then the CPU's own result is all there is
        return None


class Reference:
    """The result on the CPU, that in double, and pairs of both for inputs that were moved (`moves`). The last two
    may be functions, called once, when somebody needs them.

    `terms` is how many numbers the largest argument has: those of them that each element of a result may be a sum
    of. `precision` is the dtype that was computed in, where a result has a longer one. `is_long`: so much is computed
    that a small element may come of large ones."""

    def __init__(self, cpu, double=None, moved=None, terms=1, precision=None, is_long=False):
        self.cpu, self.terms, self.precision, self.is_long = cpu, terms, precision, is_long
        self._double, self._moved = double, moved

    @classmethod
    def of(cls, call, arguments):
        """Of call(*arguments), tensors of the CPU; it must not write into them."""
        given = list(arguments)
        return cls(call(*given), lambda: call(*widened(given)), lambda: moves(lambda change: call(*change(given))),
                   terms_of(given))

    @functools.cached_property
    def double(self):
        return _or_none(self._double) if callable(self._double) else self._double

    @functools.cached_property
    def moved(self):
        return _or_none(self._moved) or [] if callable(self._moved) else self._moved or []

    def part(self, key):
        """The same of one part of a result that is a dict or a list."""

        def of(tree):
            return tree[key] if tree is not None else None

        return Reference(self.cpu[key], lambda: of(self.double), lambda: [tuple(map(of, pair)) for pair in self.moved],
                         self.terms, self.precision, self.is_long)

    def wide(self, number):
        """Of one leaf of the CPU's result: the same in double, None if there is none, and the pairs of moved inputs."""
        count = len(leaves(self.cpu))
        return (_leaf(self.double, number, count),
                [tuple(_leaf(tree, number, count) for tree in pair) for pair in self.moved])


def relaid(tree):
    """The same numbers otherwise in memory: the CPU computes them by another loop, with other errors."""
    return map_leaves(tree, lambda leaf: _relaid(leaf) if is_plain(leaf) else leaf)


def _relaid(tensor):
    if tensor.is_contiguous():
        return spread(tensor)
    return tensor.detach().clone(memory_format=torch.contiguous_format).requires_grad_(tensor.requires_grad)


def moves(call):
    """For Reference: pairs of call(change) in double and in the dtype, for as many changes of the inputs as make luck
    unlikely, and for another layout of them."""
    pairs = [(call(lambda tree: widened(moved(tree, seed))), call(lambda tree: moved(tree, seed))) for seed in range(MOVES)]
    return [*pairs, (call(widened), call(relaid))]


def _leaf(tree, number, count):
    found = leaves(tree)
    return found[number] if len(found) == count else None


def terms_of(arguments):
    return max((leaf.numel() for leaf in leaves(list(arguments)) if isinstance(leaf, torch.Tensor)), default=1)


# ---- the tolerance -----------------------------------------------------------------------------------


def _usual_worst(errors):
    """The largest of these errors that is none of its own kind."""
    positive = errors[errors > 0]
    if not positive.numel():
        return 0.0
    return positive[positive <= OUTLIER * positive.median()].max().item()


def _error(one, other):
    """How far apart, element by element; 0 where that is no number."""
    return (one - other).abs().nan_to_num(0, 0, 0)


def _size(tensor):
    return tensor.abs().nan_to_num(0, 0, 0)


def _of_its_size(own, size):
    """The largest error of elements that are smaller, or not much larger: errors grow with numbers, and what is left
    of large ones that cancel out is found among the small ones."""
    order = size.reshape(-1).argsort()
    sizes, worst = size.reshape(-1)[order], own.reshape(-1)[order].cummax(0).values
    upto = torch.searchsorted(sizes, sizes * 4, right=True) - 1
    return torch.empty_like(worst).scatter_(0, order, worst[upto]).reshape(size.shape)


def _of_noise(own, double):
    """Where the CPU has no right digit at all, as of a derivative that is 0: how far it is off."""
    return NOISE * own.max().item() if own.max() > 0.1 * _size(double).max() else 0.0


def roundings_of(dtype, length):
    """Of a number, the share that anyone may be off by whose result is a sum of `length` terms."""
    info = torch.finfo(dtype)
    return (ROUNDINGS[info.bits // 8] + (OF_A_SUM * length**0.5 if info.bits > 16 else 0)) * info.eps


def is_within(seen, references, share, least):
    """Whether each number is no farther from one of these than that share of it and `least`. All are wide. False says nothing
    where one is infinite, or none."""
    near = None
    for one in references:
        own = (seen - one).abs() < one.abs().mul(share).add(least)
        near = own if near is None else near | own
        if near.all():
            return True
    return False


def tolerance(cpu, double, moved, dtype, length, is_long=False, off=None):
    """How far each element may be from the reference. All are wide already; `moved` is a list of pairs. `off`: how far each
    is; where the part of the tolerance that is soon known is enough for all, that part is given."""
    info, size = torch.finfo(dtype), torch.maximum(_size(cpu), _size(cpu if double is None else double))
    roundings, largest = roundings_of(dtype, length), size.max().item()
    least = roundings * size + info.smallest_normal
    if double is None or is_long:
        least = least + roundings * largest
    if double is None:
        return least
    jump = info.eps**0.5 * largest  # an element that is farther off went another way: it tells nothing of others
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
    """Where NaN and infinities are as in `one`. A complex number only has to be none, as core's are."""
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
    """Says so of doubles that are right to the digits that a float32 has."""
    is_double = seen.dtype in (torch.float64, torch.complex128) and seen.dtype == wanted.dtype
    off = (seen - wanted).abs() if is_double else None
    is_off = is_double and bool((off > wanted.abs() * 2.0**-34).any())  # more than by an order of its sums
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
        near |= seen == double  # a boundary that a rounding decides
    return None if near.all() else _describe(seen, cpu, near, "value")


def difference_of_values(seen, cpu, double=None, moved=(), terms=1, precision=None, is_long=False):
    """Of two tensors of the CPU of one dtype and shape: a Difference, or None."""
    if same_numbers(seen, cpu):
        return None
    if cpu.is_quantized:
        return _whole_numbers(seen.int_repr(), cpu.int_repr(), None)
    if cpu.is_floating_point() or cpu.is_complex():
        return _floats(seen, cpu, double, moved, terms, precision, is_long)
    return _whole_numbers(seen, cpu, double)


def difference_of_signs(seen, cpu):
    """A zero has a sign, and these two are another one's: for who promises IEEE arithmetic."""
    if not cpu.is_floating_point():
        return None
    near = (seen != 0) | (cpu != 0) | (seen.signbit() == cpu.signbit())
    return None if near.all() else _describe(seen, cpu, near, "signed zero")


def _of_tensors(seen, cpu, place, wide, limits, signs, values):
    said = difference_in_form(seen, cpu, place)
    if said or not values:
        return said
    seen, cpu = resolved_on_cpu(seen), resolved_on_cpu(cpu)
    said = None if same_numbers(seen, cpu) else difference_of_values(seen, cpu, *wide(), *limits)
    return said or (difference_of_signs(seen, cpu) if signs else None)


def _of_plain_values(seen, cpu, wide, limits, values):
    if type(seen) is not type(cpu):
        return Difference(f"got {word(seen)}, expected {word(cpu)}", "structure")
    if not values or isinstance(cpu, (torch.device, torch.Generator)) or seen is cpu or seen == cpu:
        return None
    if not isinstance(cpu, (float, complex)):
        return Difference(f"got {word(seen)}, expected {word(cpu)}", "value")
    dtype = torch.complex64 if isinstance(cpu, complex) else torch.float32  # .item() of a float32 is a double
    double, moved = wide()
    double = torch.tensor(double, dtype=WIDER[dtype]) if isinstance(double, (float, complex)) else None
    moved = [(torch.tensor(one, dtype=WIDER[dtype]), torch.tensor(other, dtype=dtype)) for one, other in moved
             if isinstance(one, (float, complex)) and isinstance(other, (float, complex))]
    return difference_of_values(torch.tensor(seen, dtype=dtype), torch.tensor(cpu, dtype=dtype), double, moved, *limits)


def compare(seen, reference, place=None, signs=False, values=True):
    """Every difference, as words with a `kind`; none where the device is right.

    `seen` is a tree of results. `reference` is a Reference, or the CPU's tree alone. `place` is where tensors
    must be, or None; with `signs` a zero must have the CPU's sign; without `values` only what is no number is asked:
    how many results, where, of which dtype, shape and layout. True asks all, a function those whose number it takes."""
    reference = reference if isinstance(reference, Reference) else Reference(reference)
    mine, theirs = leaves(seen), leaves(reference.cpu)
    if len(mine) != len(theirs):
        return [Difference(f"got {len(mine)} results, expected {len(theirs)}", "structure")]
    found, limits = [], (reference.terms, reference.precision, reference.is_long)
    for number, (one, other) in enumerate(zip(mine, theirs)):
        wide = functools.partial(reference.wide, number)
        asked = values(number) if callable(values) else values
        if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
            said = _of_tensors(one, other, place, wide, limits, signs, asked)
        else:
            said = _of_plain_values(one, other, wide, limits, asked)
        if said:
            found.append(said if len(mine) == 1 else Difference(f"number {number}: {said}", said.kind))
    return found
