/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A set of 64-bit hashes, for the facts that were already written.
 */
#ifndef DRIFT_SEEN_H
#define DRIFT_SEEN_H

#include <stddef.h>
#include <stdint.h>

struct drift_seen {
    uint64_t *slots;
    size_t capacity, count;
};

/* Returns 1 if the hash was added, 0 if it was in the set, -1 if out of memory. */
int drift_seen_add(struct drift_seen *seen, uint64_t hash);
void drift_seen_finish(struct drift_seen *seen);

#endif
