/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay report: prints a run that is complete or was cut short, in one of the formats. The command
 * needs neither the target nor the contract, because the run's folder contains everything.
 */
#include <stdlib.h>
#include <string.h>

#include "colour.h"
#include "commands.h"
#include "file.h"
#include "nearest.h"
#include "output.h"
#include "render.h"

#define RUNS_MAX 64

static const struct hn_option options[] = {
    {"format", "FORMAT", "text (the default), json, ..."},
    {"output", "FILE", "write to FILE instead of standard output"},
    {"color", HN_COLOUR_WORDS, "default auto: on a terminal, unless NO_COLOR is set"},
    {"link", "URL", "address of the full report, for links in markdown and relay"},
    {"test-reports", "DIR", "for junit: write below DIR in the layout that PyTorch expects"},
};

static const struct rp_format *find_format(const struct hn_invocation *invocation, int *status)
{
    const char *name = hn_option_value(invocation, "format");
    char all[256] = "";
    struct hn_nearest search;
    hn_nearest_begin(&search, name ? name : "text");
    HN_NEAREST_OFFER_ALL(&search, rp_formats, rp_format_count);
    for (size_t i = 0, used = 0; i < rp_format_count; i++) {
        if (strcmp(name ? name : "text", rp_formats[i].name) == 0)
            return &rp_formats[i];
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "",
                                     rp_formats[i].name);
    }
    *status = hn_usage_error(invocation->command, "there is no format \"%.40s\"; there are %s%s",
                             name, all, hn_nearest_hint(&search));
    return NULL;
}

/* Makes the path DIR/python-pytest/<suite>/<suite>-<shard>.xml, and the folders above the file. */
static int make_test_report(const char *folder, const struct rp_run *run, char path[HN_PATH_SIZE],
                            struct hn_error *error)
{
    char inner[256];
    int status = rp_junit_path(run, inner, sizeof inner);
    if (status)
        return hn_error_set(error, status, "the target's name is too long for a path");
    status = hn_path_join(path, HN_PATH_SIZE, folder, inner, error);
    if (status)
        return status;
    char *slash = strrchr(path, '/');
    *slash = '\0';
    status = hn_dir_make(path, error);
    *slash = '/';
    return status;
}

static int render(const struct hn_invocation *invocation, const struct rp_format *format,
                  const struct rp_run *const *runs, size_t count)
{
    const char *path = hn_option_value(invocation, "output");
    const char *folder = hn_option_value(invocation, "test-reports");
    const struct rp_options asked = {
        .colour = hn_colour_wanted(path ? "never" : hn_option_value(invocation, "color"), stdout),
        .link = hn_option_value(invocation, "link"),
    };
    char made[HN_PATH_SIZE];
    struct hn_buffer text;
    struct hn_error error;
    if (folder && make_test_report(folder, runs[0], made, &error))
        return hn_print_error(&error);
    hn_buffer_init(&text, HN_OUTPUT_LIMIT);
    return hn_output_deliver(folder ? made : path, &text,
                             format->render(runs, count, &asked, &text), "the report");
}

static int run(const struct hn_invocation *invocation)
{
    struct rp_run *runs[RUNS_MAX] = {NULL};
    struct hn_error error;
    const size_t count = invocation->word_count;
    int status = HN_EXIT_OK;
    const struct rp_format *format = find_format(invocation, &status);
    if (!format)
        return status;
    if (count == 0 || count > RUNS_MAX)
        return hn_usage_error(invocation->command, "give the folder of a run, at most %d of them",
                              RUNS_MAX);
    if (hn_option_value(invocation, "test-reports") && strcmp(format->name, "junit") != 0)
        return hn_usage_error(invocation->command, "--test-reports goes with --format junit");
    if (count > 1 && !format->several)
        return hn_usage_error(invocation->command, "format %s takes one run", format->name);
    if (rp_runs_read((const char *const *)invocation->words, count, runs, &error))
        return hn_print_error(&error);
    status = render(invocation, format, (const struct rp_run *const *)runs, count);
    for (size_t i = 0; i < count; i++)
        rp_run_destroy(runs[i]);
    return status;
}

const struct hn_command hn_cmd_report = {
    .name = "report",
    .summary = "show the report of a run in one of many formats",
    .usage = "RUN... [OPTIONS]",
    .help = "RUN is the folder of a run, which may be incomplete. The exit status is 0 if the "
            "report could be made, also for a run with failures. To judge a run use assay gate.\n"
            "\n"
            "junit, sarif, shields and markdown are for CI systems, relay and benchmark for "
            "PyTorch's. --test-reports DIR writes DIR/python-pytest/assay_<target>/*.xml, where "
            "PyTorch's uploader of test statistics looks (DIR is its test/test-reports).\n",
    HN_OPTIONS(options),
    .run = run,
};
