/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay history: keeps what runs said over time, and shows it. The memory is in reports/dashboard.
 */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "dashboard.h"
#include "file.h"
#include "output.h"

static const struct hn_option options[] = {
    {"db", "FILE", "the history; made when it is not there (default runs/history.db)"},
    {"format", "html|json", "of show: html (the default) or json"},
    {"output", "FILE", "of show: write there instead of printing"},
};

static int add_run(struct rp_history *history, const char *folder)
{
    struct hn_error error;
    struct rp_run *run;
    int added;

    if (rp_run_read(folder, &run, &error))
        return hn_print_error(&error);
    const int status = rp_history_add(history, run, &added, &error);
    if (!status)
        printf("%s %s\n", added ? "added" : "already known:", folder);
    rp_run_destroy(run);
    return status ? hn_print_error(&error) : HN_EXIT_OK;
}

static int add(const struct hn_invocation *invocation, struct rp_history *history)
{
    int status = HN_EXIT_OK;

    if (invocation->word_count < 2)
        return hn_usage_error(invocation->command, "give the folders of the runs to add");
    for (size_t i = 1; !status && i < invocation->word_count; i++)
        status = add_run(history, invocation->words[i]);
    return status;
}

static int take(const struct hn_invocation *invocation, struct rp_history *history)
{
    struct hn_error error;
    int added, known, status = HN_OK;

    if (invocation->word_count < 2)
        return hn_usage_error(invocation->command, "give the histories to take runs from");
    for (size_t i = 1; !status && i < invocation->word_count; i++) {
        status = rp_history_take(history, invocation->words[i], &added, &known, &error);
        if (!status)
            printf("%s: %d added, %d already known\n", invocation->words[i], added, known);
    }
    return status ? hn_print_error(&error) : HN_EXIT_OK;
}

static int show(const struct hn_invocation *invocation, struct rp_history *history)
{
    struct hn_error error;
    struct hn_buffer text;
    struct rp_past *past;

    if (invocation->word_count > 1)
        return hn_usage_error(invocation->command, "show takes no folders");
    if (rp_history_read(history, &past, &error))
        return hn_print_error(&error);
    hn_buffer_init(&text, HN_OUTPUT_LIMIT);
    const int status =
        (hn_wants_json(invocation) ? rp_dashboard_json : rp_dashboard_html)(past, &text);
    rp_past_destroy(past);
    return hn_output_deliver(hn_option_value(invocation, "output"), &text, status, "the history");
}

static int run(const struct hn_invocation *invocation)
{
    static const struct {
        const char *word;
        int (*run)(const struct hn_invocation *invocation, struct rp_history *history);
    } verbs[] = {{"add", add}, {"merge", take}, {"show", show}};
    const size_t count = sizeof verbs / sizeof *verbs;
    const char *path = hn_option_value(invocation, "db");
    struct rp_history *history;
    struct hn_error error;
    size_t verb = 0;

    while (verb < count &&
           (!invocation->word_count || strcmp(verbs[verb].word, invocation->words[0]) != 0))
        verb++;
    if (verb == count)
        return hn_usage_error(invocation->command, "say what to do: add, merge or show");
    path = path ? path : "runs/history.db";
    if (verbs[verb].run == show && !hn_path_exists(path)) {
        hn_error_set(&error, HN_ENOTFOUND, "there is no history in %s: assay history add makes it",
                     path);
        return hn_print_error(&error);
    }
    if (rp_history_open(path, &history, &error))
        return hn_print_error(&error);
    const int status = verbs[verb].run(invocation, history);
    rp_history_close(history);
    return status;
}

const struct hn_command hn_cmd_history = {
    .name = "history",
    .summary = "keeps what runs said over time: who is compatible with what, since when",
    .usage = "add RUN... | merge HISTORY... | show [OPTIONS]",
    .help =
        "add puts runs into the history; a run that is already known changes nothing. merge\n"
        "takes the runs of other histories, as of other machines, in the same way. show makes\n"
        "a page of it: targets x torch versions with the state of the newest run and since when\n"
        "it is so, then every change with the checks that came into trouble and the two\n"
        "revisions of torch between which it lies. Only runs that asked the same part of the\n"
        "contract are compared; one that asked a part is partial, never compatible.\n\n"
        "  assay history add runs/nightly-* --db history.db\n"
        "  assay history merge lab-a.db lab-b.db --db history.db\n"
        "  assay history show --db history.db --output compatibility.html\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
