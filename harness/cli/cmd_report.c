/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay report: a run that is over (or was cut short), in some format. Needs neither the target nor
 * the contract: the run's folder holds all of it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "file.h"
#include "output.h"
#include "render.h"

#define RUNS_MAX 64

static const struct hn_option options[] = {
    {"format", "FORMAT", "text (the default), json, ..."},
    {"output", "FILE", "write there instead of printing"},
};

static const struct rp_format *find_format(const struct hn_invocation *invocation, int *status)
{
    const char *name = hn_option_value(invocation, "format");
    char all[256] = "";

    for (size_t i = 0, used = 0; i < rp_format_count; i++) {
        if (strcmp(name ? name : "text", rp_formats[i].name) == 0)
            return &rp_formats[i];
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "",
                                     rp_formats[i].name);
    }
    *status = hn_usage_error(invocation->command, "there is no format \"%.40s\"; there are %s",
                             name, all);
    return NULL;
}

static int deliver(const struct hn_invocation *invocation, const struct hn_buffer *text)
{
    const char *path = hn_option_value(invocation, "output");
    struct hn_error error;

    if (path && hn_file_write(path, text->text, text->length, &error))
        return hn_print_error(&error);
    if (!path && fwrite(text->text, 1, text->length, stdout) != text->length)
        return HN_EXIT_SYSTEM;
    return HN_EXIT_OK;
}

static int render(const struct hn_invocation *invocation, const struct rp_format *format,
                  const struct rp_run *const *runs, size_t count)
{
    struct rp_options wishes = {.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR") &&
                                          !hn_option_value(invocation, "output")};
    struct hn_buffer text;
    struct hn_error error;
    int status;

    hn_buffer_init(&text, HN_OUTPUT_LIMIT);
    if (format->render(runs, count, &wishes, &text)) {
        hn_error_set(&error, HN_ELIMIT, "the report is too large");
        status = hn_print_error(&error);
    } else {
        status = deliver(invocation, &text);
    }
    hn_buffer_finish(&text);
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    struct rp_run *runs[RUNS_MAX] = {NULL};
    struct hn_error error;
    size_t count = 0;
    int status = HN_EXIT_OK;
    const struct rp_format *format = find_format(invocation, &status);

    if (!format)
        return status;
    if (invocation->word_count == 0 || invocation->word_count > RUNS_MAX)
        return hn_usage_error(invocation->command, "give the folder of a run, at most %d of them",
                              RUNS_MAX);
    if (invocation->word_count > 1 && !format->several)
        return hn_usage_error(invocation->command, "format %s takes one run", format->name);
    for (; !status && count < invocation->word_count; count++)
        if (rp_run_read(invocation->words[count], &runs[count], &error))
            status = hn_print_error(&error);
    if (!status)
        status = render(invocation, format, (const struct rp_run *const *)runs, count);
    for (size_t i = 0; i < count; i++)
        rp_run_destroy(runs[i]);
    return status;
}

const struct hn_command hn_cmd_report = {
    .name = "report",
    .summary = "shows a run: the matrix, failures with their causes first",
    .usage = "RUN... [OPTIONS]",
    .help =
        "RUN is the folder of a run, also of one that was cut short. Exit status 0 if the report\n"
        "could be made, whatever it says; to judge a run use assay gate.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
