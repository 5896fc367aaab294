/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fakedev: the runtime of an accelerator that does not exist.
 *
 * Devices, memory, streams, events, random numbers and a trace, similar to a vendor's runtime.
 * Kernels are in fakedev_kernels.h, deliberate defects in fakedev_faults.h. Nothing here depends on
 * PyTorch.
 *
 * Conventions:
 * - Every call returns a status: FD_OK or a negative FD_ERROR_*. A call that fails leaves its
 *   outputs unchanged, and fd_last_error_text() describes the failure until the thread's next
 *   failing call.
 * - Every function may be called from any thread unless its comment says otherwise.
 * - "Asynchronous" means that the work is enqueued and the call returns immediately. An error of
 *   asynchronous work is reported once, by the next synchronising call on that stream, event or
 *   device.
 * - The driver starts at the first call that needs a device, never at load. If the process is
 *   forked after that, every call that needs a device returns FD_ERROR_FORKED in the child.
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
#define FD_ERROR_INVALID_HANDLE (-3) /* not a live stream, event, gate, graph or block */
#define FD_ERROR_OUT_OF_MEMORY (-4)  /* device or pinned memory is exhausted */
#define FD_ERROR_NOT_READY (-5)      /* returned by a query: work is still pending. Not a failure */
#define FD_ERROR_NO_DEVICE (-6)      /* the machine has no device (FAKEDEV_DEVICES=0) */
#define FD_ERROR_DEVICE_LOST (-7)    /* the device is lost; only fd_device_reset restores it */
#define FD_ERROR_KERNEL (-8)         /* asynchronous: a kernel failed, see the error text */
#define FD_ERROR_INDEX (-9)          /* asynchronous: a kernel found an index out of bounds */
#define FD_ERROR_FORKED (-10)        /* the driver was started before this process was forked */
#define FD_ERROR_NOT_SUPPORTED (-11) /* valid request that this device does not support */
#define FD_ERROR_PEER_DISABLED                                                                     \
    (-12)                        /* direct access between two devices that have not enabled it */
#define FD_ERROR_SYSTEM (-13)    /* the operating system refused; the error text contains errno */
#define FD_ERROR_CAPTURING (-14) /* the stream is capturing, and this call is not allowed */

/* Returns a name such as "FD_ERROR_INDEX". Never NULL, not even for an unknown number. Static
 * storage. */
FD_API const char *fd_status_name(fd_status status);
/* Returns one readable sentence. Never NULL. Static storage. */
FD_API const char *fd_status_text(fd_status status);
/* Details of the last failing call of this thread, "" if there is none. Valid until this
 * thread's next failure. */
FD_API const char *fd_last_error_text(void);

/* ---- devices --------------------------------------------------------------------------------- */

struct fd_properties {
    char name[64];
    uint64_t total_memory; /* bytes */
    uint32_t alignment;    /* alignment of every block; a power of two */
    int32_t compute_units;
    int32_t priority_lowest, priority_highest; /* as in CUDA: highest is the smaller number */
    int32_t can_hold_streams; /* 0 (variant eager_streams): work runs in the caller, no gates */
    int32_t has_fp64;         /* 0: kernels refuse float64 */
};

/* Number of devices; 0 devices is a success. Does not start the driver. */
FD_API fd_status fd_device_count(int32_t *count);
/* Current device of this thread, initially 0. Does not start the driver. */
FD_API fd_status fd_device_get(int32_t *device);
/* Does not start the driver. On FD_ERROR_INVALID_DEVICE, the current device is unchanged. */
FD_API fd_status fd_device_set(int32_t device);
FD_API fd_status fd_device_properties(int32_t device, struct fd_properties *properties);
/* Blocks until all streams of the device are idle. Reports a pending asynchronous error. */
FD_API fd_status fd_device_synchronize(int32_t device);
/* Waits for the device, drops pending errors, empties the cache, and restores a lost device. Live
 * blocks stay valid. */
FD_API fd_status fd_device_reset(int32_t device);
/* Fault injection: after this call, every call on this device fails with FD_ERROR_DEVICE_LOST.
 * Work that is already enqueued is dropped, and threads that wait for it receive the error. */
FD_API fd_status fd_device_lose(int32_t device);
FD_API fd_status fd_device_can_access_peer(int32_t device, int32_t peer, int32_t *can);
/* Enables or disables direct access of kernels to a peer's memory. Copies between devices are
 * staged, so they work without this access. At start, all pairs are enabled. */
FD_API fd_status fd_device_enable_peer(int32_t device, int32_t peer, int32_t enable);
/* Returns 1 if the driver has started in this process, and 0 in a child forked afterwards. */
FD_API int32_t fd_started(void);
/* Returns 1 in a child that was forked after the driver had started. */
FD_API int32_t fd_forked_after_start(void);

