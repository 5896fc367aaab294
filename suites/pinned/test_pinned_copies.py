# SPDX-License-Identifier: BSD-3-Clause
"""Non-blocking copies between the device and the host. If the target has a gate, the stream is held."""

import contextlib
import unittest

import torch
from assay.checks import Case, memory_in_use
from assay.checks.asking import each
from assay.checks.pinned_memory import pinned
from assay.values.own_torch import torch as own_torch

accelerator = torch.accelerator
SIZE = 1000


class PinnedCopies(Case):
    def setUp(self):
        super().setUp()
        accelerator.set_device_index(self.device.index)

    def stream(self):
        """Returns the current stream, or None if the backend has no streams."""
        try:
            return accelerator.current_stream(self.device)
        except (RuntimeError, NotImplementedError) as error:
            if not self.refused_means(error):
                raise
            return None

    def wait(self):
        memory_in_use.settle(self)

    def there(self):
        return self.on_device(torch.zeros(SIZE))

    def upload(self, there, source):
        self.op("aten::_copy_from", there.copy_, source, non_blocking=True)

    def download(self, here, there):
        self.op("aten::_copy_from", here.copy_, there, non_blocking=True)

    def held_here(self):
        stream = self.stream()
        return contextlib.nullcontext() if stream is None else self.held_if_offered(stream)

    def test_source_freed(self):
        """pinned.source_can_be_freed_during_the_copy"""
        pinned(self, torch.ones(SIZE))
        streams = {
            "the current stream": contextlib.nullcontext,
            "a new stream": lambda: self.op("guard.getNewStream", torch.Stream, self.device),
        }
        for name, enter, one in each(self, streams):
            with one, enter():
                self.free_source(name)

    def free_source(self, where):
        values, there = torch.arange(float(SIZE)), self.there()
        self.wait()
        with self.held_here():
            source = pinned(self, values)
            self.upload(there, source)
            del source
            others = [pinned(self, torch.full((SIZE,), -1.0)) for _ in range(4)]
        self.wait()
        what = f"a non-blocking copy on {where} is intact although its pinned source was dropped immediately"
        self.expect_tensor(there, values, what)
        del others

    def test_converted(self):
        """pinned.conversion_buffer_lives_until_the_copy_ends"""
        forms = {
            "of another dtype": (lambda x: x, torch.float16),
            "that is not contiguous": (lambda x: x[::2], torch.float32),
            "that is not contiguous, of another dtype": (lambda x: x[::2], torch.float16),
        }
        for name, (part, dtype), one in each(self, forms):
            with one:
                self.upload_three(name, part, dtype)

    def upload_three(self, name, part, dtype):
        values = [torch.arange(2.0 * SIZE).remainder(100) + 200 * number for number in range(3)]
        there = [self.on_device(torch.zeros(part(one).shape, dtype=dtype)) for one in values]
        sources = [part(pinned(self, one)) for one in values]
        self.wait()
        with self.held_here():
            for source, target in zip(sources, there, strict=True):
                self.upload(target, source)
            others = [pinned(self, torch.full((SIZE,), -1.0)) for _ in range(4)]
        self.wait()
        del others
        for one, target in zip(values, there, strict=True):
            what = f"non-blocking copies of pinned memory {name} are intact when other copies follow"
            self.expect_tensor(target, part(one).to(dtype), what)

    def test_download(self):
        """pinned.copy_to_the_host_is_complete_after_synchronize"""
        values = torch.arange(float(SIZE))
        here, there = pinned(self, torch.zeros(SIZE)), self.on_device(values)
        slices = pinned(self, torch.zeros(2 * SIZE))
        with self.held_here():
            self.download(here, there)
            self.download(slices[SIZE:], there)
        self.wait()
        for copy in (here, slices[SIZE:]):
            self.expect_true(
                own_torch.equal(copy, values),
                "a non-blocking copy to pinned memory is intact after the device was synchronized",
                f"{int((copy != values).sum())} of {SIZE} values differ",
            )
        self.expect_equal(int(slices[:SIZE].count_nonzero()), 0, "the copy writes only to its destination")

    def test_pageable(self):
        """pinned.non_blocking_copy_reads_pageable_memory_before_it_returns"""
        values, source, there = torch.arange(float(SIZE)), torch.arange(float(SIZE)), self.there()
        self.wait()
        with self.held_here():
            self.upload(there, source)
            source.fill_(-1)
        self.wait()
        self.expect_tensor(
            there, values, "a non-blocking copy from memory that is not pinned has read it when it returns"
        )

    def test_overlap(self):
        """pinned.non_blocking_copies_do_not_wait"""
        stream, there = self.stream(), self.there()
        whole = pinned(self, torch.ones(2 * SIZE))
        if stream is None:
            self.lacks("streams", "there is no current stream")
        for name, here in (("pinned memory", whole[:SIZE]), ("a slice of it", whole[SIZE:])):
            for direction, copy in (("from", self.upload), ("to", self.download)):
                self.wait()
                with self.held(stream):
                    copy(*((there, here) if direction == "from" else (here, there)))
                self.expect(
                    not self.went_on_early,
                    f"a non-blocking copy {direction} {name} returns while its stream is busy",
                    "the copy waited",
                )


if __name__ == "__main__":
    unittest.main()
