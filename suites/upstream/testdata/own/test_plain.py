# SPDX-License-Identifier: BSD-3-Clause
"""A test file that is not device-generic."""

import unittest


class TestPlain(unittest.TestCase):
    def test_fails(self):
        self.fail("nobody should run this")
