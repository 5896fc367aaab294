/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the comparison of two PyTorch versions (assay drift --format json). The file is untrusted,
 * because it quotes headers from a pull request.
 */
#ifndef CI_DRIFT_INTAKE_H
#define CI_DRIFT_INTAKE_H

#include "gate_decide.h"

/* Reads the groups of changes that break one of the given backends. If no backend is given, reads
 * the groups that break any backend. The texts are escaped by ci_clean() and live in the arena. */
int ci_drift_read(const char *path, struct hn_arena *arena, struct ci_drift *drift,
                  struct hn_error *error);

#endif
