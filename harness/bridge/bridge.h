/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lets a C program use PyTorch's interfaces for PrivateUse1. Called by native checks, by the probe
 * and by the hosts. The bridge exposes no C++ type and no C++ exception: every exception becomes a
 * status and a text.
 *
 * Conventions
 *   A status is 0 or a negative ASSAY_E (assay/status.h): EUNSUPPORTED for NotImplementedError,
 *   ENOMEM for lack of memory, EINVALID for an argument error, EINTERNAL for an internal assert or
 *   an unknown exception, EFAILED for any other error. bridge_error_text() has the message, without
 *   a C++ backtrace.
 *   Results go through the last pointer arguments and are unchanged on failure. Guard and stream
 *   calls return a struct that contains its status.
 *   "device" is an index of PrivateUse1; for tensors BRIDGE_CPU stands for the CPU.
 *   The caller owns each handle unless a comment says otherwise. Every free function accepts NULL.
 *   All functions are [any]; the error text belongs to the calling thread.
 */
#ifndef ASSAY_BRIDGE_H
#define ASSAY_BRIDGE_H

#include "assay/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRIDGE_API __attribute__((visibility("default")))

#define BRIDGE_CPU (-1000)    /* in place of a device index: the CPU */
#define BRIDGE_PRIVATEUSE1 20 /* c10::DeviceType::PrivateUse1, asserted in bridge_guard.cc */

/* ---- errors and facts ---- */

/* Message of the last failing call of this thread, or "". Valid until the next failing call of the
 * thread. */
BRIDGE_API const char *bridge_error_text(void);
/* Versions and settings that the bridge was compiled against. Static storage. */
BRIDGE_API const struct assay_build *bridge_build(void);

/* The backend's name: "privateuseone" until it is renamed. */
BRIDGE_API int32_t bridge_backend_name(char *name, size_t size);
/* Returns 1 after the backend was renamed. */
BRIDGE_API int32_t bridge_backend_is_named(void);
/* Renames the backend, as torch.utils.rename_privateuse1_backend does. Only once per process. */
BRIDGE_API int32_t bridge_backend_set_name(const char *name);

/* ---- device guard: c10::impl::DeviceGuardImplInterface --------------------------------------- */

struct bridge_device {
    int32_t status;
    int32_t type; /* BRIDGE_PRIVATEUSE1, or the type that the guard returned */
    int32_t index;
};

/* Returns 1 if a guard is registered. Without a guard, all other functions of this section fail. */
BRIDGE_API int32_t bridge_guard_registered(void);
/* The registered object, for comparison only. */
BRIDGE_API const void *bridge_guard_identity(void);
/* Sets only `type` and `status`. */
BRIDGE_API struct bridge_device bridge_guard_type(void);
BRIDGE_API struct bridge_device bridge_guard_current(void);
BRIDGE_API struct bridge_device bridge_guard_exchange(int32_t device);
BRIDGE_API int32_t bridge_guard_set(int32_t device);
/* This function is noexcept in PyTorch: if the implementation throws, the process ends. */
BRIDGE_API void bridge_guard_unchecked_set(int32_t device);
BRIDGE_API int32_t bridge_guard_count(int32_t *count);
BRIDGE_API int32_t bridge_guard_synchronize(int32_t device);
/* Bit i stands for the dtype with PyTorch's capability index i. */
BRIDGE_API int32_t bridge_guard_capability(int32_t device, uint64_t *bits);

/* c10::DeviceGuard: switches the device now, and restores it in leave. */
struct bridge_scope;
BRIDGE_API int32_t bridge_scope_enter(int32_t device, struct bridge_scope **scope);
BRIDGE_API void bridge_scope_leave(struct bridge_scope *scope);
/* Enters `device`, throws an exception and catches it outside, to test that the guard is unwound.
 * `inside` (may be NULL) receives the device that was current before the throw. */
BRIDGE_API int32_t bridge_scope_unwind(int32_t device, int32_t *inside);

/* ---- streams --------------------------------------------------------------------------------- */

struct bridge_stream {
    int64_t id;
    int32_t status;
    int32_t type;
    int32_t device;
    int32_t reserved;
};

