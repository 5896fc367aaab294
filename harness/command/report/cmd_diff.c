/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay diff: prints what changed from one run to another. A diff only lists changes; the gate
 * decides whether a pull request is responsible.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "output.h"
#include "render_diff.h"

static const struct hn_option options[] = {
    {"format", "text|json|markdown", "text (the default), json or markdown"},
    {"output", "FILE", "write to FILE instead of standard output"},
};

static const struct rp_diff_format *find_format(const char *name)
{
    size_t i = 0;
    while (name && strcmp(rp_diff_formats[i].name, name) != 0)
        i++; /* the parser of options accepts only these names */
    return &rp_diff_formats[i];
}

static int show(const struct hn_invocation *invocation, const struct rp_diff *diff)
{
    const int colour =
        isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && !hn_option_value(invocation, "output");
    const struct rp_diff_format *format = find_format(hn_option_value(invocation, "format"));
    struct hn_buffer text;
    hn_buffer_init(&text, HN_OUTPUT_LIMIT);
    const int status = hn_output_deliver(hn_option_value(invocation, "output"), &text,
                                         format->render(diff, colour, &text), "the diff");
    return status ? status : diff->counts[RP_WORSE] ? HN_EXIT_FAILED : HN_EXIT_OK;
}

static int run(const struct hn_invocation *invocation)
{
    struct rp_run *runs[2] = {NULL, NULL};
    struct rp_diff *diff = NULL;
    struct hn_error error;
    if (rp_runs_read((const char *const *)invocation->words, 2, runs, &error))
        return hn_print_error(&error);
    const int status = rp_diff_make(runs[0], runs[1], &diff, &error) ? hn_print_error(&error)
                                                                     : show(invocation, diff);
    rp_diff_destroy(diff);
    rp_run_destroy(runs[0]);
    rp_run_destroy(runs[1]);
    return status;
}

const struct hn_command hn_cmd_diff = {
    .name = "diff",
    .summary = "show what changed between two runs",
    .usage = "FROM TO [OPTIONS]",
    .help = "FROM and TO are folders of runs. The list begins with checks that became worse, each "
            "cause before the checks that it blocks. Then follow failures that were not observable "
            "before (newly visible), checks that became better, checks that no longer fail but "
            "whose other observations are impossible on this device, other verdicts, failures with "
            "another message, and checks that were added or removed. Differences of target, "
            "contract or selection are reported.\n"
            "\n"
            "Exit status 0 if no check became worse, 1 if one did: it held before (passed, noted, "
            "flaky) and does not now, or it fails now and did not fail before.\n"
            "\n"
            "  assay diff runs/yesterday runs/today --format markdown >> $GITHUB_STEP_SUMMARY\n",
    HN_OPTIONS(options),
    .words = {2, 2, "give the folders of two runs, FROM and TO"},
    .run = run,
};
