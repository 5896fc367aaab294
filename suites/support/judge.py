# SPDX-License-Identifier: BSD-3-Clause
"""One judge of values: whether what a device gave is what it had to give.

Three results are asked of it: the device's, the CPU's in the same dtype, and the CPU's in double. The CPU's own
error is measured, and a device may be off by a factor of it; so a long sum is given what a long sum needs, and an
addition is not. Where the inputs, moved by a rounding, move the result (`Reference.moved`), that is allowed, too.

    from judge import Reference, compare
    for difference in compare(seen, Reference.of(call, arguments)):
        print(difference)

Nothing here runs an operator on the device, except to copy a result from it. Operators that are not compared stand
in uncompared.tsv, those of which the CPU is no reference in no_reference.tsv (judge_tables.py).
"""

import functools

import torch
from judge_results import Difference, difference_in_form, resolved_on_cpu, same_numbers
from operator_samples import leaves, map_leaves, word

# Roundings of the dtype that a result may be off by without any sum: what the functions of other libraries promise
# (CUDA: 9, OpenCL: 16). Of the short dtypes fewer: who computes in them computes in float32 and rounds.
ROUNDINGS = {1: 1, 2: 4, 4: 16, 8: 16}  # by bytes of a number
OF_A_SUM = 2  # times the root of its terms; short dtypes are added up in float32
FACTOR = 8  # times the CPU's own error
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


def moved(tree):
    """Each number of its tensors moved by a rounding of its dtype, up or down, always the same ones."""
    draw = torch.Generator().manual_seed(1)

    def move(leaf):
        if not isinstance(leaf, torch.Tensor) or not (leaf.is_floating_point() or leaf.is_complex()):
            return leaf
        up = torch.randint(0, 2, leaf.shape, generator=draw).mul_(2).sub_(1)
        wide = leaf.detach().to(WIDER.get(leaf.dtype, leaf.dtype))
        return (wide * (1 + torch.finfo(leaf.dtype).eps / 2 * up)).requires_grad_(leaf.requires_grad)

    return map_leaves(tree, move)


def _or_none(call):
    try:
        return call()
    except Exception:  # an operator that has no double: then the CPU's own result is all there is
        return None


class Reference:
    """What the CPU gives. `double` and `moved` may be functions, called once, when somebody needs them.

    `length` is the number of terms in the longest sum that makes one element."""

    def __init__(self, cpu, double=None, moved=None, length=1):
        self.cpu, self.length = cpu, length
        self._double, self._moved = double, moved

    @classmethod
    def of(cls, call, arguments, length=None):
        """Of call(*arguments), tensors of the CPU; it must not write into them."""
        cpu = call(*arguments)
        return cls(cpu, lambda: call(*widened(list(arguments))), lambda: call(*moved(list(arguments))),
                   length_of(arguments, cpu) if length is None else length)

    @functools.cached_property
    def double(self):
        return _or_none(self._double) if callable(self._double) else self._double

    @functools.cached_property
    def moved(self):
        return _or_none(self._moved) if callable(self._moved) else self._moved

    def wide(self, number):
        """Of one leaf of the CPU's result: the same in double, and after moving the inputs; None for what there is not."""
        return [_leaf(tree, number, len(leaves(self.cpu))) for tree in (self.double, self.moved)]


def _leaf(tree, number, count):
    found = leaves(tree)
    return found[number] if len(found) == count else None


