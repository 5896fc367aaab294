/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay watch: the user's own program is the test. assay/watcher/__main__.py, in the target's interpreter,
 * runs it in our terminal and sums up; what it found becomes a run like any other.
 */
#include <stdint.h>
#include <sys/wait.h>

#include "commands.h"
#include "file.h"
#include "foreground.h"
#include "outside_run.h"
#include "watched.h"

#define REQUEST_LIMIT ((size_t)1 << 20)
#define FIXED_WORDS 5
#define MOST_MIB 1048576
#define MOST_SECONDS 31536000

static const struct hn_option options[] = {
    {"target", "TARGET", "a name in ci/targets or a profile (default " ASSAY_TARGET ")"},
    {"out", "DIR", "folder of the run (default runs/watch-<target>-<date>)"},
    {"all", NULL, "compare every call, also one like many before it"},
    {"most-mib", "N", "leave out a call with more inputs than this (default 64)"},
    {"most-seconds", "N", "compare no more once a process has spent this on it (default: no end)"},
    {"read", "DIR", "run nothing: sum up what was seen there before assay itself was killed"},
    {"format", "text|json", "json: one line at the end, schema assay/watch/1"},
};

/* ---- the program ---- */

/* 0, or an exit status: it has been said. */
static int read_limits(const struct hn_invocation *invocation, long *mib, long *seconds)
{
    const int status = hn_option_integer(invocation, "most-mib", 0, MOST_MIB, mib);
    return status ? status
                  : hn_option_integer(invocation, "most-seconds", 1, MOST_SECONDS, seconds);
}

static int write_request(struct hn_session *session, const struct hn_invocation *invocation,
                         const char *path)
{
    struct hn_buffer request;
    struct hn_json_writer writer;
    long mib = 64, seconds = 0;
    read_limits(invocation, &mib, &seconds);
    hn_buffer_init(&request, REQUEST_LIMIT);
    hn_write_begin(&writer, &request, 0);
    hn_write_object(&writer, NULL);
    hn_write_text(&writer, "target", session->profile->name);
    hn_write_text(&writer, "folder", session->folder);
    hn_write_text(&writer, "format", hn_wants_json(invocation) ? "json" : "text");
    hn_write_boolean(&writer, "all", hn_option_value(invocation, "all") != NULL);
    hn_write_integer(&writer, "bytes", (int64_t)mib << 20);
    hn_write_integer(&writer, "seconds", seconds);
    hn_write_load_steps(&session->input.target, &writer);
    hn_write_object_end(&writer);
    int status = hn_write_end(&writer);
    if (status == HN_OK)
        status = hn_file_write(path, request.text, request.length, &session->error);
    hn_buffer_finish(&request);
    return status;
}

/* Without words it sums up what is there. */
static int run_program(struct hn_session *session, const struct hn_invocation *invocation,
                       const char *request)
{
    const struct hn_run_target *target = &session->input.target;
    int ended = 0;
    const char **words =
        hn_arena_array(session->arena, FIXED_WORDS + invocation->word_count, sizeof *words);
    if (!words)
        return hn_error_nomem(&session->error);
    words[0] = session->places.python;
    words[1] = "-m";
    words[2] = "assay.watcher";
    words[3] = request;
    for (size_t i = 0; i < invocation->word_count; i++)
        words[4 + i] = invocation->words[i];
    const int status = hn_foreground_run(words, target->environment, target->environment_count,
                                         &ended, &session->error);
    if (status != HN_OK || (WIFEXITED(ended) && WEXITSTATUS(ended) == 0))
        return status;
    return hn_error_set(
        &session->error, HN_ESYSTEM,
        "what was seen could not be summed up; assay watch --read %.900s tries again",
        session->folder);
}

static int watch(struct hn_session *session, const struct hn_invocation *invocation)
{
    const char *read = hn_option_value(invocation, "read");
    char request[HN_PATH_SIZE];
    int status = hn_outside_folder(session, read);
    if (status == HN_OK)
        status = hn_outside_command(session, "watch", 1, invocation->words, invocation->word_count);
    if (status == HN_OK)
        status =
            hn_path_join(request, sizeof request, session->folder, "request.json", &session->error);
    if (status == HN_OK && !read)
        status = write_request(session, invocation, request);
    return status == HN_OK ? run_program(session, invocation, request) : status;
}

static int take_steps(struct hn_session *session, const struct hn_invocation *invocation,
                      int *exit_status)
{
    int status = hn_session_find_target(session);
    if (status == HN_OK)
        status = hn_session_read_contract(session);
    if (status != HN_OK)
        return status;
    status = watch(session, invocation);
    if (status == HN_OK)
        return hn_watched_write(session, exit_status);
    hn_findings_add_error(&session->findings, &session->error);
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    const int reads = hn_option_value(invocation, "read") != NULL;
    if (!reads == !invocation->word_count)
        return hn_usage_error(invocation->command, "give a program behind --, or --read alone");
    long mib, seconds;
    struct hn_session session;
    int exit_status = read_limits(invocation, &mib, &seconds);
    if (exit_status)
        return exit_status;
    const struct hn_asked asked = {.target = hn_option_value(invocation, "target"),
                                   .folder = hn_option_value(invocation, "out"),
                                   .kind = "watch",
                                   .runs = hn_runs_folder(invocation)};
    int status = hn_session_begin(&session, &asked);
    if (status == HN_OK)
        status = take_steps(&session, invocation, &exit_status);
    if (status != HN_OK)
        exit_status = hn_print_findings(&session.findings);
    hn_session_finish(&session);
    return exit_status;
}

const struct hn_command hn_cmd_watch = {
    .name = "watch",
    .summary = "run a program and do each of its operators again on the CPU",
    .usage = "[--target TARGET] [OPTIONS] -- COMMAND...",
    .help =
        "Runs the program unchanged. Each operator that touches the device, forward and backward, "
        "in every\nthread and child process, is done again on the CPU from the same inputs and "
        "judged as assay ops\ndoes. The first calls of each kind are compared, then now and then; "
        "what was not compared is\ncounted with its reason. Wrong is also an operator that "
        "raises where the CPU does not and has not refused,\nand one in which a process dies. Of "
        "the first wrong operator: the line of the program, the module,\nand a program that shows "
        "it alone. What is said goes to standard error; standard output is the\nprogram's.\n"
        "\n"
        "  assay watch --target mine.yaml -- python train.py --epochs 1\n"
        "  assay watch --target mine.yaml -- -m package.train     python of the target\n"
        "  assay watch --target mine.yaml --all --out found -- pytest test_model.py\n"
        "\n"
        "What was found is a run: assay report, assay diff, assay history, assay gate --select "
        "watch.\n"
        "\n"
        "Exit status 0 when nothing was wrong; 1 when an operator was, or the program died of a "
        "signal; 2\nwhen the program did not end well and nothing wrong was seen, or nothing was "
        "compared.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_settings = 1,
    .run = run,
};
