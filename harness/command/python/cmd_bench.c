/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay bench: measures times on the device. assay/bench/__main__.py measures in the target's
 * interpreter, and assay/bench/compare.py compares two runs. This command gives no verdicts.
 */
#include "commands.h"
#include "python_command.h"
#include "target_program.h"

struct request {
    const struct hn_invocation *invocation;
    struct hn_asked asked;
};

static const struct hn_option options[] = {
    {"target", "TARGET", "a name in ci/targets or a profile (default " ASSAY_TARGET ")",
     HN_TEXT_INTO(struct request, asked.target)},
    {"milliseconds", "N", "measuring time of each row (default 200)", HN_NUMBER(1, 60000)},
    {"format", "text|json", "json: records of PyTorch's benchmark schema"},
    {"output", "FILE", "write the records to FILE"},
    {"compare", NULL, "compare two files of records: medians, and the interval of their ratio"},
};

static int measure(struct hn_session *session, void *context, int *exit_status)
{
    const struct request *asked = context;
    struct hn_request request;
    int status = hn_session_find_target(session);
    if (status != HN_OK)
        return status;
    hn_request_begin(&request, session, asked->invocation);
    status = hn_write_document_end(&request.writer);
    if (status == HN_OK)
        status =
            hn_target_program_run(session, "assay.bench", request.text.text, NULL, 0, exit_status);
    hn_buffer_finish(&request.text);
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    const int compares = hn_option_value(invocation, "compare") != NULL;
    struct request request = {.invocation = invocation};
    const int status = hn_options_read(invocation, &request);
    if (status)
        return status;
    if (invocation->word_count != (compares ? 2 : 0))
        return hn_usage_error(invocation->command,
                              "give no arguments, or two files after --compare");
    return compares ? hn_become_python(invocation, "assay.bench.compare")
                    : hn_session_command(&request.asked, measure, &request);
}

const struct hn_command hn_cmd_bench = {
    .name = "bench",
    .summary = "measure launches, copies, allocations, events and operators",
    .usage = "[--target TARGET] [OPTIONS] | --compare BEFORE AFTER",
    .help = "Measures the target's first device: the cost of a launch, a copy, an allocation, an "
            "event, a stream and a few operators. Work of the device is measured with its own "
            "events if it has them and they agree with the clock, otherwise with the clock "
            "between two synchronizations; the time in which a call blocks the program is "
            "measured with the clock. Each row is a median with its 95 % interval. Rows that the "
            "backend does not support say so.\n"
            "\n"
            "  assay bench --target mine.yaml --output before.json\n"
            "  assay bench --compare before.json after.json\n"
            "\n"
            "The command only measures. The intervals describe a single run: on another day, or "
            "under other load, a machine may be faster or slower.\n"
            "\n"
            "Exit status 0; 64 wrong command line; 65 the target cannot be loaded or has no "
            "device, or a file of --compare cannot be read; 71 the output cannot be written.\n",
    HN_OPTIONS(options),
    .run = run,
};
