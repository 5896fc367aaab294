# SPDX-License-Identifier: BSD-3-Clause
"""Edits of torch 2.13's headers and what drift must say: the breakages of RFC-0037, header incidents of real backends, one of each kind.

A row is (name, text to find, text to put there, entity, change, rank); an entity without a space is C++ inside the given scope.
"""

import re

from apply import Edit

SPACE = re.compile(r"(cxx|macro|header):(?!:)")

ALLOCATOR = "c10/core/Allocator.h"
GUARD = "c10/core/impl/DeviceGuardImplInterface.h"
STUBS = "torch/csrc/profiler/stubs/base.h"
SCALAR = "torch/headeronly/core/ScalarType.h"
HOOKS = "ATen/detail/AcceleratorHooksInterface.h"


def edits(header, scope, *rows):
    return [Edit(name, header, find, put, entity if not entity or SPACE.match(entity) else f"cxx:{scope}::{entity}", change, rank)
            for name, find, put, entity, change, rank in rows]  # fmt: skip


def moved(name, header, to):
    return Edit(name, header, "", "", f"header:{header}", "removed", "break", moved_to=to)


RFC0037 = [
    *edits(ALLOCATOR, "c10::Allocator",
        ("120969, INC-003 allocate changes its const",
            "virtual DataPtr allocate(size_t n) = 0;",
            "virtual DataPtr allocate(size_t n) const = 0;",
            "allocate(unsigned long)", "const", "break"),
        ("113396, 117053, INC-001 a pure virtual of allocators",
            " protected:\n  // Uses `std::memcpy`",
            "  virtual void seeded(void* p) const = 0;\n protected:\n  // Uses `std::memcpy`",
            "seeded(void *) const", "pure_virtual_added", "break"),
    ),
    *edits(STUBS, "torch::profiler::impl::ProfilerStubs",
        ("119142 a virtual takes another pointer",
            "      c10::DeviceIndex* device,\n",
            "      int* device,\n",
            "record(signed char *, std::shared_ptr<void> *, long *) const", "signature", "break"),
        ("114367, INC-011 a header needs what a CPU build has not",
            "struct TORCH_API ProfilerStubs {",
            "#include <nccl.h>\nstruct TORCH_API ProfilerStubs {",
            "header:torch/csrc/profiler/stubs/base.h", "no_longer_parses", "break"),
    ),
    *edits("c10/core/Stream.h", "c10",
        ("113797 a free function is removed",
            "C10_API std::ostream& operator<<(std::ostream& stream, const Stream& s);",
            "",
            "operator<<(std::basic_ostream<char> &, const c10::Stream &)", "removed", "break"),
    ),
    *edits(SCALAR, "c10::ScalarType",
        ("107586, 116594, INC-123, INC-125 new dtypes",
            "  NumOptions\n",
            "  SeededType,\n  NumOptions\n",
            "SeededType", "enumerator_added", "adapt"),
    ),
]  # fmt: skip

INCIDENTS = [
    moved("INC-005 the header of generators moves", "ATen/core/GeneratorForPrivateuseone.h", "ATen/detail/GeneratorForPrivateuseone.h"),
    *edits(HOOKS, "at::AcceleratorHooksInterface",
        ("INC-007 a hook returns another number",
            "virtual DeviceIndex getCurrentDevice() const {", "virtual int getCurrentDevice() const {",
            "getCurrentDevice() const", "returns_number", "break"),
    ),
    *edits("torch/csrc/distributed/c10d/Utils.hpp", "c10d",
        ("INC-009 a helper of process groups is replaced",
            "inline int getCvarInt(const std::vector<std::string>& env, int def) {", "inline int getNumber(const std::vector<std::string>& env, int def) {",
            "getCvarInt(const std::vector<std::basic_string<char>> &, int)", "removed", "break"),
    ),
    *edits("torch/csrc/distributed/c10d/TraceUtils.h", "c10d",
        ("INC-011 the header itself",
            "#include <fmt/core.h>\n", "#include <fmt/core.h>\n#include <nccl.h>\n",
            "header:torch/csrc/distributed/c10d/TraceUtils.h", "no_longer_parses", "break"),
    ),
    *edits("ATen/autocast_mode.h", "at::autocast",
        ("INC-115 a registration macro takes other arguments",
            "#define KERNEL_PRIVATEUSEONE(...) \\\n  KERNEL(c10::DeviceType::PrivateUse1, __VA_ARGS__)",
            "#define KERNEL_PRIVATEUSEONE(OP, POLICY) \\\n  KERNEL(c10::DeviceType::PrivateUse1, OP, POLICY)",
            "macro:KERNEL_PRIVATEUSEONE", "macro_arity", "break"),
    ),
    *edits("torch/csrc/Storage.h", "",
        ("INC-117 a function of storages takes other arguments",
            "    PyTypeObject* type,\n    c10::Storage _storage);", "    PyTypeObject* type,\n    c10::Storage _storage,\n    int how);",
            "cxx:THPStorage_NewWithStorage(_typeobject *, c10::Storage)", "parameter_added", "break"),
    ),
    *edits("torch/csrc/utils/device_lazy_init.h", "torch::utils",
        ("INC-119 a helper of torch/csrc/utils is removed",
            "TORCH_PYTHON_API void device_lazy_init(at::DeviceType device_type);", "",
            "device_lazy_init(c10::DeviceType)", "removed", "break"),
    ),
    *edits("c10/util/ApproximateClock.h", "c10",
        ("INC-121 a clock moves elsewhere",
            "inline time_t getTimeSinceEpoch() {", "inline time_t getEpochTime() {",
            "getTimeSinceEpoch()", "removed", "break"),
    ),
]  # fmt: skip

