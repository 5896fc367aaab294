/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads SETUP and RUN messages into structs. The two tables of keys below are the whole protocol in
 * the supervisor's direction; run/host_message.c writes them. An unknown key is a programmer's
 * error.
 */
#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "check_wire.h"
#include "isolation.h"

const char *const hn_stage_names[HN_STAGE_COUNT] = {"start", "load",  "warm-up", "check",
                                                    "again", "ended", "exit"};

static size_t count_key(const struct hn_wire *message, const char *wanted)
{
    const char *key, *value;
    size_t count = 0;
    for (size_t cursor = 0; hn_wire_next(message, &cursor, &key, &value);)
        count += strcmp(key, wanted) == 0;
    return count;
}

static void set_mode(struct hn_setup *setup, const char *value)
{
    setup->host.mode = value;
    setup->host.loads_target = hn_isolation_of(value)->loads_target;
}
static void set_adapter(struct hn_setup *setup, const char *value)
{
    setup->host.adapter = value;
}
static void set_device_name(struct hn_setup *setup, const char *value)
{
    setup->host.device_name = value;
}
static void add_module(struct hn_setup *setup, const char *value)
{
    setup->modules[setup->host.module_count++] = value;
}
static void add_device(struct hn_setup *setup, const char *value)
{
    setup->devices[setup->host.device_count++] = (int32_t)hn_wire_parse_number(value, 0);
}
/* A step is three pairs; "step" opens it. */
static void add_step(struct hn_setup *setup, const char *value)
{
    setup->steps[setup->host.step_count++] = (struct hn_host_step){value, "", ""};
}
static void set_argument(struct hn_setup *setup, const char *value)
{
    if (setup->host.step_count)
        setup->steps[setup->host.step_count - 1].argument = value;
}
static void set_extra(struct hn_setup *setup, const char *value)
{
    if (setup->host.step_count)
        setup->steps[setup->host.step_count - 1].extra = value;
}
/* "streams", then its "answer". */
static void add_claim(struct hn_setup *setup, const char *value)
{
    setup->claims[setup->claim_count++] = (struct hn_answer){value, ASSAY_UNKNOWN};
}
static void set_answer(struct hn_setup *setup, const char *value)
{
    if (setup->claim_count)
        setup->claims[setup->claim_count - 1].answer =
            (int32_t)hn_wire_parse_number(value, ASSAY_UNKNOWN);
}

static void set_foreground(struct hn_setup *setup, const char *value)
{
    setup->foreground = strcmp(value, "yes") == 0;
}
static void set_exclusive(struct hn_setup *setup, const char *value)
{
    setup->exclusive = strcmp(value, "yes") == 0;
}
static void set_may_ask(struct hn_setup *setup, const char *value)
{
    setup->may_ask = (int)hn_wire_parse_number(value, 0);
}
static void add_under(struct hn_setup *setup, const char *value)
{
    setup->under[setup->under_count++] = value;
}
static void add_asked(struct hn_setup *setup, const char *value)
{
    setup->asked[setup->asked_count++] = value;
}

static const struct {
    const char *key;
    void (*take)(struct hn_setup *setup, const char *value);
} setup_keys[] = {
    {"mode", set_mode},         {"adapter", set_adapter},     {"device-name", set_device_name},
    {"module", add_module},     {"device", add_device},       {"step", add_step},
    {"argument", set_argument}, {"extra", set_extra},         {"claim", add_claim},
    {"answer", set_answer},     {"ask", add_asked},           {"foreground", set_foreground},
    {"under", add_under},       {"exclusive", set_exclusive}, {"may-ask", set_may_ask},
};

/* One more than needed, so that an empty list is not a failed allocation. */
static int allocate_lists(struct hn_setup *setup)
{
    const struct hn_wire *message = &setup->message;
    setup->steps = calloc(count_key(message, "step") + 1, sizeof *setup->steps);
    setup->modules = calloc(count_key(message, "module") + 1, sizeof *setup->modules);
    setup->devices = calloc(count_key(message, "device") + 1, sizeof *setup->devices);
    setup->claims = calloc(count_key(message, "claim") + 1, sizeof *setup->claims);
    setup->asked = calloc(count_key(message, "ask") + 1, sizeof *setup->asked);
    setup->under = calloc(count_key(message, "under") + 1, sizeof *setup->under);
    return setup->steps && setup->modules && setup->devices && setup->claims && setup->asked &&
                   setup->under
               ? 0
               : -1;
}

