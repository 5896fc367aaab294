/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the machine formats say of a check, in the words they share: the one line, the whole story,
 * the place, the counts. Texts are raw; each format escapes them its own way.
 */
#ifndef RP_CHECK_STORY_H
#define RP_CHECK_STORY_H

#include "buffer.h"
#include "run_model.h"

#define RP_STORY_LIMIT 65536u

/* "seen", else the reason, else what the verdict means. */
const char *rp_check_message(const struct rp_check *check);

/* What usually causes it; empty where the check did not come to see the backend: it could not decide,
 * or the target died while it was loaded. */
const char *rp_check_likely(const struct rp_check *check);

/* Appends "demand: ...", "wanted: ...", "seen: ...", down to the command that runs it again; one
 * line each. No field is longer than 4 KiB. */
int rp_check_story(const struct rp_run *run, const struct rp_check *check, struct hn_buffer *out);

/* Splits the place of the finding, else of the check itself, into a file (cut to `size`) and a line
 * (0: not known). 0 if neither is known. */
int rp_check_place(const struct rp_check *check, char *file, size_t size, int *line);

/* Checks that count here (not only support), by what CI systems make of their verdicts. */
struct rp_counts {
    size_t all, passed, failed, undecided, skipped;
    double seconds;
};
void rp_run_counts(const struct rp_run *run, struct rp_counts *counts);

/* Duration in seconds, never negative nor absurd. */
double rp_check_seconds(const struct rp_check *check);

/* The run's date in milliseconds since 1970, 0 if it has none. */
int64_t rp_run_start_ms(const struct rp_run *run);

/* Requirements of a level: how many, how many kept. */
void rp_run_kept(const struct rp_run *run, enum hn_level level, size_t *total, size_t *kept);

/* What `assay run` would have said: an enum hn_exit of the worst must, HN_EXIT_UNDECIDED when the
 * run is not complete or holds nothing. */
int rp_run_exit(const struct rp_run *run);

#endif
