/* SPDX-License-Identifier: BSD-3-Clause
 *
 * View of a native check: its devices, its scratch directory, its seed, and a table of functions
 * through which it reports. Nothing else: no globals, no arguments, nothing printed.
 *
 * A check that returns without a finding has passed. suites/support/expect.h wraps the calls below
 * in macros that capture file and line; checks use those.
 */
#ifndef ASSAY_CHECK_H
#define ASSAY_CHECK_H

#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of finding. The worst one of a check becomes its verdict; the host has the table. */
#define ASSAY_FINDING_FAIL 1         /* the contract is violated; `seen` shows both values */
#define ASSAY_FINDING_SKIP 2         /* a capability is truly lacking; `subject` names it */
#define ASSAY_FINDING_BLOCKED 3      /* an operator this check leans on is missing; `subject` */
#define ASSAY_FINDING_UNOBSERVABLE 4 /* needs an instrument this target lacks; `subject` */
#define ASSAY_FINDING_BROKEN 5       /* the check could not decide: its own means failed */
#define ASSAY_FINDING_FALLBACK 6     /* right answer, computed on the CPU; `subject`: operator */
#define ASSAY_FINDING_NOTED 7        /* advisory: what was seen is recorded */

struct assay_finding {
    uint32_t struct_size;
    int32_t kind;        /* ASSAY_FINDING_* */
    const char *what;    /* what was expected, or what is missing; never NULL */
    const char *seen;    /* "exchange(1) returned 1, expected 0"; may be NULL */
    const char *subject; /* capability, operator or instrument, see kinds; else NULL */
    const char *file;    /* of the line that found it; may be NULL */
    int32_t line;        /* 0: unknown */
    int32_t reserved;    /* 0 */
};

struct assay_check;

/* Functions of the host. All of minor 0 are present. Strings are copied before the call returns. */
struct assay_check_host {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    /* [any] Records a finding; the check goes on. */
    void (*report)(struct assay_check *check, const struct assay_finding *finding);
    /* [any] Records a measured value beside the verdict: "alignment", "512". */
    void (*note)(struct assay_check *check, const char *key, const char *text);
    /* [signal] Remembers the line reached; survives any death of the process. `file` is static. */
    void (*mark)(struct assay_check *check, const char *file, int32_t line);
    /* [main] Ends the check here with what was reported so far. Does not return. */
    void (*abandon)(struct assay_check *check);
    /* [any] Milliseconds until the deadline, at least 0. Bounds every wait of a check. */
    int64_t (*milliseconds_left)(struct assay_check *check);
    /* [main] A table of the target's adapter ("assay.gate/1", target.h), NULL if not offered.
     * `target` receives the handle to pass to its functions. Valid until the check ends. */
    const void *(*extension)(struct assay_check *check, const char *id, void **target);
    /* [any] What its profile or adapter claims of a capability: ASSAY_YES, ASSAY_NO or
     * ASSAY_UNKNOWN. */
    int32_t (*capability)(struct assay_check *check, const char *name);
    /* Since minor 1. [main] From here on the check is about this clause of those that it covers: what is
     * found belongs to it, and if nothing is, it has held. NULL: about all of them again, as at the
     * beginning. Ask ASSAY_HAS: an older host judges the check as a whole. */
    void (*clause)(struct assay_check *check, const char *id);
};

/* Filled by the host, one per job. Constant for the check. */
struct assay_check {
    uint32_t struct_size;
    uint32_t device_count; /* entries of `devices`, at least what the contract entry asked for */
    const struct assay_check_host *host;
    void *context;           /* the host's own */
    const char *id;          /* "guard.exchange_device_returns_the_previous_device" */
    const char *device_name; /* what the target is called: "foo" */
    const int32_t *devices;  /* usable device indices */
    const char *scratch;     /* an empty directory of this job, removed when it passed */
    uint64_t seed;           /* for everything random in the check */
    /* Since minor 2. The only kind of tensor that the devices were seen to take, "int32 32" or "bfloat16
     * any": dtype, then sizes with x between. NULL: they take what others do. */
    const char *takes;
    /* Since minor 3. What its musts are about, where the contract knows no capability that a backend may
     * lack for it: "CLAUSE:MEANS", with spaces between. Who refuses it breaks the clause. Never NULL. */
    const char *owed;
};

struct assay_check_row {
    const char *id; /* as in contract.yaml */
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
