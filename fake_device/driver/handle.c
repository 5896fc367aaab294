/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The set of live handles: a chained hash table of addresses. No function holds the lock of this
 * table when it calls other code. Must not depend on the kinds of objects behind the handles.
 */
#include "handle.h"

#include <pthread.h>
#include <stddef.h>

#define BUCKETS 1024u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fd_handle *buckets[BUCKETS];

static struct fd_handle **bucket_of(const void *address)
{
    const uint64_t mixed = (uint64_t)(uintptr_t)address * 0x9E3779B97F4A7C15u;
    return &buckets[mixed >> 54];
}

/* Compares addresses without dereferencing, so `address` may be any value. */
static struct fd_handle **find_locked(const void *address, enum fd_handle_kind kind)
{
    struct fd_handle **link = bucket_of(address);
    while (*link && (const void *)*link != address)
        link = &(*link)->next;
    return *link && (*link)->kind == kind ? link : NULL;
}

void fd_handle_publish(struct fd_handle *handle, enum fd_handle_kind kind,
                       void (*finish)(struct fd_handle *self))
{
    atomic_init(&handle->references, 1);
    handle->kind = kind;
    handle->finish = finish;
    pthread_mutex_lock(&lock);
    struct fd_handle **bucket = bucket_of(handle);
    handle->next = *bucket;
    *bucket = handle;
    pthread_mutex_unlock(&lock);
}

bool fd_handle_acquire(const void *address, enum fd_handle_kind kind)
{
    pthread_mutex_lock(&lock);
    struct fd_handle **link = find_locked(address, kind);
    if (link)
        fd_handle_share(*link);
    pthread_mutex_unlock(&lock);
    return link != NULL;
}

bool fd_handle_withdraw(const void *address, enum fd_handle_kind kind)
{
    pthread_mutex_lock(&lock);
    struct fd_handle **link = find_locked(address, kind);
    if (link)
        *link = (*link)->next;
    pthread_mutex_unlock(&lock);
    return link != NULL;
}

void fd_handle_share(struct fd_handle *handle)
{
    atomic_fetch_add_explicit(&handle->references, 1, memory_order_relaxed);
}

bool fd_handle_share_if_alive(struct fd_handle *handle)
{
    uint32_t seen = atomic_load_explicit(&handle->references, memory_order_relaxed);
    while (seen != 0)
        if (atomic_compare_exchange_weak(&handle->references, &seen, seen + 1))
            return true;
    return false;
}

void fd_handle_release(struct fd_handle *handle)
{
    if (handle && atomic_fetch_sub_explicit(&handle->references, 1, memory_order_acq_rel) == 1)
        handle->finish(handle);
}
