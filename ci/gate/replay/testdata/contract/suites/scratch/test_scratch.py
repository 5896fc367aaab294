# SPDX-License-Identifier: BSD-3-Clause
"""The suite of the replay, which calls the backend's C functions."""

import ctypes
import os
import unittest

import replay_target


class Scratch(unittest.TestCase):
    def setUp(self):
        self.backend = replay_target.backend

    def test_allocates(self):
        """scratch.allocates"""
        self.assertEqual(self.backend.backend_allocates(64), 1)

    def test_pins(self):
        """scratch.pins"""
        self.assertEqual(self.backend.backend_pins(64), 1)

    def test_exchanges(self):
        """scratch.exchanges"""
        self.assertEqual(self.backend.backend_exchanges(1), 0)
        self.assertEqual(self.backend.backend_exchanges(0), 1)

    def test_sizes(self):
        """scratch.dtypes_have_sizes"""
        count = replay_target.upstream.upstream_dtype_count()
        missing = [n for n in range(count) if self.backend.backend_dtype_size(n) == 0]
        self.assertEqual(missing, [], "dtypes without a size")

    def test_labels(self):
        """scratch.labels_are_numbers"""
        text = ctypes.create_string_buffer(64)
        self.backend.backend_label(text, 64)
        self.assertEqual(text.value, b"device 1")

    def test_settings(self):
        """scratch.settings_are_read"""
        self.assertEqual(self.backend.backend_setting(), 7)
        self.assertEqual(self.backend.backend_traces(), 1)

    def test_records(self):
        """scratch.records"""
        marker = os.environ.get("REPLAY_FLAKY")
        if marker and not os.path.exists(marker):
            open(marker, "w").close()
            self.fail("the first attempt always fails")
        self.assertEqual(self.backend.backend_records(), 1)
