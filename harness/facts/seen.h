/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A set of 64-bit hashes: what has been written already.
 */
#ifndef DRIFT_SEEN_H
#define DRIFT_SEEN_H

#include <stddef.h>
#include <stdint.h>

struct drift_seen {
    uint64_t *slots;
    size_t capacity, count;
};

/* 1 when the hash is new and now kept, 0 when it was there, -1 without memory. */
int drift_seen_add(struct drift_seen *seen, uint64_t hash);
void drift_seen_finish(struct drift_seen *seen);

#endif
