/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fakedev: the runtime of an accelerator that does not exist.
 *
 * Devices, memory, streams, events, random numbers and a trace, in the manner of a vendor's runtime.
 * Kernels are in fakedev_kernels.h, deliberate defects in fakedev_faults.h. Nothing here knows
 * PyTorch.
 *
 * Conventions
 *   Every call returns a status: FD_OK or a negative FD_ERROR_*. On failure the outputs are untouched
 *   and fd_last_error_text() says more, for this thread, until its next failing call.
 *   Thread tag of every function is [any] unless its comment says otherwise.
 *   "Asynchronous" means: enqueued, the call returns at once. Errors of asynchronous work surface at
 *   the next synchronising call on that stream, event or device, once.
 *   The driver starts at the first call that needs a device (never at load). After that a forked
 *   child gets FD_ERROR_FORKED from every call that needs a device.
 */
#ifndef FAKEDEV_H
#define FAKEDEV_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FD_API __attribute__((visibility("default")))

#define FD_MAX_DEVICES 16

/* ---- status ---------------------------------------------------------------------------------- */

typedef int32_t fd_status;

#define FD_OK 0
#define FD_ERROR_INVALID_VALUE (-1)  /* an argument is out of its documented range */
#define FD_ERROR_INVALID_DEVICE (-2) /* no such device index */
#define FD_ERROR_INVALID_HANDLE (-3) /* not a live stream, event, gate or block */
#define FD_ERROR_OUT_OF_MEMORY (-4)  /* device or pinned memory is exhausted */
#define FD_ERROR_NOT_READY (-5)      /* a query: work is still pending. Not a failure */
#define FD_ERROR_NO_DEVICE (-6)      /* the machine has no device (FAKEDEV_DEVICES=0) */
#define FD_ERROR_DEVICE_LOST (-7)    /* the device fell off the bus; only fd_device_reset helps */
#define FD_ERROR_KERNEL (-8)         /* asynchronous: a kernel failed, see the text */
#define FD_ERROR_INDEX (-9)          /* asynchronous: a kernel met an index out of bounds */
#define FD_ERROR_FORKED (-10)        /* the driver was started before this process was forked */
#define FD_ERROR_NOT_SUPPORTED (-11) /* valid request that this device (or variant) cannot do */
#define FD_ERROR_PEER_DISABLED                                                                     \
    (-12)                        /* direct access between two devices that have not enabled it */
#define FD_ERROR_SYSTEM (-13)    /* the operating system refused; the text has errno */
#define FD_ERROR_CAPTURING (-14) /* the stream captures a graph, and this cannot be part of one */

/* "FD_ERROR_INDEX"; never NULL, also for an unknown number. Static storage. */
FD_API const char *fd_status_name(fd_status status);
/* One sentence for a person. Never NULL. Static storage. */
FD_API const char *fd_status_text(fd_status status);
/* Detail of this thread's last failing call, "" if none. Valid until this thread's next failure. */
FD_API const char *fd_last_error_text(void);

/* ---- devices --------------------------------------------------------------------------------- */

struct fd_properties {
    char name[64];
    uint64_t total_memory; /* bytes */
    uint32_t alignment;    /* of every block, a power of two */
    int32_t compute_units;
    int32_t priority_lowest, priority_highest; /* as in CUDA: highest is the smaller number */
    int32_t can_hold_streams; /* 0: work runs at once, gates are not supported (variant eager) */
    int32_t has_fp64;         /* 0: kernels refuse float64 */
};

/* Number of devices; 0 is success. Does not start the driver. */
FD_API fd_status fd_device_count(int32_t *count);
/* Current device of this thread, initially 0. Does not start the driver. */
FD_API fd_status fd_device_get(int32_t *device);
/* Does not start the driver either. FD_ERROR_INVALID_DEVICE leaves the current device as it was. */
FD_API fd_status fd_device_set(int32_t device);
FD_API fd_status fd_device_properties(int32_t device, struct fd_properties *properties);
/* Blocks until all streams of the device are idle; reports a pending asynchronous error. */
FD_API fd_status fd_device_synchronize(int32_t device);
/* Waits for the device, drops its pending errors, empties its cache, brings a lost device back.
 * Live blocks stay valid. */
FD_API fd_status fd_device_reset(int32_t device);
/* Injection: from now on every call on this device fails with FD_ERROR_DEVICE_LOST. Work already
 * enqueued is dropped (its waiters are released with the error). */
