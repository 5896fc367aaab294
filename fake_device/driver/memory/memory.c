/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The public memory calls: argument checks, lookup of the owner of an address, trace. The
 * allocator, pinned memory and IPC do the work.
 */
#include "memory.h"

#include "address_space.h"
#include "allocator.h"
#include "device.h"
#include "error.h"
#include "fakedev_faults.h"
#include "memory_stats.h"
#include "settings.h"
#include "stream_internal.h"
#include "trace.h"

#include <stdatomic.h>

static fd_status start(void)
{
    const fd_status status = fd_space_start();
    if (status == FD_OK)
        fd_allocators_start();
    return status;
}

__attribute__((constructor)) static void start_with_the_driver(void)
{
    fd_driver_starts_with(start);
}

void fd_memory_drop_cache(int32_t device)
{
    fd_allocator_empty(fd_allocator_of(device));
}

/* ---- allocate -------------------------------------------------------------------------------- */

/* Returns a reference to the stream that owns memory allocated on `stream`: `stream` itself or,
 * while it is capturing, the keeper of the graph (graph.c). */
static fd_stream *retain_owner(fd_stream *stream)
{
    fd_stream *live = fd_stream_retain(stream);
    if (!live)
        return NULL;
    fd_stream *owner = fd_stream_memory_owner(live);
    if (owner == live)
        return live;
    owner = fd_stream_retain(owner);
    fd_stream_release(live);
    return owner;
}

/* Gives a reference to the stream that owns memory allocated on `stream` (NULL: the current
 * stream). `stream` must be a live stream of the device. */
static fd_status retain_stream(int32_t device, fd_stream *stream, fd_stream **retained)
{
    if (!stream) {
        const fd_status status = fd_stream_get_current(device, &stream);
        if (status != FD_OK)
            return status;
    }
    *retained = retain_owner(stream);
    if (!*retained)
        return fd_fail(FD_ERROR_INVALID_HANDLE, "the block's stream is not a live stream");
    const int32_t its_device = fd_stream_device(*retained);
    if (its_device == device)
        return FD_OK;
    fd_stream_release(*retained);
    return fd_fail(FD_ERROR_INVALID_VALUE, "a stream of device %d cannot own memory of device %d",
                   its_device, device);
}

static fd_status allocate(int32_t device, size_t size, fd_stream *stream, void **pointer)
{
    fd_status status = fd_device_check(device);
    if (status != FD_OK)
        return status;
    if (!pointer)
        return fd_fail(FD_ERROR_INVALID_VALUE, "pointer is NULL");
    fd_stream *retained = NULL;
    status = retain_stream(device, stream, &retained);
    if (status != FD_OK)
        return status;

    uint64_t offset = 0;
    if (size == 0)
        goto without_block;
    status = fd_allocator_take(fd_allocator_of(device), size, retained, &offset);
    if (status != FD_OK)
        goto without_block;
    *pointer = fd_space_pointer(offset);
    return FD_OK;

without_block:
    fd_stream_release(retained);
    if (status == FD_OK || fd_fault("allocator.exhaustion_is_success")) {
        *pointer = NULL;
        return FD_OK;
    }
    return status;
}

fd_status fd_memory_allocate(int32_t device, size_t size, fd_stream *stream, void **pointer)
{
    return fd_trace_call("fd_memory_allocate", device, -1, size,
                         allocate(device, size, stream, pointer));
}

/* ---- free and record ------------------------------------------------------------------------- */

static fd_status refuse_address(const void *pointer)
{
    return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not the address of a live block", pointer);
}

static int32_t is_on_current_device(const void *pointer)
{
    int32_t current = 0;
    (void)fd_device_get(&current);
    return fd_allocator_of(current) == fd_allocator_owning(pointer);
}

static fd_status free_block(void *pointer)
{
    if (!pointer)
        return FD_OK;
    const fd_status forked = fd_driver_check_fork();
    if (forked != FD_OK)
        return forked;
    if (!fd_space_is_own(pointer))
        return refuse_address(pointer);
    if (fd_fault("allocator.free_on_wrong_device_is_lost") && !is_on_current_device(pointer))
        return FD_OK;
    return fd_allocator_give(fd_allocator_owning(pointer), fd_space_offset(pointer));
}

fd_status fd_memory_free(void *pointer)
{
    return fd_trace_call("fd_memory_free", -1, -1, 0, free_block(pointer));
}

static fd_status record_stream(void *pointer, fd_stream *stream)
{
    const fd_status forked = fd_driver_check_fork();
    if (forked != FD_OK)
        return forked;
    if (!fd_space_is_own(pointer))
        return refuse_address(pointer);
    return fd_allocator_record(fd_allocator_owning(pointer), fd_space_offset(pointer), stream);
}

fd_status fd_memory_record_stream(void *pointer, fd_stream *stream)
{
    return fd_trace_call("fd_memory_record_stream", -1, -1, 0, record_stream(pointer, stream));
}

/* ---- find and alias: not traced, because kernels call them for every operand ---- */

