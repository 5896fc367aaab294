/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay repro: a run of one check in the foreground, with everything that the check reports. The way
 * to its verdict is that of every run; what it builds on is left out.
 */
#include <stdlib.h>
#include <string.h>

#include "check_likely.h"
#include "check_story.h"
#include "commands.h"
#include "file.h"
#include "isolation.h"
#include "job_folder.h"
#include "json_read.h"
#include "listed_options.h"
#include "nearest.h"
#include "output.h"
#include "run_model.h"
#include "session.h"

#define UNDER_WORDS 30
#define EVENTS_LIMIT ((size_t)16 << 20)
#define INDENT 14
#define NO_HURRY 10000.0 /* somebody takes their time in a debugger */

static const struct hn_option options[] = {
    {"target", "TARGET",
     "the backend: a name in ci/targets or a profile (default " ASSAY_TARGET ")"},
    {"isolation", HN_ISOLATION_WORDS, "default: the profile's, or else fork-clean"},
    {"suite", "DIR", "also use your own checks in DIR, see suites/README.md"},
    HN_UPSTREAM_OPTION,
    {"seed", "N", "that of the run, for what is random in the check (default 1)"},
    {"gdb", NULL, "under a debugger: the same as --under \"gdb -q --args\""},
    {"under", "WORDS", "behind these words, without deadlines: \"valgrind -q\""},
    {"out", "DIR", "keep journal and evidence there"},
};

/* ---- what it says ---- */

static void say(const char *label, const char *text)
{
    char indented[INDENT + 1];
    snprintf(indented, sizeof indented, "     %s", label);
    if (text && *text)
        hn_output_wrapped(indented, INDENT, text);
}

/* A line of events.jsonl: a finding beside the one that decided, or a fact. */
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
        return hn_findings_add_error(&session->findings, &session->error);
    const struct hn_verdict_row *row = &hn_verdict_table[run->checks[0].verdict];
    say_verdict(session, &run->checks[0]);
    *exit_status = row->fails                                        ? HN_EXIT_FAILED
                   : row->good || row == &hn_verdict_table[HN_NOTED] ? HN_EXIT_OK
                                                                     : HN_EXIT_UNDECIDED;
    rp_run_destroy(run);
    return HN_OK;
}

/* ---- what it does ---- */

/* The loader has the last word; that its files speak against it is worth knowing when it failed. */
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
    hn_error_set(&session->error, HN_EUSAGE, "there is no check \"%.250s\"%s", id,
                 search.best ? hn_nearest_hint(&search) : "; see assay list");
    hn_findings_add_error(&session->findings, &session->error);
    return HN_EUSAGE;
}

static int take_steps(struct hn_session *session, const char *id, int *exit_status)
{
    struct hn_run_summary summary = {0};
    int status = hn_session_find_target(session);
    if (status == HN_OK)
        status = hn_session_read_contract(session);
    if (status == HN_OK)
        status = is_a_check(session, id);
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

/* The words of --under, apart. */
static void read_under(const struct hn_invocation *invocation, char *text, const char **under)
{
    size_t count = 0;
    char *rest;
    for (char *word = strtok_r(text, " ", &rest); word && count < UNDER_WORDS;
         word = strtok_r(NULL, " ", &rest))
        under[count++] = word;
    if (hn_option_value(invocation, "gdb") && count + 2 < UNDER_WORDS) {
        under[count++] = "gdb";
        under[count++] = "-q";
        under[count++] = "--args";
    }
}

static int repro(const struct hn_invocation *invocation, const char *id, const char *folder)
{
    char words[1024], select[300];
    const char *under[UNDER_WORDS + 1] = {0};
    const char *given = hn_option_value(invocation, "under");
    struct hn_session session;
    struct hn_listing listing;
    long seed = 1;
    int exit_status = hn_option_integer(invocation, "seed", 0, INT32_MAX, &seed);
    if (exit_status)
        return exit_status;
    snprintf(words, sizeof words, "%s", given ? given : "");
    snprintf(select, sizeof select, "check:%.250s", id);
    read_under(invocation, words, under);
    const struct hn_asked asked = {
        .target = hn_option_value(invocation, "target"),
        .suite = hn_option_value(invocation, "suite"),
        .listing = hn_listed_by_id(invocation, id, &listing),
        .select = select,
        .isolation =
            *under ? hn_isolations[HN_EXEC].name : hn_option_value(invocation, "isolation"),
        .alone = 1,
        .folder = folder,
        .options = {.hosts = 1,
                    .keep = 1,
                    .no_block = 1,
                    .foreground = 1,
                    .seed = (uint64_t)seed,
                    .under = *under ? under : NULL,
                    .grace_ms = 1000,
                    .silence_ms = 10000,
                    .folder_limit = (int64_t)1 << 30,
                    .timeout_scale = *under ? NO_HURRY : 1.0},
    };
    int status = hn_session_begin(&session, &asked);
    if (status == HN_OK)
        status = take_steps(&session, id, &exit_status);
    if (status != HN_OK)
        exit_status = hn_print_findings(&session.findings);
    hn_session_finish(&session);
    return exit_status;
}

static int run(const struct hn_invocation *invocation)
{
    char folder[] = "/tmp/assay-repro-XXXXXX";
    const char *out = hn_option_value(invocation, "out");
    struct hn_error error;
    if (!out && !mkdtemp(folder)) {
        hn_error_errno(&error, "cannot make a folder for the run");
        return hn_print_error(&error);
    }
    const int status = repro(invocation, invocation->words[0], out ? out : folder);
    if (!out)
        hn_job_folder_remove(folder);
    return status;
}

const struct hn_command hn_cmd_repro = {
    .name = "repro",
    .summary = "one check alone, in the foreground",
    .usage = "CHECK [OPTIONS]",
    .help =
        "A run of one check, without what it builds on: the same hosts, the same deadlines and the "
        "same rules for its verdict. Its input and output are this terminal's, so that "
        "breakpoint() works; everything it reports is shown.\n\n"
        "  assay repro guard.device_guard_restores_the_device --target foo.yaml\n"
        "  assay repro guard.device_guard_restores_the_device --target foo.yaml --gdb\n\n"
        "Exit status 0: nothing found, 1: a violation, a crash or a timeout, 2: another finding.\n",
    HN_OPTIONS(options),
    .takes_settings = 1,
    .words = {1, 1, "name one check"},
    .run = run,
};