FD_API fd_status fd_device_lose(int32_t device);
FD_API fd_status fd_device_can_access_peer(int32_t device, int32_t peer, int32_t *can);
/* Copies between devices always work (they are staged). Kernels that read a peer's memory directly
 * need this. Enabled for all pairs at start. */
FD_API fd_status fd_device_enable_peer(int32_t device, int32_t peer, int32_t enable);
/* 1 once the driver has started in this process (not inherited by a fork). */
FD_API int32_t fd_started(void);
/* 1 in a child that was forked after the driver had started. */
FD_API int32_t fd_forked_after_start(void);

/* ---- streams --------------------------------------------------------------------------------- */

typedef struct fd_stream fd_stream;
typedef struct fd_event fd_event;
typedef struct fd_gate fd_gate;
typedef struct fd_graph fd_graph;

/* The default stream of each device has id 0 and is never destroyed. It is an ordinary stream: no
 * implicit synchronisation with the others. Worker threads start with the first task of a stream. */
FD_API fd_status fd_stream_default(int32_t device, fd_stream **stream);
/* `priority` outside the device's range is clamped. The caller owns the stream. */
FD_API fd_status fd_stream_create(int32_t device, int32_t priority, fd_stream **stream);
/* Returns at once; pending work still runs. NULL is accepted, a default stream refused. */
FD_API fd_status fd_stream_destroy(fd_stream *stream);
/* The live stream with this id, else FD_ERROR_INVALID_HANDLE. Ids are never reused. */
FD_API fd_status fd_stream_from_id(int32_t device, int64_t id, fd_stream **stream);
FD_API int64_t fd_stream_id(const fd_stream *stream);
FD_API int32_t fd_stream_device(const fd_stream *stream);
FD_API int32_t fd_stream_priority(const fd_stream *stream);
/* Current stream of this thread on `device`, initially the default stream. */
FD_API fd_status fd_stream_get_current(int32_t device, fd_stream **stream);
/* Makes `stream` current for its device on this thread; `previous` may be NULL. */
FD_API fd_status fd_stream_set_current(fd_stream *stream, fd_stream **previous);
/* FD_OK when idle, FD_ERROR_NOT_READY when work is pending. Never blocks. */
FD_API fd_status fd_stream_query(fd_stream *stream);
FD_API fd_status fd_stream_synchronize(fd_stream *stream);
/* Work enqueued on `stream` from now on starts only when the event's version recorded last (at the
 * time of this call) has completed. A never recorded event is no wait. Any pair of devices. */
FD_API fd_status fd_stream_wait_event(fd_stream *stream, fd_event *event);

/* A task given by the user. Runs on the stream's worker thread; may use fd_memory_alias, must not
 * call a function that blocks on a stream (it would fail with FD_ERROR_INVALID_VALUE). What it
 * returns is the stream's asynchronous status, fd_last_error_text() in the task its text. */
typedef fd_status (*fd_task)(void *arguments);
/* Enqueues `task`; `arguments` (size bytes, at most 4096) are copied. `name` is for the trace and
 * must have static storage. This is how kernels outside the driver are launched. */
FD_API fd_status fd_stream_launch(fd_stream *stream, const char *name, fd_task task,
                                  const void *arguments, size_t size);
/* Like fd_stream_launch for the host's own bookkeeping: runs in order, also on a lost device. */
FD_API fd_status fd_stream_callback(fd_stream *stream, void (*callback)(void *data), void *data);

/* A gate is a task that holds a stream until the host opens it: asynchrony under control. */
FD_API fd_status fd_gate_create(fd_gate **gate);
/* Enqueues the gate; one gate may stand on several streams. FD_ERROR_NOT_SUPPORTED on a device that
 * cannot hold streams. */
FD_API fd_status fd_gate_close(fd_gate *gate, fd_stream *stream);
/* Releases every stream that waits at the gate, now and later. Idempotent. */
FD_API fd_status fd_gate_open(fd_gate *gate);
/* Opens the gate first. NULL is accepted. */
FD_API fd_status fd_gate_destroy(fd_gate *gate);

/* ---- graphs ---------------------------------------------------------------------------------- */

/* The stream captures: tasks and asynchronous copies that it gets are kept, in their order, and not run.
 * Everything else on it is refused with FD_ERROR_CAPTURING: waiting, queries, events, gates, callbacks,
 * blocking copies; so is waiting for its device. Memory allocated on it is the graph's until fd_graph_destroy, also
 * after it was freed. The caller owns the graph. */
