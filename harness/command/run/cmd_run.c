/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay run: calls the steps of a session one after the other and prints their results. plan/
 * decides which checks are run, and run/ runs them.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "chosen_checks.h"
#include "colour.h"
#include "commands.h"
#include "gate_input.h"
#include "listed_options.h"
#include "output.h"
#include "run_header.h"
#include "run_options.h"
#include "run_text.h"
#include "session_command.h"

#define SWITCHES "assay.switches/1" /* offered by an adapter that can turn on faults */

struct request {
    const struct hn_invocation *invocation;
    struct hn_asked asked;
    const char *expectations, *shard, *colour, *refuse;
    int json, quiet;
    long longest, late_ms;
};

#define REQUEST struct request
static const struct hn_option options[] = {
    {"target", "TARGET", HN_TARGET_HELP, HN_TEXT_INTO(REQUEST, asked.target)},
    {"out", "DIR",
     "folder of the run; must not hold a run (default runs/<target>-<date>, which runs/last "
     "then leads to)",
     HN_TEXT_INTO(REQUEST, asked.folder)},
    {"resume", "DIR", "continue the run in DIR with its original options"},
    {"select", "EXPR", "only these checks: guard, DEV-004, smoke, must, -streams; see assay list"},
    {"match", "WORD", "of the selected checks, only those whose id contains WORD"},
    {"last-failed", "RUN", "only checks that failed or were undecided in that run"},
    {"failed-first", "RUN", "run checks first that failed in that run, such as runs/last",
     HN_TEXT_INTO(REQUEST, asked.failed_first)},
    {"changed", "FILES",
     "only checks of these files of PyTorch, or of FILE:Class::member, comma-separated"},
    {"suite", "DIR", "also use your own checks in DIR, see suites/README.md",
     HN_TEXT_INTO(REQUEST, asked.suite)},
    HN_LISTED_OPTIONS,
    HN_UPSTREAM_OPTION,
    HN_LIBRARY_OPTION,
    {"isolation", HN_ISOLATION_WORDS, "default: the profile's, or else calibrated",
     HN_TEXT_INTO(REQUEST, asked.isolation)},
    {"jobs", "N", HN_JOBS_HELP, HN_NUMBER_INTO(REQUEST, asked.options.hosts, 1, 256)},
    {"shard", "I/N", "run only the I-th of N parts; assay merge combines them",
     HN_TEXT_INTO(REQUEST, shard)},
    {"seed", "N", "seed of all random numbers in checks (default 1)",
     HN_NUMBER_INTO(REQUEST, asked.options.seed, 0, INT32_MAX)},
    {"shuffle", "N", "shuffle the order of the checks with this seed",
     HN_NUMBER_INTO(REQUEST, asked.options.shuffle, 0, INT32_MAX)},
    {"retries", "N", "run failed checks again, at most N times; if one then passes, it is flaky",
     HN_NUMBER_INTO(REQUEST, asked.options.retries, 0, 100)},
    {"timeout-scale", "X", "multiply every deadline by X",
     HN_FACTOR_INTO(REQUEST, asked.options.timeout_scale)},
    {"fail-on", "must|should", "lowest level whose failures decide the exit status (default must)",
     HN_CHOICE_INTO(REQUEST, asked.options.fail_on_should)},
    {"expectations", "FILE",
     "known failures of this backend; the gate then decides the exit status, see assay "
     "gate",
     HN_TEXT_INTO(REQUEST, expectations)},
    {"maxfail", "N", "stop at the N-th failure that decides the exit status",
     HN_NUMBER_INTO(REQUEST, asked.options.most_failures, 1, INT32_MAX)},
    {"fail-fast", NULL, "the same as --maxfail 1",
     HN_FLAG_INTO(REQUEST, asked.options.most_failures)},
    {"durations", "N", "at the end list the N slowest checks",
     HN_NUMBER_INTO(REQUEST, longest, 1, INT32_MAX)},
    {"color", HN_COLOUR_WORDS, "default auto: on a terminal, unless NO_COLOR is set",
     HN_TEXT_INTO(REQUEST, colour)},
    {"no-block", NULL, "also run checks that build on a failed check",
     HN_FLAG_INTO(REQUEST, asked.options.no_block)},
    {"arm", "NAME", "turn on a switch of an instrumented target, such as a fault",
     HN_TEXT_INTO(REQUEST, asked.arm)},
    {"keep", NULL, "also keep the evidence of checks that passed",
     HN_FLAG_INTO(REQUEST, asked.options.keep)},
    {"record-means", NULL, "record which functions of the backend each check uses"},
    {"refuse", "NAME",
     "make a function of the backend unsupported, such as aten::mm or module.synchronize",
     HN_TEXT_INTO(REQUEST, refuse)},
    {"late-means", "MS",
     "delay the first use of each function of the backend by this many milliseconds",
     HN_NUMBER_INTO(REQUEST, late_ms, 0, 60000)},
    {"plain", NULL, "no progress line, even on a terminal",
     HN_FLAG_INTO(REQUEST, asked.options.plain)},
    {"quiet", NULL, "print only errors", HN_FLAG_INTO(REQUEST, quiet)},
    {"format", "text|json", "json: one document at the end, schema assay/run/1",
     HN_CHOICE_INTO(REQUEST, json)},
};

