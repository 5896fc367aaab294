# SPDX-License-Identifier: BSD-3-Clause
"""The supported releases of torch are in order, and the pinned release is among them."""

import contextlib
import io
import unittest
from pathlib import Path

import torch_range

CI = Path(__file__).parent


class Range(unittest.TestCase):
    def test_oldest_comes_first_and_none_twice(self):
        found = [torch_range.numbers(version) for version in torch_range.releases()]
        self.assertEqual(found, sorted(set(found)))

    def test_pinned_torch_is_in_it(self):
        self.assertIn((CI / "torch-pin").read_text(encoding="utf-8").strip(), torch_range.releases())

    def test_local_part_of_a_version_is_no_number(self):
        self.assertEqual(torch_range.numbers("2.13.0+cpu"), (2, 13, 0))
        self.assertEqual(torch_range.numbers("2.13.0.dev20260101+cpu"), (2, 13, 0))

    def test_newest_before_another_is_found_by_number(self):
        first, second = torch_range.releases()[:2]
        self.assertEqual((torch_range.before(second), torch_range.before(first), torch_range.before("9.9.9")), (first, "", torch_range.releases()[-1]))

    def test_matrix_has_each_release_and_what_is_added(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            torch_range.main(["outputs", "nightly"])
        self.assertRegex(said.getvalue(), r'^torch=\["2\.\d+\.\d+", .*"nightly"\]\n$')


if __name__ == "__main__":
    unittest.main()