BRIDGE_API struct bridge_stream bridge_stream_current(int32_t device);
BRIDGE_API struct bridge_stream bridge_stream_default(int32_t device);
BRIDGE_API struct bridge_stream bridge_stream_from_pool(int32_t device, int32_t high_priority);
BRIDGE_API struct bridge_stream bridge_stream_new(int32_t device, int32_t priority);
/* Makes `stream` current; returns the stream that was current on its device. */
BRIDGE_API struct bridge_stream bridge_stream_exchange(struct bridge_stream stream);
BRIDGE_API int32_t bridge_stream_query(struct bridge_stream stream, int32_t *idle);
BRIDGE_API int32_t bridge_stream_synchronize(struct bridge_stream stream);

/* c10::StreamGuard: switches device and stream now, and restores both in leave. */
struct bridge_stream_scope;
BRIDGE_API int32_t bridge_stream_scope_enter(struct bridge_stream stream,
                                             struct bridge_stream_scope **scope);
BRIDGE_API void bridge_stream_scope_leave(struct bridge_stream_scope *scope);

/* Sets *by_its_name if a class of graphs is registered under the name that PyTorch looks up,
 * *by_another if a class is registered under a similar name. ASSAY_EUNSUPPORTED if this torch has
 * no registry. */
BRIDGE_API int32_t bridge_graph_registered(int32_t *by_its_name, int32_t *by_another);

/* ---- events ---------------------------------------------------------------------------------- */

#define BRIDGE_EVENT_DEFAULT 0 /* EventFlag::PYTORCH_DEFAULT: no timing */
#define BRIDGE_EVENT_TIMING 1  /* EventFlag::BACKEND_DEFAULT */

/* *event is the backend's own event. *event is NULL until the first record creates the event.
 * `index` is the device of the last record, -1 at first, because core passes the index that it
 * stored. */
BRIDGE_API int32_t bridge_event_record(void **event, struct bridge_stream stream, int32_t index,
                                       int32_t flag);
BRIDGE_API int32_t bridge_event_block(void *event, struct bridge_stream stream);
BRIDGE_API int32_t bridge_event_query(void *event, int32_t *done);
BRIDGE_API int32_t bridge_event_synchronize(void *event);
BRIDGE_API int32_t bridge_event_elapsed(void *start, void *end, int32_t device, double *ms);
BRIDGE_API void bridge_event_destroy(void *event, int32_t device);

/* ---- allocator ------------------------------------------------------------------------------- */

/* A c10::DataPtr. Filled by the bridge, freed by bridge_block_free; do not copy. */
struct bridge_block {
    void *data; /* must not be dereferenced */
    void *context;
    void *owner; /* owned by the bridge; NULL: the block is empty */
    int32_t type;
    int32_t device;
};

/* c10::GetAllocator(PrivateUse1), or NULL. For comparison only; do not call it. */
BRIDGE_API const void *bridge_allocator_identity(void);
BRIDGE_API int32_t bridge_allocate(uint64_t size, struct bridge_block *block);
/* Runs the deleter on this thread, without switching the current device, and clears the block. */
BRIDGE_API int32_t bridge_block_free(struct bridge_block *block);
/* The block's deleter, for comparison only; NULL if it has none. */
BRIDGE_API const void *bridge_block_deleter(const struct bridge_block *block);
/* Calls the block's deleter with a null context, as an empty allocation does. */
BRIDGE_API int32_t bridge_block_delete_null(const struct bridge_block *block);
BRIDGE_API int32_t bridge_block_is_simple(const struct bridge_block *block, int32_t *simple);
/* Allocator::raw_deleter(), for comparison only; NULL: the allocator has no raw interface. */
BRIDGE_API int32_t bridge_raw_deleter(const void **deleter);
BRIDGE_API int32_t bridge_raw_allocate(uint64_t size, void **pointer);
BRIDGE_API int32_t bridge_raw_deallocate(void *pointer);
BRIDGE_API int32_t bridge_copy_data(void *destination, const void *source, uint64_t size);
BRIDGE_API int32_t bridge_block_clone(const void *data, uint64_t size, struct bridge_block *block);
/* Copies bytes between the host and a device address, through tensors made from the address. */
BRIDGE_API int32_t bridge_write(void *data, int32_t device, const void *bytes, uint64_t size);
BRIDGE_API int32_t bridge_read(const void *data, int32_t device, void *bytes, uint64_t size);

