/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of the findings of assay prove --refusals.
 */
#ifndef HN_PROVE_REFUSALS_H
#define HN_PROVE_REFUSALS_H

#include <stdio.h>

#include "command.h"
#include "json_write.h"
#include "proof.h"

void hn_prove_print_refusals(const struct hn_proof *proof, FILE *out);
/* Writes the member "refusals" of the document. */
void hn_prove_write_refusals(const struct hn_proof *proof, struct hn_json_writer *writer);
/* 0 if there are no defects, 1 if there are some, 2 if a run is incomplete. */
int hn_prove_refusals_status(const struct hn_proof *proof);

#endif
