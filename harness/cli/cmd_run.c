/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay run: plans, then hands over to the supervisor. Reads the contract and the profile; what it
 * runs is decided by plan/, how by run/.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "become_nursery.h"
#include "build_steps.h"
#include "calibrate.h"
#include "clock.h"
#include "commands.h"
#include "data.h"
#include "description.h"
#include "file.h"
#include "output.h"
#include "plan_make.h"
#include "run_header.h"
#include "run_input.h"
#include "run_options.h"
#include "run_paths.h"
#include "run_text.h"
#include "supervisor.h"
#include "target_preflight.h"

#define ARENA_LIMIT ((size_t)64 << 20)
#define HEADER_LIMIT (1u << 20)
#define CLAIMS 256

static const struct hn_option options[] = {
    {"target", "TARGET", "the backend: a name in ci/targets or a profile (default fakedev)"},
    {"out", "DIR", "folder of the run; must not hold a run (default runs/<target>-<date>)"},
    {"resume", "DIR", "go on with the run in DIR as it was begun"},
    {"select", "EXPR", "only these checks: guard, DEV-004, smoke, must, -streams ..."},
    {"isolation", "fork-loaded|fork-clean|exec|batch", "else the profile's, else calibrated"},
    {"jobs", "N", "processes side by side (default: processors)"},
    {"shard", "I/N", "the I-th of N parts; assay merge puts them together"},
    {"seed", "N", "for everything random in checks (default 1)"},
    {"shuffle", "N", "order of the checks by this seed"},
    {"retries", "N", "run what failed again, N times at most; a pass is then flaky"},
    {"timeout-scale", "X", "multiplies every deadline"},
    {"fail-on", "must|should", "what decides the exit status (default must)"},
    {"fail-fast", NULL, "stop at the first failure that decides the exit status"},
    {"no-block", NULL, "run also what builds on something broken"},
    {"keep", NULL, "keep the evidence of checks that passed, too"},
    {"plain", NULL, "no changing line, also on a terminal"},
    {"quiet", NULL, "nothing but errors"},
    {"nursery", "FD", "run nothing: hand out hosts at this socket, for the runs of a proof"},
    {"format", "text|json", "json: one document at the end, schema assay/run/1"},
};

/* Everything that lives as long as the run. */
struct session {
    const struct hn_invocation *invocation;
    struct hn_catalogue *catalogue;
    struct hn_profile *profile;
    struct hn_plan *plan;
    struct hn_arena *arena;
    struct hn_buffer header;
    struct hn_places places;
    char folder[HN_PATH_SIZE];
    struct hn_run_input input;
    struct hn_calibration calibration;
    struct hn_description description;
    struct hn_error error;
    char *const *command;
    size_t command_count;
};

/* ---- reading ---- */

static int read_profile(struct session *session)
{
    char path[HN_PATH_SIZE];
    struct hn_findings findings = {0};
    int status = HN_EXIT_OK;
    const char *asked = hn_option_value(session->invocation, "target");
    const char *target = asked ? asked : "fakedev";
    if (hn_run_profile_path(path, target, &session->error) != HN_OK)
        return hn_print_error(&session->error);
    if (hn_profile_read(path, &session->profile, &findings) != HN_OK)
        status = hn_print_findings(&findings);
    hn_findings_finish(&findings);
    return status;
}

static int make_plan(struct session *session)
{
    struct hn_plan_claim claims[CLAIMS];
    const struct hn_profile *profile = session->profile;
    struct hn_plan_request request = {.catalogue = session->catalogue,
                                      .select = hn_option_value(session->invocation, "select"),
                                      .claims = claims};
    for (size_t i = 0; i < profile->capability_count && i < CLAIMS; i++)
        claims[request.claim_count++] = (struct hn_plan_claim){
            profile->capabilities[i].name, profile->capabilities[i].claim, "profile"};
    for (size_t i = 0; i < session->description.claim_count && request.claim_count < CLAIMS; i++)
        claims[request.claim_count++] = session->description.claims[i];
    const int status = hn_run_shard_read(session->invocation, &request.shard, &request.shards);
    if (status)
        return status;
    if (hn_plan_make(&request, &session->plan, &session->error) != HN_OK)
        return hn_print_error(&session->error);
    return HN_EXIT_OK;
}

static int find_places(struct session *session)
{
    if (hn_interpreter_places(session->profile, &session->places, &session->error) != HN_OK)
        return hn_print_error(&session->error);
    return HN_EXIT_OK;
}

