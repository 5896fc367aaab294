/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that the sequence of a generator depends on seed and offset only.
 */
#include "driver_test.h"

#include <string.h>

TEST(seed_goes_back_to_the_start)
{
    struct fd_random random = {1, 99};
    fd_random_seed(&random, UINT64_MAX);
    ck_assert_uint_eq(random.seed, UINT64_MAX);
    ck_assert_uint_eq(random.offset, 0);
}

TEST(block_is_philox_of_position_and_seed)
{
    needs(!fd_variant_is_on("short_seeds"), "long seeds");
    const struct fd_random random = {UINT64_C(0x299f31d0a4093822), UINT64_C(0x85a308d3243f6a80)};
    const uint32_t counter[4] = {0x243f6a88, 0x85a308d3, 0, 0}, key[2] = {0xa4093822, 0x299f31d0};
    uint32_t seen[4], demanded[4];

    fd_random_block(&random, 8, seen);
    fd_philox_4x32_10(counter, key, demanded);
    ck_assert_mem_eq(seen, demanded, sizeof seen);
}

TEST(skip_moves_blocks_along)
{
    struct fd_random random = {7, 0};
    uint32_t before[4], after[4];
    fd_random_block(&random, 1000, before);
    fd_random_skip(&random, 600);
    fd_random_skip(&random, 400);
    ck_assert_uint_eq(random.offset, 1000);
    fd_random_block(&random, 0, after);
    ck_assert_mem_eq(before, after, sizeof before);
}

TEST(block_offset_beyond_32_bits_counts)
{
    const struct fd_random low = {7, 5}, high = {7, (UINT64_C(1) << 32) + 5};
    uint32_t a[4], b[4];
    fd_random_block(&low, 0, a);
    fd_random_block(&high, 0, b);
    ck_assert_mem_ne(a, b, sizeof a);
}
