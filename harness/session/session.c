/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See session.h. plan/ decides which checks run, and run/ decides how.
 */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_steps.h"
#include "calibration_cache.h"
#include "data.h"
#include "file.h"
#include "isolation.h"
#include "journal.h"
#include "last_run.h"
#include "run_folder.h"
#include "run_header.h"
#include "run_paths.h"
#include "select.h"

#define ARENA_LIMIT ((size_t)64 << 20)
#define PLAN_LIMIT ((size_t)64 << 20)
#define CLAIMS 256

int hn_session_begin(struct hn_session *session, const struct hn_asked *asked)
{
    *session = (struct hn_session){.asked = *asked, .arena = hn_arena_create(ARENA_LIMIT)};
    return session->arena ? HN_OK : hn_error_nomem(&session->error);
}

void hn_session_finish(struct hn_session *session)
{
    hn_arena_destroy(session->arena);
    hn_plan_destroy(session->plan);
    hn_profile_destroy(session->profile);
    if (!session->asked.catalogue)
        hn_catalogue_destroy(session->catalogue);
    hn_findings_finish(&session->findings);
}

/* ---- reading ---- */

static int read_profile(struct hn_session *session)
{
    char path[HN_PATH_SIZE];
    const char *target = session->asked.target ? session->asked.target : ASSAY_TARGET;
    const int status = hn_run_profile_path(path, target, &session->error);
    if (status != HN_OK)
        return status;
    return hn_profile_read(path, &session->profile, &session->findings);
}

/* Claims of the profile come first, because they override the adapter's claims. The adapter's
 * claims are known only after the first plan. */
static size_t collect_claims(const struct hn_session *session, struct hn_plan_claim *claims)
{
    const struct hn_profile *profile = session->profile;
    const struct hn_description *description = &session->description;
    size_t count = 0;
    for (size_t i = 0; i < profile->capability_count && count < CLAIMS; i++)
        claims[count++] = (struct hn_plan_claim){profile->capabilities[i].name,
                                                 profile->capabilities[i].claim, "profile"};
    for (size_t i = 0; i < description->claim_count && count < CLAIMS; i++)
        claims[count++] = description->claims[i];
    return count;
}

/* ---- the input of the supervisor ---- */

static void take_pairs(const struct hn_pairs *pairs, struct hn_run_input *input)
{
    input->tasks = pairs->tasks;
    input->task_count = pairs->count;
    input->capabilities = pairs->capabilities;
    input->capability_count = pairs->capability_count;
}

static int fill_target(struct hn_session *session)
{
    const struct hn_run_sources sources = {session->profile, &session->places,
                                           session->asked.setting};
    return hn_run_input_target(&sources, session->arena, &session->input, &session->error);
}

static int fill_tasks(struct hn_session *session)
{
    const int status = hn_run_input_plan(session->plan, session->places.data, session->arena,
                                         &session->input, &session->error);
    if (status == HN_OK && session->asked.pairs)
        take_pairs(session->asked.pairs, &session->input);
    return status;
}

static int fill_header(struct hn_session *session)
{
    const struct hn_run_facts facts = {
        .plan = session->plan,
        .profile = session->profile,
        .torch = &session->places.torch,
        .select = session->asked.select,
        .command = session->asked.command,
        .command_count = session->asked.command_count,
    };
    return hn_run_header_make(&facts, session->arena, &session->input.options.header,
                              &session->error);
}

/* Passes the arguments of list_checks.py to the jobs that run listed checks, one per line. */
static int order_listed(struct hn_session *session)
{
    const struct hn_texts *listed = &session->asked.listing->arguments;
    const char *text = "";
    for (size_t i = 0; text && i < listed->count; i++)
        text = hn_arena_text(session->arena, "%s%s%s", text, i ? "\n" : "", listed->items[i]);
    session->input.options.orders.said[HN_ORDER_LISTED] = text;
    return text ? HN_OK : hn_error_nomem(&session->error);
}

