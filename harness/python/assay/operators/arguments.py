# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of an operator, and the forms in which they are passed: on another device, strided, empty.

Samples are always created on the CPU.
"""

import dataclasses

import torch
from assay.values.trees import copied, is_plain, map_leaves, shared_rows, spread, tensors, word


@dataclasses.dataclass
class Arguments:
    """The arguments of one call of an operator."""

    input: object
    args: tuple
    kwargs: dict
    finish: object  # function that PyTorch's tests apply to the result before they differentiate it

    @classmethod
    def of(cls, sample):
        return cls(sample.input, tuple(sample.args), dict(sample.kwargs), sample.output_process_fn_grad)

    def changed(self, change):
        return Arguments(*map_leaves((self.input, self.args, self.kwargs), change), self.finish)

    def finished(self, result):
        """The result after `finish`, for differentiation. An error of `finish` is not an error of the operator."""
        try:
            return self.finish(result)
        except Exception as error:
            error.assay_step = "the post-processing of the result for the gradient, such as abs()"
            raise

    def on(self, place, but_arguments=False):
        """A copy of all arguments on `place`. In the copy, a device argument for the CPU becomes `place`."""
        known, rows = {}, {str(to): shared_rows(self.tensors(), to) for to in {str(place), "cpu"}}

        def move(leaf, place=place):
            if isinstance(leaf, torch.Tensor):
                moved = known.get((id(leaf), str(place)))
                return moved if moved is not None else known.setdefault(
                    (id(leaf), str(place)), copied(leaf, place, rows[str(place)]))
            is_device = isinstance(leaf, torch.device) or isinstance(leaf, str) and leaf == "cpu"
            return torch.device(place) if is_device else leaf

        if but_arguments:
            moved = self.changed(lambda leaf: move(leaf, "cpu"))
            moved.input = map_leaves(self.input, move)
            return moved
        return self.changed(move)

    def with_tensors(self, change):
        return self.changed(lambda leaf: change(leaf) if isinstance(leaf, torch.Tensor) else leaf)

    def tensors(self):
        return tensors((self.input, self.args, self.kwargs))

    def call(self, function, **more):
        return function(self.input, *self.args, **self.kwargs, **more)

    def __str__(self):
        """Describes shapes and dtypes but no values, because printing a device tensor runs operators."""
        named = [f"{key}={word(value)}" for key, value in self.kwargs.items()]
        return ", ".join([word(self.input), *map(word, self.args), *named])


# ---- forms: a sample in another shape or layout; None if the sample has no such form -------------------


def emptied(sample):
    """Changes the size of the input's first dimension, and of every dimension that must match it, to 0."""
    if not isinstance(sample.input, torch.Tensor) or not sample.input.dim() or not is_plain(sample.input):
        return None
    size = sample.input.size(0)

    def empty(tensor):
        same = is_plain(tensor) and tensor.dim() and tensor.size(0) == size
        return tensor.detach()[:0].clone() if same else tensor

    return sample.with_tensors(empty) if size else None


def channels_last(sample):
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    if not any(is_plain(tensor) and tensor.dim() in formats for tensor in sample.tensors()):
        return None

    def arrange(tensor):
        kind = formats.get(tensor.dim()) if is_plain(tensor) else None
        return tensor.contiguous(memory_format=kind) if kind else tensor

    return sample.with_tensors(arrange)


def conjugated(sample):
    """The same values, stored as their conjugates with the conj bit set."""
    if not any(is_plain(tensor) and tensor.is_complex() for tensor in sample.tensors()):
        return None

    def conjugate(tensor):
        return tensor.detach().conj().resolve_conj().conj() if tensor.is_complex() and is_plain(tensor) else tensor

    return sample.with_tensors(conjugate)


def negated(sample):
    """The same values, stored as their negatives with the neg bit set."""

    def can(tensor):
        return is_plain(tensor) and (tensor.is_floating_point() or tensor.is_complex())

    if not any(map(can, sample.tensors())):
        return None
    return sample.with_tensors(lambda one: torch._neg_view(one.detach().neg().clone()) if can(one) else one)


def overlapping(sample, result):
    """Returns an input and an out= tensor that overlap in memory, shifted by one row, or None if this is impossible."""
    given = sample.input
    if not isinstance(result, torch.Tensor) or not isinstance(given, torch.Tensor) or not is_plain(given):
        return None
    if result.shape != given.shape or result.dtype != given.dtype or given.dim() == 0 or given.numel() < 2:
        return None
    rows = given.size(0) + 1
    row = torch.cat([given.detach(), given.detach()[:1]])
    changed = dataclasses.replace(sample, input=row[1:], kwargs={**sample.kwargs, "out": row[: rows - 1]})
    return changed if given.size(0) > 1 else None


SPECIAL = [float("nan"), float("inf"), -float("inf"), -0.0]


def special(sample):
    """Replaces the first elements by NaN, infinities and similar values, in a different order for each operand."""
    found = [one for one in sample.tensors() if is_plain(one) and one.is_floating_point() and one.numel()]
    if not found:
        return None
    turns = {id(one): turn for turn, one in enumerate(found)}

    def put(tensor):
        if id(tensor) not in turns:
            return tensor
        turn = turns[id(tensor)] % len(SPECIAL)
        values = torch.tensor(SPECIAL[turn:] + SPECIAL[:turn], dtype=tensor.dtype)[: tensor.numel()]
        changed = tensor.detach().clone(memory_format=torch.contiguous_format)
        changed.view(-1)[: len(values)] = values
        return changed

    return sample.with_tensors(put)


def with_many_dimensions(sample):
    """Every tensor gets five dimensions that cannot be merged. The values of the sample are repeated."""
    if not all(is_plain(one) and one.numel() for one in sample.tensors()):
        return None

    def unfold(tensor):
        values = tensor.detach().reshape(-1)
        wide = values.repeat(-(-3**5 // values.numel()))[: 3**5].reshape((3,) * 5)
        return wide[:2, :2, :2, :2, :2].requires_grad_(tensor.requires_grad) if tensor.dim() else tensor

    return sample.with_tensors(unfold)


def strided(sample):
    """Makes every tensor with more than one element non-contiguous."""

    if not any(is_plain(tensor) and tensor.numel() > 1 for tensor in sample.tensors()):
        return None
    return sample.with_tensors(spread)