def length_of(arguments, result):
    """How many numbers of the largest argument there are for each of the largest result."""
    most, made = (max((leaf.numel() for leaf in leaves(tree) if isinstance(leaf, torch.Tensor)), default=1)
                  for tree in (list(arguments), result))
    return max(1, most // max(1, made))


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


def tolerance(cpu, double, moved, dtype, length):
    """How far each element may be from the reference. `cpu`, `double` and `moved` are wide already."""
    info, size = torch.finfo(dtype), _size(cpu if double is None else double)
    roundings = ROUNDINGS[info.bits // 8] + (OF_A_SUM * length**0.5 if info.bits > 16 else 0)
    allowed = roundings * info.eps * size + info.smallest_normal
    largest = size.max().item() if size.numel() else 0.0
    jump = info.eps**0.5 * largest  # an element that is farther off went another way: it tells nothing of others
    if double is None:
        return allowed + roundings * info.eps * largest
    own = _error(cpu, double)
    relative = _usual_worst(own / size.clamp_min(info.smallest_normal))
    allowed += FACTOR * torch.minimum(relative * size, torch.full_like(size, _usual_worst(own)))
    allowed += FACTOR * torch.where(own > jump, 0, own)
    if moved is not None:
        shift = _error(double, moved)
        allowed += FACTOR * torch.where(shift > jump, 0, shift)
    return allowed


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
    where = f"element {at} is {left!r}, expected {right!r}"
    return Difference(f"{where}; {len(wrong)} of {near.numel()} elements differ", kind)


def _floats(seen, cpu, double, moved, length):
    dtype = cpu.dtype
    wide = torch.complex128 if cpu.is_complex() else torch.float64
    has_wide = double is not None and double.dtype == wide and double.shape == cpu.shape and dtype != wide
    double, moved = (resolved_on_cpu(double) if has_wide else None,
                     resolved_on_cpu(moved) if has_wide and moved is not None and moved.shape == cpu.shape else None)
    left, right = seen.to(wide), cpu.to(wide)
    references = [right] if double is None else [right, double]
    fits = functools.reduce(torch.logical_or, (_kinds_fit(left, one) for one in references))
    if not fits.all():
        return _describe(seen, cpu, fits, "nonfinite")
    allowed = tolerance(right, double, moved, dtype, length)
    off = torch.stack([(left - one).abs().nan_to_num(float("inf"), float("inf")) for one in references]).amin(0)
    near = (off <= allowed) | (left == right) | ~left.isfinite()
    return None if near.all() else _describe(seen, cpu, near, "value", off / allowed)


def _whole_numbers(seen, cpu, double):
    near = seen == cpu
    if double is not None and double.shape == cpu.shape and double.dtype == cpu.dtype:
        near |= seen == double  # a boundary that a rounding decides
    return None if near.all() else _describe(seen, cpu, near, "value")


def difference_of_values(seen, cpu, double=None, moved=None, length=1):
    """Of two tensors of the CPU of one dtype and shape: a Difference, or None."""
    if same_numbers(seen, cpu):
        return None
    if cpu.is_quantized:
        return _whole_numbers(seen.int_repr(), cpu.int_repr(), None)
    if cpu.is_floating_point() or cpu.is_complex():
        return _floats(seen, cpu, double, moved, length)
    return _whole_numbers(seen, cpu, double)


def difference_of_signs(seen, cpu):
    """A zero has a sign, and these two are another one's: for who promises IEEE arithmetic."""
    if not cpu.is_floating_point():
        return None
    near = (seen != 0) | (cpu != 0) | (seen.signbit() == cpu.signbit())
    return None if near.all() else _describe(seen, cpu, near, "signed zero")


def _of_tensors(seen, cpu, wide, place, length, signs):
    said = difference_in_form(seen, cpu, place)
    if said:
        return said
    seen, cpu = resolved_on_cpu(seen), resolved_on_cpu(cpu)
    said = None if same_numbers(seen, cpu) else difference_of_values(seen, cpu, *wide(), length)
    return said or (difference_of_signs(seen, cpu) if signs else None)


def _of_plain_values(seen, cpu, wide, length):
    if type(seen) is not type(cpu):
        return Difference(f"got {word(seen)}, expected {word(cpu)}", "structure")
    if isinstance(cpu, (torch.device, torch.Generator)) or seen is cpu or seen == cpu:
        return None
    if not isinstance(cpu, (float, complex)):
        return Difference(f"got {word(seen)}, expected {word(cpu)}", "value")
    dtype = torch.complex64 if isinstance(cpu, complex) else torch.float32  # .item() of a float32 is a double
    more = [torch.tensor(one, dtype=WIDER[dtype]) if isinstance(one, (float, complex)) else None for one in wide()]
    return difference_of_values(torch.tensor(seen, dtype=dtype), torch.tensor(cpu, dtype=dtype), *more, length)


def compare(seen, reference, place=None, signs=False):
    """Every difference, as words with a `kind`; none where the device is right.

    `seen` is a tree of results. `reference` is a Reference, or the CPU's tree alone. `place` is where tensors
    must be, or None; with `signs` a zero must have the CPU's sign."""
    reference = reference if isinstance(reference, Reference) else Reference(reference)
    mine, theirs, length = leaves(seen), leaves(reference.cpu), reference.length
    if len(mine) != len(theirs):
        return [Difference(f"got {len(mine)} results, expected {len(theirs)}", "structure")]
    found = []
    for number, (one, other) in enumerate(zip(mine, theirs)):
        wide = functools.partial(reference.wide, number)
        if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
            said = _of_tensors(one, other, wide, place, length, signs)
        else:
            said = _of_plain_values(one, other, wide, length)
        if said:
            found.append(said if len(mine) == 1 else Difference(f"number {number}: {said}", said.kind))
    return found
