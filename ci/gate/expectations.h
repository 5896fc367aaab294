/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Known gaps of a target: ci/expectations/<target>.yaml. Every entry says why, where
 * it is tracked, until when it holds and how the failure looks, so that another failure of the same
 * check is not taken for it. Read by the gate and by assay expectations.
 */
#ifndef CI_EXPECTATIONS_H
#define CI_EXPECTATIONS_H

#include <stddef.h>

#include "findings.h"
#include "run_model.h"

/* An entry that fits more checks than this is too broad to say anything. */
#define CI_EXPECTATION_CHECKS_MAX 20

struct ci_expectation {
    const char *check;       /* an id, or "module.name_*" */
    enum hn_verdict verdict; /* crash, timeout, fail, or flaky */
    const char *reason, *issue;
    const char *expires;   /* YYYY-MM-DD, the last day it holds */
    const char *signature; /* part of the reason or of what was seen, numbers as #; the whole
                              of it when shorter than 8 */
    int line;
};

/* Of PyTorch's own tests: one cause of failures (assay causes), not a test. */
struct ci_cluster_expectation {
    const char *cause;     /* as assay causes says it: "wrong value" */
    const char *subject;   /* "aten::cumsum", "aten::*" */
    const char *tests;     /* "upstream.test_view_ops.*": all that fail for it are among these */
    const char *signature; /* part of its words; "": whatever they are */
    const char *reason, *issue, *expires;
    int line;
};

struct ci_expectations {
    const char *file;   /* as given */
    const char *target; /* "" when the file is not in order */
    const struct ci_expectation *items;
    size_t count;
    const struct ci_cluster_expectation *clusters;
    size_t cluster_count;
    struct hn_findings findings; /* what is wrong with the file by itself */
};

/* A file that is not in order is not a failure: its findings say so. HN_OK, HN_ENOMEM, or why the
 * file cannot be read. */
int ci_expectations_read(const char *path, struct ci_expectations **expectations,
                         struct hn_error *error);
void ci_expectations_destroy(struct ci_expectations *expectations); /* takes NULL */

/* On this day, "2027-01-31...", the last one that was given has passed. */
int ci_has_expired(const char *expires, const char *day);
/* As an entry names checks, subjects and tests: with a star for the rest, at the end. */
int ci_pattern_fits(const char *pattern, const char *text);
/* Is this end of the check the one the entry describes? */
int ci_expectation_matches(const struct ci_expectation *entry, const struct rp_check *check);
/* The signature of a failure: its reason, else what was seen; digits as #, at most 120 bytes. */
void ci_expectation_signature(const struct rp_check *check, char *text, size_t size);

#endif
