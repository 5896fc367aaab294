/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The optional adapter: what a vendor may add so that more of the contract can be observed.
 * A backend needs none of this to be tested. harness/host/testplugins/target_plugin.c is the
 * template to copy.
 *
 * Everything beyond create and destroy is an extension, asked for by id and owned by the giver.
 * Ids are name/revision; vendors use reverse domain names; a break of an extension is a new
 * revision. All functions are [main] unless tagged, return 0 or a negative ASSAY_E, and send the
 * text of a failure to the plugin host's report.
 */
#ifndef ASSAY_TARGET_H
#define ASSAY_TARGET_H

#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options for the target factory. Valid during create. */
struct assay_target_options {
    uint32_t struct_size;
    uint32_t device_count;
    const int32_t *devices;
    const char *device_name; /* as PyTorch prints it */
};

/* Factory "assay.target-factory/1". Every pointer is required. */
struct assay_target_factory {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    /* Called after the target is loaded, before its first use. Must not initialise the device. */
    int32_t (*create)(const struct assay_target_options *options, void **target);
    /* Accepts what create gave, once. */
    void (*destroy)(void *target);
    /* A table valid until destroy, or NULL. */
    const void *(*get_extension)(void *target, const char *id);
    /* ASSAY_YES binds: the checks of the capability must pass. ASSAY_NO is verified by its refusal
     * check. *reason may stay untouched; static storage. */
    int32_t (*claim)(void *target, const char *capability, const char **reason);
};

#define ASSAY_RESET "assay.reset/1"
/* Brings the device back to its state after loading: no pending work, no pending error, empty
 * caches. Used between jobs that share a process, and after a lost device. */
struct assay_reset {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*reset)(void *target, int32_t device);
};

#define ASSAY_SYNCHRONIZE "assay.synchronize/1"
/* Waits for all work of the device without going through PyTorch. */
struct assay_synchronize {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*synchronize)(void *target, int32_t device);
};

#define ASSAY_MEMORY_PROBE "assay.memory-probe/1"
/* Knowledge of the driver itself about memory. */
struct assay_memory_probe {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] Bytes and blocks handed out and not yet freed, by whoever asked. */
    int32_t (*live)(void *target, int32_t device, uint64_t *bytes, uint64_t *blocks);
    /* [any] Device that owns the address, -1 for none or for host memory. */
    int32_t (*owner)(void *target, const void *pointer, int32_t *device);
};

#define ASSAY_GATE "assay.gate/1"
/* A task that holds a stream until the host opens it: order is tested by construction. */
struct assay_gate {
    uint32_t struct_size;
    uint32_t reserved;
    /* Enqueues a held task on the stream with PyTorch's id `stream` of `device`. */
    int32_t (*close)(void *target, int32_t device, int64_t stream, void **gate);
    /* [any] Releases it. Idempotent. */
    int32_t (*open)(void *target, void *gate);
    /* Opens it first. */
    void (*destroy)(void *target, void *gate);
};

#define ASSAY_DRIVER_FAILURES "assay.driver-failures/1"
/* Failures of the driver that a sound backend must survive, made while a check runs. */
struct assay_driver_failures {
    uint32_t struct_size;
    uint32_t reserved;
    /* The driver can no longer be asked: every call on the device fails until reset. */
    int32_t (*lose_device)(void *target, int32_t device);
    /* Enqueues work that fails asynchronously on the stream with PyTorch's id `stream`. */
    int32_t (*fail_task)(void *target, int32_t device, int64_t stream);
};

/* Effects of an armed switch on the backend. */
#define ASSAY_SWITCH_FAULT 1   /* breaks one clause or more, in one known way */
#define ASSAY_SWITCH_REFUSAL 2 /* one means answers as the base class does, as if it were absent */
#define ASSAY_SWITCH_DELAY 3   /* every answer is right, and late */
#define ASSAY_SWITCH_VARIANT 4 /* another legal backend, that keeps every clause */
/* When it must be armed. */
#define ASSAY_SWITCH_AT_CALL 1 /* any time: arm() */
#define ASSAY_SWITCH_AT_LOAD 2 /* before the program starts: its `environment` */

/* One row of the switchboard. Texts are static. */
struct assay_switch {
    uint32_t struct_size;
    int32_t kind;            /* ASSAY_SWITCH_FAULT... */
    int32_t time;            /* ASSAY_SWITCH_AT_CALL... */
    uint32_t reserved;       /* 0 */
    const char *name;        /* "guard.exchange_returns_new"; of a refusal what is refused */
    const char *violates;    /* of a fault, comma separated: "DEV-004,DEV-005"; else NULL */
    const char *means;       /* of a refusal: "guard.exchangeDevice"; else NULL */
    const char *environment; /* at load: "FOO_FAULT=name", set before the start; else NULL */
    const char *summary;     /* what a user sees, one sentence */
    const char *source;      /* incident or issue that it was learnt from, or NULL */
};

#define ASSAY_SWITCHES "assay.switches/1"
/* The switchboard of an instrumented backend: ways to misbehave that are listed, armed and counted,
 * so that checks can be proven on it. Nothing is armed unless somebody arms it. */
struct assay_switches {
    uint32_t struct_size;
    uint32_t reserved;
    /* How many there are; the same for as long as the target lives. */
    uint32_t (*count)(void *target);
    /* Index from 0. NULL past the end. Valid until destroy. */
    const struct assay_switch *(*get)(void *target, uint32_t index);
    /* From now on, in this process and in those that it forks or starts. ASSAY_EINVALID for an unknown name and for
     * one that acts at load, unless the environment has armed it already. */
    int32_t (*arm)(void *target, const char *name);
    /* None is armed any more; what they did to the device stays done. */
    int32_t (*disarm)(void *target);
    /* From now on it is kept which of them the program comes by, armed or not. */
    int32_t (*watch)(void *target);
    /* [any] ASSAY_YES if the program came by the place where it acts, ASSAY_NO if not; ASSAY_UNKNOWN
     * if that cannot be said: nobody watched, or it acts at load. */
    int32_t (*asked)(void *target, const char *name);
    /* [any] How often it acted in this process. */
    int32_t (*hits)(void *target, const char *name, uint64_t *hits);
};

#define ASSAY_COUNTERS "assay.counters/1"
/* Numbers the driver counts, by name: "copies", "streams_created". */
struct assay_counters {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] ASSAY_EUNSUPPORTED for a name this target does not count. */
    int32_t (*read)(void *target, const char *name, uint64_t *value);
};

#ifdef __cplusplus
}
#endif
#endif
