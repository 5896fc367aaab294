/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The optional adapter, which a vendor may add so that more of the contract can be observed. A
 * backend can be tested without it. harness/host/testplugins/target_plugin.c is the template to
 * copy.
 *
 * Everything except create and destroy is an extension, requested by id and owned by the
 * adapter. Ids are name/revision; vendors use reverse domain names; an incompatible change is a
 * new revision. All functions are [main] unless tagged, return 0 or a negative ASSAY_E, and send
 * the text of a failure to the plugin host's report.
 */
#ifndef ASSAY_TARGET_H
#define ASSAY_TARGET_H

#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options for the target factory, valid during create. */
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
    /* Called once with the result of create. */
    void (*destroy)(void *target);
    /* Returns a table that is valid until destroy, or NULL. */
    const void *(*get_extension)(void *target, const char *id);
    /* ASSAY_YES is binding: the checks of the capability must pass. ASSAY_NO is verified by its
     * refusal check. *reason may be left unchanged; static storage. */
    int32_t (*claim)(void *target, const char *capability, const char **reason);
};

#define ASSAY_RESET "assay.reset/1"
/* Restores the state of the device after loading: no pending work, no pending error, empty
 * caches. Used between jobs that share a process, and after a lost device. */
struct assay_reset {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*reset)(void *target, int32_t device);
};

#define ASSAY_SYNCHRONIZE "assay.synchronize/1"
/* Waits for all work of the device, without calling PyTorch. */
struct assay_synchronize {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*synchronize)(void *target, int32_t device);
};

#define ASSAY_MEMORY_PROBE "assay.memory-probe/1"
/* The memory state of the driver itself. */
struct assay_memory_probe {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] Counts the bytes and blocks that any caller has allocated and not freed. */
    int32_t (*live)(void *target, int32_t device, uint64_t *bytes, uint64_t *blocks);
    /* [any] Gets the device that owns the address; -1: host memory, or no owner. */
    int32_t (*owner)(void *target, const void *pointer, int32_t *device);
};

#define ASSAY_GATE "assay.gate/1"
/* A task that holds a stream until the host opens the gate, for tests of ordering. */
struct assay_gate {
    uint32_t struct_size;
    uint32_t reserved;
    /* Enqueues the gate on the stream with PyTorch's id `stream` of `device`. */
    int32_t (*close)(void *target, int32_t device, int64_t stream, void **gate);
    /* [any] Opens the gate. Idempotent. */
    int32_t (*open)(void *target, void *gate);
    /* If the gate is closed, opens it first. */
    void (*destroy)(void *target, void *gate);
};

#define ASSAY_DRIVER_FAILURES "assay.driver-failures/1"
/* Driver failures that a correct backend must survive, caused while a check runs. */
struct assay_driver_failures {
    uint32_t struct_size;
    uint32_t reserved;
    /* Makes the device fail every call until it is reset. */
    int32_t (*lose_device)(void *target, int32_t device);
    /* Enqueues work that fails asynchronously on the stream with PyTorch's id `stream`. */
    int32_t (*fail_task)(void *target, int32_t device, int64_t stream);
};

/* Effect of an armed switch on the backend. */
#define ASSAY_SWITCH_FAULT 1 /* violates one or more clauses in one known way */
/* refuses one means, as if the backend did not override this method of the base class */
#define ASSAY_SWITCH_REFUSAL 2
#define ASSAY_SWITCH_DELAY 3   /* delays results, which stay right */
#define ASSAY_SWITCH_VARIANT 4 /* behaves as another legal backend */
/* Time at which a switch must be armed. */
#define ASSAY_SWITCH_AT_CALL 1 /* any time: arm() */
#define ASSAY_SWITCH_AT_LOAD 2 /* before the program starts: `environment` */

/* One row of the switchboard. The texts are static. */
struct assay_switch {
    uint32_t struct_size;
    int32_t kind;         /* ASSAY_SWITCH_FAULT... */
    int32_t time;         /* ASSAY_SWITCH_AT_CALL... */
    uint32_t reserved;    /* 0 */
    const char *name;     /* "guard.exchange_returns_new"; for a refusal, the refused means */
    const char *violates; /* for a fault, comma separated: "DEV-004,DEV-005"; else NULL */
    const char *means;    /* for a refusal: "guard.exchangeDevice"; else NULL */
    /* at load: "FOO_FAULT=name", set before the program starts; else NULL */
    const char *environment;
    const char *summary; /* the effect that a user sees, one sentence */
    const char *source;  /* the incident or issue that shows this fault in practice, or NULL */
};

#define ASSAY_SWITCHES "assay.switches/1"
/* The switchboard of an instrumented backend lists, arms and counts switches, so that a proof can
 * show that checks detect faults. By default no switch is armed. */
struct assay_switches {
    uint32_t struct_size;
    uint32_t reserved;
    /* Returns the number of switches, which is constant for the lifetime of the target. */
    uint32_t (*count)(void *target);
    /* Returns the switch at `index`, from 0, valid until destroy; NULL past the end. */
    const struct assay_switch *(*get)(void *target, uint32_t index);
    /* Arms a switch in this process and in the processes that it forks or starts. ASSAY_EINVALID
     * for an unknown name, and for a switch that acts at load unless the environment has armed it
     * already. */
    int32_t (*arm)(void *target, const char *name);
    /* Disarms all switches. Their effects on the device are not undone. */
    int32_t (*disarm)(void *target);
    /* Makes the target record which switches the program reaches, armed or not. */
    int32_t (*watch)(void *target);
    /* [any] ASSAY_YES if the program reached the place where the switch acts, ASSAY_NO if not;
     * ASSAY_UNKNOWN if this is not recorded, because watch was not called or the switch acts at
     * load. */
    int32_t (*asked)(void *target, const char *name);
    /* [any] Gets the number of times that the switch acted in this process. */
    int32_t (*hits)(void *target, const char *name, uint64_t *hits);
};

#define ASSAY_COUNTERS "assay.counters/1"
/* Numbers that the driver counts, by name: "copies", "streams_created". */
struct assay_counters {
    uint32_t struct_size;
    uint32_t reserved;
    /* [any] Returns ASSAY_EUNSUPPORTED for a name that this target does not count. */
    int32_t (*read)(void *target, const char *name, uint64_t *value);
};

#ifdef __cplusplus
}
#endif
#endif
