/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Registers the objects of libtorch_fakedev_faulty.so (this file replaces
 * ../integration/register.cc), and installs faults that are switched on. Linked last, so that the
 * correct operators are registered first.
 */
#include "faulty_parts.h"
#include "spoil.h"
#include "storage.h"

#include <torch/csrc/jit/serialization/pickler_helper.h>

#include <cstring>

namespace fakedev
{

namespace
{

bool gone = false;

struct Farewell {
    ~Farewell()
    {
        gone = true;
    }
} farewell;

c10::intrusive_ptr<c10::StorageImpl> make_faulty_storage(c10::StorageImpl::use_byte_size_t tag,
                                                         c10::SymInt size, c10::DataPtr data,
                                                         c10::Allocator *allocator, bool resizable)
{
    if (!data && armed("storage.factory_allocates_nothing"))
        return c10::make_intrusive<c10::StorageImpl>(tag, std::move(size), std::move(data),
                                                     allocator, resizable);
    return make_storage(tag, std::move(size), std::move(data), allocator, resizable);
}

void register_allocators()
{
    if (armed("allocator.not_a_device_allocator"))
        register_plain_allocator();
    else if (!armed("allocator.not_registered"))
        c10::SetAllocator(c10::DeviceType::PrivateUse1, make_faulty_allocator());
    if (!armed("host.not_registered"))
        at::setHostAllocator(c10::DeviceType::PrivateUse1, make_faulty_host_allocator());
}

/* Faults that act once, when they are armed. */
const struct {
    const char *fault;
    void (*act)();
} at_once[] = {
    {"core.c_abi_changes_nothing", change_core_code},
    {"core.c_abi_has_no_messages", change_core_messages},
    {"core.c_abi_has_no_version", change_core_facts},
    {"core.c_abi_lacks_a_function", remove_core_function},
    {"core.c_abi_parses_nothing", change_core_parsing},
    {"core.c_abi_returns_nothing", change_core_results},
    {"core.c_dispatcher_calls_nothing", change_core_dispatcher},
    {"ops.attention_choice_is_the_cpus", choose_attention_as_the_cpu},
};

void put_in_place(const char *fault)
{
    place_spoils(fault);
    for (const auto &row : at_once)
        if (std::strcmp(fault, row.fault) == 0 && armed(row.fault))
            row.act();
}

const bool registered = [] {
    if (!armed("guard.not_registered"))
        c10::impl::registerDeviceGuard(c10::DeviceType::PrivateUse1, make_faulty_guard());
    if (!armed("hooks.not_registered"))
        at::RegisterPrivateUse1HooksInterface(make_faulty_hooks());
    register_allocators();
    register_faulty_graphs();
    register_faulty_profiler();
    c10::SetStorageImplCreate(c10::DeviceType::PrivateUse1, &make_faulty_storage);
    torch::jit::TensorBackendMetaRegistry(c10::DeviceType::PrivateUse1, &save_faulty_marks,
                                          &load_faulty_marks);
    fd_faults_serve("integration", &put_in_place);
    fd_faults_serve("refusal", nullptr);
    fd_faults_serve("delay", nullptr);
    return true;
}();

} // namespace

bool statics_are_gone() noexcept
{
    return gone;
}

} // namespace fakedev
