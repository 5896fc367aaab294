/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hashes, for digests, shards and the seeded order. This file must not depend on the rest of the
 * harness.
 */
#include "hash.h"

#include <string.h>

uint64_t hn_hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t hn_hash_text(uint64_t hash, const char *text)
{
    return hn_hash_bytes(hash, text, strlen(text) + 1);
}

uint64_t hn_hash_mix(uint64_t value)
{
    value += HN_HASH_STEP;
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}
