/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay prove: verifies that every check can fail and that no check demands too much. Plans and
 * runs the proof, and prints the result. The work is in prove/.
 */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "data.h"
#include "file.h"
#include "output.h"
#include "proof.h"
#include "prove_refusals.h"
#include "prove_text.h"
#include "read_contract.h"
#include "run_folder.h"
#include "run_options.h"
#include "verdict.h"

#define ARENA_LIMIT ((size_t)512 << 20)
#define MARK "prove.json"

struct session {
    const struct hn_command *command;
    struct hn_proof_options options;
    struct hn_run_options run;
    const char *resumed, *out, *sample;
    int json, quiet;
    struct hn_proof proof;
    struct hn_catalogue *catalogue;
    char folder[HN_PATH_SIZE], variants[HN_PATH_SIZE];
    struct hn_error error;
};

static const struct hn_option options[] = {
    {"full", NULL, "run every fault with every check that reaches it, to see what else it breaks",
     HN_FLAG_INTO(struct session, options.full)},
    {"fault", "NAME", "only this fault", HN_TEXT_INTO(struct session, options.fault)},
    {"variant", "NAME", "only this variant", HN_TEXT_INTO(struct session, options.variant)},
    {"only-faults", NULL, "run no variants", HN_FLAG_INTO(struct session, options.only_faults)},
    {"refusals", NULL, "make the functions that checks use unsupported, one at a time",
     HN_FLAG_INTO(struct session, options.refusals)},
    {"sample", "1/N", "with --refusals or --full: run the claimed pairs and one in N of the others",
     HN_TEXT_INTO(struct session, sample)},
    {"seed", "N", "seed of the sample (default 1)",
     HN_NUMBER_INTO(struct session, options.seed, 0, INT32_MAX)},
    {"pairs", "FILE", "run only the pairs in FILE, as \"switch TAB check\"",
     HN_TEXT_INTO(struct session, options.pairs)},
    {"select", "EXPR", "run only these checks and the faults that they claim",
     HN_TEXT_INTO(struct session, options.select)},
    {"suite", "DIR", "also use your own checks in DIR, see suites/README.md",
     HN_TEXT_INTO(struct session, options.suite)},
    {"target", "TARGET", "profile of a device with faults (default " ASSAY_FAULTY_TARGET ")",
     HN_TEXT_INTO(struct session, options.target)},
    {"out", "DIR", "folder of the proof; must be new (default runs/prove-<date>)",
     HN_TEXT_INTO(struct session, out)},
    {"resume", "DIR", "continue the proof in DIR; repeat the other options",
     HN_TEXT_INTO(struct session, resumed)},
    {"jobs", "N", HN_JOBS_HELP, HN_NUMBER_INTO(struct session, run.hosts, 1, 256)},
    {"timeout-scale", "X", "multiply every deadline by X",
     HN_FACTOR_INTO(struct session, run.timeout_scale)},
    {"quiet", NULL, "do not report progress on standard error",
     HN_FLAG_INTO(struct session, quiet)},
    {"format", "text|json", "json: one document, schema assay/prove/1",
     HN_CHOICE_INTO(struct session, json)},
};

/* A proof belongs to one contract, so its folder must not contain verdicts for another contract. */
static int mark_folder(struct session *session, int resumed)
{
    char path[HN_PATH_SIZE], mark[128], *found = NULL;
    snprintf(mark, sizeof mark, "{\"schema\": \"assay/proof/1\", \"contract\": \"%s\"}\n",
             session->catalogue->digest);
    int status = hn_path_join(path, sizeof path, session->folder, MARK, &session->error);
    if (status != HN_OK)
        return status;
    if (!resumed && hn_path_exists(path))
        return hn_error_set(&session->error, HN_EINPUT,
                            "there is a proof in %s already: continue it with --resume",
                            session->folder);
    if (!resumed)
        return hn_file_write(path, mark, strlen(mark), &session->error);
    status = hn_file_read(path, sizeof mark, &found, NULL, &session->error);
    if (status == HN_OK && strcmp(found, mark) != 0)
        status = hn_error_set(&session->error, HN_EINPUT,
                              "the contract has changed since the proof in %s was begun",
                              session->folder);
    free(found);
    return status;
}

static int choose_folder(struct session *session)
{
    const char *out = session->resumed ? session->resumed : session->out;
    const int status = out ? hn_run_folder_take(out, session->folder, &session->error)
                           : hn_run_folder_today("runs", "prove", session->folder, &session->error);
    return status == HN_OK ? mark_folder(session, session->resumed != NULL) : status;
}

