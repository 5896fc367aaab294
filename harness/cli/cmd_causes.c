/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay causes: why tests of PyTorch did not pass in a run, one line for each cause. Done by
 * suites/upstream/causes.py in the target's interpreter, since it tries programs on the target.
 */
#include <stdlib.h>

#include "commands.h"
#include "file.h"
#include "output.h"
#include "run_header.h"
#include "session.h"
#include "side_process.h"

#define PROGRAM "suites/upstream/causes.py"
#define TRIALS_MS 3600000 /* each program has a minute; there are dozens */

static const struct hn_option options[] = {
    {"beside", "RUN",
     "a run of the suites: shows where it says that a clause is kept all the same"},
};

/* The target of the run, as it was named when the run was begun. */
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
    return hn_error_set(error, HN_EINPUT, "%s: its journal does not say how it was begun", run);
}

static int run_program(struct hn_session *session, const char *run, const char *beside)
{
    char program[HN_PATH_SIZE], ended[HN_SIDE_ENDED] = "";
    int status =
        hn_path_join(program, sizeof program, session->places.data, PROGRAM, &session->error);
    const char *const words[] = {session->places.python, program, run, beside, NULL};
    const struct hn_side_process process = {.words = words,
                                            .settings = session->input.target.environment,
                                            .setting_count =
                                                session->input.target.environment_count,
                                            .deadline_ms = TRIALS_MS};
    if (status == HN_OK)
        status = hn_side_process_run(&process, ended, &session->error);
    if (status == HN_OK && *ended)
        status = hn_error_set(
            &session->error, HN_EINPUT,
            "the causes of %s could not be found: their process %s; its words are above", run,
            ended);
    if (status != HN_OK)
        hn_findings_add_error(&session->findings, &session->error);
    return status;
}

static int find_causes(const struct hn_invocation *begun, const char *run, const char *beside)
{
    struct hn_session session;
    const struct hn_asked asked = {.target = hn_option_value(begun, "target")};
    int exit_status = HN_EXIT_OK, status = hn_session_begin(&session, &asked);
    if (status == HN_OK)
        status = hn_session_read_profile(&session);
    if (status == HN_OK)
        status = hn_session_find_places(&session);
    if (status == HN_OK)
        status = run_program(&session, run, beside);
    if (status != HN_OK)
        exit_status = hn_print_findings(&session.findings);
    hn_session_finish(&session);
    return exit_status;
}

static int causes(const struct hn_invocation *invocation)
{
    char *words[HN_COMMAND_WORDS + 1] = {0};
    struct hn_invocation begun;
    struct hn_error error;
    if (invocation->word_count != 1)
        return hn_usage_error(invocation->command, "the causes of which run? Give one");
    const char *run = invocation->words[0];
    const int status = read_target(run, words, &begun, &error);
    const int exit_status = status == HN_OK
                                ? find_causes(&begun, run, hn_option_value(invocation, "beside"))
                                : hn_print_error(&error);
    for (size_t i = 0; words[i]; i++)
        free(words[i]);
    return exit_status;
}

const struct hn_command hn_cmd_causes = {
    .name = "causes",
    .summary = "why PyTorch's own tests did not pass",
    .usage = "RUN [--beside RUN]",
    .help = "Puts the tests of a run with --upstream that did not pass into clusters, one for each "
            "cause: an operator without kernel, a dtype that is refused, a wrong value of one "
            "operator. Each has its size, one smallest example, the clause that it touches and a "
            "program of plain PyTorch that shows it, tried in a fresh process. Writes causes.json "
            "and the programs, causes/*.py, into the run.\n\n"
            "  assay run --target my.yaml --upstream pytorch/ --out views\n"
            "  assay causes views\n\n"
            "Exit status 0 when they were found, whatever they are; 65 when RUN is no run.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = causes,
};
