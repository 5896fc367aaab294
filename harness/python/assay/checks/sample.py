# SPDX-License-Identifier: BSD-3-Clause
"""Sample tensors of a kind that this backend accepts, for checks in which dtype and size are means. Called by case.py.

The warm-up job finds a kind of tensor that can be copied to the device and back. Reports mention the kind only if it is
not the common kind.
"""

import dataclasses

import torch

try:
    from assay.host import report
except ImportError:  # plain unittest: the package of the host is not on the path
    report = None


@dataclasses.dataclass(frozen=True)
class Kind:
    """`sizes` is None if any size is accepted. `words` is "" for the common kind."""

    dtype: torch.dtype = torch.float32
    sizes: tuple | None = None
    words: str = ""

    @property
    def is_common(self):
        return not self.words

    def shape(self, size):
        return self.sizes or (size if isinstance(size, tuple) else (size,))

    def numbers(self, size, start):
        """Numbers from `start` upwards. The dtype of an uncommon kind may be narrow, so its numbers repeat after a
        hundred."""
        shape = torch.Size(self.shape(size))
        numbers = torch.arange(shape.numel()) % (100 if self.words else 1 << 24) + start
        return numbers.to(self.dtype).reshape(shape)


def kind_of(words):
    """Parses "int32 32", "int8 16x16" or "bfloat16 any". None and "" stand for the common kind."""
    if not words:
        return Kind()
    dtype, sizes = words.split(" ")
    return Kind(getattr(torch, dtype), None if sizes == "any" else tuple(map(int, sizes.split("x"))), words)


def known_kind():
    """The kind that the warm-up job found."""
    return kind_of(report.order("takes") if report else None)


class Samples:
    """Part of Case: sample tensors of a kind that this backend accepts, for checks in which dtype and size are means."""

    _has_asked_with_samples = False

    @property
    def known_kind(self):
        return known_kind()

    @property
    def sample_kind(self):
        """The kind of a sample. Reading this property marks the check as one that uses samples."""
        self._has_asked_with_samples = True
        return self.known_kind

    def sample(self, size=4, start=0):
        """A CPU tensor with numbers from `start` upwards. For the common kind, it is float32 and has this `size`."""
        return self.sample_kind.numbers(size, start)

    def sample_of(self, value, size=4):
        """A sample in which every element is `value`."""
        return torch.full(self.sample_kind.shape(size), value, dtype=self.sample_kind.dtype)

    def empty_sample(self, size=4, device=None):
        """torch.empty of the sample kind, on the first device unless another device is given."""
        return torch.empty(self.sample_kind.shape(size), dtype=self.sample_kind.dtype, device=device or self.device)

    def sample_as_code(self, size=4):
        """A Python expression for sample(size), for use in a separate program."""
        kind = self.sample_kind
        shape = torch.Size(kind.shape(size))
        modulo = " % 100" if kind.words else ""
        return f"(torch.arange({shape.numel()}){modulo}).to({kind.dtype}).reshape({tuple(shape)})"

    def need_any_kind(self):
        """Ends a check that needs several kinds or a fixed kind if the backend accepts only one kind."""
        kind = self.known_kind
        if not kind.is_common:
            self.does_not_apply(f"the device takes tensors of {kind.words}, and the check needs others")

    def end_if_of_another_kind(self, seen):
        """Ends the check if it used tensors other than samples and the backend accepts only one kind, because such a
        backend may refuse other tensors."""
        kind = self.known_kind
        if not kind.is_common and not self._has_asked_with_samples:
            self.does_not_apply(f"the device takes tensors of {kind.words}, and the check needs others: {seen}")
