/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Philox 4x32-10: ten rounds of multiply and mix (Salmon et al., "Parallel random numbers: as easy
 * as 1, 2, 3"). Pure arithmetic; generators are in random.c.
 */
#include <string.h>

#include "fakedev.h"

#define MULTIPLIER_0 0xD2511F53u
#define MULTIPLIER_1 0xCD9E8D57u
#define KEY_STEP_0 0x9E3779B9u
#define KEY_STEP_1 0xBB67AE85u
#define ROUNDS 10

static void mix(uint32_t counter[4], const uint32_t key[2])
{
    const uint64_t first = (uint64_t)MULTIPLIER_0 * counter[0];
    const uint64_t second = (uint64_t)MULTIPLIER_1 * counter[2];
    const uint32_t mixed[4] = {
        (uint32_t)(second >> 32) ^ counter[1] ^ key[0],
        (uint32_t)second,
        (uint32_t)(first >> 32) ^ counter[3] ^ key[1],
        (uint32_t)first,
    };
    memcpy(counter, mixed, sizeof mixed);
}

void fd_philox_4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t result[4])
{
    uint32_t state[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t round_key[2] = {key[0], key[1]};
    for (int round = 0; round < ROUNDS; round++) {
        mix(state, round_key);
        round_key[0] += KEY_STEP_0;
        round_key[1] += KEY_STEP_1;
    }
    memcpy(result, state, sizeof state);
}