static int fill_input(struct session *session)
{
    const struct hn_run_sources sources = {session->plan, session->profile, &session->places};
    if (hn_run_input_make(&sources, session->arena, &session->input, &session->error) != HN_OK)
        return hn_print_error(&session->error);
    return HN_EXIT_OK;
}

static int make_input(struct session *session)
{
    const struct hn_run_facts facts = {
        .plan = session->plan,
        .profile = session->profile,
        .torch = &session->places.torch,
        .select = hn_option_value(session->invocation, "select"),
        .command = session->command,
        .command_count = session->command_count,
    };
    session->arena = hn_arena_create(ARENA_LIMIT);
    if (!session->arena)
        hn_error_nomem(&session->error);
    if (!session->arena || hn_run_header_write(&facts, &session->header, &session->error) != HN_OK)
        return hn_print_error(&session->error);
    const int status = fill_input(session);
    if (status)
        return status;
    session->input.options.header = session->header.text;
    session->input.options.run_ms = (int64_t)session->profile->timeouts.run * 1000;
    if (hn_option_value(session->invocation, "isolation"))
        session->input.target.mode = hn_option_value(session->invocation, "isolation");
    return HN_EXIT_OK;
}

/* ---- the folder ---- */

static int choose_folder(struct session *session, const char *resumed)
{
    char date[HN_CLOCK_DATE_SIZE];
    const char *out = resumed ? resumed : hn_option_value(session->invocation, "out");
    hn_clock_date(date, sizeof date);
    for (char *at = date; *at; at++)
        *at = *at == ':' ? '-' : *at; /* some file systems refuse a colon */
    if (!out)
        out = hn_arena_text(session->arena, "runs/%s-%s", session->profile->name, date);
    if (!out || hn_dir_make(out, &session->error) != HN_OK)
        return hn_print_error(&session->error);
    /* Absolute: jobs run wherever a check takes them. */
    char *absolute = realpath(out, NULL);
    const int fits = absolute && strlen(absolute) < sizeof session->folder / 2;
    if (fits)
        strncpy(session->folder, absolute, sizeof session->folder - 1);
    free(absolute);
    if (!fits) {
        hn_error_set(&session->error, HN_ESYSTEM, "the path of the folder %s is too long", out);
        return hn_print_error(&session->error);
    }
    session->input.options.resume = resumed != NULL;
    return HN_EXIT_OK;
}

/* The plan in the words of its day, so that the run can be read when the contract has changed. */
static int write_plan_file(struct session *session)
{
    struct hn_buffer text;
    struct hn_json_writer writer;
    char path[HN_PATH_SIZE];
    hn_buffer_init(&text, (size_t)64 << 20);
    hn_write_begin(&writer, &text, 1);
    hn_plan_write(session->plan, NULL, &writer);
    int status = hn_write_end(&writer);
    if (status == HN_OK)
        status = hn_path_join(path, sizeof path, session->folder, "plan.json", &session->error);
    if (status == HN_OK)
        status = hn_file_write(path, text.text, text.length, &session->error);
    hn_buffer_finish(&text);
    return status == HN_OK ? HN_EXIT_OK : hn_print_error(&session->error);
}

/* ---- running ---- */

/* What the adapter claims goes before what probes will find, so the plan is made once more. */
static int plan_again(struct session *session)
{
    const char *mode = session->input.target.mode;
    hn_plan_destroy(session->plan);
    session->plan = NULL;
    int status = make_plan(session);
    if (!status)
        status = fill_input(session);
    session->input.target.mode = mode;
    return status ? status : write_plan_file(session);
}

/* What its files say, before anything is loaded. The loader has the last word: a finding stops
 * nothing, but it explains why the target could not be loaded. The runs of a proof are all of one
 * target, which was looked at before. */
static int read_files(struct session *session)
{
    const char *nursery = getenv(HN_NURSERY_VARIABLE);
    struct hn_run_options *wishes = &session->input.options;
    struct hn_target_files files;
    if (nursery && *nursery)
        return HN_EXIT_OK;
    if (hn_target_preflight(&session->input.target, &session->places, session->folder,
                            session->arena, &files, &session->error) != HN_OK)
        return hn_print_error(&session->error);
    wishes->preflight = hn_target_files_members(&files, session->arena);
    wishes->doubt = hn_target_files_doubt(&files);
    if (wishes->out)
        hn_target_files_print(&files, wishes->out);
    return HN_EXIT_OK;
}

