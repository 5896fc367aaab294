/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The contract in memory: conformance.yaml and suites/<module>/contract.yaml, read, linked and
 * compared with the code of the suites. Read-only after loading; all texts and pointers live as
 * long as the catalogue. [any] after loading.
 */
#ifndef HN_CATALOGUE_H
#define HN_CATALOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "dispute.h"
#include "findings.h"
#include "hn_check.h"

struct hn_module {
    const char *name; /* "guard" */
    const char
        *place; /* its folder: "suites/guard" of the data, or the whole path of a private suite */
    const char *prefix; /* prefix of its requirement ids: "DEV" */
    const char *title;
    struct hn_texts anchors; /* headers and Python files that the contract is derived from */
};

struct hn_contract_capability {
    const char *name, *text;
    const struct hn_check *probe, *refusal; /* NULL: not written yet */
    /* means that a backend without the capability may lack */
    struct hn_texts means;
    const struct hn_yaml *source;
};

struct hn_selection { /* a profile of the contract (smoke, core, full) or a stage of a backend */
    const char *name, *text, *select;
    struct hn_texts capabilities; /* for a stage: the capabilities that it requires */
    int is_stage;
};

struct hn_requirement {
    const char *id, *text, *why, *anchor; /* why, anchor: "" if not given */
    struct hn_torch_range torch;
    const struct hn_module *module;
    enum hn_level level;
    enum hn_subject subject;
    /* subjects: names of means. All other functions that a check uses are its means */
    struct hn_texts about;
    struct hn_texts capabilities;
    unsigned needs;       /* HN_NEEDS_* */
    const char *untested; /* the reason why the clause has no check, or NULL */
    const char *listed;   /* the command whose listed checks test this clause, or NULL */
    struct hn_dispute dispute;
    size_t checks; /* number of checks that cover it */
    const struct hn_yaml *source;
};

struct hn_fault {
    const char *name, *layer, *summary, *violates, *origin;
};

struct hn_policy { /* settings for the gate and the labels */
    enum hn_level fail_on;
    struct hn_texts reference_files; /* globs of the files of the in-tree reference backend */
    const char *label_adaptation, *label_override, *label_hint;
};

struct hn_catalogue {
    int version;     /* `contract:` of conformance.yaml */
    char digest[17]; /* changes with every word of the contract */
    const char *folder;
    const struct hn_module *modules;
    size_t module_count;
    const struct hn_contract_capability *capabilities;
    size_t capability_count;
    const struct hn_selection *selections;
    size_t selection_count;
    const struct hn_requirement *requirements; /* by module, in the order of the files */
    size_t requirement_count;
    const struct hn_check *checks; /* by module, in the order of the files */
    size_t check_count;
    const struct hn_fault *faults; /* faults that can be armed; none if `faults_file` is missing */
    size_t fault_count;
    struct hn_policy policy;
    const void **requirements_by_id, **checks_by_id; /* pointers to the items above, sorted */
};

/* Reads all files below `folder` (with conformance.yaml and suites/). `faults_file` is the list
 * of faults that checks may claim; if it is NULL or missing, fault names are not verified.
 * `suite`: the folder of a private suite, which becomes one more module; NULL: none. `listed`: a
 * file of listed checks, see listed_checks.c; NULL: none. HN_OK means that there are no
 * findings; otherwise all findings are in the list, sorted, and *catalogue is NULL. */
int hn_catalogue_load(const char *folder, const char *faults_file, const char *suite,
                      const char *listed, struct hn_catalogue **catalogue,
                      struct hn_findings *findings);
void hn_catalogue_destroy(struct hn_catalogue *catalogue); /* NULL is a no-op */

/* NULL if there is no such name. */
const struct hn_module *hn_catalogue_module(const struct hn_catalogue *catalogue, const char *name);
const struct hn_requirement *hn_catalogue_requirement(const struct hn_catalogue *catalogue,
                                                      const char *id);
const struct hn_check *hn_catalogue_check(const struct hn_catalogue *catalogue, const char *id);
const struct hn_contract_capability *hn_catalogue_capability(const struct hn_catalogue *catalogue,
                                                             const char *name);
/* The first function returns 1 if the check covers this requirement, the second if the check covers
 * a requirement that is anchored in `file` (hn_anchor_names). */
int hn_check_covers(const struct hn_check *check, const struct hn_requirement *requirement);
int hn_check_is_anchored(const struct hn_check *check, const char *file);
const struct hn_fault *hn_catalogue_fault(const struct hn_catalogue *catalogue, const char *name);

#endif
