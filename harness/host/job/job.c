/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs checks in the job process and writes their reports as evidence. A job counts as run only if
 * the program's callback returned HN_HOST_DONE, and its findings count only if the end record
 * confirms them. This file must not decide verdicts.
 */
#include "job.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arm.h"
#include "clock.h"
#include "describe.h"
#include "evidence.h"
#include "host_orders.h"
#include "process_usage.h"
#include "stack_dump.h"

struct job_context {
    const struct hn_setup *setup;
    const struct hn_request *request;
    const struct hn_host_callbacks *callbacks;
    struct hn_host_target target;
    struct hn_evidence evidence;
    struct assay_check check;
    size_t index;        /* index of the running job */
    int64_t deadline_ms; /* deadline of the running check, monotonic */
    int64_t waited_ms;   /* time that the job had waited for a processor when the check began */
    pid_t pid;
};

/* The running job. Callbacks that a Python program calls through ctypes carry no context, and a
 * process runs one job at a time. */
static struct job_context *current;
static char problem[4096];

#ifdef ASSAY_COVERAGE
extern void __gcov_dump(void);
#endif

_Noreturn void hn_job_leave(int status)
{
#ifdef ASSAY_COVERAGE
    __gcov_dump(); /* _exit would lose the coverage counters */
#endif
    _exit(status);
}

void hn_host_problem(const char *text)
{
    snprintf(problem, sizeof problem, "%s", text ? text : "");
}

const char *hn_host_last_problem(void)
{
    return problem;
}

void hn_host_fact(const char *key, const char *text)
{
    if (current)
        hn_evidence_note(&current->evidence, key, text);
}

/* Returns an error if the check closed all descriptors. The process must then run no other job. */
static int tell(struct job_context *job, enum hn_stage stage)
{
    const struct hn_stage_report progress = {(uint32_t)job->index, stage};
    return write(job->request->progress, &progress, sizeof progress) == sizeof progress ? 0 : -1;
}

static struct job_context *context_of(struct assay_check *check)
{
    return check->context;
}

static void report(struct assay_check *check, const struct assay_finding *finding)
{
    hn_evidence_finding(&context_of(check)->evidence, finding);
}

static void note(struct assay_check *check, const char *key, const char *text)
{
    hn_evidence_note(&context_of(check)->evidence, key, text);
}

static void clause(struct assay_check *check, const char *id)
{
    hn_evidence_clause(&context_of(check)->evidence, id);
}

static void mark(struct assay_check *check, const char *file, int32_t line)
{
    hn_evidence_mark(&context_of(check)->evidence, file, line);
}

static int64_t milliseconds_left(struct assay_check *check)
{
    const struct job_context *job = context_of(check);
    const int64_t limit = job->request->limit_ms[HN_STAGE_CHECK];
    int64_t left = job->deadline_ms - hn_clock_now_ms();
    if (left < limit / 2) { /* the host lends the same time: job_process.c */
        const int64_t waited = hn_waited_ms(getpid()) - job->waited_ms;
        left += waited < limit ? waited : limit;
    }
    return left > 0 ? left : 0;
}

static const void *extension(struct assay_check *check, const char *id, void **target)
{
    const struct job_context *job = context_of(check);
    *target = NULL;
    if (!job->callbacks->extension)
        return NULL;
    return job->callbacks->extension(job->callbacks->context, id, target);
}

static int32_t capability(struct assay_check *check, const char *name)
{
    const struct hn_setup *setup = context_of(check)->setup;
    for (size_t i = 0; i < setup->claim_count; i++)
        if (strcmp(setup->claims[i].name, name) == 0)
            return setup->claims[i].answer;
    return ASSAY_UNKNOWN;
}

static void flush(const struct job_context *job)
{
    if (job->callbacks->flush)
        job->callbacks->flush(job->callbacks->context);
    fflush(stdout);
    fflush(stderr);
}

/* Queries the state that a check must not change. Called before a fault is armed and after the used
 * means are recorded, so that the queries here do not count as uses of the backend. */
