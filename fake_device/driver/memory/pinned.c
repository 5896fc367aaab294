/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pinned host memory: whole pages of ordinary memory, and a tree to find them by address. Called by
 * users and by the code that looks up addresses. Freed blocks are not cached. A copy in flight
 * shares ownership of its blocks: the pages of a freed block stay until the copy is done.
 */
#include "memory.h"

#include "counters.h"
#include "device.h"
#include "error.h"
#include "fakedev_faults.h"
#include "trace.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE UINT64_C(4096)
#define LARGEST_BLOCK (UINT64_C(64) << 30)

struct fd_pinned {
    uintptr_t base;
    size_t size, reserved;
    int32_t references; /* of the tree and of each copy; protected by the lock */
};

static struct {
    pthread_mutex_t lock;
    void *blocks; /* tree, sorted by address (search.h) */
} pinned = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int compare_ranges(const void *left, const void *right)
{
    const struct fd_pinned *a = left, *b = right;
    if (a->base + a->reserved <= b->base)
        return -1;
    return b->base + b->reserved <= a->base;
}

static struct fd_pinned *find_locked(const void *pointer)
{
    const struct fd_pinned key = {(uintptr_t)pointer, 1, 1, 0};
    struct fd_pinned *const *node = tfind(&key, &pinned.blocks, compare_ranges);
    return node ? *node : NULL;
}

static int32_t insert(struct fd_pinned *block)
{
    (void)pthread_mutex_lock(&pinned.lock);
    const int32_t inserted = tsearch(block, &pinned.blocks, compare_ranges) != NULL;
    (void)pthread_mutex_unlock(&pinned.lock);
    return inserted;
}

struct fd_pinned *fd_pinned_share(const void *pointer)
{
    (void)pthread_mutex_lock(&pinned.lock);
    struct fd_pinned *block = find_locked(pointer);
    if (block)
        block->references++;
    (void)pthread_mutex_unlock(&pinned.lock);
    return block;
}

void fd_pinned_release(struct fd_pinned *block)
{
    if (!block)
        return;
    (void)pthread_mutex_lock(&pinned.lock);
    const int32_t left = --block->references;
    (void)pthread_mutex_unlock(&pinned.lock);
    if (left > 0)
        return;
    const size_t lead = block->base % PAGE;
    (void)munmap((void *)(block->base - lead), block->reserved + lead);
    free(block);
}

static fd_status out_of_memory(size_t size)
{
    return fd_fail(FD_ERROR_OUT_OF_MEMORY, "no pinned memory for %zu bytes", size);
}

static fd_status host_allocate(size_t size, void **pointer)
{
    const fd_status status = fd_driver_start();
    if (status != FD_OK)
        return status;
    if (!pointer)
        return fd_fail(FD_ERROR_INVALID_VALUE, "pointer is NULL");
    if (size == 0) {
        *pointer = NULL;
        return FD_OK;
    }
    if (size > LARGEST_BLOCK)
        return out_of_memory(size);
    const size_t lead = fd_variant_is_on("offset_pinned") ? 256 : 0;
    const size_t reserved = (lead + size + PAGE - 1) & ~(PAGE - 1);
    struct fd_pinned *block = malloc(sizeof *block);
    void *base = mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!block || base == MAP_FAILED)
        goto fail;
    *block = (struct fd_pinned){(uintptr_t)base + lead, size, reserved - lead, 1};
    if (!insert(block))
        goto fail;
    fd_count(&fd_live.host_allocations);
    *pointer = (void *)block->base;
    if (fd_variant_is_on("poisoned_pinned"))
        memset(*pointer, 0xFF, size);
    return FD_OK;
fail:
    if (base != MAP_FAILED)
        (void)munmap(base, reserved);
    free(block);
    return out_of_memory(size);
}

fd_status fd_host_allocate(size_t size, void **pointer)
{
    return fd_trace_call("fd_host_allocate", -1, -1, size, host_allocate(size, pointer));
}

static struct fd_pinned *remove_base(const void *pointer)
{
    (void)pthread_mutex_lock(&pinned.lock);
    struct fd_pinned *block = find_locked(pointer);
    if (block && block->base != (uintptr_t)pointer)
        block = NULL;
    if (block)
        (void)tdelete(block, &pinned.blocks, compare_ranges);
    (void)pthread_mutex_unlock(&pinned.lock);
    return block;
}

static fd_status host_free(void *pointer)
{
    if (!pointer)
        return FD_OK;
    const fd_status forked = fd_driver_check_fork();
    if (forked != FD_OK)
        return forked;
    struct fd_pinned *block = remove_base(pointer);
    if (!block)
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not the address of a live pinned block",
                       pointer);
    fd_count(&fd_live.host_frees);
    fd_pinned_release(block);
    return FD_OK;
}

fd_status fd_host_free(void *pointer)
{
    return fd_trace_call("fd_host_free", -1, -1, 0, host_free(pointer));
}

fd_status fd_pinned_find(const void *pointer, struct fd_block *found)
{
    (void)pthread_mutex_lock(&pinned.lock);
    const struct fd_pinned *block = find_locked(pointer);
    if (block)
        *found = (struct fd_block){.device = -1,
                                   .base = (void *)block->base,
                                   .size = block->size,
                                   .reserved = block->reserved};
    (void)pthread_mutex_unlock(&pinned.lock);
    if (!block && fd_fault("copy.reads_pageable_memory_late")) {
        *found = (struct fd_block){-1, (void *)(uintptr_t)pointer, SIZE_MAX / 2, SIZE_MAX / 2};
        return FD_OK;
    }
    if (block)
        return FD_OK;
    return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not in a live block", pointer);
}