static void write_checks(struct hn_json_writer *writer, const char *key,
                         const struct session *session, const struct hn_case *one,
                         hn_prove_filter filter)
{
    hn_write_array(writer, key);
    for (size_t i = 0; i < session->catalogue->check_count; i++)
        if (filter(&session->proof, one, i))
            hn_write_text(writer, NULL, session->catalogue->checks[i].id);
    hn_write_array_end(writer);
}

static void write_violates(struct hn_json_writer *writer, const char *ids)
{
    hn_write_array(writer, "violates");
    while (*(ids += strspn(ids, ", "))) {
        const size_t length = strcspn(ids, ", ");
        hn_write_bytes(writer, NULL, ids, length);
        ids += length;
    }
    hn_write_array_end(writer);
}

static void write_awaited(struct hn_json_writer *writer, const struct hn_proof *proof,
                          const struct hn_case *one)
{
    const struct hn_catalogue *catalogue = proof->catalogue;
    unsigned char modules[HN_PROVE_MODULES] = {0};
    const int awaits = hn_proof_is_awaiting(proof, one, modules);
    hn_write_array(writer, "awaits");
    for (size_t i = 0; awaits && i < catalogue->module_count; i++)
        if (modules[i])
            hn_write_text(writer, NULL, catalogue->modules[i].name);
    hn_write_array_end(writer);
}

static void write_fault(struct hn_json_writer *writer, const struct session *session,
                        const struct hn_case *one)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "name", one->name);
    write_violates(writer, one->fault->violates);
    write_checks(writer, "killed_by", session, one, hn_proof_kills);
    hn_write_boolean(writer, "survived", hn_proof_survived(&session->proof, one));
    write_awaited(writer, &session->proof, one);
    write_checks(writer, "claimed_by", session, one, hn_proof_claims);
    write_checks(writer, "collateral", session, one, hn_prove_is_collateral);
    write_checks(writer, "undecided", session, one, hn_proof_is_undecided);
    hn_write_object_end(writer);
}

static void write_device(struct hn_json_writer *writer, const char *key,
                         const struct session *session, const struct hn_case *one)
{
    hn_write_object(writer, key);
    hn_write_text(writer, "name", one->name);
    write_checks(writer, "failed", session, one, hn_proof_failed);
    write_checks(writer, "undecided", session, one, hn_proof_is_undecided);
    hn_write_object_end(writer);
}

static int print_json(const struct session *session, const struct hn_prove_summary *summary)
{
    struct hn_buffer buffer;
    struct hn_json_writer writer;
    const struct hn_proof *proof = &session->proof;
    hn_output_begin(&writer, &buffer, "assay/prove/1");
    hn_write_text(&writer, "proof", session->folder);
    write_device(&writer, "clean", session, &proof->cases[0]);
    hn_write_array(&writer, "faults");
    for (size_t i = 0; i < proof->count; i++)
        if (proof->cases[i].kind == HN_CASE_FAULT)
            write_fault(&writer, session, &proof->cases[i]);
    hn_write_array_end(&writer);
    hn_write_array(&writer, "variants");
    for (size_t i = 0; i < proof->count; i++)
        if (proof->cases[i].kind == HN_CASE_VARIANT)
            write_device(&writer, NULL, session, &proof->cases[i]);
    hn_write_array_end(&writer);
    if (proof->options->refusals)
        hn_prove_write_refusals(proof, &writer);
    write_checks(&writer, "checks_without_fault", session, NULL, hn_proof_is_without_fault);
    hn_write_object(&writer, "summary");
    hn_write_integer(&writer, "faults", (int64_t)summary->faults);
    hn_write_integer(&writer, "killed", (int64_t)summary->killed);
    hn_write_integer(&writer, "unclaimed", (int64_t)summary->unclaimed);
    hn_write_integer(&writer, "awaiting", (int64_t)summary->awaiting);
    hn_write_integer(&writer, "variants", (int64_t)summary->variants);
    hn_write_integer(&writer, "over_specified", (int64_t)summary->over_specified);
    hn_write_integer(&writer, "pairs", (int64_t)summary->pairs);
    hn_write_integer(&writer, "pairs_run", (int64_t)summary->pairs_run);
    hn_write_integer(&writer, "undecided", (int64_t)summary->undecided);
    hn_write_object_end(&writer);
    return hn_output_end(&writer);
}

