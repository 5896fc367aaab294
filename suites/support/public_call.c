/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See public_call.h.
 */
#include "public_call.h"

#include <stdio.h>
#include <string.h>

/* Names without "bridge_". public_call_test.py holds the table against the calls of all suites. */
static const struct {
    const char *bridge, *torch;
} names[] = {
    {"allocate", "Allocator::allocate"},
    {"allocator_identity", "c10::GetAllocator"},
    {"at_end", "atexit"},
    {"block_clone", "Allocator::clone"},
    {"block_delete_null", "DataPtr's deleter"},
    {"block_deleter", "DataPtr::get_deleter"},
    {"block_free", "DataPtr's deleter"},
    {"block_is_simple", "Allocator::is_simple_data_ptr"},
    {"block_record_stream", "DeviceAllocator::recordStream"},
    {"call", "Dispatcher::call"},
    {"copy_data", "Allocator::copy_data"},
    {"cpu_device_allocator", "c10::getDeviceAllocator"},
    {"dlpack_export", "at::toDLPack"},
    {"dlpack_export_versioned", "at::toDLPackVersioned"},
    {"dlpack_import", "at::fromDLPack"},
    {"dlpack_import_versioned", "at::fromDLPackVersioned"},
    {"event_block", "block"},
    {"event_elapsed", "elapsedTime"},
    {"event_query", "queryEvent"},
    {"event_record", "record"},
    {"event_synchronize", "synchronizeEvent"},
    {"foreign_is_simple", "Allocator::is_simple_data_ptr"},
    {"generator_default", "getDefaultGenerator"},
    {"generator_device", "GeneratorImpl::device"},
    {"generator_get_seed", "GeneratorImpl::current_seed"},
    {"generator_has_key", "GeneratorImpl::key_set"},
    {"generator_identity", "GeneratorImpl"},
    {"generator_new", "getNewGenerator"},
    {"generator_reseed", "GeneratorImpl::seed"},
    {"generator_set_seed", "GeneratorImpl::set_current_seed"},
    {"graph_registered", "GraphImplRegistry::Has"},
    {"guard_capability", "getDeviceCapability"},
    {"guard_count", "deviceCount"},
    {"guard_current", "getDevice"},
    {"guard_exchange", "exchangeDevice"},
    {"guard_registered", "c10::impl::hasDeviceGuardImpl"},
    {"guard_set", "setDevice"},
    {"guard_synchronize", "synchronizeDevice"},
    {"guard_type", "DeviceGuardImplInterface::type"},
    {"hooks_count", "PrivateUse1HooksInterface::deviceCount"},
    {"hooks_current", "PrivateUse1HooksInterface::getCurrentDevice"},
    {"hooks_device_of", "getDeviceFromPtr"},
    {"hooks_exchange", "PrivateUse1HooksInterface::exchangeDevice"},
    {"hooks_has_context", "hasPrimaryContext"},
    {"hooks_init", "PrivateUse1HooksInterface::init"},
    {"hooks_is_available", "isAvailable"},
    {"hooks_is_built", "isBuilt"},
    {"hooks_is_pinned", "isPinnedPtr"},
    {"hooks_maybe_exchange", "PrivateUse1HooksInterface::maybeExchangeDevice"},
    {"hooks_pinned_allocator", "getPinnedMemoryAllocator"},
    {"hooks_registered", "at::isPrivateUse1HooksRegistered"},
    {"hooks_set", "PrivateUse1HooksInterface::setCurrentDevice"},
    {"host_allocate", "HostAllocator::allocate"},
    {"host_empty_cache", "HostAllocator::empty_cache"},
    {"host_get_stats", "HostAllocator::get_stats"},
    {"host_identity", "at::getHostAllocator"},
    {"host_record_event", "HostAllocator::record_event"},
    {"host_record_history", "HostAllocator::record_history"},
    {"host_reset_stats", "HostAllocator::reset_accumulated_stats"},
    {"host_told_of", "what the HostAllocator recorded"},
    {"memory_empty_cache", "DeviceAllocator::emptyCache"},
    {"memory_get_stats", "DeviceAllocator::getDeviceStats"},
    {"raw_allocate", "Allocator::raw_allocate"},
    {"raw_deallocate", "Allocator::raw_deallocate"},
    {"raw_deleter", "Allocator::raw_deleter"},
    {"read", "a copy to the host"},
    {"scope_enter", "c10::DeviceGuard"},
    {"scope_unwind", "c10::DeviceGuard"},
    {"set_unused_allocator", "c10::SetAllocator"},
    {"shim_from_blob", "torch_from_blob"},
    {"shim_guard_create", "aoti_torch_create_device_guard"},
    {"shim_guard_delete", "aoti_torch_delete_device_guard"},
    {"shim_guard_set_index", "aoti_torch_device_guard_set_index"},
    {"storage_factory_again", "c10::SetStorageImplCreate"},
    {"storage_resizable_without_allocator", "c10::StorageImpl"},
    {"stream_current", "getStream"},
    {"stream_exchange", "exchangeStream"},
    {"stream_from_pool", "getStreamFromGlobalPool"},
    {"stream_new", "getNewStream"},
    {"stream_query", "queryStream"},
    {"stream_scope_enter", "c10::StreamGuard"},
    {"stream_synchronize", "synchronizeStream"},
    {"stub_abs_calls", "at::abs by at::native::abs_stub"},
    {"stub_fill_abs", "at::native::fill_stub and abs_stub"},
    {"tensor_describe", "a look at the tensor"},
    {"tensor_empty", "aten::empty"},
    {"tensor_from_bytes", "at::from_blob"},
    {"tensor_read", "a copy to the host"},
    {"tensor_resizable", "StorageImpl::resizable"},
    {"tensor_to", "Tensor::to"},
    {"write", "a copy to the device"},
};

