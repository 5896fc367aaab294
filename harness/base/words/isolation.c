/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See isolation.h.
 */
#include "isolation.h"

#include <string.h>

const struct hn_isolation hn_isolations[HN_ISOLATIONS] = {
    [HN_FORK_LOADED] = {"fork-loaded", .loads_torch = 1, .loads_target = 1, .forks = 1},
    [HN_FORK_CLEAN] = {"fork-clean", .loads_torch = 1, .forks = 1},
    [HN_EXEC] = {"exec", .forks = 0},
    [HN_BATCH] = {"batch", .loads_torch = 1, .forks = 1, .shares_process = 1},
    [HN_BATCH_LOADED] = {"batch-loaded", .loads_torch = 1, .loads_target = 1, .forks = 1,
                         .shares_process = 1},
};

const struct hn_isolation *hn_isolation_of(const char *name)
{
    for (int i = 0; i < HN_ISOLATIONS; i++)
        if (strcmp(hn_isolations[i].name, name) == 0)
            return &hn_isolations[i];
    return &hn_isolations[HN_FORK_CLEAN];
}
