/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Objects that PyTorch calls. Each object is registered once per process and never destroyed:
 * static destructors of other libraries still call these objects, and tensors may outlive static
 * objects.
 *
 * Operators are registered in the files that define them.
 */
#include "activity_profiler.h"
#include "backend_meta.h"
#include "device_allocator.h"
#include "device_guard.h"
#include "graphs.h"
#include "hooks.h"
#include "host_allocator.h"
#include "storage.h"

#include <torch/csrc/jit/serialization/pickler_helper.h>

namespace fakedev
{

namespace
{

const bool registered = [] {
    c10::impl::registerDeviceGuard(c10::DeviceType::PrivateUse1, new Guard());
    at::RegisterPrivateUse1HooksInterface(new Hooks());
    c10::SetAllocator(c10::DeviceType::PrivateUse1, new DeviceAllocator());
    at::setHostAllocator(c10::DeviceType::PrivateUse1, host_allocator());
    c10::SetStorageImplCreate(c10::DeviceType::PrivateUse1, &make_storage);
    torch::jit::TensorBackendMetaRegistry(c10::DeviceType::PrivateUse1, &save_marks, &load_marks);
    return true;
}();

} // namespace

} // namespace fakedev

#if FAKEDEV_HAS_ACTIVITY_PROFILER
namespace fakedev
{

REGISTER_PRIVATEUSE1_PROFILER(ActivityProfiler);

} // namespace fakedev
#endif

#if FAKEDEV_HAS_GRAPHS
/* Registered under the upper-case name, because PyTorch looks up this name after the rename. */
namespace at
{

REGISTER_GRAPH_IMPL(FAKEDEV, fakedev::Graph)

} // namespace at
#endif
