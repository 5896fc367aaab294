/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For commands that are an assay run in other words (assay ops, assay programs).
 */
#ifndef HN_RUN_WORDS_H
#define HN_RUN_WORDS_H

#include "buffer.h"
#include "command.h"
#include "isolation.h"

/* Rows of a table of options that assay run has, too. */
#define HN_OPTIONS_OF_A_RUN                                                                        \
    {"target", "TARGET",                                                                           \
     "the backend: a name in ci/targets or a profile (default " ASSAY_TARGET ")"},                 \
        {"resume", "DIR", "continue the run in DIR with its original options"},                    \
        {"isolation", HN_ISOLATION_WORDS, "default: the profile's, or else calibrated"},           \
        {"jobs", "N", "processes at the same time (default: one per processor)"},                  \
        {"shard", "I/N", "the I-th of N parts; assay merge puts them together"},                   \
        {"arm", "NAME", "with a switch of an instrumented target on"},                             \
    {                                                                                              \
        "timeout-scale", "X", "multiplies every deadline"                                          \
    }

/* How the user's name of a thing is written in the id of its check. */
struct hn_naming {
    const char *before, *not_in_ids, *after; /* not_in_ids: characters that become '_' */
};

/* The options that were given, but those in `left_out` (" select out "), a line each. */
void hn_words_pass_on(const struct hn_invocation *invocation, const char *left_out,
                      struct hn_buffer *words);
/* The selection of the checks of "mul,conv*". */
void hn_words_select(const char *names, const struct hn_naming *naming, struct hn_buffer *words);
/* 1: there is a run to be shown. */
int hn_run_was_made(int status);
/* The exit status of the assay run of these words, `run` the first, a line each. Cuts the text up. */
int hn_run_words(struct hn_buffer *words);

#endif
