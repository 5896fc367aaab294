/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay watch: uses the user's own program as a test. assay/watcher/__main__.py runs the program
 * in the target's interpreter and in our terminal, and summarizes the findings, which become a
 * run.
 */
#include <string.h>

#include "commands.h"
#include "file.h"
#include "foreground.h"
#include "outside_run.h"
#include "target_program.h"

struct request {
    const struct hn_invocation *invocation;
    struct hn_asked asked;
    const char *read;
};

static const struct hn_option options[] = {
    {"target", "TARGET", "a name in ci/targets or a profile (default " ASSAY_TARGET ")",
     HN_TEXT_INTO(struct request, asked.target)},
    {"out", "DIR", "folder of the run (default runs/watch-<target>-<date>)",
     HN_TEXT_INTO(struct request, asked.folder)},
    {"all", NULL, "compare every call instead of a sample"},
    {"no-load", NULL, "do not load the target in the program: the program loads it"},
    {"most-mib", "N", "do not compare calls with larger inputs (default 64)",
     HN_NUMBER(0, 1048576)},
    {"most-seconds", "N", "stop comparing in a process after this time (default: no limit)",
     HN_NUMBER(1, 31536000)},
    {"order", "auto|always|never",
     "run the program again to find races: if operators differ (auto), always or never"},
    {"read", "DIR", "run nothing: summarize DIR of a watch that was killed",
     HN_TEXT_INTO(struct request, read)},
    {"format", "text|json", "json: one line at the end, schema assay/watch/1"},
};

static int make_request(struct hn_session *session, const struct request *asked,
                        char path[HN_PATH_SIZE])
{
    struct hn_request request;
    if (asked->read)
        return hn_path_join(path, HN_PATH_SIZE, session->folder, "request.json", &session->error);
    hn_request_begin(&request, session, asked->invocation);
    return hn_request_save(&request, session, path);
}

/* Without arguments, the Python program only sums up the existing results. */
static int run_program(struct hn_session *session, const struct request *asked)
{
    const struct hn_invocation *invocation = asked->invocation;
    char request[HN_PATH_SIZE];
    int ended = 0;
    int status = make_request(session, asked, request);
    if (status == HN_OK)
        status = hn_target_program_run(session, "assay.watcher", request, invocation->words,
                                       invocation->word_count, &ended);
    if (status == HN_OK && ended == HN_EXIT_INPUT)
        return hn_error_set(
            &session->error, HN_EINPUT,
            "%.900s is not the folder of a watched program; the reason is given above",
            session->folder);
    return status != HN_OK || !ended
               ? status
               : hn_error_set(
                     &session->error, HN_ESYSTEM,
                     "the records could not be summarized; assay watch --read %.900s tries again",
                     session->folder);
}

/* Called before the folder of the run exists: the folder of a program that cannot start would be in
 * the way of the corrected command. The program may also be a script or an option of Python. */
static int look_for_program(struct hn_session *session, const struct hn_invocation *invocation)
{
    const char *program = invocation->word_count ? invocation->words[0] : "-";
    const size_t length = strlen(program);
    const int is_script =
        length > 3 && strcmp(program + length - 3, ".py") == 0 && hn_path_exists(program);
    if (*program == '-' || is_script || hn_program_can_start(program))
        return HN_OK;
    return hn_error_set(&session->error, HN_EINPUT,
                        "cannot start %.300s: there is no such program; correct the words behind "
                        "--",
                        program);
}

static int take_steps(struct hn_session *session, void *context, int *exit_status)
{
    const struct request *asked = context;
    int status = hn_session_find_target(session);
    if (status == HN_OK)
        status = hn_session_read_contract(session);
    if (status == HN_OK)
        status = look_for_program(session, asked->invocation);
    if (status == HN_OK)
        status = hn_outside_folder(session, asked->read);
    if (status == HN_OK && asked->read)
        status = hn_outside_expect_no_run(session);
    if (status == HN_OK)
        status =
            hn_outside_command(session, 1, asked->invocation->words, asked->invocation->word_count);
    if (status == HN_OK)
        status = run_program(session, asked);
    return status == HN_OK ? hn_outside_run_write(session, exit_status) : status;
}

static int run(const struct hn_invocation *invocation)
{
    struct request request = {
        .invocation = invocation,
        .asked = {.kind = HN_WATCHED_SELECT, .runs = hn_runs_folder(invocation)}};
    const int status = hn_options_read(invocation, &request);
    if (status)
        return status;
    if (!request.read == !invocation->word_count)
        return hn_usage_error(invocation->command, "give a program behind --, or --read alone");
    return hn_session_command(&request.asked, take_steps, &request);
}

const struct hn_command hn_cmd_watch = {
    .name = "watch",
    .summary = "run a program and compare its operators with the CPU",
    .usage = "[--target TARGET] [OPTIONS] -- COMMAND...",
    .help = "Runs the program unchanged and loads the target after import torch. Each operator on "
            "the device, in forward and backward, in every thread and child process, is repeated "
            "on the CPU with the same inputs and judged as in assay ops. The first calls of each "
            "kind are compared, later ones are sampled; calls that were not compared are counted "
            "with the reason. An operator also counts as wrong if it raises an unexpected "
            "exception where the CPU does not, or if the process dies in it. For the first wrong "
            "operator it shows the line of the program, the module, and a small program that "
            "reproduces the error. Messages go to standard error; standard output belongs to the "
            "program.\n"
            "\n"
            "If operators differ, the program runs again with a wait for the device after each "
            "operator. If the results become right, further runs find the first operator or copy "
            "that must be complete. A watch waits for each compared call, which can hide a race: "
            "if the program is wrong only without a watch, use --order always. Then the exit "
            "status and the output of the program decide.\n"
            "\n"
            "  assay watch --target mine.yaml -- python train.py --epochs 1\n"
            "  assay watch --target mine.yaml -- -m package.train     python of the target\n"
            "  assay watch --target mine.yaml --all --out found -- pytest test_model.py\n"
            "\n"
            "The result is a run, for assay report, assay diff, assay history and assay gate "
            "--select watch.\n"
            "\n"
            "Exit status 0 if no operator was wrong; 1 if an operator was wrong or the program "
            "died of a signal; 2 if the program failed without a wrong operator or was stopped "
            "(SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGKILL), if its results depend on the order of "
            "work, or if (nearly) nothing was compared.\n",
    HN_OPTIONS(options),
    .takes_settings = 1,
    .run = run,
};
