/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Settings from the environment, read once when the library is loaded.
 */
#ifndef FD_SETTINGS_H
#define FD_SETTINGS_H

#include "fakedev.h"

#define FD_EXIT_MALFORMED 78 /* EX_CONFIG of sysexits.h */

struct fd_settings {
    int32_t devices;         /* FAKEDEV_DEVICES, 0 to FD_MAX_DEVICES */
    uint64_t memory;         /* FAKEDEV_MEMORY, bytes per device, a multiple of the alignment */
    uint64_t alignment;      /* FAKEDEV_ALIGNMENT, a power of two */
    int32_t caching;         /* FAKEDEV_CACHING, 0 or 1 */
    int32_t eager_streams;   /* work runs in the calling thread */
    int32_t late_completion; /* workers yield before a task completes */
    int32_t poisoned_free;   /* freed memory is overwritten */
    int32_t no_fp64;         /* kernels refuse float64 and complex128 */
};

/* Never NULL. The settings do not change after load. */
const struct fd_settings *fd_settings(void);

/* `get` is getenv or a replacement in tests. Returns 0. On failure, returns -1 with one sentence in
 * `message`, and `settings` is unspecified. Variants are applied last, so they override numeric
 * settings. */
int fd_settings_read(struct fd_settings *settings, const char *(*get)(const char *name),
                     char *message, size_t message_size);
/* Ends the process with FD_EXIT_MALFORMED and this message. */
_Noreturn void fd_settings_refuse(const char *message);
/* Modifiable settings of this process, for tests only, before the driver starts. */
struct fd_settings *fd_settings_for_tests(void);

#endif
