/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run as a whole, in a history: its state, the part of the contract that it asked, the release of
 * torch. See history.h.
 */
#include <stdio.h>
#include <string.h>

#include "history.h"

const char *const rp_state_names[RP_STATES] = {"compatible", "incompatible", "undecided",
                                               "partial"};

void rp_asked_of(const struct rp_run *run, char *asked, size_t size)
{
    const char *select = strcmp(run->select, "all") == 0 ? "" : run->select;

    if (run->shards > 1)
        snprintf(asked, size, "%s%sshard %d/%d", select, *select ? ", " : "", run->shard,
                 run->shards);
    else
        snprintf(asked, size, "%s", select);
}

enum rp_state rp_state_of(const struct rp_run *run)
{
    char asked[16];

    rp_asked_of(run, asked, sizeof asked);
    enum rp_state state = !run->complete ? RP_UNDECIDED : *asked ? RP_PARTIAL : RP_COMPATIBLE;

    for (size_t i = 0; i < run->check_count; i++) {
        const struct hn_verdict_row *row = &hn_verdict_table[run->checks[i].verdict];
        if (run->checks[i].level != HN_MUST || run->checks[i].support)
            continue;
        if (row->fails || run->checks[i].follows)
            return RP_BREAKS;
        if (row->gate == HN_GATE_UNDECIDED)
            state = RP_UNDECIDED;
    }
    return state;
}

void rp_release_of(const char *torch, char *release, size_t size)
{
    static const char digits[] = "0123456789";
    const size_t major = strspn(torch, digits);
    const size_t minor = torch[major] == '.' ? strspn(torch + major + 1, digits) : 0;
    const size_t length = major && minor ? major + 1 + minor : strlen(torch);

    snprintf(release, size, "%.*s", (int)length, torch);
}
