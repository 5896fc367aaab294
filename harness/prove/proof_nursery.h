/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The process that hosts of all runs of a proof are forked from, so that torch is imported once and
 * not once for each fault. Used by proof_run.c.
 */
#ifndef HN_PROOF_NURSERY_H
#define HN_PROOF_NURSERY_H

#include <sys/types.h>

#include "hn_error.h"

struct hn_proof_nursery {
    char folder[32], setting[96]; /* for the environment of a run */
    pid_t pid;
    int alive; /* the nursery ends when this is closed */
};

/* `program` is assay; `environment` has neither fault nor variant. On failure nothing is left. */
int hn_proof_nursery_start(struct hn_proof_nursery *nursery, const char *program,
                           const char *target, char **environment, struct hn_error *error);
void hn_proof_nursery_stop(struct hn_proof_nursery *nursery);

#endif
