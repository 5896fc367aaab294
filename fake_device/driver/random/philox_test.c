/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests Philox 4x32-10 with the published known-answer vectors (Random123, kat_vectors).
 */
#include "driver_test.h"

static const struct {
    uint32_t counter[4], key[2], result[4];
} vectors[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(philox_known_counter_gives_published_answer)
{
    for (size_t row = 0; row < sizeof vectors / sizeof vectors[0]; row++) {
        uint32_t result[4];
        fd_philox_4x32_10(vectors[row].counter, vectors[row].key, result);
        ck_assert_mem_eq(result, vectors[row].result, sizeof result);
    }
}

TEST(philox_result_may_be_the_counter)
{
    uint32_t block[4] = {0, 0, 0, 0};
    const uint32_t key[2] = {0, 0};
    fd_philox_4x32_10(block, key, block);
    ck_assert_uint_eq(block[0], 0x6627e8d5);
    ck_assert_uint_eq(block[3], 0x9b00dbd8);
}
