/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay programs: runs programs as users write them, and small models of installed libraries. The
 * programs are the checks of the module programs; the models are the checks that assay run
 * --library lists.
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "listed_options.h"
#include "output.h"
#include "run_model.h"
#include "run_options.h"
#include "terminal.h"

#define PROGRAMS "programs"

static const struct hn_option options[] = {
    HN_OPTIONS_OF_A_RUN,
    HN_LIBRARY_OPTION,
    {"select", "NAMES", "only these programs, or families of the library: bert,gpt*"},
    {"out", "DIR", "folder of the run (default runs/<target>-<date>)"},
    {"fail-on", "must|should", "lowest level whose failures decide the exit status (default must)"},
    {"keep", NULL, "also keep the evidence of checks that passed"},
    {"plain", NULL, "print no colour and no progress line"},
    {"quiet", NULL, "print only failures and the summary"},
};

/* Calls assay run --select NAMES, with --library if given. For a library, "bert,gpt*" becomes
 * "libraries.*.bert,libraries.*.gpt*". */
static int make_run(const struct hn_invocation *invocation)
{
    const char *library = hn_option_value(invocation, "library");
    const char *names = hn_option_value(invocation, "select");
    const struct hn_naming naming = {library ? HN_LIBRARIES ".*." : PROGRAMS ".", "-", ""};
    struct hn_buffer select;
    struct hn_invocation run;
    hn_buffer_init(&select, 1 << 20);
    hn_select_names(names ? names : "", &naming, &select);
    hn_run_invocation(invocation, &run);
    hn_option_set(&run, "select", names ? select.text : library ? NULL : PROGRAMS);
    const int status = select.status ? HN_EXIT_SYSTEM : hn_cmd_run.run(&run);
    hn_buffer_finish(&select);
    return status;
}

/* ---- models that were not tested ---- */

static int is_unasked(const struct rp_check *check)
{
    return strcmp(check->module, HN_LIBRARIES) == 0 && check->verdict == HN_SKIP;
}

/* Writes one line for each model that was not tested: "gpt_neo <reason>". */
static void write_unasked(const struct rp_run *run, struct hn_buffer *out)
{
    size_t count = 0;
    for (size_t i = 0; i < run->check_count; i++)
        count += (size_t)is_unasked(&run->checks[i]);
    if (count > 0)
        hn_buffer_printf(out, "\nnot tested, for reasons other than the device: %zu\n", count);
    for (size_t i = 0; i < run->check_count; i++) {
        const struct rp_check *check = &run->checks[i];
        if (!is_unasked(check))
            continue;
        hn_buffer_printf(out, "  %-28s ", strrchr(check->id, '.') + 1);
        hn_terminal_put(out, "", check->seen, "\n");
    }
}

static int show_unasked(const char *folder)
{
    struct hn_buffer text;
    struct rp_run *run = NULL;
    struct hn_error error;
    if (rp_run_read(folder, &run, &error))
        return hn_print_error(&error);
    hn_buffer_init(&text, HN_OUTPUT_LIMIT);
    write_unasked(run, &text);
    const int status = hn_output_deliver(NULL, &text, text.status, "the list");
    rp_run_destroy(run);
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    char last[HN_PATH_SIZE];
    const char *given = hn_option_value(invocation, "resume");
    given = given ? given : hn_option_value(invocation, "out");
    snprintf(last, sizeof last, "%.1000s/last", hn_runs_folder(invocation));
    const int status = make_run(invocation);
    if (!hn_option_value(invocation, "library") || hn_option_value(invocation, "quiet") ||
        !hn_run_was_made(status))
        return status;
    const int shown = show_unasked(given ? given : last);
    return shown == HN_EXIT_OK ? status : shown;
}

const struct hn_command hn_cmd_programs = {
    .name = "programs",
    .summary = "test small training programs and models of libraries on a backend",
    .usage = "[--target TARGET] [--library NAMES] [--select NAMES]",
    .help = "Runs small programs as users write them: training, generation, optimizers, data "
            "loaders, saving and resuming. Losses, gradients and the final state are compared "
            "with a run in double precision on the CPU; the allowed error is that of the CPU's "
            "own run in the same dtype. A program that fails runs again under a watch, which "
            "names the first wrong operator and its line.\n"
            "\n"
            "With --library it tests small models of libraries that the target's interpreter "
            "has: transformers, timm, torchvision, diffusers, torch_geometric. Each model family "
            "is created from a configuration with random weights; nothing is downloaded. Each "
            "model trains three steps of AdamW in float32 and under autocast with bfloat16, with "
            "each implementation of attention. A family without a known small model, or that "
            "fails on the CPU, is skipped with the reason.\n"
            "\n"
            "Each program is a check in its own process. The result is a run (assay report, "
            "assay diff, assay repro). The exit status is that of assay run.\n"
            "\n"
            "  assay programs --target my.yaml\n"
            "  assay programs --target my.yaml --library transformers --select 'bert,gpt*'\n",
    HN_OPTIONS(options),
    .takes_settings = 1,
    .words = {0, 0, "choose programs with --select"},
    .run = run,
};
