/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay history: keeps what runs said over time, and shows it. The record is in reports/dashboard.
 */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "file.h"
#include "history.h"
#include "output.h"

static const struct hn_option options[] = {
    {"db", "FILE", "the history (default runs/history.db); add, merge and import make it"},
    {"backend", "REVISION", "of add: the revision of the backend that these runs asked"},
    {"output", "FILE", "of export: write there instead of printing"},
};

static int add_run(struct rp_history *history, const char *folder, const char *backend)
{
    struct hn_error error;
    struct rp_run *run;
    int added;

    if (rp_run_read(folder, &run, &error))
        return hn_print_error(&error);
    const int status = rp_history_add(history, run, backend ? backend : "", &added, &error);
    if (!status)
        printf("%s %s\n", added ? "added" : "already known:", folder);
    rp_run_destroy(run);
    return status ? hn_print_error(&error) : HN_EXIT_OK;
}

static int add(const struct hn_invocation *invocation, struct rp_history *history)
{
    const char *backend = hn_option_value(invocation, "backend");
    int status = HN_EXIT_OK;

    for (size_t i = 1; !status && i < invocation->word_count; i++)
        status = add_run(history, invocation->words[i], backend);
    return status;
}

typedef int (*taker)(struct rp_history *history, const char *path, int *added, int *known,
                     struct hn_error *error);

static int take(const struct hn_invocation *invocation, struct rp_history *history, taker take_file)
{
    struct hn_error error;
    int added, known, status = HN_OK;

    for (size_t i = 1; !status && i < invocation->word_count; i++) {
        status = take_file(history, invocation->words[i], &added, &known, &error);
        if (!status)
            printf("%s: %d added, %d already known\n", invocation->words[i], added, known);
    }
    return status ? hn_print_error(&error) : HN_EXIT_OK;
}

/* Beside the file first: whoever reads it sees the old export or the new. */
static int export_to(struct rp_history *history, const char *path)
{
    char beside[HN_PATH_SIZE + 8];
    struct hn_error error;

    snprintf(beside, sizeof beside, "%.*s.part", HN_PATH_SIZE, path);
    FILE *file = fopen(beside, "we");
    if (!file) {
        hn_error_errno(&error, "cannot write %s", beside);
        return hn_print_error(&error);
    }
    int status = rp_history_export(history, file, &error);
    if (fclose(file) && !status)
        status = hn_error_errno(&error, "cannot write %s", beside);
    if (!status && rename(beside, path))
        status = hn_error_errno(&error, "cannot write %s", path);
    if (!status)
        return HN_EXIT_OK;
    remove(beside);
    return hn_print_error(&error);
}

static int export(const struct hn_invocation *invocation, struct rp_history *history)
{
    const char *path = hn_option_value(invocation, "output");
    struct hn_error error;

    if (path)
        return export_to(history, path);
    return rp_history_export(history, stdout, &error) ? hn_print_error(&error) : HN_EXIT_OK;
}

static const struct verb {
    const char *word, *takes; /* takes: words that must follow; NULL: none may */
    enum rp_opening opening;
    int (*run)(const struct hn_invocation *invocation, struct rp_history *history);
    taker take_file; /* when there is no `run`: of each word; NULL: opening the history does it */
} verbs[] = {{"add", "the folders of the runs to add", RP_MAKE, add, NULL},
             {"merge", "the histories to take runs from", RP_MAKE, NULL, rp_history_take},
             {"import", "the files of JSON lines to import", RP_MAKE, NULL, rp_history_import},
             {"export", NULL, RP_THERE, export, NULL},
             {"upgrade", NULL, RP_THERE, NULL, NULL}};

static const struct verb *find_verb(const struct hn_invocation *invocation)
{
    for (size_t i = 0; invocation->word_count && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verbs[i].word, invocation->words[0]) == 0)
            return &verbs[i];
    return NULL;
}

static int run(const struct hn_invocation *invocation)
{
    const struct verb *verb = find_verb(invocation);
    const char *path = hn_option_value(invocation, "db");
    struct rp_history *history;
    struct hn_error error;

    if (!verb)
        return hn_usage_error(invocation->command,
                              "say what to do: add, merge, import, export or upgrade");
    if (verb->takes && invocation->word_count < 2)
        return hn_usage_error(invocation->command, "give %s", verb->takes);
    if (!verb->takes && invocation->word_count > 1)
        return hn_usage_error(invocation->command, "%s takes no words", verb->word);
    path = path ? path : "runs/history.db";
    if (verb->opening == RP_THERE && !hn_path_exists(path)) {
        hn_error_set(&error, HN_ENOTFOUND, "there is no history in %s: assay history add makes it",
                     path);
        return hn_print_error(&error);
    }
    if (rp_history_open(path, verb->opening, &history, &error))
        return hn_print_error(&error);
    const int status = verb->run         ? verb->run(invocation, history)
                       : verb->take_file ? take(invocation, history, verb->take_file)
                                         : HN_EXIT_OK;
    rp_history_close(history);
    return status;
}

const struct hn_command hn_cmd_history = {
    .name = "history",
    .summary = "keeps what runs said over time: who is compatible with what, since when",
    .usage = "add RUN... | merge HISTORY... | import FILE... | export | upgrade [OPTIONS]",
    .help =
        "add puts runs into the history: every verdict on a check, a clause and a capability, as "
        "text, written down where it differs from the run before. A run that is already known "
        "changes nothing; one between two others leaves those as they are. merge takes the runs of "
        "other histories, as of other machines; export and import are the same as JSON lines "
        "(schema assay/history-run/1). Only runs that asked the same part of the contract are "
        "compared; one that asked a part is partial, never compatible. A history of an older form "
        "is taken over when it is opened, which is all that upgrade does. assay dashboard makes "
        "pages of it.\n\n"
        "  assay history add runs/nightly-* --db history.db --backend 1a2b3c4\n"
        "  assay history merge lab-a.db lab-b.db --db history.db\n"
        "  assay history export --db history.db --output history.jsonl\n"
        "  assay dashboard build history.db --out site\n\n"
        "Exit status 65 when a run, a history or a line is not what it should be: one sentence "
        "says what, and the history is as it was.\n",
    HN_OPTIONS(options),
    .run = run,
};
