/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds and reads messages of the supervisor. Called by host_link.c and supervisor.c.
 */
#include "host_message.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "assay/status.h"
#include "check_wire.h"
#include "hash.h"

/* Values of a claim (what an adapter says about a capability) in the public ABI. */
static const int32_t answers[] = {
    [HN_CLAIM_UNKNOWN] = ASSAY_UNKNOWN, [HN_CLAIM_NO] = ASSAY_NO, [HN_CLAIM_YES] = ASSAY_YES};

void hn_message_setup(struct hn_wire *message, const struct hn_run_input *input, const char *mode,
                      size_t host)
{
    const struct hn_run_target *target = &input->target;
    hn_wire_begin(message, HN_WIRE_SETUP);
    hn_wire_add(message, "mode", mode);
    hn_wire_add_orders(message, &input->options.orders);
    if (input->options.foreground)
        hn_wire_add_number(message, "foreground", 1);
    for (size_t i = 0; input->options.under && input->options.under[i]; i++)
        hn_wire_add(message, "under", input->options.under[i]);
    if (target->adapter)
        hn_wire_add(message, "adapter", target->adapter);
    for (size_t i = 0; target->adapter && i < target->asked_count; i++)
        hn_wire_add(message, "ask", target->asked[i]);
    if (target->device_name)
        hn_wire_add(message, "device-name", target->device_name);
    for (size_t i = 0; i < target->module_count; i++)
        hn_wire_add(message, "module", target->modules[i]);
    const size_t first = target->exclusive ? host : 0;
    for (size_t i = 0; i < target->device_count; i++)
        hn_wire_add_number(message, "device", target->devices[(first + i) % target->device_count]);
    if (target->exclusive)
        hn_wire_add_number(message, "exclusive", 1);
    if (target->may_ask)
        hn_wire_add_number(message, "may-ask", target->may_ask);
    for (size_t i = 0; i < target->step_count; i++) {
        hn_wire_add(message, "step", target->steps[i].kind);
        hn_wire_add(message, "argument", target->steps[i].argument);
        hn_wire_add(message, "extra", target->steps[i].extra);
    }
    for (size_t i = 0; i < input->capability_count; i++) {
        hn_wire_add(message, "claim", input->capabilities[i].name);
        hn_wire_add_number(message, "answer", answers[input->capabilities[i].claim]);
    }
}

int64_t hn_scaled_ms(const struct hn_run_input *input, int64_t milliseconds)
{
    return (int64_t)((double)milliseconds * input->options.timeout_scale);
}

/* Returns 1 if the job has orders. For such a job, `armed` is the name of a pair in a proof, not a
 * switch of the adapter. */
static int is_ordered(const struct hn_orders *orders)
{
    for (size_t i = 0; i < HN_ORDERS; i++)
        if (orders->said[i])
            return 1;
    return 0;
}

static void add_job(struct hn_wire *message, const struct hn_job_order *job)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)job->seed);
    hn_wire_add(message, "job", job->task->check->id);
    hn_wire_add_check(message, job->task->check);
    hn_wire_add(message, "nonce", job->nonce);
    hn_wire_add(message, "folder", job->folder);
    hn_wire_add(message, "seed", seed);
    if (job->look)
        hn_wire_add(message, hn_order_table[HN_ORDER_SECOND_LOOK].name, job->look);
    hn_wire_add_orders(message, &job->task->orders);
    if (job->task->setting)
        hn_wire_add(message, "setting", job->task->setting);
    else if (job->task->armed && !is_ordered(&job->task->orders))
        hn_wire_add(message, "arm", job->task->armed);
    if (job->task->warm_up)
        hn_wire_add(message, "warm-up", "yes");
}

void hn_message_run(struct hn_wire *message, const struct hn_run_input *input,
                    const struct hn_job_order *jobs, size_t count)
{
    const struct hn_run_target *target = &input->target;
    const int64_t check = hn_scaled_ms(input, hn_task_limit_ms(jobs[0].task, target)) *
                          (jobs[0].late ? HN_LATE_TIMES : 1);
    hn_wire_begin(message, HN_WIRE_RUN);
    hn_wire_add_number(message, "load-ms", hn_scaled_ms(input, target->load_ms));
    hn_wire_add_number(message, "warm-up-ms", hn_scaled_ms(input, target->warm_up_ms));
    hn_wire_add_number(message, "check-ms", check);
    hn_wire_add_number(message, "more-ms", HN_MORE_TIMES * check);
    hn_wire_add_number(message, "exit-ms", check);
    hn_wire_add_number(message, "grace-ms", input->options.grace_ms);
    hn_wire_add_number(message, "folder-limit", input->options.folder_limit);
    for (size_t i = 0; i < count; i++)
        add_job(message, &jobs[i]);
}

static void copy(const struct hn_wire *message, const char *key, char *text, size_t size)
{
    const char *value = hn_wire_text(message, key);
    snprintf(text, size, "%s", value ? value : "");
}

void hn_message_ending(const struct hn_wire *message, struct hn_ending *ending)
{
    const char *how = hn_wire_text(message, "how");
    *ending = (struct hn_ending){
        .goes_on = how && strcmp(how, "ended") == 0,
        .signal = (int)hn_wire_number(message, "signal", 0),
        .status = (int)hn_wire_number(message, "status", 0),
        .mark_line = (int)hn_wire_number(message, "mark-line", 0),
        .no_room = hn_wire_number(message, "no-room", 0) != 0,
        .left_behind = (int)hn_wire_number(message, "left-behind", 0),
        .limit_ms = hn_wire_number(message, "limit-ms", 0),
        .extended_ms = hn_wire_number(message, "extended-ms", 0),
        .duration_us = hn_wire_number(message, "duration-us", 0),
        .cpu_us = hn_wire_number(message, "cpu-us", 0),
        .rss_kib = hn_wire_number(message, "rss-kib", 0),
        .out_bytes = hn_wire_number(message, "out-bytes", 0),
        .err_bytes = hn_wire_number(message, "err-bytes", 0),
    };
    copy(message, "cause", ending->cause, sizeof ending->cause);
    copy(message, "at-work", ending->at_work, sizeof ending->at_work);
    copy(message, "left-memory", ending->left_memory, sizeof ending->left_memory);
    copy(message, "stage", ending->stage, sizeof ending->stage);
    copy(message, "under-way", ending->under_way, sizeof ending->under_way);
    copy(message, "mark-file", ending->mark_file, sizeof ending->mark_file);
}

int hn_nonce_make(char nonce[HN_NONCE_SIZE])
{
    unsigned char bytes[(HN_NONCE_SIZE - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return -1;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(nonce + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

uint64_t hn_job_seed(uint64_t run_seed, const char *id)
{
    const uint64_t hash = hn_hash_bytes(HN_HASH_START ^ run_seed, id, strlen(id));
    return hash ? hash : 1;
}