static void say_what_runs(const struct hn_session *session, const char *settings)
{
    printf("assay " ASSAY_VERSION "%s%s  target %s  torch %s  contract %d  %s x%d\n",
           *settings ? "  by " : "", settings, session->profile->name,
           session->places.torch.version, session->plan->contract, session->input.target.mode,
           session->input.options.hosts);
}

/* Prints the result of the calibration that the user waited for, and the file that stores it. */
static void say_what_was_learnt(const struct hn_session *session)
{
    if (session->asked.isolation || *session->profile->isolation)
        return;
    printf("%s: %s%s%s%s\n", session->input.target.mode, session->calibration.why,
           session->recalled ? " (in an earlier run: " : "", session->recalled ? session->kept : "",
           session->recalled ? ")" : "");
}

static void say_what_is_of_other_torch(const struct hn_session *session)
{
    const struct hn_plan *plan = session->plan;
    if (plan->other_torch_count)
        printf("not planned: %zu check%s of clauses that do not apply to torch %s (%s%s)\n",
               plan->other_torch_count, plan->other_torch_count > 1 ? "s" : "",
               session->places.torch.version, plan->other_torch[0]->id,
               plan->other_torch_count > 1 ? " ..." : "");
}

/* Prints what the adapter makes observable, and its claims about the backend before any probe. */
static void say_what_the_adapter_offers(const struct hn_session *session)
{
    const struct hn_target_record *target = &session->description.target;
    const struct {
        const char *words;
        const struct hn_texts *texts;
    } rows[] = {{"offers", &target->offers},
                {"claims", &target->claims_yes},
                {"denies", &target->claims_no}};
    int said = 0;
    if (!session->input.target.adapter || !session->description.known)
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < rows[i].texts->count; j++)
            said = printf("%s%s %s",
                          !said ? "adapter "
                          : j   ? ","
                                : "; ",
                          j ? "" : rows[i].words, rows[i].texts->items[j]);
    puts(said ? "" : "adapter: it offers nothing and claims nothing");
}

/* Prints which kind of tensor the device takes if it is unusual, and the consequence for checks. */
static void say_what_is_usable(const struct hn_session *session)
{
    const char *takes = session->description.target.takes;
    if (!session->description.known)
        return;
    if (session->description.uncounted)
        puts("device 0 is usable, although neither guard nor hooks count it: checks use it");
    if (takes && *takes)
        printf("the device accepts only tensors of %s, not float32 in all sizes: checks use these "
               "where dtype and size are means; a check that needs others does not apply\n",
               takes);
}

static void say_what_is_known(const struct hn_session *session, const char *settings)
{
    say_what_runs(session, settings);
    say_what_was_learnt(session);
    say_what_is_of_other_torch(session);
    say_what_the_adapter_offers(session);
    say_what_is_usable(session);
}

/* If no job can turn on the switch, reports this once before the run, not once per job. */
static int expect_switches(struct hn_session *session)
{
    const struct hn_asked *asked = &session->asked;
    const struct hn_description *known = &session->description;
    if (!asked->arm || !known->known || hn_texts_contain(&known->target.offers, SWITCHES))
        return HN_OK;
    return hn_error_set(&session->error, HN_EUSAGE,
                        "--arm %.100s: the target %s has no switches (no adapter that offers %s); "
                        "nothing was run",
                        asked->arm, session->profile->name, SWITCHES);
}

static int prepare(struct hn_session *session)
{
    int status = hn_session_take_folder(session);
    if (status == HN_OK)
        status = hn_session_build(session);
    if (status == HN_OK)
        status = hn_session_read_files(session);
    if (status == HN_OK && session->input.options.out)
        hn_target_files_print(&session->files, session->input.options.out);
    if (status == HN_OK)
        status = hn_session_learn(session);
    if (status == HN_OK)
        status = expect_switches(session);
    return status;
}

