/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the comparison of two PyTorchs (assay drift --format json). It is foreign data, because
 * it quotes headers that a pull request wrote.
 */
#ifndef CI_DRIFT_INTAKE_H
#define CI_DRIFT_INTAKE_H

#include "gate_decide.h"

/* Reads the changes that backends must adapt to: groups that break one of the given backends or,
 * if none is given, groups that break any backend. Texts are clean and in the arena. */
int ci_drift_read(const char *path, struct hn_arena *arena, struct ci_drift *drift,
                  struct hn_error *error);

#endif
