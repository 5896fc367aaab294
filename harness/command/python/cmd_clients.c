/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay clients: other people's tests, on the CPU and on the target. assay.clients, in the target's interpreter,
 * runs and compares them; what differs becomes a run like any other.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "client_file.h"
#include "client_run.h"
#include "commands.h"
#include "foreground.h"
#include "outside_run.h"

#define REQUEST_LIMIT ((size_t)4 << 20)
#define MOST_SECONDS 86400
#define MOST_JOBS 256

static const struct hn_option options[] = {
    {"target", "TARGET", "a name in ci/targets or a profile (default " ASSAY_TARGET ")"},
    {"tests", "DIR", "checkout of the library, or of its tests (default: here)"},
    {"out", "DIR", "folder of the run (default runs/clients-<target>-<date>)"},
    {"match", "EXPR", "only these tests: an expression of pytest's -k"},
    {"files", "NAME[,NAME]", "only tests in these files, in the place of the file's own list"},
    {"jobs", "N", "files of tests side by side (default 1)"},
    {"seconds", "N", "for one test, in the place of the file's own"},
    {"process", NULL, "a new process for each test; default: a fork, where the target bears it"},
    {"format", "text|json", "json: one line at the end, schema assay/clients/1"},
};

/* ---- the request ---- */

static void write_asked(struct hn_json_writer *writer, const struct hn_session *session,
                        const struct hn_invocation *invocation, const char *tests)
{
    static const char *const passed_on[] = {"match", "files", "jobs", "seconds"};
    hn_write_text(writer, "target", session->profile->name);
    hn_write_text(writer, "folder", session->folder);
    hn_write_text(writer, "tests", tests);
    hn_write_text(writer, "format", hn_wants_json(invocation) ? "json" : "text");
    hn_write_boolean(writer, "process", hn_option_value(invocation, "process") != NULL);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        hn_write_text(writer, passed_on[i], hn_option_value(invocation, passed_on[i]));
    hn_write_load_steps(&session->input.target, writer);
}

static int write_request(struct hn_session *session, const struct hn_invocation *invocation,
                         const char *file, const char *path)
{
    struct hn_buffer request;
    struct hn_json_writer writer;
    char tests[PATH_MAX], client[PATH_MAX];
    const char *given = hn_option_value(invocation, "tests");
    if (!realpath(given ? given : ".", tests))
        return hn_error_errno(&session->error, "cannot find %s", given ? given : ".");
    if (!realpath(file, client))
        return hn_error_errno(&session->error, "cannot find %s", file);
    hn_buffer_init(&request, REQUEST_LIMIT);
    hn_write_document(&writer, &request, NULL);
    write_asked(&writer, session, invocation, tests);
    hn_write_text(&writer, "file", client);
    int status = hn_client_write(client, &writer, &session->findings);
    const int written = hn_write_document_end(&writer);
    status = status == HN_OK ? written : status;
    if (status == HN_OK)
        status = hn_file_write(path, request.text, request.length, &session->error);
    hn_buffer_finish(&request);
    return status;
}

/* ---- the tests ---- */

/* Ends by itself with 0 when it left verdicts; else it has said why not. */
static int run_tests(struct hn_session *session, const char *request)
{
    const struct hn_run_target *target = &session->input.target;
    const char *words[] = {session->places.python, "-m", "assay.clients", request, NULL};
    int ended = 0;
    const int status = hn_foreground_run(words, target->environment, target->environment_count,
                                         &ended, &session->error);
    if (status != HN_OK || (WIFEXITED(ended) && WEXITSTATUS(ended) == 0))
        return status;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == HN_EXIT_INPUT)
        return HN_EINPUT;
    return hn_error_set(&session->error, HN_ESYSTEM, "the tests could not be run");
}

static int take_steps(struct hn_session *session, const struct hn_invocation *invocation)
{
    char file[HN_PATH_SIZE], request[HN_PATH_SIZE];
    int status = hn_client_path(file, invocation->words[0], &session->error);
    if (status == HN_OK)
        status = hn_outside_command(session, "clients", 0, invocation->words, 1);
    if (status == HN_OK)
        status = hn_outside_folder(session, NULL);
    if (status == HN_OK)
        status =
            hn_path_join(request, sizeof request, session->folder, "request.json", &session->error);
    if (status == HN_OK)
        status = write_request(session, invocation, file, request);
    if (status == HN_OK)
        status = run_tests(session, request);
    return status;
}

static int run_session(struct hn_session *session, const struct hn_invocation *invocation,
                       int *exit_status)
{
    int status = hn_session_find_target(session);
    if (status == HN_OK)
        status = hn_session_read_contract(session);
    if (status != HN_OK)
        return status;
    status = take_steps(session, invocation);
    if (status == HN_OK)
        return hn_client_run_write(session, exit_status);
    if (*session->error.text)
        hn_findings_add_error(&session->findings, &session->error);
    return status;
}

/* 0, or an exit status: it has been said. */
static int check_numbers(const struct hn_invocation *invocation)
{
    long number;
    const int status = hn_option_integer(invocation, "seconds", 1, MOST_SECONDS, &number);
    return status ? status : hn_option_integer(invocation, "jobs", 1, MOST_JOBS, &number);
}

static int run(const struct hn_invocation *invocation)
{
    struct hn_session session;
    int exit_status = check_numbers(invocation);
    if (exit_status)
        return exit_status;
    const struct hn_asked asked = {.target = hn_option_value(invocation, "target"),
                                   .folder = hn_option_value(invocation, "out"),
                                   .kind = "clients",
                                   .runs = hn_runs_folder(invocation)};
    int status = hn_session_begin(&session, &asked);
    if (status == HN_OK)
        status = run_session(&session, invocation, &exit_status);
    if (status != HN_OK)
        exit_status = session.findings.total ? hn_print_findings(&session.findings) : HN_EXIT_INPUT;
    hn_session_finish(&session);
    return exit_status;
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