static void observe(const struct job_context *job, enum hn_moment moment)
{
    const struct hn_job_row *row = &job->request->jobs[job->index];
    const int may = row->check.devices > 0 ? job->setup->may_ask : 0;
    if (job->callbacks->observe && !row->warm_up && !row->check.normal_exit)
        job->callbacks->observe(job->callbacks->context, moment, may);
}

/* Returns 0 after a failure: the state of the job is then unknown and must not be queried. */
static int has_passed(const struct job_context *job)
{
    return job->evidence.findings == 0 && getpid() == job->pid;
}

static void end_job(struct job_context *job)
{
    flush(job);
    if (hn_host_order(HN_ORDER_WATCH))
        hn_arm_write_asked(job->callbacks, job->request->jobs[job->index].folder);
    if (has_passed(job))
        observe(job, HN_AFTER_CHECK);
    hn_evidence_end(&job->evidence);
}

/* Ends the job with the reports so far. The rest of a batch continues in a new process. */
static void abandon(struct assay_check *check)
{
    struct job_context *job = context_of(check);
    end_job(job);
    if (job->request->jobs[job->index].check.normal_exit)
        exit(0);
    hn_job_leave(0);
}

static const struct assay_check_host check_host = {
    .struct_size = sizeof check_host,
    .report = report,
    .note = note,
    .mark = mark,
    .abandon = abandon,
    .milliseconds_left = milliseconds_left,
    .extension = extension,
    .capability = capability,
    .clause = clause,
};

struct assay_check *hn_host_check(void)
{
    return current ? &current->check : NULL;
}

/* Ends the process without an end record, and reports the reason. */
static _Noreturn void give_up(struct job_context *job, const char *stage)
{
    flush(job);
    hn_evidence_problem(&job->evidence, stage,
                        problem[0] ? problem : "the callback did not return normally");
    hn_job_leave(0);
}

static void open_evidence(struct job_context *job)
{
    const struct hn_job_row *row = &job->request->jobs[job->index];
    if (hn_evidence_open(&job->evidence, row->folder, row->nonce) != 0)
        hn_job_leave(0);
    hn_stack_dump_aim(job->evidence.stack);
    problem[0] = '\0';
}

static void load(struct job_context *job, int prepared)
{
    const struct hn_host_callbacks *callbacks = job->callbacks;
    const struct hn_host_setup *setup = &job->setup->host;
    tell(job, HN_STAGE_LOAD);
    if (!prepared && callbacks->prepare(callbacks->context, setup) != HN_HOST_DONE)
        give_up(job, "prepare");
    if (callbacks->load_target(callbacks->context, setup, &job->target) != HN_HOST_DONE)
        give_up(job, "load");
}

/* Returns the number of devices that the check gets. A check gets 1 device if the second device is
 * the refused means (means.h). If devices are exclusive, a check gets only as many devices as the
 * check needs; otherwise a check gets all devices. */
static uint32_t device_count(const struct job_context *job)
{
    const char *refused = hn_host_order(HN_ORDER_REFUSE);
    const int needed = job->request->jobs[job->index].check.devices;
    uint32_t most = job->target.device_count;
    if (job->setup->exclusive)
        most = needed > 1 ? (uint32_t)needed : 1;
    if (refused && strcmp(refused, "device.second") == 0)
        most = 1;
    return most < job->target.device_count ? most : job->target.device_count;
}

/* Sets the environment variable of the job, for this process only. */
static void set(const struct hn_request *request, const struct hn_host_callbacks *callbacks)
{
    const char *setting = request->jobs[0].setting;
    if (!setting)
        return;
    putenv((char *)(uintptr_t)setting); /* the request lives as long as the process */
    if (callbacks->renew)
        callbacks->renew(callbacks->context);
}

static void arm(struct job_context *job)
{
    const struct hn_job_row *row = &job->request->jobs[job->index];
    if (row->arm && hn_arm(job->callbacks, row->arm, problem, sizeof problem) != 0)
        give_up(job, "arm");
    if (hn_host_order(HN_ORDER_WATCH))
        hn_arm_watch(job->callbacks);
}

