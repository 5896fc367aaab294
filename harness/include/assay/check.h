/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface of a native check gives it devices, a scratch directory, a seed, and a table of
 * functions for its reports. A check must use nothing else: no globals, no arguments, no output.
 *
 * A check that returns without a finding has passed. Checks call the functions below through the
 * macros in suites/support/expect.h, which add file and line.
 */
#ifndef ASSAY_CHECK_H
#define ASSAY_CHECK_H

#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of finding. The worst finding of a check decides its verdict. */
#define ASSAY_FINDING_FAIL 1    /* the contract is violated; `seen` shows both values */
#define ASSAY_FINDING_SKIP 2    /* a capability is missing on purpose; `subject` names it */
#define ASSAY_FINDING_BLOCKED 3 /* an operator that this check uses is missing; `subject` */
/* the check needs an instrument that this target lacks; `subject` */
#define ASSAY_FINDING_UNOBSERVABLE 4
#define ASSAY_FINDING_BROKEN 5 /* the check could not decide: its own code failed */
/* the result is right but was computed on the CPU; `subject`: operator */
#define ASSAY_FINDING_FALLBACK 6
#define ASSAY_FINDING_NOTED 7 /* advisory: the observation is recorded */

struct assay_finding {
    uint32_t struct_size;
    int32_t kind;        /* ASSAY_FINDING_* */
    const char *what;    /* the expected value, or the missing thing; never NULL */
    const char *seen;    /* "exchange(1) returned 1, expected 0"; may be NULL */
    const char *subject; /* capability, operator or instrument, by the kind; else NULL */
    const char *file;    /* source file of the finding; may be NULL */
    int32_t line;        /* 0: unknown */
    int32_t reserved;    /* 0 */
};

struct assay_check;

/* Functions of the host. All functions of minor 0 are present. Strings are copied before the
 * call returns. */
struct assay_check_host {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    /* [any] Records a finding; the check continues. */
    void (*report)(struct assay_check *check, const struct assay_finding *finding);
    /* [any] Records a measured value beside the verdict: "alignment", "512". */
    void (*note)(struct assay_check *check, const char *key, const char *text);
    /* [signal] Stores the current line, which survives any death of the process. `file` is
     * static. */
    void (*mark)(struct assay_check *check, const char *file, int32_t line);
    /* [main] Ends the check with the findings so far. Does not return. */
    void (*abandon)(struct assay_check *check);
    /* [any] Returns the milliseconds until the deadline, at least 0. Limit every wait by this. */
    int64_t (*milliseconds_left)(struct assay_check *check);
    /* [main] Returns a table of the target's adapter ("assay.gate/1", target.h), or NULL if it is
     * not offered. `target` receives the handle to pass to its functions. The table is valid until
     * the check ends. */
    const void *(*extension)(struct assay_check *check, const char *id, void **target);
    /* [any] Returns the claim of the profile or adapter about a capability: ASSAY_YES, ASSAY_NO or
     * ASSAY_UNKNOWN. */
    int32_t (*capability)(struct assay_check *check, const char *name);
    /* Since minor 1. [main] Sets the current clause. The check must cover this clause. Later
     * findings belong to this clause. If there are no later findings, the clause holds. NULL:
     * findings belong to all clauses, as at the beginning. Test ASSAY_HAS first: an older host
     * judges only the check as a whole. */
    void (*clause)(struct assay_check *check, const char *id);
};

/* Filled in by the host for each job. The check must not change this struct. */
struct assay_check {
    uint32_t struct_size;
    /* number of entries in `devices`, at least as many as the contract entry requires */
    uint32_t device_count;
    const struct assay_check_host *host;
    void *context;           /* owned by the host */
    const char *id;          /* "guard.exchange_device_returns_the_previous_device" */
    const char *device_name; /* name of the device type: "foo" */
    const int32_t *devices;  /* usable device indices */
    const char *scratch;     /* an empty directory of this job, removed if the check passed */
    uint64_t seed;           /* seed for all random values of the check */
    /* Since minor 2. The only kind of tensor that the devices are known to accept, "int32 32" or
     * "bfloat16 any": dtype, then sizes separated by x. NULL: no restriction is known. */
    const char *takes;
    /* Since minor 3. Subjects of those musts of this check that depend on no capability:
     * "CLAUSE:MEANS", separated by spaces. A backend that refuses one of these subjects violates
     * the clause. Never NULL. */
    const char *owed;
};

struct assay_check_row {
    const char *id; /* the id in contract.yaml */
    void (*run)(struct assay_check *check);
};

/* Factory "assay.check-factory/1". */
struct assay_check_factory {
    uint32_t struct_size;
    uint32_t count;
    const struct assay_check_row *rows; /* valid until deinit */
};

#ifdef __cplusplus
}
#endif
#endif
