/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts about a check that the machine-readable formats share: the single line, the whole story,
 * the place, the counts. Texts are raw; each format must escape them.
 */
#ifndef RP_CHECK_STORY_H
#define RP_CHECK_STORY_H

#include "buffer.h"
#include "run_model.h"

#define RP_STORY_LIMIT 65536u

/* Returns the observation, or else the reason, or else the meaning of the verdict. */
const char *rp_check_message(const struct rp_check *check);

/* A text about a check, of at most RP_STORY_LIMIT bytes; "" if there is none. */
typedef int rp_words(const struct rp_run *run, const struct rp_check *check, struct hn_buffer *out);

/* "ran in the case that is shown: aten::sin.out, aten::cos.out": operators that the CPU computed
 * instead of the backend, in the reported case or, if that is unknown, in the whole check. */
rp_words rp_check_fallback;

/* "DEV-005: fail; DEV-004: held; DEV-006: was not reached", the worst first, for a check with
 * verdicts on several clauses. "" for other checks, and if all clauses have the verdict of the
 * check. */
rp_words rp_check_clauses;

/* The text of the clause that failed. If that clause is unknown, the text of the check's first
 * clause. */
const char *rp_check_demand(const struct rp_run *run, const struct rp_check *check);

/* "DEV-004 is disputed by ACME since ...", with both views, for each disputed clause that the
 * check covers; else "". The verdict does not change. */
rp_words rp_check_disputed;

/* "DEV-004 (pass), DEV-005 (fail)": the disputed clauses of a run, whether they hold or not;
 * empty if there are none. */
void rp_run_disputed(const struct rp_run *run, struct hn_buffer *out);

/* Writes "that of guard.counts" for a failure with the same cause as guard.counts; "also that of 3
 * other checks" for the first failure with a cause; else "". */
void rp_check_cause(const struct rp_check *check, char *text, size_t size);

/* The word for --target of this backend, quoted for a shell. The word is the name of a profile of
 * assay, or else the path of the profile. A path below the current folder is relative. */
void rp_target_word(const struct rp_run *run, char *word, size_t size);
/* The command that runs the check again in the same way. */
rp_words rp_check_repro;

/* Appends "demand: ...", "wanted: ...", "seen: ...", and the command that runs the check again,
 * each on its own line. No field is longer than 4 KiB. */
int rp_check_story(const struct rp_run *run, const struct rp_check *check, struct hn_buffer *out);

/* Splits the place of the finding (or of the check, if the finding has none) into a file, cut to
 * `size`, and a line (0: unknown). Returns 0 if neither place is known. */
int rp_check_place(const struct rp_check *check, char *file, size_t size, int *line);

/* Numbers of checks whose verdicts count here, grouped as CI systems group them. */
struct rp_counts {
    size_t all, passed, failed, undecided, skipped;
    double seconds;
};
void rp_run_counts(const struct rp_run *run, struct rp_counts *counts);

/* Duration in seconds: never negative, and limited. */
double rp_check_seconds(const struct rp_check *check);

/* The run's date in milliseconds since 1970; 0 if it has none. */
int64_t rp_run_start_ms(const struct rp_run *run);

/* Returns 1 if the run selected a part of the contract. */
int rp_run_is_part(const struct rp_run *run);
/* The number of requirements of a level for which the backend gave a result, good or bad. */
size_t rp_count_asked(const struct rp_run *run, enum hn_level level);
/* "118 of 133 kept, 120 asked" for the requirements of a level. If the run selected a part of
 * the contract: "118 of 120 asked kept, 133 in the contract". */
void rp_level_words(const struct rp_run *run, enum hn_level level, struct hn_buffer *out);

/* A sentence that explains the words of rp_level_words. */
extern const char rp_level_legend[];

/* "training; complete: 693 of 702": the stage that the backend reached, and the progress of the
 * next one. "" for a run that did not test the first. */
void rp_stage_words(const struct rp_run *run, char *text, size_t size);

/* "28 of 679 checks failed, 5 of them ended the process or hung; 12 musts are broken." */
void rp_run_sentence(const struct rp_run *run, struct hn_buffer *out);

/* The exit status that `assay run` would have returned: the status of the worst must, or
 * HN_EXIT_UNDECIDED if the run is incomplete or empty. */
int rp_run_exit(const struct rp_run *run);

#endif
