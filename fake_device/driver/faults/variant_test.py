# SPDX-License-Identifier: BSD-3-Clause
"""The driver's test programs pass unchanged on every variant.

If a test needs a feature that the variant lacks, the test prints "NOT APPLICABLE: no asynchrony" and ends. The table
below lists all allowed messages.
"""

import os
import re
import unittest

import driver_programs

LACKS = {
    "busy_memory": {"memory without neighbours"},
    "eager_streams": {"asynchrony"},
    "large_alignment": {"usual memory"},
    "no_caching": {"usual memory"},
    "no_fp64": {"float64"},
    "one_device": {"second device"},
    "poisoned_free": {"usual freed memory"},
    "poisoned_new": {"clean new memory"},
    "short_seeds": {"long seeds"},
    "tiny_memory": {"usual memory"},
}
# poisoned_free overwrites freed memory in stream order, but with eager_streams no queue orders the work.
TOGETHER = "eager_streams,poisoned_free"
# The programs for a quick test of a change. If ASSAY_ALL_PROGRAMS=1 is set, as in ci/full, every program
# runs.
QUICK = (
    "copy_test device_test kernel_index_test kernel_test memory_test pinned_test random_test "
    "stream_test"
).split()
NOT_OF_THE_DRIVER = {"class_module", "narrow_operators"}
MARK = re.compile(r"^NOT APPLICABLE: no (.+)$", re.MULTILINE)


def variants():
    """Every list of variants to test. "" is the default device."""
    single = [name for name, _ in driver_programs.table("variants")]
    return ["", TOGETHER, *(name for name in single if name not in NOT_OF_THE_DRIVER)]


def programs():
    return driver_programs.names() if os.environ.get("ASSAY_ALL_PROGRAMS") == "1" else QUICK


class Variants(unittest.TestCase):
    def test_programs_pass_and_leave_out_only_what_the_variant_lacks(self):
        jobs = [(program, {"FAKEDEV_VARIANT": variant}) for variant in variants() for program in programs()]
        said = {}
        for (program, environment), passed, output in driver_programs.run_all(jobs):
            variant = environment["FAKEDEV_VARIANT"]
            with self.subTest(variant=variant, program=program):
                self.assertTrue(passed, output[-3000:])
            said.setdefault(variant, set()).update(MARK.findall(output))
        expected = {variant: set().union(*(LACKS.get(name, set()) for name in variant.split(",")))
                    for variant in variants()}
        self.assertEqual(expected, said)


if __name__ == "__main__":
    unittest.main()
