/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stable C interface of PyTorch on threads that Python did not start, and in a process without
 * Python. The functions are found by name, so this file needs no header of PyTorch.
 */
#include "bounded.h"
#include "sample.h"

#include <dlfcn.h>
#include <string.h>

enum { ELEMENTS = 64 };

/* The functions of the interface that these checks call. A tensor is an opaque handle. */
static struct {
    int32_t (*privateuse1)(void);
    int32_t (*cpu)(void);
    int32_t (*float32)(void);
    int32_t (*empty)(int64_t ndim, const int64_t *sizes, const int64_t *strides, int32_t dtype,
                     int32_t device_type, int32_t device, void **tensor);
    int32_t (*copy)(void *to, void *from, int32_t non_blocking);
    int32_t (*device_of)(void *tensor, int32_t *device);
    int32_t (*address_of)(void *tensor, void **address);
    int32_t (*delete)(void *tensor);
    int32_t (*current)(int32_t *device);
    const char *(*message)(void); /* NULL before 2.13 */
} shim;

static int find(void *function, const char *name)
{
    void *const found = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static void find_functions(struct assay_check *check)
{
    int found = find(&shim.privateuse1, "aoti_torch_device_type_privateuse1");
    found &= find(&shim.cpu, "aoti_torch_device_type_cpu");
    found &= find(&shim.float32, "aoti_torch_dtype_float32");
    found &= find(&shim.empty, "aoti_torch_empty_strided");
    found &= find(&shim.copy, "aoti_torch_copy_");
    found &= find(&shim.device_of, "aoti_torch_get_device_index");
    found &= find(&shim.address_of, "aoti_torch_get_data_ptr");
    found &= find(&shim.delete, "aoti_torch_delete_tensor_object");
    found &= find(&shim.current, "aoti_torch_get_current_device_index");
    require_means(check, found, "the process has the functions of the stable C interface");
    find(&shim.message, "torch_exception_get_what_without_backtrace");
}

static const char *message(void)
{
    return shim.message ? shim.message() : "an error whose message went to stderr";
}

/* Ends the check as blocked if the backend refuses float32 or the operators that the calls need. */
static void need_floats(struct assay_check *check, int32_t device)
{
    const int64_t size = ELEMENTS, stride = 1;
    struct bridge_tensor *tensor = NULL;
    const struct bridge_value values[] = {
        {.kind = BRIDGE_INTS, .ints = &size, .count = 1},
        {.kind = BRIDGE_INTS, .ints = &stride, .count = 1},
        {.kind = BRIDGE_INT, .integer = BRIDGE_FLOAT},
        {.kind = BRIDGE_NONE},
        {.kind = BRIDGE_DEVICE, .integer = device},
    };
    assay_need_any_kind(check);
    require_op(check, "aten::empty_strided",
               bridge_call("aten::empty_strided", values, 5, &tensor));
    bridge_tensor_free(tensor);
    require_op(check, "aten::_copy_from", assay_sample_round_trip(check, device));
}

static int made(struct assay_check *check, int32_t type, int32_t device, void **tensor)
{
    const int64_t size = ELEMENTS, stride = 1;
    const int32_t status = shim.empty(1, &size, &stride, shim.float32(), type, device, tensor);
    return expect_that(check, status == 0, "aoti_torch_empty_strided returns 0 on any thread",
                       "it returned %d: %s", status, message());
}

/* Copies numbers from a host tensor to the device and into another host tensor. */
static void copy_both_ways(struct assay_check *check, int32_t device)
{
    void *there = NULL, *here = NULL, *back = NULL;
    float *source = NULL, *result = NULL;
    float expected[ELEMENTS];
    if (!made(check, shim.cpu(), 0, &here) || !made(check, shim.cpu(), 0, &back) ||
        !made(check, shim.privateuse1(), device, &there))
        return;
    shim.address_of(here, (void **)&source);
    shim.address_of(back, (void **)&result);
    for (int i = 0; i < ELEMENTS; i++) {
        source[i] = expected[i] = (float)(i + 1) / 3;
        result[i] = 0;
    }
    const int32_t to = shim.copy(there, here, 0), from = shim.copy(back, there, 0);
    expect_that(check, to == 0 && from == 0, "aoti_torch_copy_ returns 0 in both directions",
                "it returned %d to the device and %d back: %s", to, from, message());
    expect_bytes(check, result, expected, sizeof expected,
                 "a copy to the device and back is exact");
    shim.delete(there);
    shim.delete(here);
    shim.delete(back);
}

struct job {
    struct assay_check *check;
    int32_t device;
    int has_current; /* 0 for a backend without a guard */
    int32_t current_before, current_after, tensor_on;
};

static void copy_and_fail(void *context)
{
    const struct job *const job = context;
    const int64_t size = -3, stride = 1;
    int32_t index = -1, made_on = -1;
    void *tensor = NULL;
    if (job->has_current)
        expect_that(job->check, shim.current(&index) == 0 && index >= 0,
                    "a new thread has a current device", "index %d", index);
    copy_both_ways(job->check, job->device);
    if (job->has_current && made(job->check, shim.privateuse1(), -1, &tensor)) {
        shim.device_of(tensor, &made_on);
        expect_int(job->check, made_on, index, "the index -1 means the current device");
        shim.delete(tensor);
    }
    const int32_t status =
        shim.empty(1, &size, &stride, shim.float32(), shim.privateuse1(), job->device, &tensor);
    expect_true(job->check, status != 0, "a negative size is an error on any thread");
    if (shim.message)
        expect_that(job->check, strlen(shim.message()) > 0, "the thread has a message", "\"%s\"",
                    shim.message());
}

static void calls_work_on_a_thread_without_python(struct assay_check *check)
{
    struct job job = {.check = check, .device = assay_device(check, 0)};
    int32_t index = -1;
    find_functions(check);
    job.has_current = shim.current(&index) == 0;
    need_floats(check, job.device);
    assay_on_thread(check, copy_and_fail, &job, "calls of the C interface return on a new thread");
}

static void make_on_device(void *context)
{
    struct job *const job = context;
    void *tensor = NULL;
    shim.current(&job->current_before);
    if (made(job->check, shim.privateuse1(), job->device, &tensor)) {
        shim.device_of(tensor, &job->tensor_on);
        shim.delete(tensor);
    }
    shim.current(&job->current_after);
}

static void allocation_on_a_thread_keeps_its_device(struct assay_check *check)
{
    const int32_t second = assay_device(check, 1);
    struct job job = {.check = check, .device = second, .tensor_on = -7};
    find_functions(check);
    need_floats(check, second);
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    assay_on_thread(check, make_on_device, &job, "aoti_torch_empty_strided returns on a thread");
    expect_int(check, job.tensor_on, second, "the tensor is on the requested device");
    expect_int(check, job.current_after, job.current_before,
               "a tensor that is made and deleted on another device keeps the current device");
    expect_device(check, bridge_guard_current(), assay_device(check, 0),
                  "an allocation on another thread keeps the current device of this thread");
}

static void calls_work_in_a_process_without_python(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    int (*is_python_there)(void) = NULL;
    find_functions(check);
    if (find(&is_python_there, "Py_IsInitialized") && is_python_there())
        assay_skip(check, "a process without Python", "the target is loaded by Python");
    need_floats(check, device);
    copy_both_ways(check, device);
}

const struct assay_check_row shim_threads_checks[] = {
    {"stable_abi.calls_work_on_a_thread_without_python", calls_work_on_a_thread_without_python},
    {"stable_abi.allocation_on_a_thread_keeps_its_device", allocation_on_a_thread_keeps_its_device},
    {"stable_abi.calls_work_in_a_process_without_python", calls_work_in_a_process_without_python},
    {0},
};
