/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The callbacks of the native host program (host_callbacks.h), for suites, target loading and the
 * adapter. There is one table per process.
 */
#ifndef HN_NATIVE_CALLBACKS_H
#define HN_NATIVE_CALLBACKS_H

#include "host_callbacks.h"

/* Returns NULL if out of memory. The table and all objects in it live until the process ends. */
const struct hn_host_callbacks *hn_native_callbacks(void);

#endif
