/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the runs of a proof one after the other: the clean device, each variant, then every pair of
 * check and switch. A complete run is not repeated, and an interrupted run is resumed. See
 * README.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "file.h"
#include "isolation.h"
#include "journal.h"
#include "proof_pairs.h"
#include "proof_refusals.h"

#define SELECT_LIMIT ((size_t)60000) /* the journal stores the command line */

struct work {
    struct hn_proof *proof;
    const struct hn_run_options *options;
    /* alive until the end, because the other runs use its description of the target */
    struct hn_session clean;
    struct hn_findings *findings;
};

/* ---- options of a run */

/* Returns a selection of the `wanted` checks; NULL if it is too long for a run's header. */
static const char *selection_of(const struct hn_proof *proof, const unsigned char *wanted)
{
    struct hn_buffer select;
    size_t taken = 0;
    const char *text = "all";
    hn_buffer_init(&select, SELECT_LIMIT);
    for (size_t i = 0; i < proof->catalogue->check_count; i++)
        if (wanted[i])
            hn_buffer_printf(&select, "%scheck:%s", taken++ ? "," : "",
                             proof->catalogue->checks[i].id);
    if (taken < proof->catalogue->check_count)
        text = select.status == HN_OK ? hn_arena_text(proof->arena, "%s", select.text) : NULL;
    hn_buffer_finish(&select);
    return text;
}

static struct hn_asked asked_of(const struct work *work, const char *folder,
                                const unsigned char *wanted)
{
    const struct hn_proof *proof = work->proof;
    struct hn_asked asked = {
        .target = proof->options->target,
        .suite = proof->options->suite,
        .select = selection_of(proof, wanted),
        .folder = hn_arena_text(proof->arena, "%s/%s", proof->options->folder, folder),
        .resume = 1, /* the folder is empty or has a part of this run */
        .catalogue = proof->catalogue,
        .options = *work->options,
    };
    return asked;
}

static void tell(const struct work *work, const char *what, size_t count)
{
    FILE *out = work->options->out;
    if (out && count)
        fprintf(out, "%s: %zu\n", what, count);
    else if (out)
        fprintf(out, "%s\n", what);
}

static int complain(const struct work *work, const char *format, const char *word)
{
    struct hn_error error;
    hn_error_set(&error, HN_EINPUT, format, word);
    return hn_findings_add_error(work->findings, &error);
}

/* ---- a run */

/* If a step of the session failed, copies its reason. Returns the status of the step. */
static int take_reason(struct work *work, const struct hn_session *session, int status)
{
    if (status == HN_OK)
        return HN_OK;
    for (size_t i = 0; i < session->findings.count; i++)
        hn_findings_add_error(work->findings, &session->findings.items[i]);
    if (!session->findings.count)
        hn_findings_add_error(work->findings, &session->error);
    return status;
}

/* Does all steps before the first check. Only the first run of a proof runs the build steps. */
static int prepare(struct hn_session *session, int builds)
{
    int status = hn_session_read_contract(session);
    if (status == HN_OK)
        status = hn_session_find_target(session);
    if (status == HN_OK && !session->input.target.mode)
        session->input.target.mode = hn_isolations[HN_FORK_LOADED].name;
    if (status == HN_OK)
        status = hn_session_plan(session);
    if (status == HN_OK)
        status = hn_session_take_folder(session);
    if (status == HN_OK && builds)
        status = hn_session_build(session);
    return status == HN_OK ? hn_session_learn(session) : status;
}

static int run(struct work *work, struct hn_session *session)
{
    struct hn_run_summary summary;
    const int status = hn_session_run(session, &summary);
    if (status == HN_OK && !summary.complete)
        work->proof->cut = hn_arena_text(work->proof->arena, "%s", summary.why);
    hn_run_summary_finish(&summary);
    return status;
}

/* Executes a whole run, unless it is already complete. */
static int make(struct work *work, const struct hn_asked *asked)
{
    struct hn_session session;
    int status = hn_session_begin(&session, asked);
    if (status == HN_OK)
        status = prepare(&session, 0);
    if (status == HN_OK)
        status = run(work, &session);
    take_reason(work, &session, status);
    hn_session_finish(&session);
    return status;
}

static int is_complete(struct work *work, const char *folder, struct hn_case *one, int *complete)
{
    struct hn_error error;
    const int status = hn_proof_read(work->proof, folder, one, complete, &error);
    return status == HN_OK ? HN_OK : hn_findings_add_error(work->findings, &error);
}

/* ---- the clean device */

/* Unsets faults in the user's environment, which would be active in every run. */
static void clear_environment(const struct hn_description *known)
{
    char variable[128];
    for (size_t i = 0; i < known->load_switch_count; i++) {
        const char *setting = known->load_switches[i].setting;
        snprintf(variable, sizeof variable, "%.*s", (int)strcspn(setting, "="), setting);
        unsetenv(variable);
    }
}

/* Makes the clean run. If a complete clean run exists, only loads the description of the target. */
static int run_clean(struct work *work)
{
    const struct hn_proof *proof = work->proof;
    struct hn_case *one = &work->proof->cases[0];
    struct hn_asked asked = asked_of(work, one->folder, one->wanted);
    asked.options.orders.said[HN_ORDER_RECORD_MEANS] = proof->options->refusals ? "yes" : NULL;
    asked.options.orders.said[HN_ORDER_WATCH] = proof->narrows ? "yes" : NULL;
    asked.options.keep = proof->narrows || proof->options->refusals;
    tell(work, "the clean device", 0);
    int status = hn_session_begin(&work->clean, &asked);
    if (status == HN_OK)
        status = prepare(&work->clean, 1);
    if (status == HN_OK)
        hn_proof_keep_to_torch(work->proof, work->clean.places.torch.version);
    if (status == HN_OK)
        clear_environment(&work->clean.description);
    status = take_reason(work, &work->clean, status);
    if (status == HN_OK)
        status = is_complete(work, asked.folder, one, &one->finished);
    if (status == HN_OK && !one->finished)
        status = take_reason(work, &work->clean, run(work, &work->clean));
    return status == HN_OK ? is_complete(work, asked.folder, one, &one->finished) : status;
}

