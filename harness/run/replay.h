/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Restores the state of an interrupted run from its journal, for --resume.
 */
#ifndef HN_REPLAY_H
#define HN_REPLAY_H

#include "hn_error.h"
#include "schedule.h"

/* Puts final verdicts into the schedule. Tasks that were running wait again. A task that was
 * running when the supervisor died twice is added to `lost` (room for every task); `lost_count` is
 * the number of such tasks. Returns HN_EINPUT if the journal belongs to another plan. */
int hn_replay(const char *journal, struct hn_schedule *schedule, size_t *lost, size_t *lost_count,
              struct hn_error *error);

#endif
