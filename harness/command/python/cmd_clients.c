/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay clients: runs the tests of other libraries on the CPU and on the target. Each side is a
 * run of listed checks (suites/clients) below the folder. The program assay.clients names the
 * run that is missing; at the end assay.clients compares the runs, and the result becomes a run.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client_file.h"
#include "commands.h"
#include "file.h"
#include "outside_run.h"
#include "run_options.h"
#include "target_program.h"

#define CPU "cpu"
#define LOAD_MS 600000 /* a host reads all tests after it has loaded the target */
#define NEXT 3         /* exit status of the program: the file `next` names the missing run */

struct request {
    const struct hn_invocation *invocation;
    struct hn_asked asked;
    const char *tests, *read, *shard;
    int starts_processes;
    char path[HN_PATH_SIZE];     /* path of the request to the program */
    char ended[512], signal[16]; /* why the last run ended early; "": it was complete */
};

static const struct hn_option options[] = {
    {"target", "TARGET", "a name in ci/targets or a profile (default " ASSAY_TARGET ")",
     HN_TEXT_INTO(struct request, asked.target)},
    {"tests", "DIR", "checkout of the library, or of its tests (default: here)",
     HN_TEXT_INTO(struct request, tests)},
    {"out", "DIR", "folder of the run (default runs/clients-<target>-<date>)",
     HN_TEXT_INTO(struct request, asked.folder)},
    {"resume", "DIR", "continue the run in DIR; give the same CLIENT and options",
     HN_TEXT_INTO(struct request, read)},
    {"match", "EXPR", "only these tests: an expression of pytest's -k"},
    {"files", "NAME[,NAME]", "only tests in these files, instead of the list in CLIENT"},
    {"jobs", "N", HN_JOBS_HELP, HN_NUMBER_INTO(struct request, asked.options.hosts, 1, 256)},
    {"shard", "I/N", "run only the I-th of N parts of the tests",
     HN_TEXT_INTO(struct request, shard)},
    {"seconds", "N", "deadline of one test, instead of that in CLIENT", HN_NUMBER(1, 86400)},
    {"process", NULL, "load the target for each test (default: fork, if the target supports it)",
     HN_FLAG_INTO(struct request, starts_processes)},
    {"format", "text|json", "json: one line at the end, schema assay/clients/1"},
};

