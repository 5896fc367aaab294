/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mutated source files call assay_mutant_is(NUMBER) at each mutated place. The result is 1 for the
 * active mutation of the process, or for the members of an active group. Each call is recorded. The
 * build copies this file into the driver's headers.
 */
#ifndef ASSAY_MUTANT_H
#define ASSAY_MUTANT_H

#include <stdint.h>

#include "fakedev.h"

#define ASSAY_MUTANTS_MOST 8192
#define ASSAY_MUTANT_GROUPS_FROM 7000 /* numbers from here on are groups of mutants */

#ifdef __cplusplus
extern "C" {
#endif

FD_API extern unsigned char assay_mutant_on[ASSAY_MUTANTS_MOST]; /* by number: 1 if the mutant is
 * active */
FD_API extern unsigned char *assay_mutant_reached; /* by number: 1 if the mutant was reached */

static inline int assay_mutant_is(int32_t number)
{
    __atomic_store_n(&assay_mutant_reached[number], 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&assay_mutant_on[number], __ATOMIC_RELAXED);
}

/* From now on only mutant `number` is active, in this process and in programs that it starts. The
 * number of a group activates all its members: ASSAY_MUTANT_GROUPS names a file with a line "GROUP
 * NUMBER NUMBER ..." for each group. 0 deactivates all mutants. */
FD_API int32_t assay_mutant_arm(int32_t number);
/* After this call, reached mutants are recorded anew, also for child programs. */
FD_API int32_t assay_mutant_watch(void);
/* Returns 1 if the mutant was reached since assay_mutant_watch() or, without that call, ever. */
FD_API int32_t assay_mutant_was_reached(int32_t number);
/* The same as assay_mutant_is(), for programs without a compiler. */
FD_API int32_t assay_mutant_ask(int32_t number);

#ifdef __cplusplus
}

#include <mutex>

/* A lock guard that does not lock while the mutant is active. */
template <class Mutex>
std::unique_lock<Mutex> assay_mutant_lock(int32_t number, Mutex &mutex)
{
    if (assay_mutant_is(number))
        return std::unique_lock<Mutex>(mutex, std::defer_lock);
    return std::unique_lock<Mutex>(mutex);
}
#endif
#endif
