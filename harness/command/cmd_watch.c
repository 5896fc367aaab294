/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay watch: the user's own program is the test. Done by assay_host/watch.py in the target's
 * interpreter, which this process becomes: the program then has our terminal and our signals.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "file.h"
#include "session.h"

#define REQUEST_LIMIT ((size_t)1 << 20)
#define FIXED_WORDS 5

static const struct hn_option options[] = {
    {"target", "TARGET", "a name in ci/targets or a profile (default " ASSAY_TARGET ")"},
    {"out", "DIR", "what was found and the reproducers (default: watch-<process>, new)"},
    {"all", NULL, "compare every call, also one like many before it"},
    {"format", "text|json", "json: one document, schema assay/watch/1"},
};

static int take_folder(const char *wanted, char folder[HN_PATH_SIZE], struct hn_error *error)
{
    char made[64];
    snprintf(made, sizeof made, "watch-%ld", (long)getpid());
    const char *name = wanted ? wanted : made;
    if (mkdir(name, 0777) != 0 && (errno != EEXIST || rmdir(name) != 0 || mkdir(name, 0777) != 0))
        return hn_error_errno(error, "cannot make a new folder %s", name);
    if (!realpath(name, folder))
        return hn_error_errno(error, "cannot find %s", name);
    return HN_OK;
}

static int write_request(struct hn_session *session, const struct hn_invocation *invocation,
                         const char *folder, const char *path)
{
    struct hn_buffer request;
    struct hn_json_writer writer;
    hn_buffer_init(&request, REQUEST_LIMIT);
    hn_write_begin(&writer, &request, 0);
    hn_write_object(&writer, NULL);
    hn_write_text(&writer, "target", session->profile->name);
    hn_write_text(&writer, "folder", folder);
    hn_write_text(&writer, "format", hn_wants_json(invocation) ? "json" : "text");
    hn_write_integer(&writer, "all", hn_option_value(invocation, "all") != NULL);
    hn_write_load_steps(&session->input.target, &writer);
    hn_write_object_end(&writer);
    int status = hn_write_end(&writer);
    if (status == HN_OK)
        status = hn_file_write(path, request.text, request.length, &session->error);
    hn_buffer_finish(&request);
    return status;
}

static char *word(const char *text)
{
    return (char *)(uintptr_t)text; /* execv does not write them */
}

/* Returns only when Python cannot be started. */
static int become(struct hn_session *session, const struct hn_invocation *invocation,
                  const char *request)
{
    char **words = calloc(FIXED_WORDS + invocation->word_count, sizeof *words);
    size_t used = 0;
    if (!words)
        return hn_error_nomem(&session->error);
    words[used++] = word(session->places.python);
    words[used++] = word("-m");
    words[used++] = word("assay_host.watch");
    words[used++] = word(request);
    for (size_t i = 0; i < invocation->word_count; i++)
        words[used++] = invocation->words[i];
    for (size_t i = 0; i < session->input.target.environment_count; i++)
        putenv(word(session->input.target.environment[i]));
    execvp(words[0], words);
    const int status = hn_error_errno(&session->error, "cannot start %s", words[0]);
    free(words);
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    if (invocation->word_count == 0)
        return hn_usage_error(invocation->command, "give a program behind --");
    struct hn_session session;
    char folder[HN_PATH_SIZE], request[HN_PATH_SIZE];
    const struct hn_asked asked = {.target = hn_option_value(invocation, "target")};
    int exit_status = HN_EXIT_OK, status = hn_session_begin(&session, &asked);
    if (status == HN_OK)
        status = hn_session_find_target(&session);
    if (status == HN_OK) {
        status = take_folder(hn_option_value(invocation, "out"), folder, &session.error);
        if (status == HN_OK)
            status = hn_path_join(request, sizeof request, folder, "request.json", &session.error);
        if (status == HN_OK)
            status = write_request(&session, invocation, folder, request);
        if (status == HN_OK)
            status = become(&session, invocation, request);
        hn_findings_add_error(&session.findings, &session.error);
    }
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
        "what was not compared is\ncounted with its reason. Of the first wrong operator: the line "
        "of the program, the module, and a\nprogram that shows it alone.\n"
        "\n"
        "  assay watch --target mine.yaml -- python train.py --epochs 1\n"
        "  assay watch --target mine.yaml --all --out found -- pytest test_model.py\n"
        "\n"
        "Exit status 0 when nothing was wrong; 1 when an operator was; 2 when the program did not "
        "end well\nand nothing wrong was seen.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
