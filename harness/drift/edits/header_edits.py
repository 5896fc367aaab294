# SPDX-License-Identifier: BSD-3-Clause
"""Edits of torch 2.13's headers and what drift must say. The first eight are the breakages of RFC-0037, as edits."""

from apply import Edit

ALLOCATOR = "c10/core/Allocator.h"
GUARD = "c10/core/impl/DeviceGuardImplInterface.h"
STUBS = "torch/csrc/profiler/stubs/base.h"
SCALAR = "torch/headeronly/core/ScalarType.h"
STREAM = "c10/core/Stream.h"
DEVICE = "c10/core/Device.h"

RFC0037 = [
    Edit("120969 allocate loses const", ALLOCATOR, "virtual DataPtr allocate(size_t n) = 0;", "virtual DataPtr allocate(size_t n) const = 0;",
         "cxx:c10::Allocator::allocate(unsigned long)", "const", "break"),
    Edit("119142 record takes another pointer", STUBS, "      c10::DeviceIndex* device,\n", "      int* device,\n",
         "cxx:torch::profiler::impl::ProfilerStubs::record(signed char *, std::shared_ptr<void> *, long *) const", "signature", "break"),
    Edit("114367 a header needs what a CPU build has not", "torch/csrc/profiler/stubs/base.h", "struct TORCH_API ProfilerStubs {",
         "#include <nccl.h>\nstruct TORCH_API ProfilerStubs {", f"header:{STUBS}", "no_longer_parses", "break"),
    Edit("113797 a free function is removed", STREAM, "C10_API std::ostream& operator<<(std::ostream& stream, const Stream& s);", "",
         "cxx:c10::operator<<(std::basic_ostream<char> &, const c10::Stream &)", "removed", "break"),
    Edit("107586 and 116594 new dtypes", SCALAR, "  NumOptions\n", "  SeededType,\n  NumOptions\n",
         "cxx:c10::ScalarType::SeededType", "enumerator_added", "adapt"),
    Edit("113396 pure virtual added", ALLOCATOR, " protected:\n  // Uses `std::memcpy`", "  virtual void seeded(void* p) const = 0;\n protected:\n  // Uses `std::memcpy`",
         "cxx:c10::Allocator::seeded(void *) const", "pure_virtual_added", "break"),
]  # fmt: skip