/* A run of the whole contract does not test each operator; assay ops does. */
static void say_what_was_not_asked(const struct hn_session *session)
{
    const struct hn_asked *asked = &session->asked;
    if (session->input.options.out && !asked->select && !asked->listing && !asked->shards)
        printf("single operators were not tested: assay ops --target %s\n",
               asked->target ? asked->target : ASSAY_TARGET);
}

/* Prints the results of a complete run, and the decision of the gate if it was called. */
static int tell(struct hn_session *session, const struct request *request,
                const struct hn_run_summary *summary, const struct hn_gate *gate)
{
    const struct ci_result *result = gate->arena ? &gate->result : NULL;
    const int status = result ? ci_exit_status(result) : summary->exit_status;
    hn_run_print_durations(&session->input, summary, (size_t)request->longest);
    hn_run_print_summary(&session->input, summary);
    say_what_was_not_asked(session);
    if (result && session->input.options.out)
        hn_gate_print(result);
    if (request->json && hn_run_print_json(&session->input, summary, result) != HN_EXIT_OK)
        return HN_EXIT_SYSTEM;
    return status;
}

/* Calls the gate for the run that has just ended, without a base run. The journal does not
 * change. */
static int judge(struct hn_session *session, const char *expectations, struct hn_gate *gate)
{
    const struct hn_gate_paths paths = {
        .head = session->folder, .expectations = expectations, .select = session->asked.select};
    return hn_gate_judge(&paths, session->catalogue, gate, &session->error);
}

static int run_plan(struct hn_session *session, const struct request *request, int *exit_status)
{
    struct hn_run_summary summary = {0};
    struct hn_gate gate = {0};
    if (session->input.options.out)
        say_what_is_known(session, request->invocation->usual.file);
    int status = hn_session_run(session, &summary);
    if (status == HN_OK && request->expectations)
        status = judge(session, request->expectations, &gate);
    if (status == HN_OK)
        *exit_status = tell(session, request, &summary, &gate);
    hn_gate_finish(&gate);
    hn_run_summary_finish(&summary);
    return status;
}

static int take_steps(struct hn_session *session, void *context, int *exit_status)
{
    const struct request *request = context;
    int status = request->expectations
                     ? hn_gate_check_expectations(request->expectations, &session->findings)
                     : HN_OK;
    if (status == HN_OK)
        status = hn_session_find_target(session);
    if (status == HN_OK)
        status = hn_session_read_contract(session);
    if (status == HN_OK)
        status = hn_session_plan(session);
    if (status == HN_OK)
        status = prepare(session);
    if (status == HN_OK)
        status = run_plan(session, request, exit_status);
    return status;
}

/* Accepts the name of an operator, and any other name with a dot. */
static int expect_means(const struct hn_command *command, const char *name)
{
    if (!name || strchr(name, '.') || strstr(name, "::"))
        return HN_EXIT_OK;
    return hn_usage_error(command,
                          "--refuse takes a means, such as aten::mm, guard.setDevice or "
                          "module.synchronize, not \"%.60s\"",
                          name);
}

/* Reads the options that are orders to the jobs. */
static void read_orders(const struct hn_invocation *invocation, struct hn_run_options *to)
{
    for (int i = 0; i < HN_ORDERS; i++) {
        const struct hn_order_row *row = &hn_order_table[i];
        const char *said = row->is_option ? hn_option_value(invocation, row->name) : NULL;
        if (!said || strcmp(said, "0") == 0)
            continue;
        to->orders.said[i] = *said ? said : "yes";
        to->keep |= row->keeps;
    }
}

static int run_session(const struct hn_invocation *invocation, char *const *command, size_t count,
                       const char *resumed)
{
    struct hn_listing listing;
    struct request request = {.invocation = invocation,
                              .asked = {.listing = hn_listed_by_options(invocation, &listing),
                                        .select = hn_listed_selection(invocation),
                                        .runs = hn_runs_folder(invocation),
                                        .resume = resumed != NULL,
                                        .command = command,
                                        .command_count = count,
                                        .options = hn_run_options_default()}};
    struct hn_run_options *to = &request.asked.options;
    int status = hn_options_read(invocation, &request);
    if (!status)
        status = expect_means(invocation->command, request.refuse);
    if (!status)
        status = hn_shard_read(invocation->command, request.shard, &request.asked);
    if (status)
        return status;
    if (resumed)
        request.asked.folder = resumed;
    to->out = request.quiet || request.json ? NULL : stdout;
    to->colour = hn_colour_wanted(request.colour, to->out);
    read_orders(invocation, to);
    return hn_session_command(&request.asked, take_steps, &request);
}

