/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay clients: other people's tests, on the CPU and on the target. assay.clients, in the target's interpreter,
 * runs and compares them; what differs becomes a run like any other.
 */
#include <limits.h>
#include <stdlib.h>

#include "client_file.h"
#include "commands.h"
#include "outside_run.h"
#include "target_program.h"

struct request {
    const struct hn_invocation *invocation;
    struct hn_asked asked;
    const char *tests;
};

static const struct hn_option options[] = {
    {"target", "TARGET", "a name in ci/targets or a profile (default " ASSAY_TARGET ")",
     HN_TEXT_INTO(struct request, asked.target)},
    {"tests", "DIR", "checkout of the library, or of its tests (default: here)",
     HN_TEXT_INTO(struct request, tests)},
    {"out", "DIR", "folder of the run (default runs/clients-<target>-<date>)",
     HN_TEXT_INTO(struct request, asked.folder)},
    {"match", "EXPR", "only these tests: an expression of pytest's -k"},
    {"files", "NAME[,NAME]", "only tests in these files, in the place of the file's own list"},
    {"jobs", "N", "files of tests side by side (default 1)", HN_NUMBER(1, 256)},
    {"seconds", "N", "for one test, in the place of the file's own", HN_NUMBER(1, 86400)},
    {"process", NULL, "a new process for each test; default: a fork, where the target bears it"},
    {"format", "text|json", "json: one line at the end, schema assay/clients/1"},
};

static int make_request(struct hn_session *session, const struct request *asked,
                        char path[HN_PATH_SIZE])
{
    struct hn_request request;
    char tests[PATH_MAX], client[PATH_MAX];
    int status = hn_client_path(path, asked->invocation->words[0], &session->error);
    if (status != HN_OK)
        return status;
    if (!realpath(asked->tests, tests))
        return hn_error_errno(&session->error, "cannot find %s", asked->tests);
    if (!realpath(path, client))
        return hn_error_errno(&session->error, "cannot find %s", path);
    hn_request_begin(&request, session, asked->invocation);
    hn_write_text(&request.writer, "checkout", tests);
    hn_write_text(&request.writer, "file", client);
    status = hn_client_write(client, &request.writer, &session->findings);
    const int written = hn_request_save(&request, session, path);
    return status == HN_OK ? written : status;
}

/* The program ends with 0 when it left verdicts; else it has said why not. */
static int run_tests(struct hn_session *session, const struct request *asked)
{
    char request[HN_PATH_SIZE];
    int ended = 0;
    int status = make_request(session, asked, request);
    if (status == HN_OK)
        status = hn_target_program_run(session, "assay.clients", request, NULL, 0, &ended);
    if (status != HN_OK || !ended)
        return status;
    return ended == HN_EXIT_INPUT
               ? HN_EINPUT
               : hn_error_set(&session->error, HN_ESYSTEM, "the tests could not be run");
}

static int take_steps(struct hn_session *session, void *context, int *exit_status)
{
    const struct request *asked = context;
    int status = hn_session_find_target(session);
    if (status == HN_OK)
        status = hn_session_read_contract(session);
    if (status == HN_OK)
        status = hn_outside_command(session, 0, asked->invocation->words, 1);
    if (status == HN_OK)
        status = hn_outside_folder(session, NULL);
    if (status == HN_OK)
        status = run_tests(session, asked);
    return status == HN_OK ? hn_outside_run_write(session, exit_status) : status;
}

static int run(const struct hn_invocation *invocation)
{
    struct request request = {.invocation = invocation,
                              .asked = {.kind = "clients", .runs = hn_runs_folder(invocation)},
                              .tests = "."};
    const int status = hn_options_read(invocation, &request);
    return status ? status : hn_session_command(&request.asked, take_steps, &request);
}

const struct hn_command hn_cmd_clients = {
    .name = "clients",
    .summary = "the tests of a library, on the CPU and on the target",
    .usage = "[--target TARGET] [--tests DIR] [OPTIONS] CLIENT",
    .help =
        "Runs the tests of a library with pytest, on the CPU and on the target, each of them in a "
        "process of its own and with a time-out, and shows what differs: grouped by message, apart "
        "what CUDA would do too and what the target refuses, and how many tests reached the device "
        "at all. CLIENT is a file that says how the tests are run and how a device gets in; some "
        "are in ci/clients. Nothing is fetched: the library is installed for the target's "
        "interpreter, its tests lie in --tests.\n\n"
        "  assay clients --target mine.yaml --tests src/tensordict tensordict\n"
        "  assay clients --target mine.yaml --match 'not slow' ./mylib.yaml\n\n"
        "What was found is a run: assay report, assay diff, assay history, assay gate --select "
        "clients.\n\n"
        "Exit status 0 when no test differs but for a known reason or a refusal; 1 when one does; "
        "2 when nothing reached the device, or pytest could not read a file; 128 and the number of "
        "the signal that stopped it.\n",
    HN_OPTIONS(options),
    .takes_settings = 1,
    .words = {1, 1, "give one client: a name in ci/clients, or a file"},
    .run = run,
};
