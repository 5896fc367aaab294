/* SPDX-License-Identifier: BSD-3-Clause
 *
 * FNV-1a, 64 bits, to detect changes and to distribute ids over shards. Not cryptographic.
 */
#ifndef HN_HASH_H
#define HN_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HN_HASH_START UINT64_C(0xcbf29ce484222325)

uint64_t hn_hash_bytes(uint64_t hash, const void *bytes, size_t length);
/* The hash includes the terminator, so that "ab","c" and "a","bc" differ. */
uint64_t hn_hash_text(uint64_t hash, const char *text);
#define HN_HASH_STEP UINT64_C(0x9e3779b97f4a7c15)
/* One step of splitmix64: the result depends on every bit of `value`. For the next step, add
 * HN_HASH_STEP to `value`. */
uint64_t hn_hash_mix(uint64_t value);

#endif