fd_status fd_memory_find(const void *pointer, struct fd_block *block)
{
    if (!block)
        return fd_fail(FD_ERROR_INVALID_VALUE, "block is NULL");
    /* A forked child owns none of its parent's blocks and must not take their locks. */
    if (!pointer || fd_forked_after_start())
        return refuse_address(pointer);
    if (fd_space_is_own(pointer))
        return fd_allocator_find(fd_allocator_owning(pointer), fd_space_offset(pointer), block);
    if (fd_space_is_import(pointer))
        return fd_ipc_find(pointer, block);
    return fd_pinned_find(pointer, block);
}

static int32_t is_device_address(const void *pointer)
{
    return fd_space_is_own(pointer) || fd_space_is_import(pointer);
}

static fd_status leaves_block(const void *pointer, size_t size, const struct fd_block *block)
{
    return fd_fail(FD_ERROR_INVALID_VALUE, "%zu bytes at %p leave their block of %zu bytes at %p",
                   size, pointer, block->size, block->base);
}

fd_status fd_memory_alias(const void *pointer, size_t size, void **alias)
{
    if (!alias)
        return fd_fail(FD_ERROR_INVALID_VALUE, "alias is NULL");
    const int32_t on_device = is_device_address(pointer);
    struct fd_block block;
    /* If `size` is 0, the pointer may be the end of a block, as for an empty tensor. */
    if (size > 0 && pointer) {
        const fd_status status = fd_memory_find(pointer, &block);
        const fd_status forked = on_device ? fd_driver_check_fork() : FD_OK;
        if (forked != FD_OK)
            return forked;
        if (status != FD_OK && on_device)
            return status;
        if (status == FD_OK) {
            const size_t before =
                (size_t)((const unsigned char *)pointer - (const unsigned char *)block.base);
            if (before > block.size || size > block.size - before)
                return leaves_block(pointer, size, &block);
        }
    }
    *alias = on_device ? fd_space_alias(pointer) : (void *)(uintptr_t)pointer;
    return FD_OK;
}

/* ---- information, cache, statistics ---------------------------------------------------------- */

/* The number of free bytes that other processes appear to use (variant busy_memory). */
static uint64_t taken_by_others(uint64_t left)
{
    static atomic_uint questions;
    if (!fd_variant_is_on("busy_memory"))
        return 0;
    const uint64_t taken = (uint64_t)(atomic_fetch_add(&questions, 1) % 5) << 20;
    return taken < left ? taken : left;
}

static fd_status memory_info(int32_t device, uint64_t *free_bytes, uint64_t *total_bytes)
{
    const fd_status status = fd_device_check(device);
    if (status != FD_OK)
        return status;
    struct fd_memory_stats stats;
    fd_allocator_get_stats(fd_allocator_of(device), &stats);
    const uint64_t total = fd_settings()->memory;
    const uint64_t left = total - stats.reserved_bytes.current;
    if (free_bytes)
        *free_bytes = fd_fault("allocator.info_has_more_free_than_total")
                          ? total + stats.reserved_bytes.current
                          : left - taken_by_others(left);
    if (total_bytes)
        *total_bytes = total;
    return FD_OK;
}

fd_status fd_memory_info(int32_t device, uint64_t *free_bytes, uint64_t *total_bytes)
{
    return fd_trace_call("fd_memory_info", device, -1, 0,
                         memory_info(device, free_bytes, total_bytes));
}

static fd_status empty_cache(int32_t device)
{
    const fd_status status = fd_device_check(device);
    if (status == FD_OK)
        fd_memory_drop_cache(device);
    return status;
}

fd_status fd_memory_empty_cache(int32_t device)
{
    return fd_trace_call("fd_memory_empty_cache", device, -1, 0, empty_cache(device));
}

/* Statistics are kept on the host, so they are also available for a lost device. */
static fd_status check_for_stats(int32_t device)
{
    return fd_device_check_even_lost(device);
}

static fd_status get_stats(int32_t device, struct fd_memory_stats *stats)
{
    const fd_status status = check_for_stats(device);
    if (status != FD_OK)
        return status;
    if (!stats)
        return fd_fail(FD_ERROR_INVALID_VALUE, "stats is NULL");
    fd_allocator_get_stats(
        fd_allocator_of(fd_fault("allocator.stats_shared_by_devices") ? 0 : device), stats);
    return FD_OK;
}

fd_status fd_memory_get_stats(int32_t device, struct fd_memory_stats *stats)
{
    return fd_trace_call("fd_memory_get_stats", device, -1, 0, get_stats(device, stats));
}

static fd_status change_stats(int32_t device, void (*change)(struct fd_memory_stats *stats))
{
    const fd_status status = check_for_stats(device);
    if (status == FD_OK)
        fd_allocator_change_stats(fd_allocator_of(device), change);
    return status;
}

fd_status fd_memory_reset_peak(int32_t device)
{
    return fd_trace_call("fd_memory_reset_peak", device, -1, 0,
                         change_stats(device, fd_memory_stats_reset_peak));
}

fd_status fd_memory_reset_accumulated(int32_t device)
{
    return fd_trace_call("fd_memory_reset_accumulated", device, -1, 0,
                         change_stats(device, fd_memory_stats_reset_accumulated));
}