OTHERS = [
    Edit("comment only", ALLOCATOR, "// Clones an allocation that came", "// Another comment\n  // Clones an allocation that came", "", "", ""),
    Edit("layout only", ALLOCATOR, "virtual DataPtr allocate(size_t n) = 0;", "virtual DataPtr allocate(\n      size_t n /*bytes*/) = 0;", "", "", ""),
    Edit("const added", ALLOCATOR, "DataPtr clone(const void* data, std::size_t n);", "DataPtr clone(const void* data, std::size_t n) const;",
         "cxx:c10::Allocator::clone(const void *, unsigned long)", "const", "adapt"),
    Edit("parameter added", ALLOCATOR, "virtual bool is_simple_data_ptr(const DataPtr& data_ptr) const;",
         "virtual bool is_simple_data_ptr(const DataPtr& data_ptr, int how) const;",
         "cxx:c10::Allocator::is_simple_data_ptr(const c10::DataPtr &) const", "parameter_added", "break"),
    Edit("optional parameter added", ALLOCATOR, "DataPtr clone(const void* data, std::size_t n);", "DataPtr clone(const void* data, std::size_t n, int how = 0);",
         "cxx:c10::Allocator::clone(const void *, unsigned long)", "optional_parameter_added", "adapt"),
    Edit("parameter removed", STUBS, "virtual void mark(const char* name) const = 0;", "virtual void mark() const = 0;",
         "cxx:torch::profiler::impl::ProfilerStubs::mark(const char *) const", "parameter_removed", "break"),
    Edit("virtual with a default added", GUARD, "  virtual DeviceIndex deviceCount() const noexcept = 0;",
         "  virtual DeviceIndex deviceCount() const noexcept = 0;\n  virtual int seeded() const { return 0; }",
         "cxx:c10::impl::DeviceGuardImplInterface::seeded() const", "virtual_added", "adapt"),
    Edit("virtual becomes pure", ALLOCATOR, "  virtual DeleterFnPtr raw_deleter() const {\n    return nullptr;\n  }", "  virtual DeleterFnPtr raw_deleter() const = 0;",
         "cxx:c10::Allocator::raw_deleter() const", "became_pure", "break"),
    Edit("virtual removed", STUBS, "  virtual void rangePop() const = 0;\n", "", "cxx:torch::profiler::impl::ProfilerStubs::rangePop() const", "removed", "break"),
    Edit("no longer virtual", STUBS, "  virtual bool enabled() const {", "  bool enabled() const {",
         "cxx:torch::profiler::impl::ProfilerStubs::enabled() const", "no_longer_virtual", "break"),
    Edit("default body of a virtual", STUBS, "    return false;\n", "    return true;\n",
         "cxx:torch::profiler::impl::ProfilerStubs::enabled() const", "body", "behaviour"),
    Edit("noexcept at a virtual", GUARD, "virtual void setDevice(Device) const = 0;", "virtual void setDevice(Device) const noexcept = 0;",
         "cxx:c10::impl::DeviceGuardImplInterface::setDevice(c10::Device) const", "noexcept", "break"),
    Edit("result type of a virtual", GUARD, "virtual DeviceIndex deviceCount() const noexcept = 0;", "virtual int deviceCount() const noexcept = 0;",
         "cxx:c10::impl::DeviceGuardImplInterface::deviceCount() const", "returns_number", "break"),
    Edit("default argument changed", GUARD, "virtual Stream getNewStream(Device /*unused*/, int priority = 0) const {\n    (void)priority;\n    TORCH_CHECK",
         "virtual Stream getNewStream(Device /*unused*/, int priority = 1) const {\n    (void)priority;\n    TORCH_CHECK",
         "cxx:c10::impl::DeviceGuardImplInterface::getNewStream(c10::Device, int) const", "default", "behaviour"),
    Edit("default argument removed", GUARD, "      bool isHighPriority = false) const {\n    (void)isHighPriority;", "      bool isHighPriority) const {\n    (void)isHighPriority;",
         "cxx:c10::impl::DeviceGuardImplInterface::getStreamFromGlobalPool(c10::Device, bool) const", "default_removed", "break"),
    Edit("class becomes final", STUBS, "struct TORCH_API ProfilerStubs {", "struct TORCH_API ProfilerStubs final {",
         "cxx:torch::profiler::impl::ProfilerStubs", "final", "break"),
    Edit("deprecated", ALLOCATOR, "DataPtr clone(const void* data, std::size_t n);", '[[deprecated("use copy_data")]] DataPtr clone(const void* data, std::size_t n);',
         "cxx:c10::Allocator::clone(const void *, unsigned long)", "deprecated", "deprecated"),
    Edit("header moved", "c10/core/impl/FakeGuardImpl.h", "", "", "header:c10/core/impl/FakeGuardImpl.h", "removed", "break",
         moved_to="c10/core/FakeGuardImpl.h"),
    Edit("access narrowed", ALLOCATOR, "  virtual DeleterFnPtr raw_deleter() const {", " protected:\n  virtual DeleterFnPtr raw_deleter() const {",
         "cxx:c10::Allocator::raw_deleter() const", "access_narrowed", "break"),
    Edit("alias means another type", STUBS, "using ProfilerVoidEventStub = std::shared_ptr<void>;", "using ProfilerVoidEventStub = std::shared_ptr<const void>;",
         "cxx:torch::profiler::impl::ProfilerVoidEventStub", "alias", "break"),
    Edit("free function gets a parameter", STUBS, "TORCH_API void registerITTMethods(ProfilerStubs* stubs);", "TORCH_API void registerITTMethods(ProfilerStubs* stubs, int how);",
         "cxx:torch::profiler::impl::registerITTMethods(torch::profiler::impl::ProfilerStubs *)", "parameter_added", "break"),
]  # fmt: skip

EDITS = RFC0037 + OTHERS
# Parsed around an edit: a few headers are enough to see it, and a tenth of the time.
HEADERS = (ALLOCATOR, GUARD, STUBS, STREAM, DEVICE, "c10/core/ScalarType.h", "c10/core/impl/FakeGuardImpl.h", "c10/core/CPUAllocator.h")
