/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay expectations: verifies a list of known failures, or updates it to the results of runs.
 */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "expectations_update.h"
#include "file.h"

#define RUNS_MAX 64
#define FILE_MAX ((size_t)4 << 20)

static const struct hn_option options[] = {
    {"reason", "TEXT", "for new entries: the reason of the failure"},
    {"issue", "URL", "for new entries: the issue that tracks it"},
    {"expires", "DAY", "for new entries: the last day on which they are valid, such as 2027-01-31"},
    {"dry-run", NULL, "print the new file instead of writing it"},
};

/* Returns an exit status; 0 if the expectations are in order. */
static int read_file(const char *path, struct ci_expectations **expectations)
{
    struct hn_error error;
    if (ci_expectations_read(path, expectations, &error))
        return hn_print_error(&error);
    return (*expectations)->findings.total ? hn_print_findings(&(*expectations)->findings)
                                           : HN_EXIT_OK;
}

static int check(const struct hn_invocation *invocation)
{
    int status = HN_EXIT_OK;
    for (size_t i = 1; i < invocation->word_count; i++) {
        struct ci_expectations *expectations = NULL;
        const int wrong = read_file(invocation->words[i], &expectations);
        if (!wrong)
            printf("%s: %zu expected\n", invocation->words[i], expectations->count);
        status = wrong ? wrong : status;
        ci_expectations_destroy(expectations);
    }
    return status;
}

/* Text that cannot be read back is not written: the user gave a wrong value, such as a wrong
 * date. */
static int write_file(const struct hn_invocation *invocation, const char *path,
                      const struct hn_buffer *text, const struct ci_update *update)
{
    struct ci_expectations *read_back = NULL;
    struct hn_error error;
    if (hn_option_value(invocation, "dry-run"))
        return fputs(text->text, stdout) < 0 ? HN_EXIT_SYSTEM : HN_EXIT_OK;
    if (ci_expectations_parse(text->text, text->length, path, &read_back, &error))
        return hn_print_error(&error);
    int status = read_back->findings.total ? hn_print_findings(&read_back->findings) : HN_EXIT_OK;
    ci_expectations_destroy(read_back);
    if (!status && hn_file_write(path, text->text, text->length, &error))
        status = hn_print_error(&error);
    if (!status)
        printf("%s: %zu kept, %zu added, %zu removed, %zu changed\n", path, update->kept,
               update->added, update->removed, update->changed);
    return status;
}

static int make(const struct hn_invocation *invocation, const struct rp_run *const *runs,
                size_t count)
{
    const char *path = invocation->words[1];
    const struct ci_entry_words words = {hn_option_value(invocation, "reason"),
                                         hn_option_value(invocation, "issue"),
                                         hn_option_value(invocation, "expires")};
    struct ci_expectations *old = NULL;
    struct ci_update update;
    struct hn_buffer out;
    struct hn_error error;
    char *text = NULL;
    int status = hn_path_exists(path) ? read_file(path, &old) : HN_EXIT_OK;
    hn_buffer_init(&out, FILE_MAX);
    if (!status && old && strcmp(old->target, runs[0]->target) != 0) {
        hn_error_at(&error, HN_EINPUT, path, 0, 0, "is about target %.80s, the run is of %.80s",
                    old->target, runs[0]->target);
        status = hn_print_error(&error);
    }
    if (!status && old && hn_file_read(path, FILE_MAX, &text, NULL, &error))
        status = hn_print_error(&error);
    if (!status && ci_expectations_update(text, old, runs, count, &words, &out, &update, &error))
        status = hn_print_error(&error);
    if (!status)
        status = write_file(invocation, path, &out, &update);
    hn_buffer_finish(&out);
    ci_expectations_destroy(old);
    free(text);
    return status;
}

static int update(const struct hn_invocation *invocation)
{
    struct rp_run *runs[RUNS_MAX] = {0};
    struct hn_error error;
    const size_t count = invocation->word_count - 2;
    int status = HN_EXIT_OK;
    if (invocation->word_count < 3 || count > RUNS_MAX)
        return hn_usage_error(invocation->command, "update takes the file and 1 to %d runs",
                              RUNS_MAX);
    for (size_t i = 0; !status && i < count; i++) {
        if (rp_run_read(invocation->words[i + 2], &runs[i], &error)) {
            status = hn_print_error(&error);
        } else if (!runs[i]->complete || strcmp(runs[i]->target, runs[0]->target) != 0) {
            hn_error_set(&error, HN_EINPUT, "%.200s is %s", invocation->words[i + 2],
                         runs[i]->complete ? "of another target" : "not complete");
            status = hn_print_error(&error);
        }
    }
    if (!status)
        status = make(invocation, (const struct rp_run *const *)runs, count);
    for (size_t i = 0; i < count; i++)
        rp_run_destroy(runs[i]);
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    static const struct {
        const char *name;
        int (*run)(const struct hn_invocation *invocation);
    } actions[] = {{"check", check}, {"update", update}};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (invocation->word_count > 1 && strcmp(invocation->words[0], actions[i].name) == 0)
            return actions[i].run(invocation);
    return hn_usage_error(invocation->command, "give a verb and its files: check FILE..., or "
                                               "update FILE RUN...");
}

const struct hn_command hn_cmd_expectations = {
    .name = "expectations",
    .summary = "check or update a list of known failures",
    .usage = "check FILE... | update FILE RUN...",
    .help = "A list of known failures contains the reason, the issue, the expiry date and the "
            "signature of each failure; assay gate accepts these failures and no others. check "
            "reports errors in a list. update adds checks that fail in the runs, removes checks "
            "that pass in the runs, lists checks that fail in some runs as flaky, and keeps "
            "comments and all other entries.\n"
            "\n"
            "  assay expectations update foo.yaml runs/foo --reason \"Driver 3.\" \\\n"
            "      --issue https://example.org/12 --expires 2027-01-31",
    HN_OPTIONS(options),
    .run = run,
};