static int has_switchboard(const struct hn_description *known)
{
    return hn_texts_contain(&known->target.offers, "assay.switches/1");
}

/* ---- variants */

static int run_variant(struct work *work, struct hn_case *one)
{
    const struct hn_description *known = &work->clean.description;
    struct hn_asked asked = asked_of(work, one->folder, one->wanted);
    /* `known` is not passed on, because a variant has its own devices and claims. */
    asked.setting = hn_description_setting(known, one->name);
    if (!asked.setting)
        return complain(work, "the target's switchboard has no variant %s", one->name);
    int status = is_complete(work, asked.folder, one, &one->finished);
    if (status != HN_OK || one->finished)
        return status;
    tell(work, one->name, 0);
    status = make(work, &asked);
    return status == HN_OK ? is_complete(work, asked.folder, one, &one->finished) : status;
}

static int run_variants(struct work *work)
{
    int status = HN_OK;
    for (size_t i = 1; status == HN_OK && !work->proof->cut && i < work->proof->count; i++)
        if (work->proof->cases[i].kind == HN_CASE_VARIANT)
            status = run_variant(work, &work->proof->cases[i]);
    return status;
}

/* ---- pairs */

#define ROW_BYTES ((size_t)48) /* size of a pair in the plan, without its two names */

/* Verifies that the pairs fit into the plan of a run, which is one line of the journal. */
static int check_fits(const struct work *work, const struct hn_proof_pairs *pairs)
{
    struct hn_error error;
    size_t size = 0;
    for (size_t i = 0; i < pairs->run.count; i++)
        size +=
            ROW_BYTES + strlen(pairs->run.tasks[i].check->id) + strlen(pairs->run.tasks[i].armed);
    if (size < HN_JOURNAL_LINE)
        return HN_OK;
    hn_error_set(&error, HN_EINPUT,
                 "%zu pairs are too many for the plan of one run; prove a part: --select, or "
                 "--sample 1/%zu with --full or --refusals",
                 pairs->run.count, 1 + size / HN_JOURNAL_LINE);
    return hn_findings_add_error(work->findings, &error);
}

static int run_pairs(struct work *work, const char *folder, const char *mode,
                     const struct hn_proof_pairs *pairs)
{
    struct hn_asked asked = asked_of(work, folder, pairs->wanted);
    int complete = 0;
    asked.known = &work->clean.description;
    asked.alone = 1;
    asked.pairs = &pairs->run;
    asked.isolation = mode;
    asked.options.keep = work->proof->options->refusals;
    asked.options.no_block = asked.options.counts_only = asked.options.hasty = 1;
    int status = is_complete(work, asked.folder, NULL, &complete);
    if (status != HN_OK || complete || pairs->run.count == 0 || work->proof->cut)
        return status;
    tell(work, folder, pairs->run.count);
    status = check_fits(work, pairs);
    if (status == HN_OK)
        status = make(work, &asked);
    return status == HN_OK ? is_complete(work, asked.folder, NULL, &complete) : status;
}

/* A switch that acts at any time is armed in a fork of a process that has loaded the target. A
 * switch that acts at load needs a process that has not loaded the target. */
static int run_all_pairs(struct work *work)
{
    struct hn_proof_pairs later, at_load;
    struct hn_error error;
    int status = hn_proof_pairs_make(work->proof, &work->clean, 0, &later, &error);
    if (status == HN_OK)
        status = hn_proof_pairs_make(work->proof, &work->clean, 1, &at_load, &error);
    if (status != HN_OK)
        return hn_findings_add_error(work->findings, &error);
    status = run_pairs(work, HN_PROOF_PAIRS, NULL, &later);
    return status == HN_OK ? run_pairs(work, HN_PROOF_PAIRS_AT_LOAD,
                                       hn_isolations[HN_FORK_CLEAN].name, &at_load)
                           : status;
}

/* ---- the proof */

/* Chooses the pairs by the results of the clean run. */
static int follow_clean(struct work *work)
{
    struct hn_proof *proof = work->proof;
    struct hn_error error = {.code = HN_OK};
    if (proof->narrows && !proof->options->pairs)
        hn_proof_narrow(proof, &error);
    if (proof->options->refusals && error.code == HN_OK)
        hn_proof_add_refusals(proof, &error);
    return error.code == HN_OK ? HN_OK : hn_findings_add_error(work->findings, &error);
}

static int run_parts(struct work *work)
{
    int status = run_clean(work);
    if (status != HN_OK || !work->clean.description.known || work->proof->cut)
        return status; /* the target cannot be loaded; the clean run says why */
    if (!has_switchboard(&work->clean.description) && !work->proof->options->refusals)
        return complain(work,
                        "the adapter of %s offers no assay.switches/1: without a switchboard of "
                        "faults nothing can be proven on it",
                        work->proof->options->target);
    status = follow_clean(work);
    if (status == HN_OK)
        status = run_variants(work);
    return status == HN_OK && !work->proof->cut ? run_all_pairs(work) : status;
}

int hn_proof_run(struct hn_proof *proof, const struct hn_run_options *options,
                 struct hn_findings *findings)
{
    struct work work = {.proof = proof, .options = options, .findings = findings};
    const int status = run_parts(&work);
    hn_session_finish(&work.clean);
    hn_proof_count_finished(proof);
    return status;
}
