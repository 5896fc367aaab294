/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The question of a mutated source file at each mutated place: is it this one? The answer is yes
 * for one mutation of the process, or for those of a group; that it was asked is kept. Copied into
 * the driver's headers.
 */
#ifndef ASSAY_MUTANT_H
#define ASSAY_MUTANT_H

#include <stdint.h>

#include "fakedev.h"

#define ASSAY_MUTANTS_MOST 8192
#define ASSAY_MUTANT_GROUPS_FROM 7000 /* from here on a number stands for several mutations */

#ifdef __cplusplus
extern "C" {
#endif

FD_API extern unsigned char assay_mutant_on[ASSAY_MUTANTS_MOST]; /* by number: 1 when it is on */
FD_API extern unsigned char *assay_mutant_reached; /* by number: 1 when it was asked */

static inline int assay_mutant_is(int32_t number)
{
    __atomic_store_n(&assay_mutant_reached[number], 1, __ATOMIC_RELAXED);
    return __atomic_load_n(&assay_mutant_on[number], __ATOMIC_RELAXED);
}

/* From now on `number` alone is on, here and in the programs that this process starts; of a group its members, which
 * the file that ASSAY_MUTANT_GROUPS names lists: a line "GROUP NUMBER NUMBER ..." for each. 0: none. */
FD_API int32_t assay_mutant_arm(int32_t number);
/* From now on what is reached is kept apart from what was before, with that of programs that are started. */
FD_API int32_t assay_mutant_watch(void);
/* Whether it was reached since; before assay_mutant_watch(): at all. */
FD_API int32_t assay_mutant_was_reached(int32_t number);
/* The same as assay_mutant_is(), for a program without a compiler. */
FD_API int32_t assay_mutant_ask(int32_t number);

#ifdef __cplusplus
}

#include <mutex>

/* A lock that is not taken while the mutation is on. */
template <class Mutex>
std::unique_lock<Mutex> assay_mutant_lock(int32_t number, Mutex &mutex)
{
    if (assay_mutant_is(number))
        return std::unique_lock<Mutex>(mutex, std::defer_lock);
    return std::unique_lock<Mutex>(mutex);
}
#endif
#endif
