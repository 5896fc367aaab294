# SPDX-License-Identifier: BSD-3-Clause
"""The kind of tensor that this backend takes, for checks in which dtype and size are means. Called by assay.py.

The warm-up has tried which kind goes to the device and comes back; it is said only where that is not the common one.
"""

import dataclasses

import torch

try:
    from assay.host import report
except ImportError:  # plain unittest without the host on the path
    report = None


@dataclasses.dataclass(frozen=True)
class Kind:
    """`sizes` is None where any will do; `words` is "" for what others take, too."""

    dtype: torch.dtype = torch.float32
    sizes: tuple | None = None
    words: str = ""

    @property
    def is_common(self):
        return not self.words

    def shape(self, size):
        return self.sizes or (size if isinstance(size, tuple) else (size,))

    def numbers(self, size, start):
        """From `start` upwards; in a dtype without room for all, from `start` again after a hundred."""
        shape = torch.Size(self.shape(size))
        numbers = torch.arange(shape.numel()) % (100 if self.words else 1 << 24) + start
        return numbers.to(self.dtype).reshape(shape)


def kind_of(words):
    """Meaning of "int32 32", "int8 16x16" or "bfloat16 any"; None: the common kind."""
    if not words:
        return Kind()
    dtype, sizes = words.split(" ")
    return Kind(getattr(torch, dtype), None if sizes == "any" else tuple(map(int, sizes.split("x"))), words)


def known_kind():
    """The kind that the warm-up has found."""
    return kind_of(report.order("takes") if report else None)


class Samples:
    """Part of Case: tensors of a kind that this backend takes, where dtype and size are means."""

    _has_asked_with_samples = False

    @property
    def known_kind(self):
        return known_kind()

    @property
    def sample_kind(self):
        """The kind of a sample; who asks for it asks with samples."""
        self._has_asked_with_samples = True
        return self.known_kind

    def sample(self, size=4, start=0):
        """A tensor of the CPU: numbers from `start` upwards, float32 of `size` on a backend that takes what others do."""
        return self.sample_kind.numbers(size, start)

    def sample_of(self, value, size=4):
        """The same with one value in it."""
        return torch.full(self.sample_kind.shape(size), value, dtype=self.sample_kind.dtype)

    def empty_sample(self, size=4, device=None):
        """torch.empty of that kind, on the first device unless another is given."""
        return torch.empty(self.sample_kind.shape(size), dtype=self.sample_kind.dtype, device=device or self.device)

    def sample_as_code(self, size=4):
        """An expression that gives sample(size), for a program of its own."""
        kind = self.sample_kind
        shape = torch.Size(kind.shape(size))
        modulo = " % 100" if kind.words else ""
        return f"(torch.arange({shape.numel()}){modulo}).to({kind.dtype}).reshape({tuple(shape)})"

    def need_any_kind(self):
        """Ends a check that needs tensors of several kinds, or of its own, where the backend takes one."""
        kind = self.known_kind
        if not kind.is_common:
            self.does_not_apply(f"the device takes tensors of {kind.words}, and the check needs others")

    def end_if_of_another_kind(self, seen):
        """A backend that takes one kind of tensor refuses the others, rightly: nothing is said of it by that."""
        kind = self.known_kind
        if not kind.is_common and not self._has_asked_with_samples:
            self.does_not_apply(f"the device takes tensors of {kind.words}, and the check needs others: {seen}")