static int make_request(struct hn_session *session, struct request *asked)
{
    struct hn_request request;
    char tests[PATH_MAX], client[PATH_MAX], *path = asked->path;
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

/* The CPU is the reference, so its processes must not load a backend. */
static void load_nothing(struct hn_session *part)
{
    part->input.target.step_count = 0;
    part->input.target.adapter = NULL;
}

/* The program that lists the tests leaves this file if a forked process can use the target. */
static const char *isolation_of(const struct hn_session *part)
{
    char forks[HN_PATH_SIZE];
    snprintf(forks, sizeof forks, "%.1000s.forks", part->folder);
    return hn_isolations[hn_path_exists(forks) ? HN_FORK_LOADED : HN_FORK_CLEAN].name;
}

/* The target is not probed first. A host that reads thousands of tests for a probe would be too
 * slow, and the tests need no capability. */
static int run_part(struct hn_session *part, int is_cpu, struct hn_run_summary *summary)
{
    int status = hn_session_find_target(part);
    if (status == HN_OK && is_cpu)
        load_nothing(part);
    if (status == HN_OK)
        status = hn_session_read_contract(part);
    if (status == HN_OK)
        status = hn_session_plan(part);
    if (status == HN_OK)
        status = hn_session_take_folder(part);
    if (status == HN_OK && !is_cpu)
        status = hn_session_build(part);
    if (status == HN_OK && !part->input.target.mode)
        part->input.target.mode = isolation_of(part);
    part->input.target.load_ms = LOAD_MS;
    return status == HN_OK ? hn_session_run(part, summary) : status;
}

static int run_side(struct hn_session *session, struct request *asked, const char *side)
{
    const int is_cpu = strcmp(side, CPU) == 0;
    const struct hn_listing listing = {
        .module = HN_CLIENTS_SELECT, .room = {asked->path, side}, .arguments = {listing.room, 2}};
    struct hn_asked some = asked->asked;
    struct hn_run_summary summary = {0};
    struct hn_session part;
    char folder[HN_PATH_SIZE];
    int status = hn_path_join(folder, sizeof folder, session->folder, side, &session->error);
    if (status != HN_OK)
        return status;
    some.listing = &listing;
    some.select = HN_CLIENTS_SELECT;
    some.folder = folder;
    some.resume = some.alone = 1;
    some.isolation = asked->starts_processes ? hn_isolations[HN_FORK_CLEAN].name
                     : is_cpu                ? hn_isolations[HN_FORK_LOADED].name
                                             : NULL;
    some.options.retries = !is_cpu; /* a difference that does not repeat is no failure */
    some.options.out = stderr;
    some.options.counts_only = 1;
    fprintf(stderr, "assay: the tests on %s\n", is_cpu ? "the CPU" : session->profile->name);
    status = hn_session_begin(&part, &some);
    if (status == HN_OK)
        status = run_part(&part, is_cpu, &summary);
    for (size_t i = 0; i < part.findings.count; i++)
        hn_findings_add_error(&session->findings, &part.findings.items[i]);
    if (status != HN_OK && !part.findings.count)
        session->error = part.error;
    hn_session_finish(&part);
    if (!summary.complete)
        snprintf(asked->ended, sizeof asked->ended, "%s", summary.why);
    snprintf(asked->signal, sizeof asked->signal, "%d", summary.interrupted);
    hn_run_summary_finish(&summary);
    return status;
}

static int read_next(struct hn_session *session, char side[32])
{
    char path[HN_PATH_SIZE], *text = NULL;
    int status = hn_path_join(path, sizeof path, session->folder, "next", &session->error);
    if (status == HN_OK)
        status = hn_file_read(path, 31, &text, NULL, &session->error);
    snprintf(side, 32, "%s", text ? text : "");
    free(text);
    return status;
}

/* The program exits with 0 after it has written verdicts, and with NEXT to request another run.
 * Before any other exit status, the program has printed an error. */
static int run_tests(struct hn_session *session, struct request *asked)
{
    char side[32], *words[] = {asked->ended, asked->signal};
    int ended = 0;
    int status = make_request(session, asked);
    while (status == HN_OK) {
        status = hn_target_program_run(session, "assay.clients", asked->path, words,
                                       *asked->ended ? 2 : 0, &ended);
        if (status != HN_OK || ended != NEXT)
            break;
        status = read_next(session, side);
        if (status == HN_OK)
            status = run_side(session, asked, side);
    }
    if (status != HN_OK || !ended)
        return status;
    return ended == HN_EXIT_INPUT
               ? HN_EINPUT
               : hn_error_set(&session->error, HN_ESYSTEM, "the tests could not be run");
}

/* If the run is resumed, the journal contains the earlier, incomplete comparison. */
static int remove_journal(struct hn_session *session)
{
    char path[HN_PATH_SIZE];
    const int status =
        hn_path_join(path, sizeof path, session->folder, "journal.jsonl", &session->error);
    if (status == HN_OK)
        unlink(path);
    return status;
}

static int take_steps(struct hn_session *session, void *context, int *exit_status)
{
    struct request *asked = context;
    int status = hn_session_find_target(session);
    if (status == HN_OK)
        status = hn_session_read_contract(session);
    if (status == HN_OK)
        status = hn_outside_command(session, 0, asked->invocation->words, 1);
    if (status == HN_OK) /* before the folder of the run is made */
        status = hn_client_path(asked->path, asked->invocation->words[0], &session->error);
    if (status == HN_OK)
        status = hn_outside_folder(session, asked->read);
    if (status == HN_OK)
        status = run_tests(session, asked);
    if (status == HN_OK)
        status = remove_journal(session);
    return status == HN_OK ? hn_outside_run_write(session, exit_status) : status;
}

static int run(const struct hn_invocation *invocation)
{
    struct request request = {.invocation = invocation,
                              .asked = {.kind = HN_CLIENTS_SELECT,
                                        .runs = hn_runs_folder(invocation),
                                        .options = hn_run_options_default()},
                              .tests = "."};
    int status = hn_options_read(invocation, &request);
    if (!status)
        status = hn_shard_read(invocation->command, request.shard, &request.asked);
    return status ? status : hn_session_command(&request.asked, take_steps, &request);
}

const struct hn_command hn_cmd_clients = {
    .name = "clients",
    .summary = "run the tests of a library on the CPU and on the target",
    .usage = "[--target TARGET] [--tests DIR] [OPTIONS] CLIENT",
    .help =
        "Runs the tests of a library with pytest on the CPU and on the target, each test in its "
        "own process with a deadline, and shows the differences, grouped by message. Unsupported "
        "features, and differences that CUDA would show too, are listed separately. The output has "
        "the number of tests that used the device. CLIENT is a file that describes how the tests "
        "run and how they get the device; some are in ci/clients. Nothing is downloaded: the "
        "library must be installed for the target's interpreter, and --tests names its tests.\n"
        "\n"
        "  assay clients --target mine.yaml --tests src/tensordict tensordict\n"
        "  assay clients --target mine.yaml --match 'not slow' ./mylib.yaml\n"
        "  assay clients --target mine.yaml --resume runs/mylib ./mylib.yaml\n"
        "\n"
        "The result is a run, for assay report, assay diff, assay history and assay gate --select "
        "clients. The folders cpu and target in it are the runs of the two sides, with the output "
        "of each test that did not pass.\n"
        "\n"
        "Exit status 0 if tests differ only for known reasons or unsupported features; 1 if "
        "another test differs, or exists on one side only; 2 if no test used the device, or pytest "
        "could not read a file; 128 and the number of the signal that stopped it.\n",
    HN_OPTIONS(options),
    .takes_settings = 1,
    .words = {1, 1, "give one client: a name in ci/clients, or a file"},
    .run = run,
};
