# SPDX-License-Identifier: BSD-3-Clause
"""Tests when a host imports the modules that PyTorch imports on first use: once, before the fourth fork."""

import importlib
import os
import unittest
from unittest import mock

os.environ["ASSAY_HOST_TARGET"] = "unittest"  # the module does not matter, because nothing is loaded

main = importlib.import_module("assay.host.__main__")


class Preload(unittest.TestCase):
    def setUp(self):
        self.host = main.Host(library=None)
        self.host.registry.preload = {"one.module": None, "another.module": None}

    def imported_in(self, forks):
        imported = []
        with mock.patch.object(main.os, "fork", return_value=1), \
                mock.patch.object(main.importlib, "import_module", side_effect=imported.append):
            for _ in range(forks):
                self.host.fork()
        return imported

    def test_short_run_does_not_pay(self):
        self.assertEqual(self.imported_in(main.PRELOAD_AT - 1), [])

    def test_long_run_imports_each_once(self):
        self.assertEqual(self.imported_in(3 * main.PRELOAD_AT), ["one.module", "another.module"])

    def test_what_does_not_import_is_left_to_the_checks(self):
        with mock.patch.object(main.os, "fork", return_value=7), \
                mock.patch.object(main.importlib, "import_module", side_effect=OSError):
            self.assertEqual({self.host.fork() for _ in range(main.PRELOAD_AT)}, {7})


if __name__ == "__main__":
    unittest.main()