/* ---- streams --------------------------------------------------------------------------------- */

typedef struct fd_stream fd_stream;
typedef struct fd_event fd_event;
typedef struct fd_gate fd_gate;
typedef struct fd_graph fd_graph;

/* The default stream of each device has id 0 and is never destroyed. The default stream is an
 * ordinary stream, not synchronised implicitly with other streams. A worker thread starts with the
 * first task of its stream. */
FD_API fd_status fd_stream_default(int32_t device, fd_stream **stream);
/* A `priority` outside the device's range is clamped. The caller owns the stream. */
FD_API fd_status fd_stream_create(int32_t device, int32_t priority, fd_stream **stream);
/* Returns immediately; pending work still runs. NULL is accepted. A default stream is refused. */
FD_API fd_status fd_stream_destroy(fd_stream *stream);
/* Returns the live stream with this id, else FD_ERROR_INVALID_HANDLE. Ids are never reused. */
FD_API fd_status fd_stream_from_id(int32_t device, int64_t id, fd_stream **stream);
FD_API int64_t fd_stream_id(const fd_stream *stream);
FD_API int32_t fd_stream_device(const fd_stream *stream);
FD_API int32_t fd_stream_priority(const fd_stream *stream);
/* Current stream of this thread on `device`, initially the default stream. */
FD_API fd_status fd_stream_get_current(int32_t device, fd_stream **stream);
/* Makes `stream` the current stream of its device in this thread. `previous` may be NULL. */
FD_API fd_status fd_stream_set_current(fd_stream *stream, fd_stream **previous);
/* FD_OK if the stream is idle, FD_ERROR_NOT_READY if work is pending. Never blocks. */
FD_API fd_status fd_stream_query(fd_stream *stream);
FD_API fd_status fd_stream_synchronize(fd_stream *stream);
/* Makes later work of `stream` wait until the event's newest version (at the time of this call) is
 * complete. If the event was never recorded, the call is a no-op. The stream and the event may
 * belong to different devices. */
FD_API fd_status fd_stream_wait_event(fd_stream *stream, fd_event *event);

/* A task supplied by the user. A task runs on the stream's worker thread and may use
 * fd_memory_alias. If a task calls a function that blocks on a stream, that call fails with
 * FD_ERROR_INVALID_VALUE. If the task returns an error, the stream reports this status
 * asynchronously, with the text that fd_last_error_text() had inside the task. */
typedef fd_status (*fd_task)(void *arguments);
/* Enqueues `task` with a copy of `arguments` (`size` bytes, at most 4096). `name` is used in the
 * trace and must have static storage. Other libraries launch kernels with this function. */
FD_API fd_status fd_stream_launch(fd_stream *stream, const char *name, fd_task task,
                                  const void *arguments, size_t size);
/* Enqueues a callback for bookkeeping of the host. Callbacks run in stream order, also on a lost
 * device. */
FD_API fd_status fd_stream_callback(fd_stream *stream, void (*callback)(void *data), void *data);

/* A gate is a task that blocks a stream until the host opens the gate. Used by tests. */
FD_API fd_status fd_gate_create(fd_gate **gate);
/* Enqueues the gate. One gate may be enqueued on several streams. Returns FD_ERROR_NOT_SUPPORTED
 * on a device that cannot hold streams. */
FD_API fd_status fd_gate_close(fd_gate *gate, fd_stream *stream);
/* Releases every stream that waits at the gate now or reaches it later. Idempotent. */
FD_API fd_status fd_gate_open(fd_gate *gate);
/* Opens the gate first. NULL is accepted. */
FD_API fd_status fd_gate_destroy(fd_gate *gate);

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Starts a capture. Tasks and asynchronous copies enqueued on the stream are recorded in order and
 * do not run. All other operations on the stream (waits, queries, events, gates, callbacks,
 * blocking copies) and synchronisation of its device are refused with FD_ERROR_CAPTURING. Memory
 * allocated on the stream belongs to the graph until fd_graph_destroy, even after it is freed. The
 * caller owns the graph. */
FD_API fd_status fd_graph_begin(fd_stream *stream, fd_graph **graph);
FD_API fd_status fd_graph_end(fd_graph *graph);
/* Asynchronous: enqueues the captured work on a stream of the same device. May be called any
 * number of times. */
FD_API fd_status fd_graph_launch(fd_graph *graph, fd_stream *stream);
/* If a capture is in progress, ends the capture. Work that was already launched still runs. NULL is
 * accepted. */
FD_API fd_status fd_graph_destroy(fd_graph *graph);
FD_API fd_status fd_stream_is_capturing(fd_stream *stream, int32_t *capturing);
/* Returns the name of the captured task number `index`, or NULL past the last. Static storage. */
FD_API const char *fd_graph_task_name(fd_graph *graph, size_t index);

