/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Helpers shared by the memory tests: allocation and lookup in one line.
 */
#ifndef FD_MEMORY_TEST_SUPPORT_H
#define FD_MEMORY_TEST_SUPPORT_H

#include "stream_test_support.h"

#include "driver_test.h"

#define MIB (UINT64_C(1) << 20)

static inline void *take(int32_t device, uint64_t size, fd_stream *stream)
{
    void *pointer = NULL;
    if (device == 1)
        needs_two_devices();
    ck_assert_ok(fd_memory_allocate(device, size, stream, &pointer));
    return pointer;
}

static inline void give(void *pointer)
{
    ck_assert_ok(fd_memory_free(pointer));
}

static inline unsigned char *alias_of(const void *pointer, size_t size)
{
    void *alias = NULL;
    ck_assert_ok(fd_memory_alias(pointer, size, &alias));
    return alias;
}

static inline struct fd_memory_stats stats_of(int32_t device)
{
    struct fd_memory_stats stats;
    if (device == 1)
        needs_two_devices();
    ck_assert_ok(fd_memory_get_stats(device, &stats));
    return stats;
}

#endif
