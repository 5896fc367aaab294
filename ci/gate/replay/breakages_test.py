# SPDX-License-Identifier: BSD-3-Clause
"""Replays the eight breaking changes that RFC-0037 lists, as changes of the upstream surface. Head adapts the fake
backend in the same pull request, and the unadapted backend fails. The gate must pass each change, with the label, a
sentence that names the interface, and advice for vendors."""

import unittest

import scratch_repository

INCLUDE = "upstream/include/"
ALLOCATOR = INCLUDE + "c10/core/Allocator.h"
DEVICE = INCLUDE + "c10/core/Device.h"
DTYPES = INCLUDE + "c10/core/ScalarType.h"
STUBS = INCLUDE + "torch/csrc/profiler/stubs/base.h"
SETTINGS = INCLUDE + "torch/csrc/distributed/c10d/Utils.hpp"
TRACES = INCLUDE + "torch/csrc/distributed/c10d/TraceUtils.h"

LAST_DTYPES = "BFloat16,\n"
COPY = "    virtual void copy_data(void *to, const void *from, size_t bytes) const = 0;\n"
RELEASE = "    virtual void release(void *pointer) const = 0;\n"
COPIES = "    void copy_data(void *, const void *, size_t) const override {}\n"
OF_DEVICE = "{ return calloc(1, bytes); }\n"
OF_HOST = "{ return malloc(bytes); }\n"
GUARD_OLD = "int currentDevice() const { return 1; }"
GUARD_NEW = "DeviceIndex currentDevice() const { return 1; }"


