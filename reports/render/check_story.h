/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Words that the machine formats share for a check: the one line, the whole story,
 * the place, the counts. Texts are raw; each format escapes them its own way.
 */
#ifndef RP_CHECK_STORY_H
#define RP_CHECK_STORY_H

#include "buffer.h"
#include "run_model.h"

#define RP_STORY_LIMIT 65536u

/* "seen", else the reason, else what the verdict means. */
const char *rp_check_message(const struct rp_check *check);

/* Words on a check, of at most RP_STORY_LIMIT bytes; "" when there is nothing to say. */
typedef int rp_words(const struct rp_run *run, const struct rp_check *check, struct hn_buffer *out);

/* "ran in the case that is shown: aten::sin.out, aten::cos.out": operators that the CPU computed in the backend's
 * place; of the check where nobody knows of the case. */
rp_words rp_check_fallback;

/* "DEV-005: fail; DEV-004: held; DEV-006: was not reached", the worst first: of a check that says of several clauses what it
 * saw. Nothing of one that does not, or when all of them have the verdict of the check. */
rp_words rp_check_clauses;

/* The text of the clause that failed; of the check's first clause where nobody knows which. */
const char *rp_check_demand(const struct rp_run *run, const struct rp_check *check);

/* "DEV-004 is disputed by ACME since ...", both views: of each disputed clause that the check covers; nothing of others.
 * The verdict stays what it is. */
rp_words rp_check_disputed;

/* "DEV-004 (pass), DEV-005 (fail)": the disputed clauses of a run, kept or not; nothing where there are none. */
void rp_run_disputed(const struct rp_run *run, struct hn_buffer *out);

/* "that of guard.counts" of a failure that is told there; "also that of 3 other checks" of the first of several; "". */
void rp_check_cause(const struct rp_check *check, char *text, size_t size);

/* How --target names the backend again in a shell: a name of ours, else the path of the profile, from the current
 * folder if it lies below. */
void rp_target_word(const struct rp_run *run, char *word, size_t size);
/* The command that runs one check again, as it was run. */
rp_words rp_check_repro;

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

/* "118 of 133 kept, 120 asked": of a level's requirements; asked is what the backend gave an
 * answer to, kept or not. */
void rp_level_words(const struct rp_run *run, enum hn_level level, struct hn_buffer *out);

/* The meaning of these words, a sentence. */
extern const char rp_level_legend[];

/* "training; complete: 693 of 702": the stage that the backend reached, and how far the next one is. "" of a run
 * that did not ask the first. */
void rp_stage_words(const struct rp_run *run, char *text, size_t size);

/* "28 of 679 checks failed, 5 of them ended the process or hung; 12 musts are broken." */
void rp_run_sentence(const struct rp_run *run, struct hn_buffer *out);

/* The status that `assay run` would have returned: an enum hn_exit of the worst must,
 * HN_EXIT_UNDECIDED when the run is not complete or holds nothing. */
int rp_run_exit(const struct rp_run *run);

#endif