/* c10::DeviceAllocator. */
struct bridge_memory_stats {
    int64_t allocated_bytes, allocated_bytes_peak, allocated_bytes_total, freed_bytes_total;
    int64_t reserved_bytes, reserved_bytes_peak;
    int64_t active_bytes, inactive_bytes, requested_bytes;
    int64_t allocations, retries, out_of_memory;
};
/* Returns 1 if the registered allocator derives from c10::DeviceAllocator. */
BRIDGE_API int32_t bridge_allocator_has_stats(void);
BRIDGE_API int32_t bridge_memory_get_stats(int32_t device, struct bridge_memory_stats *stats);
BRIDGE_API int32_t bridge_memory_empty_cache(void);
/* Calls is_simple_data_ptr for a pointer of another allocator, which has another context. */
BRIDGE_API int32_t bridge_foreign_is_simple(int32_t *simple);
BRIDGE_API int32_t bridge_block_record_stream(const struct bridge_block *block,
                                              struct bridge_stream stream);

/* ---- pinned host memory ---------------------------------------------------------------------- */

/* 1 if at::getHostAllocator(PrivateUse1) is not null. */
BRIDGE_API int32_t bridge_host_registered(void);
/* The registered allocator, for comparison only; NULL if there is none. */
BRIDGE_API const void *bridge_host_identity(void);
BRIDGE_API int32_t bridge_host_allocate(uint64_t size, struct bridge_block *block);
BRIDGE_API int32_t bridge_host_record_event(const struct bridge_block *block,
                                            struct bridge_stream stream, int32_t *recorded);
BRIDGE_API int32_t bridge_host_empty_cache(void);
/* How many blocks the allocator took from the system, and how many it gave back. */
struct bridge_host_stats {
    int64_t taken, given_back;
};
BRIDGE_API int32_t bridge_host_get_stats(struct bridge_host_stats *stats);
/* Resets the accumulated numbers and the peaks. */
BRIDGE_API int32_t bridge_host_reset_stats(void);
/* Starts or ends a history of allocations; *recording is 1 if the history is on afterwards.
 * ASSAY_EUNSUPPORTED before torch 2.14. */
BRIDGE_API int32_t bridge_host_record_history(int32_t enabled, int32_t *recording);
/* Counts of entries in a snapshot for the block at an address: segments in use that contain the
 * block, and allocations and releases of the block. ASSAY_EUNSUPPORTED before torch 2.14. */
struct bridge_host_told {
    int32_t segments, taken, given_back;
};
BRIDGE_API int32_t bridge_host_told_of(const void *address, struct bridge_host_told *told);

/* ---- hooks: at::PrivateUse1HooksInterface ---------------------------------------------------- */

BRIDGE_API int32_t bridge_hooks_registered(void);
BRIDGE_API int32_t bridge_hooks_is_built(int32_t *built);
BRIDGE_API int32_t bridge_hooks_is_available(int32_t *available);
BRIDGE_API int32_t bridge_hooks_init(void);
BRIDGE_API int32_t bridge_hooks_has_context(int32_t device, int32_t *has);
BRIDGE_API int32_t bridge_hooks_count(int32_t *count);
BRIDGE_API int32_t bridge_hooks_current(int32_t *device);
BRIDGE_API int32_t bridge_hooks_set(int32_t device);
BRIDGE_API int32_t bridge_hooks_exchange(int32_t device, int32_t *previous);
BRIDGE_API int32_t bridge_hooks_maybe_exchange(int32_t device, int32_t *previous);
BRIDGE_API int32_t bridge_hooks_device_of(void *pointer, struct bridge_device *device);
BRIDGE_API int32_t bridge_hooks_is_pinned(const void *pointer, int32_t *pinned);
/* The allocator that core uses for pinned memory, for comparison only. Core initializes the device
 * first. */
BRIDGE_API int32_t bridge_hooks_pinned_allocator(const void **allocator);
/* The registered hooks, and the hooks that core's context returns, for comparison only. NULL: there
 * are none. */
BRIDGE_API const void *bridge_hooks_identity(void);
BRIDGE_API const void *bridge_hooks_of_context(void);
/* Registers test hooks whose init() fails at the first call, for checks of core without a
 * backend. The second function returns the number of calls of that init(). */
BRIDGE_API int32_t bridge_hooks_register_plain(void);
BRIDGE_API int32_t bridge_hooks_plain_inits(void);

/* ---- tensors --------------------------------------------------------------------------------- */

struct bridge_tensor;