OTHERS = [
    *edits(ALLOCATOR, "c10::Allocator",
        ("comment only",
            "// Clones an allocation that came",
            "// Another comment\n  // Clones an allocation that came",
            "", "", ""),
        ("layout only",
            "virtual DataPtr allocate(size_t n) = 0;",
            "virtual DataPtr allocate(\n      size_t n /*bytes*/) = 0;",
            "", "", ""),
        ("const added",
            "DataPtr clone(const void* data, std::size_t n);",
            "DataPtr clone(const void* data, std::size_t n) const;",
            "clone(const void *, unsigned long)", "const", "adapt"),
        ("parameter added",
            "virtual bool is_simple_data_ptr(const DataPtr& data_ptr) const;",
            "virtual bool is_simple_data_ptr(const DataPtr& data_ptr, int how) const;",
            "is_simple_data_ptr(const c10::DataPtr &) const", "parameter_added", "break"),
        ("optional parameter added",
            "DataPtr clone(const void* data, std::size_t n);",
            "DataPtr clone(const void* data, std::size_t n, int how = 0);",
            "clone(const void *, unsigned long)", "optional_parameter_added", "adapt"),
        ("virtual becomes pure",
            "  virtual DeleterFnPtr raw_deleter() const {\n    return nullptr;\n  }",
            "  virtual DeleterFnPtr raw_deleter() const = 0;",
            "raw_deleter() const", "became_pure", "break"),
        ("deprecated",
            "DataPtr clone(const void* data, std::size_t n);",
            "[[deprecated(\"use copy_data\")]] DataPtr clone(const void* data, std::size_t n);",
            "clone(const void *, unsigned long)", "deprecated", "deprecated"),
        ("access narrowed",
            "  virtual DeleterFnPtr raw_deleter() const {",
            " protected:\n  virtual DeleterFnPtr raw_deleter() const {",
            "raw_deleter() const", "access_narrowed", "break"),
    ),
    *edits(STUBS, "torch::profiler::impl::ProfilerStubs",
        ("parameter removed",
            "virtual void mark(const char* name) const = 0;",
            "virtual void mark() const = 0;",
            "mark(const char *) const", "parameter_removed", "break"),
        ("virtual removed",
            "  virtual void rangePop() const = 0;\n",
            "",
            "rangePop() const", "removed", "break"),
        ("no longer virtual",
            "  virtual bool enabled() const {",
            "  bool enabled() const {",
            "enabled() const", "no_longer_virtual", "break"),
        ("default body of a virtual",
            "    return false;\n",
            "    return true;\n",
            "enabled() const", "body", "behaviour"),
        ("class becomes final",
            "struct TORCH_API ProfilerStubs {",
            "struct TORCH_API ProfilerStubs final {",
            "cxx:torch::profiler::impl::ProfilerStubs", "final", "break"),
        ("alias means another type",
            "using ProfilerVoidEventStub = std::shared_ptr<void>;",
            "using ProfilerVoidEventStub = std::shared_ptr<const void>;",
            "cxx:torch::profiler::impl::ProfilerVoidEventStub", "alias", "break"),
        ("free function gets a parameter",
            "TORCH_API void registerITTMethods(ProfilerStubs* stubs);",
            "TORCH_API void registerITTMethods(ProfilerStubs* stubs, int how);",
            "cxx:torch::profiler::impl::registerITTMethods(torch::profiler::impl::ProfilerStubs *)", "parameter_added", "break"),
    ),
    *edits(GUARD, "c10::impl::DeviceGuardImplInterface",
        ("virtual with a default added",
            "  virtual DeviceIndex deviceCount() const noexcept = 0;",
            "  virtual DeviceIndex deviceCount() const noexcept = 0;\n  virtual int seeded() const { return 0; }",
            "seeded() const", "virtual_added", "adapt"),
        ("noexcept at a virtual",
            "virtual void setDevice(Device) const = 0;",
            "virtual void setDevice(Device) const noexcept = 0;",
            "setDevice(c10::Device) const", "noexcept", "break"),
        ("result type of a virtual",
            "virtual DeviceIndex deviceCount() const noexcept = 0;",
            "virtual int deviceCount() const noexcept = 0;",
            "deviceCount() const", "returns_number", "break"),
        ("default argument changed",
            "virtual Stream getNewStream(Device /*unused*/, int priority = 0) const {\n    (void)priority;\n    TORCH_CHECK",
            "virtual Stream getNewStream(Device /*unused*/, int priority = 1) const {\n    (void)priority;\n    TORCH_CHECK",
            "getNewStream(c10::Device, int) const", "default", "behaviour"),
        ("default argument removed",
            "      bool isHighPriority = false) const {\n    (void)isHighPriority;",
            "      bool isHighPriority) const {\n    (void)isHighPriority;",
            "getStreamFromGlobalPool(c10::Device, bool) const", "default_removed", "break"),
    ),
    moved("header moved", "c10/core/impl/FakeGuardImpl.h", "c10/core/FakeGuardImpl.h"),
]  # fmt: skip

EDITS = RFC0037 + INCIDENTS + OTHERS
