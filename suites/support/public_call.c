/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See public_call.h.
 */
#include "public_call.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Names without "bridge_". public_call_test.py compares the table with the calls of all suites. */
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
    {"profiler_elapsed", "ProfilerStubs::elapsed"},
    {"profiler_enabled", "ProfilerStubs::enabled"},
    {"profiler_mark", "ProfilerStubs::mark"},
    {"profiler_on_each_device", "ProfilerStubs::onEachDevice"},
    {"profiler_plugin", "PrivateUse1ProfilerRegistry"},
    {"profiler_range_pop", "ProfilerStubs::rangePop"},
    {"profiler_range_push", "ProfilerStubs::rangePush"},
    {"profiler_record", "ProfilerStubs::record"},
    {"profiler_synchronize", "ProfilerStubs::synchronize"},
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

/* Returns the length of the argument that starts at `at`. */
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

/* Appends the arguments up to the closing bracket. Returns the text after the bracket. */
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

/* Maps the last identifier of an expression to the name of the value. See public_call_test.py. */
static const struct {
    const char *name, *words;
} subjects[] = {
    {"again", "the second result of deviceCount"},
    {"allocated_bytes_total", "the number of bytes ever allocated"},
    {"allocated_bytes", "the number of allocated bytes"},
    {"allocated", "the number of bytes counted as allocated"},
    {"allocations", "the number of live blocks"},
    {"answer", "queryEvent"},
    {"assay_counted", "what the backend counted"},
    {"assay_is_complete", "queryEvent"},
    {"available", "isAvailable"},
    {"bits", "bits of the dtype"},
    {"built", "isBuilt"},
    {"by_its_name", "GraphImplRegistry::Has of the name"},
    {"byte_offset", "byte_offset"},
    {"calls", "the number of calls of the deleter"},
    {"chosen", "whether the allocator that was set last is used"},
    {"code", "the code of the dtype"},
    {"complete", "queryEvent"},
    {"context", "the context pointer"},
    {"contiguous", "is_contiguous"},
    {"count", "the number of calls"},
    {"current", "the current device"},
    {"current_after", "the current device after the call"},
    {"data", "the data pointer"},
    {"deletions", "the number of deletions"},
    {"device_id", "device_id"},
    {"device_type", "device_type"},
    {"device", "the device index"},
    {"dim", "the number of dims"},
    {"elements", "the number of elements"},
    {"enabled", "ProfilerStubs::enabled"},
    {"event", "the event's handle"},
    {"flags", "flags"},
    {"foreign", "is_simple_data_ptr"},
    {"given_back", "the number of blocks returned to the system"},
    {"got_the_same", "the number of streams that two threads got"},
    {"has_allocator", "whether the storage has an allocator"},
    {"has_context", "hasPrimaryContext"},
    {"has_key", "whether the key set has PrivateUse1"},
    {"has_primary", "hasPrimaryContext"},
    {"hooks", "deviceCount of the hooks"},
    {"idle", "queryStream"},
    {"id", "the id of the stream"},
    {"in_use", "the number of bytes in use"},
    {"initial_seed", "current_seed"},
    {"inside", "the current device within the scope"},
    {"lanes", "lanes of the dtype"},
    {"later", "the second result of raw_deleter"},
    {"live", "the number of bytes in use"},
    {"major", "the major version"},
    {"not_found", "the number of wrong answers of isPinnedPtr"},
    {"of_hooks", "getPinnedMemoryAllocator"},
    {"pinned", "isPinnedPtr"},
    {"previous", "the returned index"},
    {"recorded", "record_event"},
    {"recording", "is_history_enabled"},
    {"resizable", "whether the storage is resizable"},
    {"returned", "the number of capsules returned"},
    {"seen", "the number of calls for the device"},
    {"simple", "is_simple_data_ptr"},
    {"sizes", "the size"},
    {"status", "the status of the call"},
    {"storage_bytes", "the number of bytes of the storage"},
    {"storage_data", "the data pointer of the storage"},
    {"storage_device", "the device index of the storage"},
    {"storage_offset", "the storage offset"},
    {"storage", "the storage"},
    {"strides", "the stride"},
    {"tensor_on", "the device of the tensor"},
    {"twice", "the number of repeated draws"},
    {"type", "the device type"},
    {"wrong", "the number of wrong answers"},
};

static int is_in_name(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

static const char *past_brackets(const char *at)
{
    int depth = 0;
    for (; *at && (depth || *at == '(' || *at == '['); at++)
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
    return at;
}

/* Finds the last identifier of the first operand, such as "data" of "(intptr_t)one.data -
 * (intptr_t)all.data". Returns the length of the identifier. */
static size_t last_name(const char *at, const char **name)
{
    size_t length = 0;
    *name = at;
    if (*at == '(') /* skips a cast */
        at = past_brackets(at);
    while (is_in_name(*at)) {
        for (*name = at, length = 0; is_in_name(at[length]);)
            length++;
        at = past_brackets(at + length);
        at += strncmp(at, "->", 2) == 0 ? 2 : *at == '.';
    }
    return length;
}

void assay_subject(const char *expression, char *text, size_t size)
{
    const char *name;
    const size_t length = last_name(expression, &name);
    const int is_change = strncmp(past_brackets(name + length), " - ", 3) == 0;
    snprintf(text, size, "it");
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
        if (strlen(subjects[i].name) == length && strncmp(subjects[i].name, name, length) == 0)
            snprintf(text, size, "%s%s", is_change ? "the change of " : "", subjects[i].words);
}

void assay_with_value(const char *call, const char *argument, int64_t value, char *text,
                      size_t size)
{
    const size_t length = strlen(argument);
    const char *at = strstr(call, argument);
    while (at && (is_in_name(at[length]) || (at > call && is_in_name(at[-1]))))
        at = strstr(at + 1, argument);
    if (at)
        snprintf(text, size, "%.*s%" PRId64 "%s", (int)(at - call), call, value, at + length);
    else
        snprintf(text, size, "%s", call);
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
    const int is_phrase = strchr(name, ' ') != NULL; /* a call without arguments */
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