/* Reports an error in the selection before anything is compiled or loaded. Listed checks are not
 * known yet. A command that selects one check by its id reports similar ids itself. */
static int expect_selection(struct hn_session *session)
{
    const char *select = session->asked.select;
    if (!select || session->asked.listing || strncmp(select, "check:", 6) == 0)
        return HN_OK;
    const int status = hn_session_read_contract(session);
    if (status != HN_OK)
        return status;
    unsigned char *selected = hn_arena_alloc(session->arena, session->catalogue->check_count + 1);
    if (!selected)
        return hn_error_nomem(&session->error);
    return hn_select(session->catalogue, select, selected, &session->error);
}

int hn_session_find_target(struct hn_session *session)
{
    struct hn_run_options *options = &session->input.options;
    int status = read_profile(session);
    if (status == HN_OK)
        status = expect_selection(session);
    if (status != HN_OK)
        return status;
    status = hn_interpreter_places(session->profile, &session->places, &session->error);
    if (status == HN_OK)
        status = fill_target(session);
    *options = session->asked.options;
    options->folder = session->folder;
    if (status == HN_OK && session->asked.listing)
        status = order_listed(session);
    if (session->profile->jobs && options->hosts > session->profile->jobs)
        options->hosts = session->profile->jobs;
    options->run_ms = (int64_t)session->profile->timeouts.run * 1000;
    if (session->asked.isolation)
        session->input.target.mode = session->asked.isolation;
    else if (*session->profile->isolation)
        session->input.target.mode = session->profile->isolation;
    return status;
}

int hn_session_plan(struct hn_session *session)
{
    struct hn_plan_claim claims[CLAIMS];
    const struct hn_plan_request request = {.catalogue = session->catalogue,
                                            .select = session->asked.select,
                                            .claims = claims,
                                            .claim_count = collect_claims(session, claims),
                                            .torch = session->places.torch.version,
                                            .alone = session->asked.alone,
                                            .failed_first = session->asked.failed_first,
                                            .arm = session->asked.arm,
                                            .shard = session->asked.shard,
                                            .shards = session->asked.shards};
    int status = hn_plan_make(&request, &session->plan, &session->error);
    if (status == HN_OK)
        status = fill_tasks(session);
    if (status == HN_OK)
        status = fill_header(session);
    return status;
}

/* ---- the folder ---- */

int hn_session_make_folder(struct hn_session *session)
{
    const struct hn_asked *asked = &session->asked;
    const char *runs = asked->runs ? asked->runs : "runs", *name = session->profile->name;
    if (asked->kind)
        name = hn_arena_text(session->arena, "%s-%s", asked->kind, name);
    if (!name)
        return hn_error_nomem(&session->error);
    const int status = asked->folder
                           ? hn_run_folder_take(asked->folder, session->folder, &session->error)
                           : hn_run_folder_today(runs, name, session->folder, &session->error);
    if (status == HN_OK && !asked->folder)
        hn_run_point_at_last(session->folder);
    if (status == HN_OK)
        hn_last_run_remember(session->folder);
    return status;
}

/* Stores the plan with the texts of the contract, so that the run can be read after the contract
 * has changed. For a run of pairs, only the journal has the list of pairs. */
static int write_plan_file(struct hn_session *session)
{
    if (session->asked.pairs)
        return HN_OK;
    struct hn_buffer text;
    struct hn_json_writer writer;
    char path[HN_PATH_SIZE];
    hn_buffer_init(&text, PLAN_LIMIT);
    hn_write_begin(&writer, &text, 1);
    const struct hn_texts arguments = {(const char *const *)session->asked.command,
                                       session->asked.command_count};
    hn_plan_write(session->plan, &arguments, &writer);
    int status = hn_write_end(&writer);
    if (status == HN_OK)
        status = hn_path_join(path, sizeof path, session->folder, HN_PLAN_FILE, &session->error);
    if (status == HN_OK)
        status = hn_file_write_inside(path, text.text, text.length, &session->error);
    hn_buffer_finish(&text);
    return status;
}

