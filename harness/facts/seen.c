/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See seen.h. Open addressing; 0 marks a free slot, so a hash of 0 is stored as 1.
 */
#include "seen.h"

#include <stdlib.h>

static uint64_t *find(const struct drift_seen *seen, uint64_t hash)
{
    size_t at = (size_t)hash & (seen->capacity - 1);
    while (seen->slots[at] && seen->slots[at] != hash)
        at = (at + 1) & (seen->capacity - 1);
    return &seen->slots[at];
}

static int grow(struct drift_seen *seen)
{
    struct drift_seen larger = {.capacity = seen->capacity ? 2 * seen->capacity : 1024,
                                .count = seen->count};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return -1;
    for (size_t i = 0; i < seen->capacity; i++)
        if (seen->slots[i])
            *find(&larger, seen->slots[i]) = seen->slots[i];
    free(seen->slots);
    *seen = larger;
    return 0;
}

int drift_seen_add(struct drift_seen *seen, uint64_t hash)
{
    hash += hash == 0;
    if (2 * (seen->count + 1) > seen->capacity && grow(seen) != 0)
        return -1;
    uint64_t *slot = find(seen, hash);
    if (*slot)
        return 0;
    *slot = hash;
    seen->count++;
    return 1;
}

void drift_seen_finish(struct drift_seen *seen)
{
    free(seen->slots);
    *seen = (struct drift_seen){0};
}
