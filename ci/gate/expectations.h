/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the known failures of a target, ci/expectations/<target>.yaml, for the gate and for assay
 * expectations. Every entry has a reason, an issue, an expiry date, and a signature of the failure,
 * so that another failure of the same check does not match.
 */
#ifndef CI_EXPECTATIONS_H
#define CI_EXPECTATIONS_H

#include <stddef.h>

#include "findings.h"
#include "run_model.h"

/* An entry that matches more than this number of checks is too broad. */
#define CI_EXPECTATION_CHECKS_MAX 20

struct ci_expectation {
    const char *check;       /* an id, or "module.name_*" */
    enum hn_verdict verdict; /* crash, timeout, fail, or flaky */
    const char *reason, *issue;
    const char *expires; /* YYYY-MM-DD, the last day on which it is valid */
    /* a part of the reason or of the observation, with digits as #; the whole text if shorter
     * than 8 */
    const char *signature;
    int line;
};

/* An entry for PyTorch's own tests. The entry describes a cause (assay causes), not a single
 * test. */
struct ci_cluster_expectation {
    const char *cause;   /* in the words of assay causes: "wrong value" */
    const char *subject; /* "aten::cumsum", "aten::*" */
    /* "upstream.test_view_ops.*": all tests that fail for this cause must match */
    const char *tests;
    const char *signature; /* a part of its text; "": any text */
    const char *reason, *issue, *expires;
    int line;
};

struct ci_expectations {
    const char *file;   /* the path that was given */
    const char *target; /* "" if the file is invalid */
    const struct ci_expectation *items;
    size_t count;
    const struct ci_cluster_expectation *clusters;
    size_t cluster_count;
    struct hn_findings findings; /* errors in the file itself */
};

/* For an invalid file, returns HN_OK, and `findings` lists the errors. Otherwise returns HN_OK,
 * HN_ENOMEM, or the reason why the file cannot be read. */
int ci_expectations_read(const char *path, struct ci_expectations **expectations,
                         struct hn_error *error);
/* Like ci_expectations_read, for a text that is not yet written to `path`. */
int ci_expectations_parse(const char *text, size_t length, const char *path,
                          struct ci_expectations **expectations, struct hn_error *error);
void ci_expectations_destroy(struct ci_expectations *expectations); /* NULL is a no-op */

/* Returns 1 if `day` ("2027-01-31...") is later than the last valid day, `expires`. */
int ci_has_expired(const char *expires, const char *day);
/* Matches a pattern for checks, subjects and tests: a star at the end stands for the rest. */
int ci_pattern_fits(const char *pattern, const char *text);
/* Returns 1 if the entry describes this result of the check. */
int ci_expectation_matches(const struct ci_expectation *entry, const struct rp_check *check);
/* Writes the reason of a failure, or else the observation, with digits as #: at most 120 bytes. */
void ci_expectation_signature(const struct rp_check *check, char *text, size_t size);

#endif
