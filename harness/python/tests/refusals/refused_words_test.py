# SPDX-License-Identifier: BSD-3-Clause
"""Tests which messages count as a clear refusal, and that C and Python agree."""

import re
import types
import unittest
from pathlib import Path

from assay.refusals import absences, words as refused_words

MODULE = types.ModuleType("torch_foo")
SOURCE = (Path(__file__).resolve().parents[4] / "suites/support/refused_words.c").read_text()


class Words(unittest.TestCase):
    def test_c_and_python_have_the_same_table(self):
        rows = dict(re.findall(r'^    \{"([^"]*)", "([^"]*)"\},$', SOURCE, re.M))
        asserts = {row["fragment"]: row["means"] for row in absences.rows()}
        self.assertEqual(rows, refused_words.SENTENCES | asserts)
        patterns = re.findall(r'^    \{"([^"]*)", "([^"]*)", "([^"]*)"\},$', SOURCE, re.M)
        self.assertEqual(patterns, refused_words.PATTERNS)

    def test_refusals_name_their_means(self):
        for text, means in {
            "Could not run 'aten::mm' with arguments from the 'PrivateUse1' backend.": "aten::mm",
            "Could not run 'aten::add.Tensor' with": "aten::add.Tensor",
            "Expected a 'cpu' device type for generator but found 'foo'": "keyword.generator",
            "Backend doesn't support synchronizing all streams on device.": "guard.synchronizeDevice",
            "Backend doesn`t support getNewGenerator()": "hooks.getNewGenerator",
            "x INTERNAL ASSERT FAILED at y: Allocator for foo is not a DeviceAllocator.": "allocator.getDeviceAllocator",
            "INTERNAL ASSERT FAILED at \"x.cpp\":7. Could not run 'aten::mm' with": None,
            "device 7 does not exist": None,
            "Backend doesn't support what you (want)": None,
        }.items():
            self.assertEqual(refused_words.refused_means(text), means, text)

    def test_only_names_of_the_device_module_are_its_lack(self):
        for text, means in {
            "module 'torch_foo' has no attribute 'device'": "module.device",
            "module 'torch' has no attribute 'device'": None,
            "'NoneType' object has no attribute 'device'": None,
            "funcs: ... But the func `get_amp_supported_dtype` is missing. \n": "module.get_amp_supported_dtype",
        }.items():
            self.assertEqual(refused_words.missing_in_module(text, MODULE), means, text)


if __name__ == "__main__":
    unittest.main()
