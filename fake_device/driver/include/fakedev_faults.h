/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The switchboard of deliberate defects. Each fault has a name and is switched on by
 * FAKEDEV_FAULT=name[,name] when the library is loaded, or by fd_fault_arm() at any time. If the
 * environment contains an unknown name, the process ends with status 78 and one sentence, because a
 * test run must not proceed without a fault that was requested.
 */
#ifndef FAKEDEV_FAULTS_H
#define FAKEDEV_FAULTS_H

#include "fakedev.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FD_AT_CALL 0 /* acts each time the program reaches the faulty line */
#define FD_AT_LOAD 1 /* acts while libraries are loaded, so that only FAKEDEV_FAULT can arm it */

struct fd_fault_info {
    const char *name; /* "guard.exchange_returns_new" */
    /* where a fault acts: "driver", "integration" or "python"; for other switches "refusal" or
     * "delay" */
    const char *layer;
    const char *summary;  /* one sentence that describes the effect a user sees */
    const char *violates; /* requirement ids, comma separated */
    const char *source;   /* incident or document on which the fault is based, "" if none */
    int32_t at_load;      /* FD_AT_CALL or FD_AT_LOAD */
};
/* `index` starts at 0; FD_ERROR_INVALID_VALUE past the end. */
FD_API fd_status fd_fault_get(size_t index, struct fd_fault_info *info);
/* Like fd_fault_get, for switches that violate no clause: a method is left to PyTorch's base class
 * (layer "refusal"), or a correct result is late (layer "delay"). */
FD_API fd_status fd_refusal_get(size_t index, struct fd_fault_info *info);
/* Returns 1 if the fault is switched on. If no table contains the name, the process ends. The
 * name is a literal, so that grep finds both the row of a fault and the line where it acts. */
FD_API int32_t fd_fault_is_on(const char *name);

/* Switches a fault on, also for programs that this process starts later. The call changes the
 * environment, so no other thread may read the environment at the same time. Returns
 * FD_ERROR_INVALID_VALUE for an unknown name, and for a fault that acts at load unless it is
 * already on. */
FD_API fd_status fd_fault_arm(const char *name);
/* Switches all faults off. Effects that already happened are not undone. */
FD_API fd_status fd_faults_disarm(void);
/* Starts recording which faults are queried, in this process and in programs that it starts. */
FD_API fd_status fd_faults_watch(void);
/* 1 if the fault was queried, 0 if not, -1 if recording is off or the fault acts at load. */
FD_API fd_status fd_fault_was_asked(const char *name, int32_t *asked);
/* Number of times that this process queried the fault while it was on. */
FD_API fd_status fd_fault_hits(const char *name, uint64_t *hits);

/* A layer above the driver calls this function while it is loaded, to declare that its faults
 * can act. `place` is called for each fault of the layer that is armed or watched, now or later,
 * before the fault is first queried. If `place` is NULL, the faults need no preparation. A fault
 * of a layer that has not called this function cannot be armed. */
FD_API void fd_faults_serve(const char *layer, void (*place)(const char *name));

/* Nonzero if a fault is on or if queries are recorded. If this value is 0, a query costs only one
 * load. Callers must not write this value. */
FD_API extern int32_t fd_any_fault;

/* Use this macro at the one line where a fault acts: value = fd_fault("x") ? wrong : right; */
#define fd_fault(name) (__atomic_load_n(&fd_any_fault, __ATOMIC_RELAXED) && fd_fault_is_on(name))

#ifdef __cplusplus
}
#endif
#endif
