/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A generator is a seed (the Philox key) and a position in the seed's sequence of Philox blocks
 * (the low half of the counter). Called by the integration and by kernel_random.c.
 */
#include "fakedev_faults.h"

void fd_random_seed(struct fd_random *random, uint64_t seed)
{
    random->seed = seed;
    random->offset = fd_fault("random.seed_keeps_offset") ? random->offset : 0;
}

void fd_random_skip(struct fd_random *random, uint64_t blocks)
{
    const uint64_t skipped = fd_fault("random.skip_is_halved") ? (blocks + 1) / 2 : blocks;
    random->offset += fd_fault("random.skip_ignored") ? 0 : skipped;
}

void fd_random_block(const struct fd_random *random, uint64_t index, uint32_t result[4])
{
    const uint64_t offset = fd_fault("random.offset_not_used") ? 0 : random->offset;
    const uint64_t seed = fd_variant_is_on("short_seeds") ? (uint32_t)random->seed : random->seed;
    const uint64_t position = offset + (fd_fault("random.period_of_64") ? index % 64 : index);
    const uint32_t counter[4] = {(uint32_t)position, (uint32_t)(position >> 32), 0, 0};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    fd_philox_4x32_10(counter, key, result);
}
