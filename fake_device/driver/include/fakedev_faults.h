/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The switchboard: deliberate defects, each with a name, switched on by FAKEDEV_FAULT=name[,name]
 * when the library is loaded or by fd_fault_arm() at any time. An unknown name in the environment
 * ends the process with status 78 and one sentence: an instrument that is not armed as asked must not
 * look like one that is.
 */
#ifndef FAKEDEV_FAULTS_H
#define FAKEDEV_FAULTS_H

#include "fakedev.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FD_AT_CALL 0 /* each time the program comes by */
#define FD_AT_LOAD 1 /* acts while libraries are loaded, so only FAKEDEV_FAULT arms it */

struct fd_fault_info {
    const char *name;  /* "guard.exchange_returns_new" */
    const char *layer; /* "driver", "integration" or "python": where it acts; "refusal", "delay" */
    const char *summary;  /* what a user sees, one sentence */
    const char *violates; /* requirement ids, comma separated */
    const char *source;   /* incident or document it comes from, "" if none */
    int32_t at_load;      /* FD_AT_CALL or FD_AT_LOAD */
};
/* Index runs from 0; FD_ERROR_INVALID_VALUE past the end. */
FD_API fd_status fd_fault_get(size_t index, struct fd_fault_info *info);
/* The same for what else can be armed and breaks no clause: a method that PyTorch's base class
 * answers (layer "refusal"), answers that are right and late ("delay"). */
FD_API fd_status fd_refusal_get(size_t index, struct fd_fault_info *info);
/* 1 if switched on. A name that is in no table ends the process: grep finds fault and place alike. */
FD_API int32_t fd_fault_is_on(const char *name);

/* Switches a fault on, also for the programs that this process starts from now on. Changes the
 * environment, so not beside a thread that reads it. FD_ERROR_INVALID_VALUE for an unknown name, and
 * for a fault of loading that is not on already. */
FD_API fd_status fd_fault_arm(const char *name);
/* Switches all off. What they did stays done. */
FD_API fd_status fd_faults_disarm(void);
/* From now on it is kept which faults are asked for, here and in the programs that are started. */
FD_API fd_status fd_faults_watch(void);
/* 1 if it was asked for, 0 if not, -1 if nobody can say: nobody watched, or it acts at load. */
FD_API fd_status fd_fault_was_asked(const char *name, int32_t *asked);
/* How often this process asked for it while it was on. */
FD_API fd_status fd_fault_hits(const char *name, uint64_t *hits);

/* A layer above the driver says, while it is loaded, that its faults can act. `place` is called for
 * each of them that is armed or watched, now and later, before it is first asked for; NULL: nothing
 * is to be put in place. A fault of a layer that is not served cannot be armed. */
FD_API void fd_faults_serve(const char *layer, void (*place)(const char *name));

/* Not 0 when something is on or questions are kept: makes the common case one load. Read only. */
FD_API extern int32_t fd_any_fault;

/* The one line where a fault acts: value = fd_fault("x") ? wrong : right; */
#define fd_fault(name) (__atomic_load_n(&fd_any_fault, __ATOMIC_RELAXED) && fd_fault_is_on(name))

#ifdef __cplusplus
}
#endif
#endif
