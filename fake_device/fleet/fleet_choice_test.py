# SPDX-License-Identifier: BSD-3-Clause
"""Tests the choice: every check that a list names is chosen, and every other check is chosen at some time."""

import unittest

from fleet_choice import SHARE, choose, is_left_out, named
from fleet_lists import backends, defects_of, read_messages

COUNT = 400
CHECKS = [{"id": f"guard.{number}", "module": "guard", "covers": []} for number in range(COUNT)]


def of_change(*paths, backend="fixed_shape", seed="a"):
    return choose(backend, CHECKS, paths, seed)


class Choosing(unittest.TestCase):
    def test_checks_of_each_broken_clause_are_named(self):
        for backend in backends():
            for defect in defects_of(backend).values():
                for clause in defect.requirements:
                    self.assertEqual(named(backend, [{"id": "a.b", "module": "a", "covers": [clause]}]), {"a.b"})

    def test_checks_with_a_message_are_named(self):
        for one in read_messages():
            self.assertEqual(named(one.backend, [{"id": one.check, "module": "a", "covers": []}]), {one.check})

    def test_the_lot_falls_on_a_tenth_and_on_others_another_time(self):
        first, second = of_change("README.md"), of_change("README.md", seed="b")
        for one in (first, second):
            self.assertTrue(0 < len(one) < 2 * COUNT / SHARE, len(one))
        self.assertNotEqual(first, second)
        self.assertEqual(first, of_change("README.md"))

    def test_a_changed_module_is_asked_whole(self):
        self.assertEqual(len(of_change("suites/guard/check_count.c")), COUNT)
        self.assertLess(len(of_change("suites/events/check_event.c")), COUNT)

    def test_a_changed_backend_is_asked_everything(self):
        self.assertEqual(len(of_change("fake_device/fleet/fixed_shape/torch_fixed_shape.py")), COUNT)
        self.assertEqual(len(of_change("fake_device/fleet/common/fleet_guard.cc")), COUNT)
        self.assertLess(len(of_change("fake_device/fleet/compiled_kernels/torch_compiled_kernels.py")), COUNT)

    def test_an_unknown_change_asks_everything(self):
        self.assertEqual(len(choose("fixed_shape", CHECKS, None, None)), COUNT)
        self.assertFalse(is_left_out("fixed_shape", None, None))

    def test_a_change_of_a_suite_is_asked_of_every_backend(self):
        for path in ("suites/guard/check_count.c", "fake_device/fleet/common/fleet_guard.cc"):
            self.assertFalse(any(is_left_out(backend, [path], "a") for backend in backends()))

    def test_the_lot_leaves_out_other_backends_another_time(self):
        first, second = ([one for one in backends() if is_left_out(one, ["README.md"], seed)] for seed in "ab")
        self.assertTrue(0 < len(first) < len(backends()), first)
        self.assertNotEqual(first, second)


if __name__ == "__main__":
    unittest.main()