static void describe_check(struct job_context *job)
{
    const struct hn_job_row *row = &job->request->jobs[job->index];
    job->deadline_ms = hn_clock_now_ms() + job->request->limit_ms[HN_STAGE_CHECK];
    job->waited_ms = hn_waited_ms(getpid());
    job->check = (struct assay_check){
        .struct_size = sizeof job->check,
        .device_count = device_count(job),
        .host = &check_host,
        .context = job,
        .id = row->check.id,
        .device_name = job->target.device_name,
        .devices = job->target.devices,
        .scratch = row->folder,
        .seed = row->seed,
        .takes = hn_host_order(HN_ORDER_TAKES),
        .owed = row->check.owed,
    };
}

/* Returns 1, and reports a finding, if there are fewer devices than the check needs. */
static int lacks_devices(struct job_context *job)
{
    char wanted[40], seen[40];
    const uint32_t needed = (uint32_t)job->request->jobs[job->index].check.devices;
    if (job->check.device_count >= needed)
        return 0;
    snprintf(wanted, sizeof wanted, "%u devices", needed);
    snprintf(seen, sizeof seen, "%u", job->check.device_count);
    const struct assay_finding finding = {
        .struct_size = sizeof finding,
        /* Without any device, the target is not usable, so this is no missing feature. */
        .kind = job->check.device_count ? ASSAY_FINDING_SKIP : ASSAY_FINDING_BROKEN,
        .what = wanted,
        .seen = seen,
        .subject = "multi_device",
    };
    hn_evidence_finding(&job->evidence, &finding);
    return 1;
}

/* Returns HN_HOST_DONE, or another number on failure. */
static int call(struct job_context *job)
{
    const struct hn_job_row *row = &job->request->jobs[job->index];
    const struct hn_host_callbacks *callbacks = job->callbacks;
    if (row->warm_up) {
        hn_describe_target(job->setup, callbacks, &job->target, &job->evidence);
        return callbacks->warm_up(callbacks->context);
    }
    if (lacks_devices(job))
        return HN_HOST_DONE;
    if (row->check.kind != HN_PYTHON && !row->check.untouched && callbacks->start)
        callbacks->start(callbacks->context);
    return callbacks->run_check(callbacks->context,
                                row->check.kind == HN_PYTHON ? row->check.file : "", &job->check);
}

static void run_one(struct job_context *job)
{
    const struct hn_job_row *row = &job->request->jobs[job->index];
    describe_check(job);
    tell(job, row->warm_up ? HN_STAGE_WARM_UP : HN_STAGE_CHECK);
    const int status = call(job);
    if (getpid() != job->pid)
        hn_job_leave(0); /* the check forked, and its child returned from the check */
    if (status != HN_HOST_DONE)
        give_up(job, row->warm_up ? "warm-up" : "check");
    hn_evidence_clause(&job->evidence, NULL); /* events after this line belong to no clause */
    end_job(job);
}

int hn_job_run(const struct hn_setup *setup, const struct hn_request *request,
               const struct hn_host_callbacks *callbacks, const struct hn_host_target *target,
               int prepared)
{
    static struct job_context job; /* static, because exit handlers may still report */
    job = (struct job_context){
        .setup = setup, .request = request, .callbacks = callbacks, .pid = getpid()};
    current = &job;
    hn_stack_dump_install();
    hn_host_take_orders(&setup->orders);
    hn_host_take_orders(
        /* only the first job: a task with orders does not share its process */
        &request->jobs[0].orders);
    set(request, callbacks);
    if (target)
        job.target = *target;
    for (job.index = 0; job.index < request->job_count; job.index++) {
        open_evidence(&job);
        if (!target && job.index == 0)
            load(&job, prepared);
        observe(&job, HN_BEFORE_CHECK);
        if (job.index == 0)
            arm(&job);
        run_one(&job);
        if (request->jobs[job.index].check.normal_exit) {
            tell(&job, HN_STAGE_LEAVE);
            return 0;
        }
        if (tell(&job, HN_STAGE_ENDED) != 0)
            break;
        hn_evidence_close(&job.evidence);
    }
    hn_job_leave(0);
}
