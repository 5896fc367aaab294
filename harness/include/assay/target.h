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

/* What the target factory is told. Valid during create. */
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
/* What the driver itself knows of memory. */
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

#define ASSAY_FAULT_SWITCH "assay.fault-switch/1"
/* Deliberate driver failures while a check runs. */
struct assay_fault_switch {
    uint32_t struct_size;
    uint32_t reserved;
    /* The driver can no longer be asked: every call on the device fails until reset. */
    int32_t (*lose_device)(void *target, int32_t device);
    /* Enqueues work that fails asynchronously on the stream with PyTorch's id `stream`. */
    int32_t (*fail_task)(void *target, int32_t device, int64_t stream);
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