/* c10::ScalarType, asserted in bridge_tensor.cc. */
#define BRIDGE_UINT8 0
#define BRIDGE_INT64 4
#define BRIDGE_FLOAT 6
#define BRIDGE_DOUBLE 7
#define BRIDGE_BOOL 11
#define BRIDGE_BFLOAT16 15

/* Calls aten::empty for a device (index -1: no index given) or BRIDGE_CPU. */
BRIDGE_API int32_t bridge_tensor_empty(const int64_t *sizes, int32_t dim, int32_t dtype,
                                       int32_t device, struct bridge_tensor **tensor);
/* A contiguous CPU tensor with a copy of `bytes`. */
BRIDGE_API int32_t bridge_tensor_from_bytes(const void *bytes, uint64_t size, const int64_t *sizes,
                                            int32_t dim, int32_t dtype,
                                            struct bridge_tensor **tensor);
/* A copy on the device or BRIDGE_CPU: whole, contiguous, same dtype. */
BRIDGE_API int32_t bridge_tensor_to(const struct bridge_tensor *tensor, int32_t device,
                                    struct bridge_tensor **copy);
/* Copies the bytes of a tensor on any device; `size` must be the number of bytes of the tensor. */
BRIDGE_API int32_t bridge_tensor_read(const struct bridge_tensor *tensor, void *bytes,
                                      uint64_t size);
BRIDGE_API void bridge_tensor_free(struct bridge_tensor *tensor);
/* The first of the tried kinds of tensor that can be copied to the device and back: "float32
 * any", "int32 32", "int8 16x16"; "" if there is none. `any`: more than one size. */
BRIDGE_API int32_t bridge_tensor_kind(int32_t device, char *kind, size_t size);

struct bridge_kind {
    int32_t dtype;
    int32_t dim; /* number of `sizes`; 0: any size */
    int64_t sizes[2];
    uint64_t element_bytes;
};
/* Parses a text of bridge_tensor_kind. */
BRIDGE_API int32_t bridge_tensor_kind_read(const char *words, struct bridge_kind *kind);

struct bridge_tensor_facts {
    int32_t dtype, dim;
    int32_t type, device; /* device of the tensor */
    int32_t storage_type, storage_device;
    int32_t has_storage, contiguous;
    int64_t elements, storage_offset;
    uint64_t bytes, storage_bytes;
    const void *data;    /* must not be dereferenced; NULL without storage */
    const void *storage; /* StorageImpl, for comparison only */
    const void *storage_data;
    int64_t sizes[8], strides[8];
};
BRIDGE_API int32_t bridge_tensor_describe(const struct bridge_tensor *tensor,
                                          struct bridge_tensor_facts *facts);
BRIDGE_API int32_t bridge_tensor_resizable(const struct bridge_tensor *tensor, int32_t *resizable,
                                           int32_t *has_allocator);

/* ---- generator ------------------------------------------------------------------------------- */

struct bridge_generator;

/* Context::defaultGenerator. The caller owns the handle, the backend owns the object. */
BRIDGE_API int32_t bridge_generator_default(int32_t device, struct bridge_generator **generator);
BRIDGE_API int32_t bridge_generator_new(int32_t device, struct bridge_generator **generator);
BRIDGE_API void bridge_generator_free(struct bridge_generator *generator);
/* GeneratorImpl, for comparison only. */
BRIDGE_API const void *bridge_generator_identity(const struct bridge_generator *generator);
BRIDGE_API struct bridge_device bridge_generator_device(const struct bridge_generator *generator);
/* Returns 1 if the key set of the generator contains PrivateUse1. */
BRIDGE_API int32_t bridge_generator_has_key(const struct bridge_generator *generator, int32_t *has);
BRIDGE_API int32_t bridge_generator_set_seed(struct bridge_generator *generator, uint64_t seed);
BRIDGE_API int32_t bridge_generator_get_seed(const struct bridge_generator *generator,
                                             uint64_t *seed);
/* Sets a new non-deterministic seed. */
BRIDGE_API int32_t bridge_generator_reseed(struct bridge_generator *generator, uint64_t *seed);

/* ---- means: recording and refusing the functions of the backend that a job uses -------------- */

/* [any] Called once for each name of a means, from the first thread that uses the means. */
typedef void (*bridge_means_seen)(const char *name);
/* Makes the bridge call `used` for each operator that touches the device and that PyTorch does not
 * compose of other operators. A generator of the device as an argument counts as
 * "keyword.generator". `late_ms` delays the first use of each means.
 * Call it only once. */