/* What can be known of the target only when it is loaded, in processes that are thrown away. */
static int learn(struct session *session)
{
    struct hn_calibration *calibration = &session->calibration;
    struct hn_run_input *input = &session->input;
    snprintf(calibration->why, sizeof calibration->why, "as the profile or the command line says");
    if (!input->target.mode) {
        hn_calibrate(input, calibration);
        input->target.mode = calibration->mode;
    }
    if (!*calibration->notes && input->target.adapter)
        hn_describe(input, calibration);
    if (!input->options.doubt && calibration->refusal[0])
        input->options.doubt = "";
    if (hn_description_read(calibration->notes, session->arena, &session->description,
                            &session->error) != HN_OK)
        return hn_print_error(&session->error);
    input->options.mode_reason = calibration->why;
    input->options.description = session->description.members;
    return session->description.claim_count ? plan_again(session) : HN_EXIT_OK;
}

static int run_plan(struct session *session)
{
    struct hn_run_summary summary;
    char failed[HN_BUILD_FAILED] = "";
    int status = HN_EXIT_OK;
    if (hn_build_steps_run(session->profile, &session->input.target, session->folder, failed,
                           &session->error) != HN_OK)
        return hn_print_error(&session->error);
    if (*failed) {
        session->input.options.stillborn = failed;
        session->input.options.mode_reason = "nothing can be run";
        session->input.target.mode = "fork-clean";
    } else {
        status = read_files(session);
        status = status ? status : learn(session);
    }
    if (status)
        return status;
    hn_run_announce(&session->input, session->places.torch.version, session->plan->contract);
    if (hn_run(&session->input, &summary, &session->error) != HN_OK) {
        hn_run_summary_finish(&summary);
        return hn_print_error(&session->error);
    }
    status = summary.exit_status;
    hn_run_print_summary(&session->input, &summary);
    if (hn_wants_json(session->invocation) &&
        hn_run_print_json(&session->input, &summary) != HN_EXIT_OK)
        status = HN_EXIT_SYSTEM;
    hn_run_summary_finish(&summary);
    return status;
}

static int run_session(struct session *session, const char *resumed)
{
    int status = hn_run_options_read(session->invocation, &session->input.options);
    session->input.options.folder = session->folder;
    if (!status)
        status = hn_data_catalogue(&session->catalogue);
    if (!status)
        status = read_profile(session);
    if (!status)
        status = make_plan(session);
    if (!status)
        status = find_places(session);
    if (!status)
        status = make_input(session);
    if (!status && hn_option_value(session->invocation, "nursery"))
        return hn_become_nursery(&session->input, hn_option_value(session->invocation, "nursery"));
    if (!status)
        status = choose_folder(session, resumed);
    if (!status)
        status = write_plan_file(session);
    return status ? status : run_plan(session);
}

static int run_new(const struct hn_invocation *invocation, char *const *command, size_t count,
                   const char *resumed)
{
    struct session session = {.invocation = invocation, .command = command, .command_count = count};
    hn_buffer_init(&session.header, HEADER_LIMIT);
    const int status = run_session(&session, resumed);
    hn_buffer_finish(&session.header);
    hn_arena_destroy(session.arena);
    hn_plan_destroy(session.plan);
    hn_profile_destroy(session.profile);
    hn_catalogue_destroy(session.catalogue);
    return status;
}

/* The words that this invocation stands for, so that --resume can say them again. */
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
        status = run_new(&begun, words, count, folder);
    free_words(words, count);
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    const char *resumed = hn_option_value(invocation, "resume");
    char *words[HN_OPTIONS_MAX + 2] = {0};
    if (invocation->word_count)
        return hn_usage_error(&hn_cmd_run, "\"%s\" is no option; checks are chosen with --select",
                              invocation->words[0]);
    if (resumed)
        return resume(resumed);
    const size_t count = recall_words(invocation, words);
    const int status = run_new(invocation, words, count, NULL);
    free_words(words, count);
    return status;
}

const struct hn_command hn_cmd_run = {
    .name = "run",
    .summary = "run checks against a backend",
    .usage = "[--target TARGET] [--select EXPR] [--out DIR]",
    .help =
        "Runs every selected check in a process of its own and writes what happened into a "
        "folder, from which assay report makes text, HTML, JUnit and more.\n\n"
        "Exit status: 0 complete and nothing failed, 1 a must failed, 2 undecided or "
        "incomplete, 64 wrong command line, 65 bad or missing input. A backend that cannot be "
        "loaded gives 2 when loading is refused, 1 when it crashes or hangs; one check then says "
        "why and blocks the others. What its files say is read before anything is loaded "
        "(preflight).\n\n"
        "  assay run                                   all checks against the fake device\n"
        "  assay run --target my.yaml --select smoke   a first look at your backend\n"
        "  assay run --resume runs/my-2026-11-21       go on after an interruption",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
