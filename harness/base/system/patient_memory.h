/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory for libraries that do not survive without: jansson 2.14 frees something twice, libuv aborts, and
 * no word of ours reaches the user. What the machine refuses is asked for again for some seconds, because
 * a neighbour may have taken it all for a moment. If there still is none, one sentence says so, and the
 * process ends with HN_EXIT_SYSTEM: the one place where code of a library may do that. A journal is whole
 * at every moment, and hosts end with their supervisor.
 */
#ifndef HN_PATIENT_MEMORY_H
#define HN_PATIENT_MEMORY_H

#include <stddef.h>

/* As malloc and the others, but they never return NULL, unless for a size of 0. */
void *hn_patient_malloc(size_t size);
void *hn_patient_calloc(size_t count, size_t size);
void *hn_patient_realloc(void *memory, size_t size);

#endif
