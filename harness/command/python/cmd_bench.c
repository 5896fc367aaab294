/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay bench: times the device. assay/bench/__main__.py, in the target's interpreter, does it; two runs
 * are compared by assay/bench/compare.py. It judges nothing.
 */
#include <sys/wait.h>

#include "commands.h"
#include "data.h"
#include "foreground.h"
#include "python_command.h"
#include "session.h"
#include "target_preflight.h"

#define REQUEST_LIMIT ((size_t)64 << 10) /* it is an argument */
#define MOST_MILLISECONDS 60000
#define USUAL_MILLISECONDS 200

static const struct hn_option options[] = {
    {"target", "TARGET", "a name in ci/targets or a profile (default " ASSAY_TARGET ")"},
    {"milliseconds", "N", "time for each row (default 200)"},
    {"format", "text|json", "json: records of PyTorch's benchmark schema"},
    {"output", "FILE", "the records into this file"},
    {"compare", NULL, "two files of records: medians, and how sure their ratio is"},
};

static int write_request(struct hn_session *session, const struct hn_invocation *invocation,
                         long milliseconds, struct hn_buffer *request)
{
    const char *output = hn_option_value(invocation, "output");
    struct hn_json_writer writer;

    hn_write_document(&writer, request, NULL);
    hn_write_text(&writer, "target", session->profile->name);
    hn_write_number(&writer, "seconds", (double)milliseconds / 1e3);
    hn_write_text(&writer, "format", hn_wants_json(invocation) ? "json" : "text");
    hn_write_text(&writer, "output", output ? output : "");
    hn_write_load_steps(&session->input.target, &writer);
    return hn_write_document_end(&writer);
}

static int measure(struct hn_session *session, const struct hn_invocation *invocation,
                   long milliseconds, int *exit_status)
{
    const struct hn_run_target *target = &session->input.target;
    struct hn_buffer request;
    int ended = 0;

    hn_buffer_init(&request, REQUEST_LIMIT);
    int status = write_request(session, invocation, milliseconds, &request);
    const char *const words[] = {session->places.python, "-m", "assay.bench", request.text, NULL};
    if (status == HN_OK)
        status = hn_foreground_run(words, target->environment, target->environment_count, &ended,
                                   &session->error);
    hn_buffer_finish(&request);
    *exit_status = WIFEXITED(ended) ? WEXITSTATUS(ended) : HN_EXIT_STOPPED_BY(WTERMSIG(ended));
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    const int compares = hn_option_value(invocation, "compare") != NULL;
    long milliseconds = USUAL_MILLISECONDS;
    struct hn_session session;

    if (invocation->word_count != (compares ? 2 : 0))
        return hn_usage_error(invocation->command, "give no words, or two files behind --compare");
    if (compares)
        return hn_become_python(invocation, HN_DATA_PYTHON, "assay.bench.compare");
    int exit_status =
        hn_option_integer(invocation, "milliseconds", 1, MOST_MILLISECONDS, &milliseconds);
    if (exit_status)
        return exit_status;
    const struct hn_asked asked = {.target = hn_option_value(invocation, "target")};
    int status = hn_session_begin(&session, &asked);
    if (status == HN_OK)
        status = hn_session_find_target(&session);
    if (status != HN_OK)
        exit_status = hn_print_findings(&session.findings);
    else if (measure(&session, invocation, milliseconds, &exit_status) != HN_OK)
        exit_status = hn_print_error(&session.error);
    hn_session_finish(&session);
    return exit_status;
}

const struct hn_command hn_cmd_bench = {
    .name = "bench",
    .summary = "time launches, copies, allocations, events and operators",
    .usage = "[--target TARGET] [OPTIONS] | --compare BEFORE AFTER",
    .help =
        "Times the target's first device: what a launch, a copy, an allocation, an event, a stream "
        "and a few operators cost. Work of the device is timed by its own events where it has them "
        "and they agree with the clock, else by the clock between two waits; what keeps the "
        "program by the clock alone. Each row is a median and between which values it lies with 95 "
        "%. A row that the backend refuses says so.\n\n"
        "  assay bench --target mine.yaml --output before.json\n"
        "  assay bench --compare before.json after.json\n\n"
        "It judges nothing. The intervals know of one run alone: on another day, or beside other "
        "work, a machine is faster or slower than they say.\n\n"
        "Exit status 0; 64 wrong command line; 65 the target cannot be loaded or has no device, or "
        "a file of --compare cannot be read; 71 the output cannot be written.\n",
    HN_OPTIONS(options),
    .run = run,
};
