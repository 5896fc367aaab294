# SPDX-License-Identifier: BSD-3-Clause
"""Tests which copies of a device the watch trusts. The CPU stands for the device, and one way of copying is wrong."""

import unittest
from unittest import mock

import torch
from assay.watcher import copies

DTYPES = (torch.float32, torch.bfloat16, torch.bool, torch.uint16, torch.int64, torch.complex64, torch.float8_e5m2)


def wrong(tensor):
    return torch.zeros_like(tensor)


def refused(tensor):
    raise NotImplementedError("only contiguous tensors")


class Copies(unittest.TestCase):
    def found(self, **ways):
        """The copies that are trusted for each dtype, if views and storages are copied in these ways."""
        read = mock.patch.object(copies, "_read", ways.get("views", copies._read))
        storages = mock.patch.object(copies.Storages, "copy", lambda self, tensor: ways.get("storages", torch.clone)(tensor))
        with read, storages:
            return {copies.reliable("cpu", dtype) for dtype in DTYPES}

    def test_right_copies_are_trusted_for_every_dtype(self):
        self.assertEqual(self.found(), {copies.VIEWS})

    def test_storages_are_trusted_if_views_are_wrong_and_nothing_if_both_are(self):
        self.assertEqual(self.found(views=wrong), {copies.STORAGES})
        self.assertEqual(self.found(views=wrong, storages=wrong), {copies.NOTHING})

    def test_refused_copy_of_a_view_does_not_hide_a_wrong_one(self):
        self.assertEqual(self.found(views=refused), {copies.VIEWS})
        self.assertEqual(self.found(views=lambda view: refused(view) if not view.is_contiguous() else wrong(view)), {copies.STORAGES})

    def test_dtype_that_the_cpu_cannot_make_is_not_judged_by_its_copies(self):
        self.assertEqual(copies.reliable("cpu", torch.qint8), copies.VIEWS)


if __name__ == "__main__":
    unittest.main()