/* ---- events ---------------------------------------------------------------------------------- */

#define FD_EVENT_TIMING 1u /* without this flag, fd_event_elapsed is refused */

FD_API fd_status fd_event_create(uint32_t flags, fd_event **event);
/* Records the current end of the stream's queue as a new version of the event. An event belongs to
 * the device of its first record: a stream of another device is refused with
 * FD_ERROR_INVALID_VALUE. */
FD_API fd_status fd_event_record(fd_event *event, fd_stream *stream);
/* Returns FD_OK if the newest version is complete or if none was recorded, else FD_ERROR_NOT_READY.
 * If the newest version was dropped with a lost device, returns FD_ERROR_DEVICE_LOST. */
FD_API fd_status fd_event_query(fd_event *event);
FD_API fd_status fd_event_synchronize(fd_event *event);
/* Device of the last record, -1 if the event was never recorded. */
FD_API int32_t fd_event_device(const fd_event *event);
/* Gives the milliseconds between two completed timing events. Returns FD_ERROR_NOT_READY if an
 * event is pending. */
FD_API fd_status fd_event_elapsed(fd_event *start, fd_event *end, double *milliseconds);
/* May be called while work is pending. Waits that are already enqueued stay in effect. NULL is
 * accepted. */
FD_API fd_status fd_event_destroy(fd_event *event);

/* ---- memory ---------------------------------------------------------------------------------- */

/* Device memory has two addresses. The user's address is reserved without access rights, so a
 * host access faults at the offending instruction. The driver's alias is readable and writable
 * from any thread. */

/* A `size` of 0 gives NULL and success. The block belongs to `stream` (NULL: the current stream).
 * After fd_memory_free, `stream` can reuse the block immediately. Another stream can reuse it only
 * when `stream` has completed the work enqueued before the free. */
FD_API fd_status fd_memory_allocate(int32_t device, size_t size, fd_stream *stream, void **pointer);
/* May be called with any current device, also for memory of a lost device: the address determines
 * the owner. NULL is accepted. */
FD_API fd_status fd_memory_free(void *pointer);
/* Declares that work on `stream` also uses the block. The block is not reused before that work
 * is done. */
FD_API fd_status fd_memory_record_stream(void *pointer, fd_stream *stream);

struct fd_block {
    int32_t device; /* -1: pinned host memory */
    void *base;
    size_t size;     /* in bytes, as requested */
    size_t reserved; /* in bytes, after rounding */
};
/* Finds the live block (device or pinned) that contains `pointer`, else returns
 * FD_ERROR_INVALID_HANDLE. Never starts the driver. */
FD_API fd_status fd_memory_find(const void *pointer, struct fd_block *block);
/* Returns the host address of `size` bytes of live device memory, for code that runs inside
 * tasks. A pinned or other host pointer is returned unchanged. Returns FD_ERROR_INVALID_VALUE if
 * the range exceeds its block. */
FD_API fd_status fd_memory_alias(const void *pointer, size_t size, void **alias);

/* The addresses determine the direction: source and destination may be device, pinned or pageable
 * memory. fd_memory_copy runs in order on the calling thread's current stream of the device (for a
 * copy between devices: on the current streams of both) and returns when the copy is done. */
FD_API fd_status fd_memory_copy(void *destination, const void *source, size_t size);
/* If the source is pageable, it is staged before the call returns. If the destination is
 * pageable, the call waits for the copy. */
FD_API fd_status fd_memory_copy_async(void *destination, const void *source, size_t size,
                                      fd_stream *stream);
/* Accepts device or pinned memory. Returns FD_ERROR_PEER_DISABLED if the stream's device may not
 * access the memory. */
FD_API fd_status fd_memory_set_async(void *pointer, uint8_t value, size_t size, fd_stream *stream);

FD_API fd_status fd_memory_info(int32_t device, uint64_t *free_bytes, uint64_t *total_bytes);
/* Returns cached blocks to the device if no stream still uses them. */
FD_API fd_status fd_memory_empty_cache(int32_t device);

struct fd_stat {
    uint64_t current, peak, allocated, freed; /* current == allocated - freed, until a reset */
};
struct fd_memory_stats {
    struct fd_stat blocks;          /* live blocks */
    struct fd_stat segments;        /* ranges of device memory that the allocator holds */
    struct fd_stat inactive_blocks; /* free blocks in the cache */
    struct fd_stat requested_bytes, allocated_bytes, reserved_bytes, inactive_bytes;
    uint64_t retries; /* allocations that first had to empty the cache */
    uint64_t out_of_memory;
    uint64_t device_allocations, device_frees; /* of segments */
};
FD_API fd_status fd_memory_get_stats(int32_t device, struct fd_memory_stats *stats);
FD_API fd_status fd_memory_reset_peak(int32_t device);
FD_API fd_status fd_memory_reset_accumulated(int32_t device);

