/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay repro: runs one check in the foreground and prints everything that the check reports.
 * The verdict is computed as in every run; the checks that this check builds on are not run.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_likely.h"
#include "check_story.h"
#include "commands.h"
#include "file.h"
#include "foreground.h"
#include "job_folder.h"
#include "json_read.h"
#include "listed_options.h"
#include "nearest.h"
#include "output.h"
#include "run_model.h"
#include "run_options.h"
#include "session_command.h"

#define UNDER_WORDS 30
#define EVENTS_LIMIT ((size_t)16 << 20)
#define INDENT 14
#define NO_HURRY 10000.0 /* factor for deadlines, for a user in a debugger */

struct request {
    struct hn_asked asked;
    const char *id, *words; /* words: value of --under */
    int wants_gdb;
};

static const struct hn_option options[] = {
    {"target", "TARGET", HN_TARGET_HELP, HN_TEXT_INTO(struct request, asked.target)},
    {"isolation", HN_ISOLATION_WORDS, "default: the profile's, or else fork-clean",
     HN_TEXT_INTO(struct request, asked.isolation)},
    {"suite", "DIR", "also use your own checks in DIR, see suites/README.md",
     HN_TEXT_INTO(struct request, asked.suite)},
    HN_UPSTREAM_OPTION,
    {"seed", "N", "seed of the random numbers in the check, as in the run (default 1)",
     HN_NUMBER_INTO(struct request, asked.options.seed, 0, INT32_MAX)},
    {"gdb", NULL, "run it in a debugger: the same as --under \"gdb -q --args\"",
     HN_FLAG_INTO(struct request, wants_gdb)},
    {"under", "WORDS", "run it with this command as a prefix, without deadlines: \"valgrind -q\"",
     HN_TEXT_INTO(struct request, words)},
    {"out", "DIR", "keep the journal and the evidence in DIR",
     HN_TEXT_INTO(struct request, asked.folder)},
};

static void say(const char *label, const char *text)
{
    char indented[INDENT + 1];
    snprintf(indented, sizeof indented, "     %s", label);
    if (text && *text)
        hn_output_wrapped(indented, INDENT, text);
}

/* Prints a line of events.jsonl: an additional finding, or a fact. */
static void say_event(const struct hn_json *event, const struct rp_check *check)
{
    const char *what = "", *seen = "", *key = "", *text = "";
    hn_json_text(event, "what", &what, NULL);
    hn_json_text(event, "seen", &seen, NULL);
    hn_json_text(event, "key", &key, NULL);
    hn_json_text(event, "text", &text, NULL);
    if (*what && (strcmp(what, check->expected) != 0 || strcmp(seen, check->seen) != 0)) {
        say("also", what);
        say("seen", seen);
    }
    if (*key)
        printf("     %s: %s\n", key, text);
}

static void say_events(const struct hn_session *session, const struct rp_check *check)
{
    static const struct hn_json_limits limits = {.bytes = (size_t)1 << 20, .depth = 8};
    char path[HN_PATH_SIZE], *text = NULL, *rest;
    snprintf(path, sizeof path, "%.700s/jobs/%.200s/events.jsonl", session->folder, check->id);
    if (hn_file_read(path, EVENTS_LIMIT, &text, NULL, NULL) != HN_OK)
        return;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        struct hn_json_document *document;
        struct hn_json event;
        if (hn_json_parse(line, strlen(line), &limits, path, 0, &document, NULL) != HN_OK)
            continue;
        hn_json_root(document, &event);
        say_event(&event, check);
        hn_json_destroy(document);
    }
    free(text);
}

static void say_verdict(const struct hn_session *session, const struct rp_check *check)
{
    const char *name = hn_verdict_table[check->verdict].name;
    if (check->verdict == HN_PASS) {
        printf("nothing found by %s\n", check->id);
    } else {
        for (; *name; name++)
            putchar(*name - 'a' + 'A');
        printf(" %s\n", check->id);
        say("demand", check->demand);
        say("wanted", check->expected);
        say("seen", rp_check_message(check));
        say("at", check->location);
        say("in", check->frames);
        say("needs", check->about);
        say("likely", rp_check_likely(check));
    }
    say_events(session, check);
}

static int tell(struct hn_session *session, int *exit_status)
{
    struct rp_run *run = NULL;
    const int status = rp_run_read(session->folder, &run, &session->error);
    if (status != HN_OK)
        return status;
    const struct hn_verdict_row *row = &hn_verdict_table[run->checks[0].verdict];
    say_verdict(session, &run->checks[0]);
    *exit_status = row->fails                                        ? HN_EXIT_FAILED
                   : row->good || row == &hn_verdict_table[HN_NOTED] ? HN_EXIT_OK
                                                                     : HN_EXIT_UNDECIDED;
    rp_run_destroy(run);
    return HN_OK;
}