BRIDGE_API int32_t bridge_means_record(bridge_means_seen used, int64_t late_ms);
/* Removes the backend's kernel of an operator ("aten::mm"), or makes operators reject generators of
 * the device ("keyword.generator"). `refused` is called when this takes effect. A means that only
 * the backend can refuse gives ASSAY_EUNSUPPORTED. A refusal cannot be undone. */
BRIDGE_API int32_t bridge_means_refuse(const char *name, bridge_means_seen refused);

/* ---- fallback: operators that the CPU computed instead of the backend ------------------------ */

/* Starts recording; earlier calls are not included. */
BRIDGE_API int32_t bridge_fallback_watch(void);
/* [any] "aten::sin.out, aten::cos.out": each operator once, in the order of their first use; "" if
 * there was none. Valid until the next call. */
BRIDGE_API const char *bridge_fallback_names(void);

/* ---- calls: number of operator calls that reached the backend -------------------------------- */

/* Starts counting the calls of operators with a tensor or a device of the backend, on all
 * threads. */
BRIDGE_API int32_t bridge_calls_count(void);
BRIDGE_API int64_t bridge_calls_seen(void);

/* ---- state that code must restore when it is done -------------------------------------------- */

typedef void (*bridge_state_seen)(void *context, const char *question, const char *answer);
/* PyTorch's state of the calling thread and of the process: the default dtype, whether gradients
 * are recorded, autocast, deterministic algorithms. `see` receives each value in the same form as
 * the Python function that returns the value. */
BRIDGE_API int32_t bridge_state_visit(bridge_state_seen see, void *context);

/* The index of the device that this thread last made current through the functions above;
 * BRIDGE_KEPT if it made no device current since `bridge_switched_forget`; BRIDGE_SWITCHED if the
 * index is unknown. */
#define BRIDGE_KEPT (-1)
#define BRIDGE_SWITCHED (-2)
BRIDGE_API int32_t bridge_switched_to(void);
BRIDGE_API void bridge_switched_forget(void);

/* ---- dispatcher ------------------------------------------------------------------------------ */

#define BRIDGE_NONE 0
#define BRIDGE_TENSOR 1
#define BRIDGE_INT 2
#define BRIDGE_REAL 3
#define BRIDGE_TRUTH 4
#define BRIDGE_INTS 5      /* `ints` and `count` */
#define BRIDGE_GENERATOR 6 /* optional generator argument */
#define BRIDGE_DEVICE 7    /* `integer` is an index, -1 or BRIDGE_CPU */

/* One argument. A parameter of type Scalar accepts INT or REAL; an optional parameter also accepts
 * NONE. */
struct bridge_value {
    int32_t kind;
    int32_t count;
    int64_t integer;
    double real;
    const int64_t *ints;
    const struct bridge_tensor *tensor;
    const struct bridge_generator *generator;
};

/* Calls an operator such as "aten::add.Tensor" with its first `count` arguments; the other
 * arguments get the defaults of the schema. *result receives the first result, which must be a
 * tensor. `result` may be NULL. */
BRIDGE_API int32_t bridge_call(const char *op, const struct bridge_value *values, int32_t count,
                               struct bridge_tensor **result);
/* Returns 1 if `op` has its own kernel for the key ("PrivateUse1"); 0 also for an unknown op. */
BRIDGE_API int32_t bridge_op_has_kernel(const char *op, const char *key);
/* Returns 1 if the dispatch key has a backend fallback, for all operators without a kernel. */
BRIDGE_API int32_t bridge_has_fallback(const char *key);
/* Number of kernels registered for the key. Torch itself registers some for PrivateUse1: see
 * bridge_stock. */
BRIDGE_API int32_t bridge_kernel_count(const char *key, int32_t *count);
/* Calls `visit` with each operator that has a kernel for the key, sorted by name. */
BRIDGE_API int32_t bridge_kernels(const char *key, void (*visit)(void *context, const char *op),
                                  void *context);

/* ---- the stable C interface of PyTorch, and rules of core ---- */

