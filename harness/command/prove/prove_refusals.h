/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Options of assay prove --refusals, and the text of its findings.
 */
#ifndef HN_PROVE_REFUSALS_H
#define HN_PROVE_REFUSALS_H

#include <stdio.h>

#include "command.h"
#include "json_write.h"
#include "proof.h"

/* 0, or the exit status of a usage error that has been told. */
int hn_prove_refusals_read(const struct hn_invocation *asked, struct hn_proof_options *options);
void hn_prove_print_refusals(const struct hn_proof *proof, FILE *out);
/* The member "refusals" of the document. */
void hn_prove_write_refusals(const struct hn_proof *proof, struct hn_json_writer *writer);
/* 0 without defects, 1 with, 2 when a run was not completed. */
int hn_prove_refusals_status(const struct hn_proof *proof);

#endif
