/* SPDX-License-Identifier: BSD-3-Clause
 *
 * causes.json of a run: why PyTorch's own tests did not pass, one entry for each cause
 * (suites/upstream/causes.py writes it). Read by the report, the gate and assay causes. Texts are
 * foreign: they quote tests and exceptions.
 */
#ifndef RP_CAUSE_LIST_H
#define RP_CAUSE_LIST_H

#include "arena.h"
#include "texts.h"

#define RP_CAUSES_FILE "causes.json"

struct rp_cause {
    const char *cause, *subject, *words; /* together what tells it from others */
    const char *example, *clause, *script;
    int shown;               /* the script, alone, shows it */
    struct hn_texts tests;   /* ids */
    struct hn_texts kept_by; /* checks of a run of the suites that say the opposite */
    int left_out;            /* how many of the tests a list of the vendor names */
};

struct rp_cause_list {
    const char *target;
    const struct rp_cause *items; /* largest first */
    size_t count;
    struct hn_texts classes;   /* of which tests were run: upstream.<file>.<class> */
    struct hn_texts no_longer; /* sentences: what a list of the vendor names, and what passes */
};

/* Everything lives in the arena. */
int rp_cause_list_read(const char *path, struct hn_arena *arena, struct rp_cause_list *list,
                       struct hn_error *error);
/* The entry for the same cause, NULL if there is none. */
const struct rp_cause *rp_cause_list_find(const struct rp_cause_list *list,
                                          const struct rp_cause *cause);

#endif
