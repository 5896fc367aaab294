/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Words that the contract, the plan and every report share: levels, subjects, needs, kinds.
 */
#ifndef HN_LEVEL_H
#define HN_LEVEL_H

/* Strongest first. */
enum hn_level { HN_MUST, HN_SHOULD, HN_MAY, HN_ADVISORY, HN_LEVELS };
enum hn_subject { HN_BACKEND, HN_CORE, HN_SUBJECTS };
enum hn_kind { HN_NATIVE, HN_PYTHON, HN_KINDS };
/* A claim of a backend about a capability. */
enum hn_claim { HN_CLAIM_UNKNOWN, HN_CLAIM_NO, HN_CLAIM_YES, HN_CLAIMS };

/* Instruments that only an adapted device has; one bit each. */
#define HN_NEEDS_GATE 1u     /* hold a stream */
#define HN_NEEDS_INJECT 2u   /* make the driver fail */
#define HN_NEEDS_COUNTERS 4u /* count the driver's calls */
#define HN_NEEDS_COUNT 3

extern const char *const hn_level_names[HN_LEVELS];
extern const char *const hn_subject_names[HN_SUBJECTS];
extern const char *const hn_kind_names[HN_KINDS];
extern const char *const hn_claim_names[HN_CLAIMS];
extern const char *const hn_needs_names[HN_NEEDS_COUNT]; /* indexed by bit number */

/* Returns the index of `name` in a table; -1 if it is missing. */
int hn_word_index(const char *const *names, int count, const char *name);

#endif