static const char *name_of(const char *call, size_t length)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].bridge) == length && strncmp(names[i].bridge, call, length) == 0)
            return names[i].torch;
    return NULL;
}

/* Length of the argument that begins here. */
static size_t argument_length(const char *at)
{
    int depth = 0;
    size_t length = 0;
    for (; at[length] && (depth || !strchr(",)", at[length])); length++)
        depth +=
            (at[length] == '(' || at[length] == '[') - (at[length] == ')' || at[length] == ']');
    return length;
}

static int is_seen(const char *argument, size_t length)
{
    return length && *argument != '&' && !(length == 4 && strncmp(argument, "NULL", 4) == 0);
}

/* Adds them up to the closing bracket; returns what stands behind it. */
static const char *add_arguments(const char *at, char *text, size_t size)
{
    size_t used = strlen(text), told = 0;
    while (*at && *at != ')') {
        const size_t length = argument_length(at);
        if (is_seen(at, length) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", told++ ? ", " : "",
                                     (int)length, at);
        at += length;
        at += strspn(at, ", ");
    }
    return *at ? at + 1 : at;
}

int assay_public_call(const char *expression, char *text, size_t size)
{
    static const char ours[] = "bridge_";
    const char *const call = expression + sizeof ours - 1;
    text[0] = '\0';
    if (strncmp(expression, ours, sizeof ours - 1) != 0)
        return 0;
    const size_t length = strcspn(call, "(");
    const char *const name = call[length] ? name_of(call, length) : NULL;
    if (!name)
        return 0;
    const int is_phrase = strchr(name, ' ') != NULL; /* and has no arguments */
    snprintf(text, size, "%s%s", name, is_phrase ? "" : "(");
    char skipped[1] = "";
    const char *const rest = is_phrase ? add_arguments(call + length + 1, skipped, 0)
                                       : add_arguments(call + length + 1, text, size);
    const size_t used = strlen(text);
    if (used < size)
        snprintf(text + used, size - used, "%s%s", is_phrase ? "" : ")",
                 strcmp(rest, ".status") == 0 ? "" : rest);
    return 1;
}
