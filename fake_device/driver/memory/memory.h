/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that memory offers to the rest of the driver.
 */
#ifndef FD_MEMORY_H
#define FD_MEMORY_H

#include "fakedev.h"

/* Returns cached blocks of the device to it if no stream still uses them. The driver must have
 * started. */
void fd_memory_drop_cache(int32_t device);

#endif