/* Makes the command line of this invocation, so that --resume can parse it again. */
static size_t recall_words(const struct hn_invocation *invocation, char **words)
{
    size_t count = 0;
    words[count++] = strdup("run");
    for (size_t i = 0; i < invocation->command->option_count; i++) {
        const struct hn_option *option = &invocation->command->options[i];
        const char *value = invocation->values[i];
        if (!value)
            continue;
        const size_t size = strlen(option->name) + strlen(value) + 4; /* a selection can be long */
        char *text = malloc(size);
        if (text)
            snprintf(text, size, option->value ? "--%s=%s" : "--%s", option->name, value);
        words[count++] = text;
    }
    return count;
}

static void free_words(char **words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(words[i]);
}

static int resume(const char *folder)
{
    char *words[HN_COMMAND_WORDS + 1] = {0};
    struct hn_invocation begun;
    struct hn_error error;
    size_t count = 0;
    int status = HN_EXIT_OK;
    if (hn_run_header_command(folder, words, &count, &error) != HN_OK)
        status = hn_print_error(&error);
    else if (hn_command_parse(&hn_cmd_run, (int)count, words, &begun, &status))
        status = run_session(&begun, words, count, folder);
    free_words(words, count);
    return status;
}

static int run_words(const struct hn_invocation *invocation)
{
    char *words[HN_OPTIONS_MAX + 2] = {0};
    const size_t count = recall_words(invocation, words);
    const int status = run_session(invocation, words, count, NULL);
    free_words(words, count);
    return status;
}

static int run_chosen(const struct hn_invocation *invocation)
{
    static const char *const replaced[] = {"changed", "last-failed", "match"};
    struct hn_invocation selected = *invocation;
    struct hn_buffer expression;
    hn_buffer_init(&expression, 1 << 20);
    int unknown;
    int status = hn_chosen_checks(invocation, &expression, &unknown);
    if (!status && expression.length) {
        for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
            hn_option_set(&selected, replaced[i], NULL);
        hn_option_set(&selected, "select", expression.text);
        status = run_words(&selected);
    }
    hn_buffer_finish(&expression);
    return status || !unknown ? status : HN_EXIT_UNDECIDED;
}

/* Resolves the path now, because runs/last becomes a link to the new run when it starts. */
static int fix_run_before(struct hn_invocation *invocation, char *path)
{
    const char *const before = hn_option_value(invocation, "failed-first");
    if (before && !realpath(before, path))
        return hn_usage_error(invocation->command, "--failed-first: there is no run in %.200s",
                              before);
    if (before)
        hn_option_set(invocation, "failed-first", path);
    return 0;
}

static int run(const struct hn_invocation *given)
{
    struct hn_invocation fixed = *given, *const invocation = &fixed;
    char before[PATH_MAX];
    const char *resumed = hn_option_value(invocation, "resume");
    if (resumed)
        return resume(resumed);
    const int status = fix_run_before(invocation, before);
    if (status)
        return status;
    return hn_chooses_checks(invocation) ? run_chosen(invocation) : run_words(invocation);
}

const struct hn_command hn_cmd_run = {
    .name = "run",
    .summary = "run checks against a backend",
    .usage = "[--target TARGET] [--select EXPR] [--out DIR]",
    .help = "Runs every selected check in its own process and writes the results into a folder. "
            "assay report turns the folder into text, HTML, JUnit and other formats.\n"
            "\n"
            "Exit status: 0 complete and nothing failed, 1 a must failed, 2 undecided or "
            "incomplete, 64 wrong command line, 65 bad or missing input. If the backend cannot "
            "be loaded, the status is 2 for an exception and 1 for a crash or a hang; one check "
            "reports the reason and blocks the others. The files of the backend are inspected "
            "before anything is loaded (preflight). With --expectations the status is that of "
            "the gate: 0 if only failures that the file lists occur, 1 blocked, 2 undecided. "
            "--changed takes paths as in PyTorch's tree. If it reports a file as unknown, no "
            "check is known to cover the file, and a run without failures then ends with 2.\n"
            "\n"
            "  assay run                                   all checks against the fake device\n"
            "  assay run --target my.yaml --select smoke   a first look at your backend\n"
            "  assay run --last-failed runs/my-2026-11-21  run again what failed in that run\n"
            "  assay run --resume runs/my-2026-11-21       continue after an interruption",
    HN_OPTIONS(options),
    .takes_settings = 1,
    .words = {0, 0, "choose checks with --select"},
    .run = run,
};