FD_API fd_status fd_graph_begin(fd_stream *stream, fd_graph **graph);
FD_API fd_status fd_graph_end(fd_graph *graph);
/* Asynchronous: enqueues what was captured on a stream of the same device. Any number of times. */
FD_API fd_status fd_graph_launch(fd_graph *graph, fd_stream *stream);
/* Ends a capture under way. What was launched still runs. NULL is accepted. */
FD_API fd_status fd_graph_destroy(fd_graph *graph);
FD_API fd_status fd_stream_is_capturing(fd_stream *stream, int32_t *capturing);
/* The name of a captured task, NULL past the last. Static storage. */
FD_API const char *fd_graph_task_name(fd_graph *graph, size_t index);

/* ---- events ---------------------------------------------------------------------------------- */

#define FD_EVENT_TIMING 1u /* without it, elapsed time is refused */

FD_API fd_status fd_event_create(uint32_t flags, fd_event **event);
/* Marks the present end of the stream's queue as a new version of the event. Recording again on
 * another device's stream is refused with FD_ERROR_INVALID_VALUE. */
FD_API fd_status fd_event_record(fd_event *event, fd_stream *stream);
/* FD_OK when the newest version is reached or none was recorded, else FD_ERROR_NOT_READY. A version
 * that was dropped with a lost device stays FD_ERROR_DEVICE_LOST until the next record. */
FD_API fd_status fd_event_query(fd_event *event);
FD_API fd_status fd_event_synchronize(fd_event *event);
/* Device of the last record, -1 before. */
FD_API int32_t fd_event_device(const fd_event *event);
/* Milliseconds between two completed timing events; FD_ERROR_NOT_READY if one is pending. */
FD_API fd_status fd_event_elapsed(fd_event *start, fd_event *end, double *milliseconds);
/* Safe with work pending and from any thread; waiters keep waiting. NULL is accepted. */
FD_API fd_status fd_event_destroy(fd_event *event);

/* ---- memory ---------------------------------------------------------------------------------- */

/* Device memory has two addresses. The one the user gets is reserved without any right: a host
 * access faults at the guilty line. The driver's alias is readable and writable from any thread. */

/* `size` 0 gives NULL and success. The block belongs to `stream` (NULL: the current one): freed, it
 * is reused at once by the same stream, by others only when that stream has passed the free. */
FD_API fd_status fd_memory_allocate(int32_t device, size_t size, fd_stream *stream, void **pointer);
/* Any thread, any current device, also of a lost device; the owner is found by address. NULL is
 * accepted. */
FD_API fd_status fd_memory_free(void *pointer);
/* The block is also used by work on `stream`: not reused before that work is done. */
FD_API fd_status fd_memory_record_stream(void *pointer, fd_stream *stream);

struct fd_block {
    int32_t device; /* -1: pinned host memory */
    void *base;
    size_t size;     /* as requested */
    size_t reserved; /* as rounded */
};
/* The live block (device or pinned) that contains `pointer`, else FD_ERROR_INVALID_HANDLE.
 * Never starts the driver. */
FD_API fd_status fd_memory_find(const void *pointer, struct fd_block *block);
/* Host address of size bytes of live device memory, for code that runs inside tasks. A pinned or
 * any other host pointer is returned as it is. FD_ERROR_INVALID_VALUE if it leaves its block. */
FD_API fd_status fd_memory_alias(const void *pointer, size_t size, void **alias);

/* Direction is found by address: device (any), pinned, pageable. The synchronous form is ordered on
 * the calling thread's current stream of the device it touches (of both, between devices) and
 * returns when the copy is done. */
FD_API fd_status fd_memory_copy(void *destination, const void *source, size_t size);
/* Pageable source: staged before the call returns. Pageable destination: waits for the copy. */
FD_API fd_status fd_memory_copy_async(void *destination, const void *source, size_t size,
                                      fd_stream *stream);
/* Device or pinned memory; FD_ERROR_PEER_DISABLED if the stream's device may not touch it. */
FD_API fd_status fd_memory_set_async(void *pointer, uint8_t value, size_t size, fd_stream *stream);

FD_API fd_status fd_memory_info(int32_t device, uint64_t *free_bytes, uint64_t *total_bytes);
/* Returns cached blocks that no stream still uses. */
FD_API fd_status fd_memory_empty_cache(int32_t device);

