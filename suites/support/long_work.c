/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See long_work.h.
 */
#include "long_work.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLAGS = 64, FEW_PARTS = 16, LOOKING_MS = 1000 };

static const int64_t sizes[] = {1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22};
static const char *const parts[] = {"aten::copy_", "aten::mul.Tensor"};
enum { SIZES = sizeof sizes / sizeof *sizes, KINDS = sizeof parts / sizeof *parts };

static char why[256];

static const char *refused(const char *what)
{
    const char *const text = bridge_error_text();
    snprintf(why, sizeof why, "%s: %.*s", what, (int)strcspn(text, "\n"), text);
    return why;
}

/* Creates a tensor of `elements` numbers equal to `value` on the stream's device. The copy from the
 * host may still be pending when the call returns. */
static int32_t make(struct bridge_stream stream, int64_t elements, float value,
                    struct bridge_tensor **tensor)
{
    const uint64_t bytes = (uint64_t)elements * sizeof value;
    float *const numbers = calloc(1, bytes);
    struct bridge_tensor *on_host = NULL;
    struct bridge_stream_scope *scope = NULL;
    if (!numbers)
        return ASSAY_ENOMEM;
    for (int64_t i = 0; value != 0 && i < elements; i++)
        numbers[i] = value;
    int32_t status = bridge_tensor_from_bytes(numbers, bytes, &elements, 1, BRIDGE_FLOAT, &on_host);
    free(numbers);
    if (status == ASSAY_OK)
        status = bridge_stream_scope_enter(stream, &scope);
    if (status == ASSAY_OK)
        status = bridge_tensor_to(on_host, stream.device, tensor);
    bridge_stream_scope_leave(scope);
    bridge_tensor_free(on_host);
    return status;
}

static int32_t call(const char *op, const struct bridge_tensor *to,
                    const struct bridge_tensor *from)
{
    const struct bridge_value both[] = {{.kind = BRIDGE_TENSOR, .tensor = to},
                                        {.kind = BRIDGE_TENSOR, .tensor = from}};
    return bridge_call(op, both, 2, NULL);
}

int32_t assay_long_work_flag(const struct assay_long_work *work, struct bridge_stream stream,
                             struct bridge_tensor **flag)
{
    (void)work;
    return make(stream, FLAGS, 0, flag);
}

int32_t assay_long_work_fill(const struct assay_long_work *work, struct bridge_stream stream,
                             const struct bridge_tensor *flag)
{
    struct bridge_stream_scope *scope = NULL;
    int32_t status = bridge_stream_scope_enter(stream, &scope);
    if (status == ASSAY_OK)
        status = call("aten::copy_", flag, work->ones);
    bridge_stream_scope_leave(scope);
    return status;
}

int32_t assay_long_work_give(const struct assay_long_work *work, const struct bridge_tensor *flag)
{
    struct bridge_stream_scope *scope = NULL;
    int32_t status = bridge_stream_scope_enter(work->worker, &scope);
    for (int64_t i = 0; i < work->parts && status == ASSAY_OK; i++)
        status = call(work->part, work->to, work->from);
    if (status == ASSAY_OK)
        status = call("aten::copy_", flag, work->ones);
    bridge_stream_scope_leave(scope);
    return status;
}

int assay_long_work_filled(const struct assay_long_work *work, const struct bridge_tensor *flag)
{
    float seen[FLAGS] = {0};
    struct bridge_stream_scope *scope = NULL;
    int32_t status = bridge_stream_scope_enter(work->reader, &scope);
    int filled = 1;
    if (status == ASSAY_OK)
        status = bridge_tensor_read(flag, seen, sizeof seen);
    bridge_stream_scope_leave(scope);
    for (int i = 0; i < FLAGS; i++)
        filled = filled && seen[i] == 1;
    return status != ASSAY_OK || filled;
}

int assay_long_work_wait(struct assay_check *check, const struct assay_long_work *work,
                         const struct bridge_tensor *flag)
{
    const int64_t half = check->host->milliseconds_left(check) / 2;
    while (!assay_long_work_filled(work, flag) && check->host->milliseconds_left(check) > half)
        poll(NULL, 0, 1); /* the device may need this processor */
    return assay_long_work_filled(work, flag);
}

/* ---- amount of work */

static void forget_part(struct assay_long_work *work)
{
    bridge_tensor_free(work->from);
    bridge_tensor_free(work->to);
    work->from = work->to = NULL;
}

static int32_t make_part(struct assay_long_work *work, const char *part, int64_t elements)
{
    forget_part(work);
    work->part = part;
    const int32_t status = make(work->worker, elements, 0, &work->from);
    return status == ASSAY_OK ? make(work->worker, elements, 0, &work->to) : status;
}

/* Returns whether this work continues after its calls have returned. Returns 0 if the device cannot
 * run the work. */
static int goes_on(struct assay_check *check, struct assay_long_work *work)
{
    struct bridge_tensor *flag = NULL;
    int seen = 0;
    if (assay_long_work_flag(work, work->worker, &flag) == ASSAY_OK &&
        assay_long_work_give(work, flag) == ASSAY_OK) {
        seen = !assay_long_work_filled(work, flag);
        work->is_lost = !assay_long_work_wait(check, work, flag);
    }
    bridge_tensor_free(flag);
    return seen && !work->is_lost;
}

/* Uses the largest size if the device can allocate it, so that few calls give long work. */
static void grow(struct assay_long_work *work)
{
    if (make_part(work, work->part, sizes[SIZES - 1]) != ASSAY_OK)
        (void)make_part(work, work->part, sizes[0]);
}

static int find_part(struct assay_check *check, struct assay_long_work *work)
{
    const int64_t until = check->host->milliseconds_left(check) - LOOKING_MS;
    for (int size = 0; size < SIZES; size++) {
        for (int kind = 0; kind < KINDS; kind++)
            if (make_part(work, parts[kind], sizes[size]) == ASSAY_OK && goes_on(check, work))
                return 1;
            else if (work->is_lost)
                return 0;
        if (check->host->milliseconds_left(check) < until)
            return 0;
    }
    return 0;
}

const char *assay_long_work_find(struct assay_check *check, int32_t device,
                                 struct assay_long_work *work)
{
    *work = (struct assay_long_work){.parts = FEW_PARTS};
    work->worker = bridge_stream_new(device, 0);
    if (work->worker.status == ASSAY_OK)
        work->reader = bridge_stream_new(device, 0);
    if (work->worker.status != ASSAY_OK || work->reader.status != ASSAY_OK)
        return refused("there are no other streams");
    if (make(work->worker, FLAGS, 1, &work->ones) != ASSAY_OK)
        return refused("numbers cannot be copied to the device");
    if (!find_part(check, work))
        return work->is_lost ? "the end of the work never arrived on the host"
                             : "all work that was tried was done when its calls returned";
    grow(work);
    return NULL;
}

void assay_long_work_free(struct assay_long_work *work)
{
    forget_part(work);
    bridge_tensor_free(work->ones);
    *work = (struct assay_long_work){0};
}
