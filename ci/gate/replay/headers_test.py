# SPDX-License-Identifier: BSD-3-Clause
"""Tests breaking changes of RFC-0037 with PyTorch's own headers, which contain all these changes. The unadapted backend
consists of code that was correct before each change (testdata/lagging)."""

import importlib.util
import unittest
from pathlib import Path

import scratch_repository

INCLUDE = Path(importlib.util.find_spec("torch").origin).parent / "include"
LAGGING = scratch_repository.HERE / "testdata" / "lagging"
PURE = "is pure virtual and not implemented by the backend: it is new or has another signature"


class Headers(scratch_repository.Replay):
    def judge(self, name):
        """Returns the cause of the unadapted run, in which one file does not compile."""
        compiler = ["env", "LC_ALL=C", "g++", "-std=c++20", "-fsyntax-only", f"-I{INCLUDE}"]
        base = self.repository.run("main")
        unadapted = self.repository.run("main", compile=[*compiler, str(LAGGING / f"{name}.cpp")])
        self.assert_decided(self.gate(base, base, unadapted), "pass", "add")
        return self.cause("adapt_build")

    def replay(self, name, interface, says):
        cause = self.judge(name)
        self.assertEqual(cause["kind"], "adaptation")
        self.assertRegex(cause["interface"], interface)
        self.assertIn("Backends must adapt", cause["text"])
        self.assertIn(f"The interface is {cause['interface']}. It {says}", cause["text"])

    def test_120969_allocate_lost_its_const(self):
        self.replay("allocator_const", r"^c10::Allocator::allocate\(.*size_t\)$", PURE)

    def test_113396_and_117053_copy_data_is_pure_virtual(self):
        interface = r"^c10::Allocator::copy_data\(void\*, const void\*, .*size_t\) const$"
        self.replay("allocator_copy", interface, PURE)

    def test_107586_and_116594_dtypes_grew(self):
        says = "is an assumption of the backend that no longer holds"
        self.replay("dtype_count", "^c10::ScalarType$", says)

    def test_119142_record_takes_a_device_index(self):
        interface = r"^torch::profiler::impl::ProfilerStubs::record\(c10::DeviceIndex\*"
        self.replay("profiler_stubs", interface, PURE)


if __name__ == "__main__":
    unittest.main()
