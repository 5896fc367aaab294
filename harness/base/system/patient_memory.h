/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory for libraries that cannot handle a failed allocation: jansson 2.14 frees memory twice,
 * libuv aborts, and the user would get no message. A failed allocation is repeated for some
 * seconds, because another program may use all memory for a moment. If the allocation still
 * fails, one sentence reports this, and the process ends with HN_EXIT_SYSTEM. No other library
 * code may end the process. No data is lost: a journal is complete at every moment, and hosts
 * end with their supervisor.
 */
#ifndef HN_PATIENT_MEMORY_H
#define HN_PATIENT_MEMORY_H

#include <stddef.h>

/* Like malloc, calloc and realloc, but they return NULL only for a size of 0. */
void *hn_patient_malloc(size_t size);
void *hn_patient_calloc(size_t count, size_t size);
void *hn_patient_realloc(void *memory, size_t size);

#endif
