# SPDX-License-Identifier: BSD-3-Clause
"""Tests that an asynchronous device is never classified as a device that works within its calls."""

import unittest

from assay.checks.work_within_calls import LOOKS, Look, done_within_its_calls

PARTS = 16
SIZES = [1 << bits for bits in (14, 16, 18, 20, 22)]
SECONDS_EACH = 1e-9  # seconds of work per element


def looks(calls, reading):
    """Measurements of a device. `calls` and `reading` return their times for an amount of work, all in seconds."""
    return LOOKS * [Look(size, calls(work), reading(work)) for size in SIZES for work in [PARTS * size * SECONDS_EACH]]


class WorkWithinCalls(unittest.TestCase):
    def expect(self, is_within, *, calls, reading):
        reason = done_within_its_calls(looks(calls, reading), PARTS)
        self.assertEqual(reason is not None, is_within, reason)

    def test_work_within_its_calls(self):
        self.expect(True, calls=lambda work: 100e-6 + work, reading=lambda work: 50e-6)

    def test_reason_has_the_figures(self):
        reason = done_within_its_calls(looks(lambda work: 100e-6 + work, lambda work: 50e-6), PARTS)
        self.assertRegex(reason, r"0\.4 ms for 16384 elements, 67\.2 ms for 4194304 elements; .* 0\.1 ms later")

    def test_asynchronous(self):
        self.expect(False, calls=lambda work: 100e-6, reading=lambda work: work)

    def test_asynchronous_with_calls_of_a_millisecond_each(self):
        self.expect(False, calls=lambda work: PARTS * 1e-3, reading=lambda work: 50e-6)

    def test_full_queue_makes_its_callers_wait(self):
        """Half of the work is done when the last call returns. Reading waits for the rest."""
        self.expect(False, calls=lambda work: 100e-6 + work / 2, reading=lambda work: work / 2)

    def test_queue_of_one_makes_its_callers_wait(self):
        self.expect(False, calls=lambda work: 100e-6 + work * (PARTS - 1) / PARTS, reading=lambda work: work / PARTS + 50e-6)

    def test_work_too_short_to_be_told_from_calls(self):
        self.expect(False, calls=lambda work: 100e-6 + work / 1000, reading=lambda work: 10e-6)

    def test_busy_machine_delays_some_looks(self):
        """Calls are delayed by 20 ms, after which the work is done. One look in four is not delayed."""
        quick = looks(lambda work: 100e-6, lambda work: work)[:len(SIZES)]
        late = looks(lambda work: 20e-3, lambda work: 50e-6)[len(SIZES):]
        late = [look if look.elements > min(SIZES) else Look(look.elements, 100e-6, 50e-6) for look in late]
        self.assertIsNone(done_within_its_calls(quick + late, PARTS))

    def test_one_look_at_each_is_not_enough(self):
        self.assertIsNone(done_within_its_calls(looks(lambda work: work, lambda work: 1e-9)[:len(SIZES)], PARTS))

    def test_nothing_was_seen(self):
        self.assertIsNone(done_within_its_calls([], PARTS))

    def test_one_size_says_nothing(self):
        self.assertIsNone(done_within_its_calls([Look(1 << 22, 1.0, 1e-6)], PARTS))


if __name__ == "__main__":
    unittest.main()
