# SPDX-License-Identifier: BSD-3-Clause
"""Each wrong kernel of wrong_kernels.py must be found by its aspect.

By default this tests the quick set. With ASSAY_FULL=1, this file tests all wrong kernels.
"""

import functools
import os
import unittest

# imported before torch, because this module controls what torch loads
from suites.opinfo.sweep_children import in_child, put, test_sweep, word_of

import torch  # isort: skip
from suites.opinfo.wrong_kernels import KERNELS, QUICK, STRICT


class WrongKernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        test_sweep.FAMILY.warm()

    def test_each_is_found_and_named(self):
        for row in KERNELS:
            if row.defect not in QUICK and "ASSAY_FULL" not in os.environ:
                continue
            with self.subTest(row.defect):
                prepare = functools.partial(put, row.kernel, row.function, row.key)
                notes = in_child(f"{row.operator}.{row.dtype}", prepare=prepare)
                self.assertTrue(notes.get(row.aspect, "not asked").startswith(word_of(row.aspect)), notes)

    def test_what_only_the_cpu_takes_may_be_refused(self):
        for row in STRICT:
            with self.subTest(row.defect):
                notes = in_child(f"{row.operator}.{row.dtype}", prepare=functools.partial(put, row.kernel, row.function))
                self.assertFalse(notes.get(row.aspect, "not asked").startswith(word_of(row.aspect)), notes)


if __name__ == "__main__":
    unittest.main()