int hn_setup_parse(struct hn_setup *setup, struct hn_wire *message)
{
    const char *key, *value;
    *setup = (struct hn_setup){.message = *message, .host.mode = ""};
    *message = (struct hn_wire){0};
    if (allocate_lists(setup) != 0) {
        hn_setup_finish(setup);
        return -1;
    }
    for (size_t cursor = 0; hn_wire_next(&setup->message, &cursor, &key, &value);)
        for (size_t i = 0; i < sizeof setup_keys / sizeof *setup_keys; i++)
            if (strcmp(setup_keys[i].key, key) == 0)
                setup_keys[i].take(setup, value);
    setup->host.steps = setup->steps;
    setup->host.modules = setup->modules;
    setup->host.devices = setup->devices;
    return 0;
}

void hn_setup_finish(struct hn_setup *setup)
{
    free(setup->steps);
    free(setup->modules);
    free(setup->devices);
    free(setup->claims);
    free(setup->asked);
    free(setup->under);
    hn_wire_finish(&setup->message);
    *setup = (struct hn_setup){0};
}

static const struct {
    const char *key;
    int stage;
} limit_keys[] = {
    {"load-ms", HN_STAGE_LOAD},
    {"warm-up-ms", HN_STAGE_WARM_UP},
    {"check-ms", HN_STAGE_CHECK},
    {"exit-ms", HN_STAGE_LEAVE},
};

/* None is longer than a day; what is added to it and multiplied by stays a number. */
static int64_t milliseconds(const char *value)
{
    const int64_t longest = INT64_C(24) * 60 * 60 * 1000;
    const int64_t given = hn_wire_parse_number(value, 0);
    return given < 0 ? 0 : given > longest ? longest : given;
}

static void take_limit(struct hn_request *request, const char *key, const char *value)
{
    for (size_t i = 0; i < sizeof limit_keys / sizeof *limit_keys; i++)
        if (strcmp(limit_keys[i].key, key) == 0)
            request->limit_ms[limit_keys[i].stage] = milliseconds(value);
    if (strcmp(key, "more-ms") == 0)
        request->more_ms = milliseconds(value);
    else if (strcmp(key, "grace-ms") == 0)
        request->term_grace_ms = milliseconds(value);
    else if (strcmp(key, "folder-limit") == 0)
        request->folder_limit = hn_wire_parse_number(value, 0);
    else if (strcmp(key, "watch") == 0)
        request->watch = 1;
    else if (strcmp(key, "growth") == 0)
        request->growth = 1;
    else if (strcmp(key, "progress") == 0)
        request->progress = (int)hn_wire_parse_number(value, -1);
}

static void take_job(struct hn_job_row *job, const char *key, const char *value)
{
    hn_wire_take_check(&job->check, key, value);
    if (strcmp(key, "nonce") == 0)
        job->nonce = value;
    else if (strcmp(key, "folder") == 0)
        job->folder = value;
    else if (strcmp(key, "seed") == 0)
        job->seed = strtoull(value, NULL, 10);
    else if (strcmp(key, "setting") == 0)
        job->setting = value;
    else if (strcmp(key, "arm") == 0)
        job->arm = value;
    else if (strcmp(key, "warm-up") == 0)
        job->warm_up = 1;
}

int hn_request_parse(struct hn_request *request, const struct hn_wire *message)
{
    const char *key, *value;
    *request = (struct hn_request){.progress = -1};
    for (size_t cursor = 0; hn_wire_next(message, &cursor, &key, &value);) {
        if (strcmp(key, "job") == 0) {
            if (request->job_count == HN_REQUEST_JOBS)
                return -1;
            request->jobs[request->job_count++] =
                (struct hn_job_row){.check = HN_CHECK_PLAIN, .nonce = "", .folder = ""};
            request->jobs[request->job_count - 1].check.id = value;
        } else if (request->job_count == 0) {
            take_limit(request, key, value);
        } else {
            take_job(&request->jobs[request->job_count - 1], key, value);
        }
    }
    /* What a stage without a limit of its own does must end as well. */
    request->limit_ms[HN_STAGE_START] = request->limit_ms[HN_STAGE_LOAD];
    request->limit_ms[HN_STAGE_AGAIN] = HN_REPEATS * request->limit_ms[HN_STAGE_CHECK];
    request->limit_ms[HN_STAGE_ENDED] = request->limit_ms[HN_STAGE_LEAVE];
    return request->job_count > 0 ? 0 : -1;
}