/* Page-locked host memory with ordinary addresses. Copies from and to this memory are truly
 * asynchronous. Freed blocks are not cached. Starts the driver. A `size` of 0 gives NULL and
 * success. */
FD_API fd_status fd_host_allocate(size_t size, void **pointer);
/* Pending copies may still use the block: its pages stay until these copies are done. No other work
 * may use the block any more. NULL is accepted. */
FD_API fd_status fd_host_free(void *pointer);

/* Sharing between processes. The handle is plain data. While another process has the block open,
 * the exporting process must stay alive and must not free the block. */
struct fd_ipc_handle {
    uint8_t bytes[64];
};
FD_API fd_status fd_ipc_export(const void *pointer, struct fd_ipc_handle *handle);
/* Maps the block into this process on `device` (the exporter's index). The caller must close the
 * block. Returns FD_ERROR_INVALID_HANDLE if the exporter has ended or has other memory. */
FD_API fd_status fd_ipc_open(const struct fd_ipc_handle *handle, int32_t *device, void **pointer);
FD_API fd_status fd_ipc_close(void *pointer);

/* ---- random ---------------------------------------------------------------------------------- */

/* Counter-based Philox 4x32-10. A generator is a plain value: a seed and a position. */
struct fd_random {
    uint64_t seed;
    uint64_t offset; /* in blocks of four 32-bit numbers */
};
FD_API void fd_philox_4x32_10(const uint32_t counter[4], const uint32_t key[2], uint32_t result[4]);
FD_API void fd_random_seed(struct fd_random *random, uint64_t seed); /* also sets the offset to 0 */
FD_API void fd_random_skip(struct fd_random *random, uint64_t blocks);
/* Computes the block at offset + index. The state is unchanged. */
FD_API void fd_random_block(const struct fd_random *random, uint64_t index, uint32_t result[4]);

/* ---- trace and counters ---------------------------------------------------------------------- */

struct fd_trace_record {
    uint64_t sequence; /* 1, 2, 3, ... for the lifetime of the process */
    /* monotonic clock; for calls, begin and end are equal */
    uint64_t begin_ns, end_ns;
    const char *what; /* name of the call ("fd_memory_allocate") or task */
    int64_t stream;   /* id, -1: none */
    uint64_t bytes;   /* 0 if not applicable */
    fd_status status;
    int32_t device;   /* -1: none */
    int32_t executed; /* 0: call from the host; 1: task that a worker ran */
    uint32_t thread;  /* thread id of the operating system */
    /* Number of the launch of a kernel, copy or memory set; 0 if there is no listener
     * (fd_trace_listen). The record of a task has the number of the task. The record of a call has
     * the number of the last launch that the call made. */
    uint64_t launch;      /* unique in the process */
    uint64_t launched_ns; /* when the host enqueued it */
    uint64_t correlation; /* set by the thread with fd_trace_correlate */
};
/* Copies the newest `capacity` records, oldest first. `lost` (may be NULL) receives the number
 * of records that the ring (4096 records) has overwritten since the last clear. */
FD_API fd_status fd_trace_read(struct fd_trace_record *records, size_t capacity, size_t *count,
                               uint64_t *lost);
FD_API void fd_trace_clear(void);
/* From now on `listener` receives each record, on the thread that made the record. The listener
 * must not call the driver. NULL removes the listener, and waits until the listener has
 * returned. */
FD_API void fd_trace_listen(void (*listener)(const struct fd_trace_record *record));
/* Work that this thread enqueues from now on is recorded with this number; 0 means no number.
 * Returns the previous number. */
FD_API uint64_t fd_trace_correlate(uint64_t number);

struct fd_counters {
    uint64_t streams_created, streams_destroyed;
    uint64_t events_created, events_destroyed;
    uint64_t tasks_enqueued, tasks_completed;
    uint64_t copies, synchronizations;
    uint64_t host_allocations, host_frees;
};
FD_API void fd_get_counters(struct fd_counters *counters);

/* ---- variants -------------------------------------------------------------------------------- */

/* FAKEDEV_VARIANT=name[,name] is read when the library is loaded. If a name is unknown, the
 * process ends with status 78 and one sentence. */
struct fd_variant_info {
    const char *name, *summary;
};
/* `index` starts at 0; FD_ERROR_INVALID_VALUE past the end. */
FD_API fd_status fd_variant_get(size_t index, struct fd_variant_info *info);
/* Returns 1 if the variant is switched on. If no table contains the name, the process ends. */
FD_API int32_t fd_variant_is_on(const char *name);

#ifdef __cplusplus
}
#endif
#endif