struct fd_stat {
    uint64_t current, peak, allocated, freed; /* current = allocated - freed until a reset */
};
struct fd_memory_stats {
    struct fd_stat blocks;          /* live blocks */
    struct fd_stat segments;        /* pieces taken from the device */
    struct fd_stat inactive_blocks; /* cached, free */
    struct fd_stat requested_bytes, allocated_bytes, reserved_bytes, inactive_bytes;
    uint64_t retries; /* allocations that had to empty the cache first */
    uint64_t out_of_memory;
    uint64_t device_allocations, device_frees; /* of segments */
};
FD_API fd_status fd_memory_get_stats(int32_t device, struct fd_memory_stats *stats);
FD_API fd_status fd_memory_reset_peak(int32_t device);
FD_API fd_status fd_memory_reset_accumulated(int32_t device);

/* Page-locked host memory: ordinary addresses, truly asynchronous copies. Not cached. Starts the
 * driver. `size` 0 gives NULL and success. */
FD_API fd_status fd_host_allocate(size_t size, void **pointer);
/* Copies that are pending on the block still find its pages. Work of the caller's own that touches it
 * must be over. NULL is accepted. */
FD_API fd_status fd_host_free(void *pointer);

/* Sharing between processes. The handle is plain data; the exporter must live and keep the block
 * while others hold it open. */
struct fd_ipc_handle {
    uint8_t bytes[64];
};
FD_API fd_status fd_ipc_export(const void *pointer, struct fd_ipc_handle *handle);
/* Maps the block into this process on `device` (the exporter's index). Close what you opened. An
 * exporter that is gone, or has another memory, is FD_ERROR_INVALID_HANDLE. */
FD_API fd_status fd_ipc_open(const struct fd_ipc_handle *handle, int32_t *device, void **pointer);
FD_API fd_status fd_ipc_close(void *pointer);

/* ---- random ---------------------------------------------------------------------------------- */

/* Counter-based Philox 4x32-10. A generator is a value: seed and position. */
struct fd_random {
    uint64_t seed;
    uint64_t offset; /* in blocks of four 32-bit numbers */
};
FD_API void fd_philox_4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t result[4]);
FD_API void fd_random_seed(struct fd_random *random, uint64_t seed); /* offset becomes 0 */
FD_API void fd_random_skip(struct fd_random *random, uint64_t blocks);
/* The block at offset + index; state is not changed. */
FD_API void fd_random_block(const struct fd_random *random, uint64_t index, uint32_t result[4]);

/* ---- trace and counters ---------------------------------------------------------------------- */

struct fd_trace_record {
    uint64_t sequence;         /* 1, 2, 3, ... over the life of the process */
    uint64_t begin_ns, end_ns; /* monotonic; equal for calls, a span for executed tasks */
    const char *what;          /* "fd_memory_allocate", or a task's name when `executed` */
    int64_t stream;            /* id, -1: none */
    uint64_t bytes;            /* 0 where it has no meaning */
    fd_status status;
    int32_t device;   /* -1: none */
    int32_t executed; /* 0: the host called; 1: a worker ran it */
    uint32_t thread;  /* operating system's id */
};
/* Copies the newest records, oldest first, up to `capacity`. `lost` (may be NULL) counts those that
 * the ring (4096 records) has forgotten since the last clear. */
FD_API fd_status fd_trace_read(struct fd_trace_record *records, size_t capacity, size_t *count,
                               uint64_t *lost);
FD_API void fd_trace_clear(void);

struct fd_counters {
    uint64_t streams_created, streams_destroyed;
    uint64_t events_created, events_destroyed;
    uint64_t tasks_enqueued, tasks_completed;
    uint64_t copies, synchronizations;
    uint64_t host_allocations, host_frees;
};
FD_API void fd_get_counters(struct fd_counters *counters);

/* ---- variants -------------------------------------------------------------------------------- */

/* FAKEDEV_VARIANT=name[,name] is read when the library is loaded. An unknown name ends the process
 * with status 78 and one sentence. */
struct fd_variant_info {
    const char *name, *summary;
};
/* Index runs from 0; FD_ERROR_INVALID_VALUE past the end. */
FD_API fd_status fd_variant_get(size_t index, struct fd_variant_info *info);
/* 1 if switched on. A name that is in no table ends the process. */
FD_API int32_t fd_variant_is_on(const char *name);

#ifdef __cplusplus
}
#endif
#endif