/* Only the loader decides whether the target can be loaded. If loading failed, findings about the
 * files may explain the failure. */
static void explain_loading(struct hn_session *session, const struct hn_run_summary *summary)
{
    if (summary->refusal[0])
        hn_target_files_print(&session->files, stderr);
}

static int is_a_check(struct hn_session *session, const char *id)
{
    if (hn_catalogue_check(session->catalogue, id))
        return HN_OK;
    struct hn_nearest search;
    hn_nearest_begin(&search, id);
    HN_NEAREST_OFFER_ALL(&search, session->catalogue->checks, session->catalogue->check_count);
    return hn_error_set(&session->error, HN_EUSAGE, "there is no check \"%.250s\"%s", id,
                        search.best ? hn_nearest_hint(&search) : "; see assay list");
}

static int take_steps(struct hn_session *session, void *context, int *exit_status)
{
    const struct request *asked = context;
    struct hn_run_summary summary = {0};
    int status = hn_session_find_target(session);
    if (status == HN_OK)
        status = hn_session_read_contract(session);
    if (status == HN_OK)
        status = is_a_check(session, asked->id);
    if (status == HN_OK)
        status = hn_session_plan(session);
    if (status == HN_OK)
        status = hn_session_take_folder(session);
    if (status == HN_OK)
        status = hn_session_read_files(session);
    if (status == HN_OK && !session->input.target.mode)
        session->input.target.mode = hn_isolations[HN_FORK_CLEAN].name;
    if (status == HN_OK)
        status = hn_session_learn(session); /* the same devices as in a run */
    if (status != HN_OK)
        return status;
    if (!session->input.options.doubt)
        session->input.options.doubt = ""; /* one failed attempt to load is enough */
    status = hn_session_run(session, &summary);
    if (status == HN_OK)
        status = tell(session, exit_status);
    explain_loading(session, &summary);
    hn_run_summary_finish(&summary);
    return status;
}

/* Splits the words of --under and --gdb. */
static void read_under(const struct request *request, char *text, const char **under)
{
    size_t count = 0;
    char *rest;
    for (char *word = strtok_r(text, " ", &rest); word && count < UNDER_WORDS;
         word = strtok_r(NULL, " ", &rest))
        under[count++] = word;
    if (request->wants_gdb && count + 2 < UNDER_WORDS) {
        under[count++] = "gdb";
        under[count++] = "-q";
        under[count++] = "--args";
    }
}

static int run(const struct hn_invocation *invocation)
{
    char folder[] = "/tmp/assay-repro-XXXXXX", words[1024], select[300];
    const char *under[UNDER_WORDS + 1] = {0};
    struct hn_listing listing;
    struct request request = {.id = invocation->words[0], .words = ""};
    struct hn_asked *asked = &request.asked;
    asked->options = hn_run_options_default();
    int status = hn_options_read(invocation, &request);
    if (status)
        return status;
    snprintf(words, sizeof words, "%s", request.words);
    snprintf(select, sizeof select, "check:%.250s", request.id);
    read_under(&request, words, under);
    /* The end of the check with status 127 would count as a crash of the backend. */
    if (*under && !hn_program_can_start(*under))
        return hn_usage_error(invocation->command, "--under: there is no program \"%.200s\"",
                              *under);
    asked->listing = hn_listed_by_id(invocation, request.id, &listing);
    asked->select = select;
    asked->alone = 1;
    asked->options.hosts = asked->options.keep = 1;
    asked->options.no_block = asked->options.foreground = 1;
    if (*under) {
        asked->isolation = hn_isolations[HN_EXEC].name;
        asked->options.under = under;
        asked->options.timeout_scale = NO_HURRY;
    }
    const int is_kept = asked->folder != NULL;
    struct hn_error error;
    if (!is_kept && !mkdtemp(folder)) {
        hn_error_errno(&error, "cannot make a folder for the run");
        return hn_print_error(&error);
    }
    asked->folder = is_kept ? asked->folder : folder;
    status = hn_session_command(asked, take_steps, &request);
    if (!is_kept)
        hn_job_folder_remove(folder);
    return status;
}

const struct hn_command hn_cmd_repro = {
    .name = "repro",
    .summary = "run one check alone, in the foreground",
    .usage = "CHECK [OPTIONS]",
    .help = "Runs one check without the checks that it builds on, with the same hosts, deadlines "
            "and rules for verdicts as a run. Its input and output are this terminal, so that "
            "breakpoint() works; everything that it reports is shown.\n"
            "\n"
            "  assay repro guard.device_guard_restores_the_device --target foo.yaml\n"
            "  assay repro guard.device_guard_restores_the_device --target foo.yaml --gdb\n"
            "\n"
            "Exit status 0 the check passed, 1 it failed, crashed or timed out, 2 any other "
            "verdict.\n",
    HN_OPTIONS(options),
    .takes_settings = 1,
    .words = {1, 1, "name one check"},
    .run = run,
};