/* Prints one line for each pair of the list, in order. */
static int print_pairs(const struct hn_proof *proof)
{
    int status = HN_OK;
    for (size_t i = 0; status == HN_OK && i < proof->listed_count; i++) {
        const struct hn_listed *row = &proof->listed[i];
        const struct hn_case *one = &proof->cases[row->one];
        struct hn_buffer buffer;
        struct hn_json_writer writer;
        hn_buffer_init(&buffer, HN_OUTPUT_LIMIT);
        hn_write_begin(&writer, &buffer, 0);
        hn_write_object(&writer, NULL);
        hn_write_text(&writer, "schema", "assay/pair/1");
        hn_write_text(&writer, "switch", one->name);
        hn_write_text(&writer, "check", proof->catalogue->checks[row->check].id);
        hn_write_text(&writer, "verdict", hn_verdict_table[one->verdicts[row->check]].name);
        status = hn_output_end(&writer);
    }
    return status;
}

/* Prints the proof, even if it is incomplete, in the requested form. */
static int show(struct session *session)
{
    struct hn_prove_summary summary;
    const struct hn_proof *proof = &session->proof;
    int status = HN_EXIT_OK;
    if (session->options.pairs)
        return print_pairs(proof);
    hn_prove_count(proof, &summary);
    if (session->json)
        status = print_json(session, &summary);
    else if (session->options.refusals)
        hn_prove_print_refusals(proof, stdout);
    else
        hn_prove_print(proof, &summary, stdout);
    if (!status && session->options.refusals)
        return hn_prove_refusals_status(proof);
    return status ? status : summary.exit_status;
}

static int make(struct session *session)
{
    struct hn_findings findings = {0};
    int status = HN_EXIT_OK;
    session->run.out = session->quiet ? NULL : stderr;
    if (hn_proof_run(&session->proof, &session->run, &findings) != HN_OK)
        status = hn_print_findings(&findings);
    hn_findings_finish(&findings);
    if (status || !session->proof.cut)
        return status;
    fprintf(stderr, "assay: the proof is not complete: %s; --resume %s continues it\n",
            session->proof.cut, session->folder);
    return HN_EXIT_UNDECIDED;
}

static int prove(struct session *session)
{
    if (hn_data_list(session->variants, session->catalogue->folder, "variants.tsv",
                     &session->error) != HN_OK ||
        hn_proof_plan(&session->proof, session->variants, &session->error) != HN_OK ||
        choose_folder(session) != HN_OK)
        return hn_print_error(&session->error);
    const int status = make(session);
    return status ? status : show(session);
}

static int read_sample(struct session *session)
{
    const char *text = session->sample;
    char *end = NULL;
    if (text && strncmp(text, "1/", 2) == 0)
        session->options.sample = strtoul(text + 2, &end, 10);
    if (text && (!end || *end || session->options.sample < 1 || session->options.sample > 100000))
        return hn_usage_error(session->command, "--sample takes 1/N with N of at least 1, not %s",
                              text);
    if (text && !session->options.refusals && !session->options.full)
        return hn_usage_error(session->command, "--sample is a part of --refusals or of --full");
    return HN_EXIT_OK;
}

static int run(const struct hn_invocation *invocation)
{
    struct session session = {.command = invocation->command,
                              .run = hn_run_options_default(),
                              .options = {.target = ASSAY_FAULTY_TARGET, .seed = 1}};
    session.options.folder = session.folder;
    int status = hn_options_read(invocation, &session);
    if (!status)
        status = read_sample(&session);
    if (!status)
        status = hn_read_contract(session.options.suite, &session.catalogue);
    session.proof = (struct hn_proof){.catalogue = session.catalogue,
                                      .options = &session.options,
                                      .arena = hn_arena_create(ARENA_LIMIT)};
    if (!status && session.proof.arena)
        status = prove(&session);
    hn_arena_destroy(session.proof.arena);
    hn_catalogue_destroy(session.catalogue);
    return status;
}

const struct hn_command hn_cmd_prove = {
    .name = "prove",
    .summary = "prove that every check can fail and that none is too strict",
    .usage = "[--full] [--fault NAME] [--variant NAME] [--select EXPR] [OPTIONS]",
    .help = "Runs the checks against an instrumented device with one known fault at a time. A "
            "fault violates requirements. The fault is killed if a check of such a requirement "
            "fails, crashes or times out under the fault, but not on the clean device. No check "
            "may fail on a legal variant of the device: a check that does is over-specified.\n"
            "\n"
            "  assay prove                       run each fault with the checks that claim it\n"
            "  assay prove --fault guard.count_lies\n"
            "  assay prove --full --format json  run the whole matrix\n"
            "  assay prove --refusals            checks that only use a function do not fail\n"
            "  assay prove --pairs list.tsv      these pairs, one line of JSON for each\n"
            "\n"
            "Exit status 0 if every claimed fault is killed and no check fails on a variant, 1 if "
            "not, 2 if a run is incomplete or a check is undecided on a legal device.\n",
    HN_OPTIONS(options),
    .words = {0, 0, "see --fault and --select"},
    .run = run,
};
