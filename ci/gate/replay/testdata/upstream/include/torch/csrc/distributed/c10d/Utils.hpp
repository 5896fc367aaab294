/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-in: settings of collectives.
 */
#pragma once
#include <stdlib.h>

namespace c10d {
inline int parseEnvVarInt(const char *name, int fallback)
{
    const char *value = getenv(name);
    return value ? atoi(value) : fallback;
}
} // namespace c10d
