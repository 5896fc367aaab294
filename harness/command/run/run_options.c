/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_options.h.
 */
#include "run_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "colour.h"

#define FOLDER_LIMIT ((int64_t)1 << 30)
#define GRACE_MS 1000
#define SEED 1
#define SILENCE_MS 10000

static int read_shard(const struct hn_invocation *invocation, uint32_t *index, uint32_t *of)
{
    const char *text = hn_option_value(invocation, "shard");
    char *end = NULL;
    *index = *of = 0;
    if (!text)
        return 0;
    *index = (uint32_t)strtoul(text, &end, 10);
    if (*end == '/')
        *of = (uint32_t)strtoul(end + 1, &end, 10);
    if (*end || *index < 1 || *index > *of || *of > 1000)
        return hn_usage_error(invocation->command, "--shard takes I/N with I from 1 to N, not %s",
                              text);
    return 0;
}

static int read_scale(const struct hn_invocation *invocation, double *scale)
{
    const char *text = hn_option_value(invocation, "timeout-scale");
    char *end = NULL;
    *scale = 1.0;
    if (text)
        *scale = strtod(text, &end);
    if (text && (*end || !(*scale >= 0.01 && *scale <= 1000.0)))
        return hn_usage_error(invocation->command, "--timeout-scale takes 0.01 to 1000, not %s",
                              text);
    return 0;
}

int hn_run_options_pace(const struct hn_invocation *invocation, struct hn_run_options *options)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    long jobs = processors > 0 ? processors : 1;
    int status = hn_option_integer(invocation, "jobs", 1, 256, &jobs);
    if (!status)
        status = read_scale(invocation, &options->timeout_scale);
    options->hosts = (int)jobs;
    options->seed = SEED;
    options->grace_ms = GRACE_MS;
    options->silence_ms = SILENCE_MS;
    options->folder_limit = FOLDER_LIMIT;
    return status;
}

/* Options of the command line that the jobs are told, i.e. those among the orders. */
static int read_orders(const struct hn_invocation *invocation, struct hn_run_options *options)
{
    int status = 0;
    for (int i = 0; i < HN_ORDERS && !status; i++) {
        const struct hn_order_row *row = &hn_order_table[i];
        const char *said = row->is_option ? hn_option_value(invocation, row->name) : NULL;
        long number = 1;
        if (said && row->most)
            status = hn_option_integer(invocation, row->name, 0, row->most, &number);
        if (!said || !number)
            continue;
        options->orders.said[i] = *said ? said : "yes";
        options->keep |= row->keeps;
    }
    return status;
}

int hn_run_options_read(const struct hn_invocation *invocation, struct hn_asked *asked)
{
    struct hn_run_options *options = &asked->options;
    long retries = 0, seed = SEED, shuffle = 0, most = 0, longest = 0;
    int status = hn_run_options_pace(invocation, options);
    if (!status)
        status = hn_option_integer(invocation, "retries", 0, 100, &retries);
    if (!status)
        status = hn_option_integer(invocation, "seed", 0, INT32_MAX, &seed);
    if (!status)
        status = hn_option_integer(invocation, "shuffle", 0, INT32_MAX, &shuffle);
    if (!status)
        status = hn_option_integer(invocation, "maxfail", 1, INT32_MAX, &most);
    if (!status)
        status = hn_option_integer(invocation, "durations", 1, INT32_MAX, &longest);
    if (!status)
        status = read_shard(invocation, &asked->shard, &asked->shards);
    const char *fail_on = hn_option_value(invocation, "fail-on");
    const int silent = hn_option_value(invocation, "quiet") || hn_wants_json(invocation);
    options->retries = (int)retries;
    options->seed = (uint64_t)seed;
    options->shuffle = (uint64_t)shuffle;
    options->keep = hn_option_value(invocation, "keep") != NULL;
    options->plain = hn_option_value(invocation, "plain") != NULL;
    options->most_failures = hn_option_value(invocation, "fail-fast") ? 1 : most;
    asked->arm = hn_option_value(invocation, "arm");
    options->no_block = hn_option_value(invocation, "no-block") != NULL;
    options->fail_on_should = fail_on && strcmp(fail_on, "should") == 0;
    options->out = silent ? NULL : stdout;
    options->colour = hn_colour_wanted(hn_option_value(invocation, "color"), options->out);
    return status ? status : read_orders(invocation, options);
}
