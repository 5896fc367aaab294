/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay causes: prints why tests of PyTorch did not pass in a run, one line for each cause.
 * suites/upstream/causes.py finds the causes in the target's interpreter, because it runs programs
 * on the target.
 */
#include <stdlib.h>
#include <unistd.h>

#include "clean_text.h"
#include "clock.h"
#include "cluster_expectations.h"
#include "commands.h"
#include "file.h"
#include "output.h"
#include "run_header.h"
#include "session_command.h"
#include "side_process.h"

#define PROGRAM "suites/upstream/causes.py"
#define ROOM ((size_t)512 << 20)
#define LINE_LIMIT 1000
#define TRIALS_MS 3600000 /* each program may take minutes, and there are dozens */

static const struct hn_option options[] = {
    {"beside", "RUN", "a run of the suites: shows which of the clauses hold in that run"},
    {"expectations", "FILE", "known causes: the key clusters of ci/expectations/<target>.yaml"},
};

/* Reads the target of the run from the command line that started the run. */
static int read_target(const char *run, char **words, struct hn_invocation *begun,
                       struct hn_error *error)
{
    size_t count = 0;
    int exit_status = HN_EXIT_OK;
    const int status = hn_run_header_command(run, words, &count, error);
    if (status != HN_OK)
        return status;
    if (hn_command_parse(&hn_cmd_run, (int)count, words, begun, &exit_status))
        return HN_OK;
    return hn_error_set(error, HN_EINPUT, "%s: the journal does not say how the run was begun",
                        run);
}

struct request {
    const char *run, *beside;
};

static int find_causes(struct hn_session *session, void *context, int *exit_status)
{
    const struct request *asked = context;
    char program[HN_PATH_SIZE], ended[HN_SIDE_ENDED] = "";
    int status = hn_session_find_target(session);
    if (status == HN_OK)
        status =
            hn_path_join(program, sizeof program, session->places.data, PROGRAM, &session->error);
    const char *const words[] = {session->places.python, program, asked->run, asked->beside, NULL};
    const struct hn_side_process process = {.words = words,
                                            .answer = STDOUT_FILENO,
                                            .settings = session->input.target.environment,
                                            .setting_count =
                                                session->input.target.environment_count,
                                            .deadline_ms = TRIALS_MS};
    *exit_status = HN_EXIT_OK;
    if (status == HN_OK)
        status = hn_side_process_run(&process, ended, &session->error);
    return status != HN_OK || !*ended
               ? status
               : hn_error_set(&session->error, HN_EINPUT,
                              "the causes of %s could not be found: the process that looks for "
                              "causes %s; its output is above",
                              asked->run, ended);
}

static void tell(const struct rp_cause *cause)
{
    struct hn_buffer line;
    hn_buffer_init(&line, LINE_LIMIT);
    ci_clean(&line, cause->cause, LINE_LIMIT / 4);
    hn_buffer_puts(&line, ": ");
    ci_clean(&line, cause->subject, LINE_LIMIT / 4);
    printf("not expected: %s (%zu test%s)\n", line.text, cause->tests.count,
           cause->tests.count == 1 ? "" : "s");
    hn_buffer_finish(&line);
}

/* Prints each unexpected cause. Returns the number of them. */
static size_t tell_unexpected(const struct ci_expectations *list,
                              const struct rp_cause_list *causes, const char *day)
{
    size_t unexpected = 0;
    for (size_t i = 0; i < causes->count; i++) {
        const struct rp_cause *cause = &causes->items[i];
        if (ci_expected_cluster(list, cause, day))
            continue;
        unexpected++;
        tell(cause);
    }
    printf("%zu of %zu causes expected\n", causes->count - unexpected, causes->count);
    return unexpected;
}

/* Prints each entry that is not in order. Returns the number of them. */
static size_t tell_entries(const struct ci_expectations *list, const struct rp_cause_list *causes,
                           const char *day)
{
    size_t wrong = 0;
    for (size_t i = 0; i < list->cluster_count; i++) {
        const struct ci_cluster_expectation *entry = &list->clusters[i];
        const char *complaint = ci_cluster_complaint(entry, causes, day);
        wrong += complaint != NULL;
        if (complaint)
            printf("%s:%d: %s of %s: %s\n", list->file, entry->line, entry->cause, entry->subject,
                   complaint);
    }
    return wrong;
}

static int compare(const struct ci_expectations *list, const struct rp_cause_list *causes)
{
    char day[HN_CLOCK_DATE_SIZE];
    hn_clock_date(day, sizeof day);
    const size_t unexpected = tell_unexpected(list, causes, day);
    return tell_entries(list, causes, day) + unexpected ? HN_EXIT_FAILED : HN_EXIT_OK;
}

static int hold_against(const char *run, const char *file)
{
    struct hn_arena *arena = hn_arena_create(ROOM);
    struct ci_expectations *list = NULL;
    struct rp_cause_list causes;
    struct hn_error error;
    char path[HN_PATH_SIZE];
    int status = arena ? hn_path_join(path, sizeof path, run, RP_CAUSES_FILE, &error)
                       : hn_error_nomem(&error);
    if (status == HN_OK)
        status = rp_cause_list_read(path, arena, &causes, &error);
    if (status == HN_OK)
        status = ci_expectations_read(file, &list, &error);
    const int exit_status = status                 ? hn_print_error(&error)
                            : list->findings.total ? hn_print_findings(&list->findings)
                                                   : compare(list, &causes);
    ci_expectations_destroy(list);
    hn_arena_destroy(arena);
    return exit_status;
}

static int causes(const struct hn_invocation *invocation)
{
    char *words[HN_COMMAND_WORDS + 1] = {0};
    struct hn_invocation begun;
    struct hn_error error;
    struct request request = {invocation->words[0], hn_option_value(invocation, "beside")};
    struct hn_asked asked = {0};
    const char *expectations = hn_option_value(invocation, "expectations");
    int exit_status = HN_EXIT_OK;
    if (read_target(request.run, words, &begun, &error) != HN_OK)
        exit_status = hn_print_error(&error);
    else
        asked.target = hn_option_value(&begun, "target");
    if (exit_status == HN_EXIT_OK)
        exit_status = hn_session_command(&asked, find_causes, &request);
    if (exit_status == HN_EXIT_OK && expectations)
        exit_status = hold_against(request.run, expectations);
    for (size_t i = 0; words[i]; i++)
        free(words[i]);
    return exit_status;
}

const struct hn_command hn_cmd_causes = {
    .name = "causes",
    .summary = "group the failures of PyTorch's own tests by cause",
    .usage = "RUN [--beside RUN] [--expectations FILE]",
    .help = "Groups the failed tests of a run with --upstream by cause: an operator without a "
            "kernel, an unsupported dtype, a wrong value of one operator. Each group has its "
            "size, its smallest example, its clause and a program in plain PyTorch that "
            "reproduces it, which was tried in a new process. Writes causes.json and the "
            "programs, causes/*.py, into the run.\n"
            "\n"
            "  assay run --target my.yaml --upstream pytorch/ --out views\n"
            "  assay causes views\n"
            "  assay causes views --expectations ci/expectations/foo.yaml\n"
            "\n"
            "Exit status 0 if the causes were found; with --expectations 1 if a cause is not "
            "expected or an entry is no longer valid; 65 if RUN is not a run.",
    HN_OPTIONS(options),
    .words = {1, 1, "name the run: assay causes RUN"},
    .run = causes,
};
