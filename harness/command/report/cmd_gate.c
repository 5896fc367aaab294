/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay gate: makes a decision from the runs of a pull request. This file reads and writes
 * files; ci/gate makes the decision.
 */
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "decision_write.h"
#include "gate_input.h"
#include "output.h"
#include "read_contract.h"

#define DECISION "the decision"
#define JSON_LIMIT ((size_t)64 << 20)

static const struct hn_option options[] = {
    {"head", "RUN", "run of the pull request, or a folder with one run per target"},
    {"base", "RUN", "run of the base commit, or a folder with one run per target"},
    {"unadapted", "RUN", "run of base's backend, built against head's PyTorch"},
    {"drift", "FILE",
     "JSON of assay drift for base and head; alone, it decides before anything is built"},
    {"causes", "FILE", "causes.json of head's run of PyTorch's own tests; may be the only input"},
    {"base-causes", "FILE", "causes.json of base"},
    {"changed-files", "FILE", "files of the pull request, one per line"},
    {"labels", "FILE", "current labels of the pull request, one per line"},
    {"expectations", "FILE",
     "known failures: a file, or a folder with <target>.yaml for each target"},
    {"proposed-expectations", "FILE",
     "known failures as changed by the pull request; removed entries count as unexpected"},
    {"select", "EXPR", "checks that should have been run (default: all)"},
    {"suite", "DIR", "also use your own checks in DIR, see suites/README.md"},
    {"out", "FILE", "write decision.json to FILE; the printed output is then text"},
    {"format", "text|json",
     "format of the printed output without --out (default: text on a terminal, else json)"},
    {"markdown", "FILE", "write a summary in Markdown to FILE"},
};

/* The default is text on a terminal, and the JSON document for any other output. */
static int wants_text(const struct hn_invocation *invocation)
{
    const char *format = hn_option_value(invocation, "format");
    return format ? strcmp(format, "text") == 0 : isatty(STDOUT_FILENO);
}

static int deliver(const struct hn_invocation *invocation, const struct ci_policy *policy,
                   const struct ci_result *result)
{
    const char *out = hn_option_value(invocation, "out");
    const char *markdown = hn_option_value(invocation, "markdown");
    const int text_alone = !out && wants_text(invocation);
    struct hn_buffer text;
    int status = HN_EXIT_OK;
    hn_buffer_init(&text, JSON_LIMIT);
    if (!text_alone)
        status = hn_output_deliver(out, &text, ci_decision_json(policy, result, &text), DECISION);
    if (!status && markdown) {
        hn_buffer_init(&text, 2 * CI_MARKDOWN_LIMIT);
        status = hn_output_deliver(markdown, &text, ci_decision_markdown(policy, result, &text),
                                   DECISION);
    }
    if (!status && (out || text_alone))
        hn_gate_print(result);
    return status ? status : ci_exit_status(result);
}

static int run(const struct hn_invocation *invocation)
{
    const struct hn_gate_paths paths = {
        .head = hn_option_value(invocation, "head"),
        .base = hn_option_value(invocation, "base"),
        .unadapted = hn_option_value(invocation, "unadapted"),
        .drift = hn_option_value(invocation, "drift"),
        .causes = hn_option_value(invocation, "causes"),
        .base_causes = hn_option_value(invocation, "base-causes"),
        .changed_files = hn_option_value(invocation, "changed-files"),
        .labels = hn_option_value(invocation, "labels"),
        .expectations = hn_option_value(invocation, "expectations"),
        .proposed = hn_option_value(invocation, "proposed-expectations"),
        .select = hn_option_value(invocation, "select"),
    };
    const char *const out = hn_option_value(invocation, "out");
    const char *const markdown = hn_option_value(invocation, "markdown");
    struct hn_catalogue *catalogue;
    struct hn_gate gate;
    struct hn_error error;
    if (!paths.head && ((!paths.drift && !paths.causes) || paths.base || paths.unadapted))
        return hn_usage_error(invocation->command, "--head is missing: the run to judge (only "
                                                   "--drift and --causes may stand alone)");
    if (paths.base_causes && !paths.causes)
        return hn_usage_error(invocation->command, "--base-causes needs --causes");
    if (out && markdown && strcmp(out, markdown) == 0)
        return hn_usage_error(invocation->command, "--out and --markdown need a file each");
    int status = hn_read_contract(hn_option_value(invocation, "suite"), &catalogue);
    if (status)
        return status;
    status = hn_gate_judge(&paths, catalogue, &gate, &error)
                 ? hn_print_error(&error)
                 : deliver(invocation, &gate.policy, &gate.result);
    hn_gate_finish(&gate);
    hn_catalogue_destroy(catalogue);
    return status;
}

const struct hn_command hn_cmd_gate = {
    .name = "gate",
    .summary = "decide whether a pull request passes",
    .usage =
        "--head RUN [--base RUN] [--unadapted RUN] [--drift FILE] | --drift FILE | --causes FILE",
    .help = "Compares the run of a pull request with the run of its base. It decides whether the "
            "pull request passes, what caused each failure, and whether backends must adapt. The "
            "result depends only on the input files: the same files give the same bytes, and the "
            "date of the head run is used as today. ci/gate/README.md has the table of rules.\n"
            "\n"
            "Exit status: 0 pass (or overridden by a label), 1 blocked, 2 undecided, 64 wrong "
            "command line, 65 an input file other than a run is missing or wrong. If a run "
            "cannot be read, the decision is undecided.\n"
            "\n"
            "  assay gate --head runs/head --base runs/base --out decision.json\n"
            "  assay gate --drift drift.json --out decision.json   before the build\n"
            "  assay gate --causes causes.json --base-causes base.json   PyTorch's own tests\n"
            "  assay gate --head head/ --base base/ --expectations ci/expectations   a matrix",
    HN_OPTIONS(options),
    .words = {0, 0, "name the runs with --head, --base and --unadapted"},
    .run = run,
};
