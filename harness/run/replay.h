/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Knowledge of an earlier life of a run, read from its journal for --resume.
 */
#ifndef HN_REPLAY_H
#define HN_REPLAY_H

#include "hn_error.h"
#include "schedule.h"

/* Puts final verdicts into the schedule. Tasks that were under way wait again; one that was under
 * way at two deaths of the supervisor is listed in `lost` (room for every task), `lost_count` of
 * them. HN_EINPUT when the journal is of another plan. */
int hn_replay(const char *journal, struct hn_schedule *schedule, size_t *lost, size_t *lost_count,
              struct hn_error *error);

#endif
