/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay prove: can every check fail, and does none demand too much? Plans the proof, has it made
 * and says what it shows; the work is in prove/.
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

static const struct hn_option options[] = {
    {"full", NULL, "every fault against every check that meets it: what else each breaks"},
    {"fault", "NAME", "only this fault"},
    {"variant", "NAME", "only this variant"},
    {"only-faults", NULL, "no variant"},
    {"refusals", NULL, "refuse what the checks use of the device, one means at a time"},
    {"sample", "1/N",
     "with --refusals or --full: what is claimed, and one in N of the other pairs"},
    {"seed", "N", "which ones (default 1)"},
    {"pairs", "FILE", "just those listed there, as \"switch TAB check\""},
    {"select", "EXPR", "only these checks, and the faults that they claim"},
    {"suite", "DIR", "also use your own checks in DIR, see suites/README.md"},
    {"target", "TARGET", "profile of a device with faults (default " ASSAY_FAULTY_TARGET ")"},
    {"out", "DIR", "folder of the proof; must be new (default runs/prove-<date>)"},
    {"resume", "DIR", "continue the proof in DIR; repeat the other options"},
    {"jobs", "N", "processes at the same time (default: one per processor)"},
    {"timeout-scale", "X", "multiplies every deadline"},
    {"quiet", NULL, "do not report progress on standard error"},
    {"format", "text|json", "json: one document, schema assay/prove/1"},
};

struct session {
    const struct hn_invocation *invocation;
    struct hn_proof_options options;
    struct hn_proof proof;
    struct hn_catalogue *catalogue;
    char folder[HN_PATH_SIZE], variants[HN_PATH_SIZE];
    struct hn_error error;
};

/* ---- the folder ---- */

/* A proof is of one contract: verdicts of another one would be taken for its own. */
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
    const char *resumed = hn_option_value(session->invocation, "resume");
    const char *out = resumed ? resumed : hn_option_value(session->invocation, "out");
    const int status = out ? hn_run_folder_take(out, session->folder, &session->error)
                           : hn_run_folder_today("runs", "prove", session->folder, &session->error);
    return status == HN_OK ? mark_folder(session, resumed != NULL) : status;
}

/* ---- the document ---- */

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

/* A line for each pair of the list, in its order. */
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

/* ---- the command ---- */

/* The proof as far as it came, in the form that was asked for. */
static int show(struct session *session)
{
    struct hn_prove_summary summary;
    const struct hn_proof *proof = &session->proof;
    int status = HN_EXIT_OK;
    if (session->options.pairs)
        return print_pairs(proof);
    hn_prove_count(proof, &summary);
    if (hn_wants_json(session->invocation))
        status = print_json(session, &summary);
    else if (session->options.refusals)
        hn_prove_print_refusals(proof, stdout);
    else
        hn_prove_print(proof, &summary, stdout);
    if (!status && session->options.refusals)
        return hn_prove_refusals_status(proof);
    return status ? status : summary.exit_status;
}

static int make(struct session *session, const struct hn_proof_start *start)
{
    struct hn_findings findings = {0};
    int status = HN_EXIT_OK;
    if (hn_proof_run(&session->proof, start, &findings) != HN_OK)
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
    const struct hn_invocation *asked = session->invocation;
    struct hn_proof_start start = {{0}};
    int status = hn_run_options_pace(asked, &start.options);
    if (status)
        return status;
    start.options.out = hn_option_value(asked, "quiet") ? NULL : stderr;
    if (hn_data_list(session->variants, session->catalogue->folder, "variants.tsv",
                     &session->error) != HN_OK ||
        hn_proof_plan(&session->proof, session->variants, &session->error) != HN_OK ||
        choose_folder(session) != HN_OK)
        return hn_print_error(&session->error);
    status = make(session, &start);
    return status ? status : show(session);
}

static int run(const struct hn_invocation *invocation)
{
    struct session session = {.invocation = invocation};
    const char *target = hn_option_value(invocation, "target");
    if (invocation->word_count)
        return hn_usage_error(invocation->command,
                              "\"%s\" is not an option; see --fault and --select",
                              invocation->words[0]);
    session.options = (struct hn_proof_options){
        .folder = session.folder,
        .target = target ? target : ASSAY_FAULTY_TARGET,
        .suite = hn_option_value(invocation, "suite"),
        .select = hn_option_value(invocation, "select"),
        .fault = hn_option_value(invocation, "fault"),
        .variant = hn_option_value(invocation, "variant"),
        .pairs = hn_option_value(invocation, "pairs"),
        .full = hn_option_value(invocation, "full") != NULL,
        .only_faults = hn_option_value(invocation, "only-faults") != NULL,
    };
    int status = hn_prove_refusals_read(invocation, &session.options);
    if (status)
        return status;
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
    .summary = "show that every check can fail, and that none demands too much",
    .usage = "[--full] [--fault NAME] [--variant NAME] [--select EXPR] [OPTIONS]",
    .help =
        "Runs the checks against an instrumented device that is broken in one known way at a time. "
        "A fault is killed when a check that covers a requirement it violates comes out as fail, "
        "crash or timeout, and does not on the clean device. A legal variant of the device must "
        "fail no check: one that does is over-specified.\n\n"
        "  assay prove                       each fault against the checks that claim it\n"
        "  assay prove --fault guard.count_lies\n"
        "  assay prove --full --format json  the whole matrix\n"
        "  assay prove --refusals            no check fails over what it merely uses\n"
        "  assay prove --pairs list.tsv      those pairs, a line of JSON each\n\n"
        "Exit status 0 when every claimed fault is killed and no variant fails a check, 1 when "
        "not, 2 when a run was not completed or a check could not decide on a legal device.\n",
    HN_OPTIONS(options),
    .run = run,
};