struct bridge_shim_guard;
BRIDGE_API int32_t bridge_shim_guard_create(int32_t device, struct bridge_shim_guard **guard);
BRIDGE_API int32_t bridge_shim_guard_set_index(struct bridge_shim_guard *guard, int32_t device);
BRIDGE_API int32_t bridge_shim_guard_delete(struct bridge_shim_guard *guard);
/* torch_from_blob: `size` bytes at `data`, which the caller must keep until `deleter` is called. */
BRIDGE_API int32_t bridge_shim_from_blob(void *data, int64_t size, int32_t device,
                                         void (*deleter)(void *data, void *context), void *context,
                                         struct bridge_tensor **tensor);

/* Makes a StorageImpl that is resizable and has no allocator; core must report an error. */
BRIDGE_API int32_t bridge_storage_resizable_without_allocator(void);
/* Registers PrivateUse1's StorageImplCreateHelper again by c10::SetStorageImplCreate, for
 * PrivateUse1 or, with BRIDGE_CPU, for the CPU. Core must report an error in both cases.
 * ASSAY_EUNSUPPORTED if none is registered. */
BRIDGE_API int32_t bridge_storage_factory_again(int32_t device);
/* Calls c10::SetAllocator with one of two allocators (0, 1) for an unused device type. `chosen` is
 * the number of the allocator that GetAllocator returns afterwards. */
BRIDGE_API int32_t bridge_set_unused_allocator(int32_t which, int32_t priority, int32_t *chosen);
/* Calls c10::getDeviceAllocator(CPU), for which core must report an error. */
BRIDGE_API int32_t bridge_cpu_device_allocator(void);

/* ---- DispatchStub ---------------------------------------------------------------------------- */

/* Names of the unary stubs that the backend has filled, without the suffix: "abs neg". Static
 * storage, valid until the next call. */
BRIDGE_API const char *bridge_stubs_filled(void);
/* Sets abs_stub to null (0) or to one of two functions that compute nothing and count their
 * calls (1, 2), until bridge_stubs_put_back. */
BRIDGE_API int32_t bridge_stub_fill_abs(int32_t with);
BRIDGE_API int32_t bridge_stub_abs_calls(int32_t with);
/* PyTorch's own implementation of abs.out, which uses abs_stub. */
BRIDGE_API int32_t bridge_stub_abs(const struct bridge_tensor *tensor,
                                   const struct bridge_tensor *out);
/* Replaces the stub that chooses the kernel of attention. The replacement always chooses the
 * composed form, and counts its calls. */
BRIDGE_API void bridge_stub_fill_choice(void);
BRIDGE_API int32_t bridge_stub_choices(void);
BRIDGE_API void bridge_stubs_put_back(void);

/* ---- profiler: privateuse1Stubs(), and the registry of Kineto's activity profiler ------------ */

struct bridge_profiler_event;

/* If no stubs are registered, `enabled` is 0, and the other functions of the stubs fail. */
BRIDGE_API int32_t bridge_profiler_enabled(int32_t *enabled);
/* `device` and `cpu_ns` may be NULL, as PyTorch passes them. *event is NULL if the stubs set
 * none. */
BRIDGE_API int32_t bridge_profiler_record(int32_t *device, struct bridge_profiler_event **event,
                                          int64_t *cpu_ns);
BRIDGE_API void bridge_profiler_event_free(struct bridge_profiler_event *event);
BRIDGE_API int32_t bridge_profiler_elapsed(const struct bridge_profiler_event *start,
                                           const struct bridge_profiler_event *end,
                                           double *microseconds);
BRIDGE_API int32_t bridge_profiler_on_each_device(void (*visit)(void *context, int32_t device),
                                                  void *context);
BRIDGE_API int32_t bridge_profiler_synchronize(void);
BRIDGE_API int32_t bridge_profiler_mark(const char *name);
BRIDGE_API int32_t bridge_profiler_range_push(const char *name);
BRIDGE_API int32_t bridge_profiler_range_pop(void);
/* Whether an activity profiler is registered, and whether Kineto has it. ASSAY_EUNSUPPORTED if this
 * torch has no such registry. */
BRIDGE_API int32_t bridge_profiler_plugin(int32_t *registered, int32_t *with_kineto);

/* ---- the end of the process ---- */

/* `work` is called when the static objects of every library loaded after the bridge are
 * destroyed. Call it only once. */
BRIDGE_API int32_t bridge_at_end(void (*work)(void *context), void *context);

#ifdef __cplusplus
}
#endif
#endif
