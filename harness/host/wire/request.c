/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads SETUP and RUN messages into structs. All keys of these messages are in the tables below, in
 * check_wire.c and in check/orders.c; run/host_message.c writes them. An unknown key is a bug of
 * the harness.
 */
#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "check_wire.h"
#include "isolation.h"

const char *const hn_stage_names[HN_STAGE_COUNT] = {"start", "load",  "warm-up",
                                                    "check", "ended", "exit"};

/* ---- the setup of a host ---- */

static void set_mode(struct hn_setup *setup, const char *value)
{
    setup->host.mode = value;
    setup->host.loads_target = hn_isolation_of(value)->loads_target;
}
/* Starts a new load step. A step is sent as three pairs, of which "step" is the first. */
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
static void add_device(struct hn_setup *setup, const char *value)
{
    setup->devices[setup->host.device_count++] = (int32_t)hn_wire_parse_number(value, 0);
}
/* Starts a new claim, such as "streams". The next pair of the message, "answer", contains the
 * answer to this claim. */
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

#define AT(member) offsetof(struct hn_setup, member)

/* Keys whose values are converted and not only copied. */
static const struct {
    const char *key;
    void (*take)(struct hn_setup *setup, const char *value);
} setup_keys[] = {
    {"mode", set_mode},   {"step", add_step},     {"argument", set_argument}, {"extra", set_extra},
    {"claim", add_claim}, {"answer", set_answer}, {"device", add_device},
};
static const struct {
    const char *key;
    size_t offset;
} setup_texts[] =
    {
        {"adapter", AT(host.adapter)},
        {"device-name", AT(host.device_name)},
},
  setup_numbers[] = {
      {"foreground", AT(foreground)},
      {"exclusive", AT(exclusive)},
      {"may-ask", AT(may_ask)},
};
/* Keys of lists: each pair with the key adds one element. */
static const struct {
    const char *key;
    size_t list, size, count; /* offset of the pointer, size of one element, offset of the number */
} setup_lists[] = {
    {"module", AT(modules), sizeof(char *), AT(host.module_count)},
    {"under", AT(under), sizeof(char *), AT(under_count)},
    {"ask", AT(asked), sizeof(char *), AT(asked_count)},
    {"step", AT(steps), sizeof(struct hn_host_step), 0},
    {"device", AT(devices), sizeof(int32_t), 0},
    {"claim", AT(claims), sizeof(struct hn_answer), 0},
};
#define ROWS(table) (sizeof(table) / sizeof *(table))

static void *member(struct hn_setup *setup, size_t offset)
{
    return (char *)setup + offset;
}

static size_t count_key(const struct hn_wire *message, const char *wanted)
{
    const char *key, *value;
    size_t count = 0;
    for (size_t cursor = 0; hn_wire_next(message, &cursor, &key, &value);)
        count += strcmp(key, wanted) == 0;
    return count;
}

/* Allocates one more element than needed, because malloc(0) may return NULL. */
static int allocate_lists(struct hn_setup *setup)
{
    for (size_t i = 0; i < ROWS(setup_lists); i++) {
        void **list = member(setup, setup_lists[i].list);
        *list = calloc(count_key(&setup->message, setup_lists[i].key) + 1, setup_lists[i].size);
        if (!*list)
            return -1;
    }
    return 0;
}

static void take_setup(struct hn_setup *setup, const char *key, const char *value)
{
    hn_wire_take_orders(&setup->orders, key, value);
    for (size_t i = 0; i < ROWS(setup_keys); i++)
        if (strcmp(setup_keys[i].key, key) == 0)
            setup_keys[i].take(setup, value);
    for (size_t i = 0; i < ROWS(setup_texts); i++)
        if (strcmp(setup_texts[i].key, key) == 0)
            *(const char **)member(setup, setup_texts[i].offset) = value;
    for (size_t i = 0; i < ROWS(setup_numbers); i++)
        if (strcmp(setup_numbers[i].key, key) == 0)
            *(int *)member(setup, setup_numbers[i].offset) = (int)hn_wire_parse_number(value, 0);
    for (size_t i = 0; i < ROWS(setup_lists); i++)
        if (setup_lists[i].count && strcmp(setup_lists[i].key, key) == 0) {
            const char **list = *(const char ***)member(setup, setup_lists[i].list);
            list[(*(size_t *)member(setup, setup_lists[i].count))++] = value;
        }
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
        take_setup(setup, key, value);
    setup->host.steps = setup->steps;
    setup->host.modules = setup->modules;
    setup->host.devices = setup->devices;
    return 0;
}

void hn_setup_finish(struct hn_setup *setup)
{
    for (size_t i = 0; i < ROWS(setup_lists); i++)
        free(*(void **)member(setup, setup_lists[i].list));
    hn_wire_finish(&setup->message);
    *setup = (struct hn_setup){0};
}

/* ---- a request ---- */

static const struct {
    const char *key;
    int stage;
} limit_keys[] = {
    {"load-ms", HN_STAGE_LOAD},
    {"warm-up-ms", HN_STAGE_WARM_UP},
    {"check-ms", HN_STAGE_CHECK},
    {"exit-ms", HN_STAGE_LEAVE},
};

/* Limited to one day, so that later additions and multiplications do not overflow. */
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
    else if (strcmp(key, "progress") == 0)
        request->progress = (int)hn_wire_parse_number(value, -1);
}

static void take_job(struct hn_job_row *job, const char *key, const char *value)
{
    hn_wire_take_check(&job->check, key, value);
    hn_wire_take_orders(&job->orders, key, value);
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
    /* These stages have no limit in the request, but every stage must have a deadline. */
    request->limit_ms[HN_STAGE_START] = request->limit_ms[HN_STAGE_LOAD];
    request->limit_ms[HN_STAGE_ENDED] = request->limit_ms[HN_STAGE_LEAVE];
    return request->job_count > 0 ? 0 : -1;
}