static int has_file(const struct hn_session *session, const char *name)
{
    char path[HN_PATH_SIZE];
    return hn_path_join(path, sizeof path, session->folder, name, NULL) == HN_OK &&
           hn_path_exists(path);
}

/* A run that was killed before its journal was started begins again: it has no results. */
static int open_folder(struct hn_session *session)
{
    if (*session->folder)
        return HN_OK;
    const int status = hn_session_make_folder(session);
    const int begun = status == HN_OK && has_file(session, HN_JOURNAL_FILE);
    session->begun = session->asked.resume && begun;
    if (status == HN_OK && !session->asked.resume && (begun || has_file(session, HN_PLAN_FILE)))
        return hn_error_set(&session->error, HN_EINPUT,
                            "there is a run in %s already: continue it with --resume, or choose "
                            "another folder",
                            session->folder);
    return status;
}

int hn_session_take_folder(struct hn_session *session)
{
    int status = open_folder(session);
    session->input.options.resume = session->begun;
    if (status == HN_OK && session->begun && !session->asked.pairs)
        status = hn_run_header_has_contract(session->folder, session->catalogue->digest,
                                            &session->error);
    if (status == HN_OK)
        status = write_plan_file(session);
    return status;
}

/* ---- the contract ---- */

/* A resumed run uses the list that it was started with. */
static int list_checks(struct hn_session *session, char *path)
{
    int status = open_folder(session);
    if (status == HN_OK)
        status = hn_path_join(path, HN_PATH_SIZE, session->folder, HN_LISTED_FILE, &session->error);
    if (status != HN_OK || (session->begun && hn_path_exists(path)))
        return status;
    return hn_listing_make(session->asked.listing, &session->input.target, &session->places,
                           session->input.options.out, path, &session->error);
}

int hn_session_read_contract(struct hn_session *session)
{
    char listed[HN_PATH_SIZE];
    if (!session->catalogue)
        session->catalogue = session->asked.catalogue;
    if (session->catalogue)
        return HN_OK;
    const int status = session->asked.listing ? list_checks(session, listed) : HN_OK;
    if (status != HN_OK)
        return status;
    return hn_data_catalogue(session->asked.suite, session->asked.listing ? listed : NULL,
                             &session->catalogue, &session->findings);
}

/* ---- the target ---- */

int hn_session_build(struct hn_session *session)
{
    int status =
        hn_build_steps_run(session->profile, &session->input.target, session->folder,
                           session->input.options.out, session->build_failed, &session->error);
    if (status == HN_OK && *session->build_failed) {
        session->input.options.cannot_run = session->build_failed;
        session->input.options.mode_reason = "nothing can be run";
        session->input.target.mode = hn_isolations[HN_FORK_CLEAN].name;
    } else if (status == HN_OK && session->profile->build_count) {
        status = fill_target(session); /* the build steps have made files that the profile names */
    }
    return status;
}

/* An error of the preflight does not stop the run, because only the loader can decide. If loading
 * fails later, the error explains the failure. */
int hn_session_read_files(struct hn_session *session)
{
    struct hn_run_options *options = &session->input.options;
    if (options->cannot_run)
        return HN_OK;
    const int status =
        hn_target_preflight(&session->input.target, &session->places, session->folder,
                            session->arena, &session->files, &session->error);
    if (status == HN_OK) {
        session->preflight =
            (struct hn_preflight_record){session->files.told, session->files.count};
        options->preflight = &session->preflight;
        options->doubt = hn_target_files_doubt(&session->files);
    }
    return status;
}

/* Makes the plan again, because claims of the adapter override results of probes. */
static int plan_again(struct hn_session *session)
{
    hn_plan_destroy(session->plan);
    session->plan = NULL;
    const int status = hn_session_plan(session);
    return status == HN_OK ? write_plan_file(session) : status;
}