class Breakages(scratch_repository.Replay):
    def replay(self, name, surface, backend, **options):
        """Returns the decision on a pull request with the edits `surface` and `backend`. Main has the unadapted backend."""
        branch = self.repository.propose(name, {**surface, **backend})
        status = self.gate(
            self.repository.run(branch),
            self.repository.run("main"),
            self.repository.run("main", branch),
            changed_files=self.repository.changed_files(branch),
            **options,
        )
        self.assert_decided(status, "pass", "add")
        self.assertIn("Backends must adapt", self.markdown)
        self.assertIn("the reference backend was adapted here", self.decision["summary"])
        self.assertEqual(self.decision["labels"]["suggest"], ["module: PrivateUse1"])

    def assert_build_names(self, interface, words):
        cause = self.cause("adapt_build")
        self.assertEqual(cause["kind"], "adaptation")
        self.assertIn(interface, cause["interface"])
        self.assertIn("Backends must adapt", cause["text"])
        self.assertIn(f"The interface is {cause['interface']}. It {words}", cause["text"])
        self.assertIn("build step 1", cause["text"])
        self.assertRegex(cause["text"], r"[.](h|hpp|cpp):[0-9]+")

    def assert_check_names(self, check, interface):
        cause = self.cause("adapt_checks")
        self.assertEqual((cause["kind"], cause["checks"]), ("adaptation", [check]))
        self.assertEqual(cause["interface"], interface)
        self.assertIn("Backends must adapt", cause["text"])
        self.assertIn(f"Interface: {interface}.", cause["text"])

    def test_120969_allocate_loses_its_const(self):
        self.replay(
            "pr120969",
            {ALLOCATOR: [("allocate(size_t bytes) const = 0", "allocate(size_t bytes) = 0")]},
            {
                "backend/allocators.cpp": [
                    ("allocate(size_t bytes) const", "allocate(size_t bytes)")
                ]
            },
        )
        self.assert_build_names("c10::Allocator::allocate(size_t)", "is pure virtual")

    def test_119142_record_takes_a_device_index(self):
        self.replay(
            "pr119142",
            {STUBS: [("int *device", "c10::DeviceIndex *device")]},
            {"backend/device.cpp": [
                ("void record(int *device", "void record(c10::DeviceIndex *device"),
                ("*device = current", "*device = static_cast<c10::DeviceIndex>(current)"),
                ("decltype(current) device = -1", "c10::DeviceIndex device = -1"),
            ]},
        )  # fmt: skip
        self.assert_build_names("ProfilerStubs::record(c10::DeviceIndex*", "is pure virtual")

    def test_119142_accessor_prints_as_a_character(self):
        """The compiler does not report this form of the change: the index is printed as a control character."""
        self.replay(
            "pr119142run",
            {DEVICE: [(GUARD_OLD, GUARD_NEW)]},
            {
                "backend/device.cpp": [
                    ("<< Guard().currentDevice()", "<< int{Guard().currentDevice()}")
                ]
            },
        )
        self.assert_check_names("scratch.labels_are_numbers", "c10/core/Device.h:DeviceIndex")

    def test_114367_header_needs_what_only_one_vendor_has(self):
        self.replay(
            "pr114367",
            {TRACES: [("#pragma once\n", "#pragma once\n#include <nccl.h>\n")]},
            {"backend/collectives.cpp": [
                ("#include <torch/csrc/distributed/c10d/TraceUtils.h>\n", ""),
                ("c10d::traceUpdate(3) == 4", "1"),
            ]},
        )  # fmt: skip
        self.assert_build_names("nccl.h", "is a header that is no longer there")

    def test_113797_settings_are_read_by_other_functions(self):
        self.replay(
            "pr113797",
            {SETTINGS: [("parseEnvVarInt", "getCvarInt")]},
            {"backend/collectives.cpp": [("parseEnvVarInt", "getCvarInt")]},
        )
        self.assert_build_names("c10d::parseEnvVarInt", "is no longer there")

    def test_107586_dtypes_grow_and_a_static_assert_sees_it(self):
        asserted = (
            "static_assert(static_cast<int>(c10::ScalarType::NumOptions) == 10, "
            '"c10::ScalarType has new members");\n'
        )
        repository = self.repository
        start = repository.propose(
            "careful", {"backend/dtypes.cpp": [("static const int", asserted + "static const int")]}
        )
        branch = repository.propose(
            "pr107586",
            {
                DTYPES: [(LAST_DTYPES, LAST_DTYPES + "    Float8_e5m2fnuz, Float8_e4m3fnuz,\n")],
                "backend/dtypes.cpp": [("== 10", "== 12"), ("8, 1, 2}", "8, 1, 2, 1, 1}")],
            },
            start,
        )
        status = self.gate(
            repository.run(branch), repository.run(start), repository.run(start, branch),
            changed_files=repository.changed_files(branch),
        )  # fmt: skip
        self.assert_decided(status, "pass", "add")
        self.assert_build_names(
            "c10::ScalarType", "is an assumption of the backend that no longer holds"
        )
        self.assertIn("ScalarType has new members", self.cause("adapt_build")["text"])

    def test_116594_dtypes_grow_and_a_table_has_no_entry(self):
        self.replay(
            "pr116594",
            {DTYPES: [(LAST_DTYPES, LAST_DTYPES + "    UInt16, UInt32, UInt64,\n")]},
            {"backend/dtypes.cpp": [("8, 1, 2}", "8, 1, 2, 2, 4, 8}")]},
        )
        self.assert_check_names("scratch.dtypes_have_sizes", "c10/core/ScalarType.h:ScalarType")
        self.assertIn("dtypes without a size", self.cause("adapt_checks")["text"])

    def test_113396_copy_data_becomes_pure_virtual(self):
        self.replay(
            "pr113396",
            {ALLOCATOR: [(RELEASE, RELEASE + COPY)]},
            {
                "backend/allocators.cpp": [
                    (OF_DEVICE, OF_DEVICE + COPIES),
                    (OF_HOST, OF_HOST + COPIES),
                ]
            },
        )
        self.assert_build_names(
            "c10::Allocator::copy_data(void*, const void*, size_t) const", "is pure virtual"
        )

    def test_117053_every_allocator_becomes_abstract(self):
        """The backend implements the function in one allocator. The backend's other allocator becomes
        abstract as well."""
        repository = self.repository
        start = repository.propose(
            "half",
            {"backend/allocators.cpp": [(OF_DEVICE, OF_DEVICE + COPIES.replace(" override", ""))]},
        )
        branch = repository.propose(
            "pr117053",
            {
                ALLOCATOR: [(RELEASE, RELEASE + COPY)],
                "backend/allocators.cpp": [(OF_HOST, OF_HOST + COPIES)],
            },
            start,
        )
        status = self.gate(
            repository.run(branch), repository.run(start), repository.run(start, branch)
        )
        self.assert_decided(status, "pass", "add")
        self.assert_build_names("c10::Allocator::copy_data", "is pure virtual")
        self.assertIn("PinnedAllocator", (repository.run(start, branch) / "build.log").read_text())

    def test_binary_of_before_meets_a_library_without_its_function(self):
        """The backend is not rebuilt, so the loader names the interface instead of the compiler."""
        repository = self.repository
        branch = repository.propose(
            "relinked",
            {
                "upstream/core.cpp": [("void SetAllocator(const", "void RegisterAllocator(const")],
                "backend/allocators.cpp": [("SetAllocator(", "RegisterAllocator(")],
            },
        )
        stale = repository.propose(
            "relinked_stale",
            {
                "backend/build.sh": [
                    ("-lupstream", "-lupstream -Wl,--unresolved-symbols=ignore-all")
                ]
            },
        )
        status = self.gate(
            repository.run(branch), repository.run("main"), repository.run(stale, branch)
        )
        self.assert_decided(status, "pass", "add")
        cause = self.cause("adapt_build")
        self.assertEqual(cause["interface"], "c10::SetAllocator(c10::Allocator const*)")
        self.assertIn("It is not in PyTorch's libraries. Loading the backend failed", cause["text"])


if __name__ == "__main__":
    unittest.main()