/* Gives every host of the run the usable devices, and the kind of tensor that they accept. */
static void use_devices(struct hn_session *session)
{
    const struct hn_target_record *found = &session->description.target;
    struct hn_run_target *target = &session->input.target;
    if (found->takes && *found->takes)
        session->input.options.orders.said[HN_ORDER_TAKES] = found->takes;
    if (target->device_count || !found->device_count)
        return;
    target->devices = found->devices;
    target->device_count = found->device_count;
}

/* Stores the calibration, or reports why it will be repeated. */
static void keep_calibration(struct hn_session *session, double load)
{
    struct hn_calibration *calibration = &session->calibration;
    const size_t used = strlen(calibration->why);
    if (hn_calibration_lasts(calibration, load, sysconf(_SC_NPROCESSORS_ONLN)))
        hn_calibration_keep(session->kept, calibration);
    else if (calibration->too_slow)
        snprintf(calibration->why + used, sizeof calibration->why - used,
                 "; the machine was busy, so the next run measures again");
}

/* Finds out the isolation mode, if none is given. Also finds out the description of the target: the
 * devices, if the profile names none, and the claims of the adapter. These steps start processes
 * that load the target, so the results are cached for later runs. */
static void find_out(struct hn_session *session)
{
    struct hn_calibration *calibration = &session->calibration;
    struct hn_run_input *input = &session->input;
    const char *given = input->target.mode;
    *calibration = (struct hn_calibration){.mode = given};
    snprintf(calibration->why, sizeof calibration->why, "as the profile or the command line says");
    if (given && !input->target.adapter && input->target.device_count)
        return;
    hn_calibration_place(input, &session->places, session->files.stamp ? session->files.stamp : "",
                         given, session->kept);
    session->recalled = hn_calibration_recall(session->kept, calibration);
    if (session->recalled)
        return;
    double before = 0, after = 0;
    getloadavg(&before, 1);
    if (given)
        hn_describe(input, given, calibration);
    else
        hn_calibrate(input, calibration);
    getloadavg(&after, 1); /* programs that started during the calibration have slowed it too */
    keep_calibration(session, before > after ? before : after);
}

static int take_description(struct hn_session *session, const struct hn_description *described)
{
    session->description = *described;
    session->input.options.mode_reason = session->calibration.why;
    if (described->known)
        session->input.options.description = &session->description.target;
    session->input.target.may_ask = described->may_ask;
    const int status = described->claim_count ? plan_again(session) : HN_OK;
    use_devices(session);
    return status;
}

int hn_session_learn(struct hn_session *session)
{
    struct hn_calibration *calibration = &session->calibration;
    struct hn_run_input *input = &session->input;
    if (input->options.cannot_run)
        return HN_OK;
    if (session->asked.known) {
        snprintf(calibration->why, sizeof calibration->why, "as for the whole proof");
        return take_description(session, session->asked.known);
    }
    find_out(session);
    if (calibration->stopped)
        return hn_error_set(&session->error, HN_STOPPED_BY(calibration->stopped),
                            "stopped while finding out how checks can be "
                            "isolated; nothing was run");
    input->target.mode = calibration->mode;
    if (!input->options.doubt && calibration->refusal[0])
        input->options.doubt = "";
    struct hn_description described;
    const int status =
        hn_description_read(&calibration->notes, session->arena, &described, &session->error);
    return status == HN_OK ? take_description(session, &described) : status;
}

/* If a device serves one process at a time, starts at most one host for each device. */
static void share_devices(struct hn_session *session)
{
    struct hn_run_input *input = &session->input;
    const int devices = input->target.device_count ? (int)input->target.device_count : 1;
    input->target.exclusive = session->profile->job_per_device;
    if (input->target.exclusive && input->options.hosts > devices)
        input->options.hosts = devices;
}

int hn_session_run(struct hn_session *session, struct hn_run_summary *summary)
{
    share_devices(session);
    const int status = hn_run(&session->input, summary, &session->error);
    if (status == HN_OK && (summary->fell_back[0] || summary->refusal[0]))
        hn_calibration_forget(session->kept);
    return status;
}
