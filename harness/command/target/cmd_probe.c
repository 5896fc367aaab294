/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay probe: what is this backend? Reads its files first (preflight), then loads it in a
 * throw-away process and tells what each step registered and what it can do. Loads nothing itself.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "file.h"
#include "output.h"
#include "probe_process.h"
#include "probe_text.h"
#include "session.h"

#define REQUEST_LIMIT ((size_t)1 << 20)
#define PROBE_MS 120000

static const struct hn_json_limits limits = {.bytes = (size_t)4 << 20, .depth = 16};

static const struct hn_option options[] = {
    {"target", "TARGET", "a name in ci/targets or a profile (default " ASSAY_TARGET ")"},
    {"import", "MODULE", "instead of a profile: the Python module that loads the backend"},
    {"dlopen", "FILE", "instead of a profile: the shared object of the backend"},
    {"write", "FILE", "write a profile with what was found"},
    {"format", "text|json", "json: one document, schema assay/probe/1"},
};

/* ---- the profile ---- */

/* A backend named on the command line becomes a profile like any other. */
static int write_made_profile(const struct hn_invocation *invocation, const char *path,
                              struct hn_error *error)
{
    char text[2 * HN_PATH_SIZE];
    const char *module = hn_option_value(invocation, "import");
    const char *library = hn_option_value(invocation, "dlopen");
    char *absolute = library ? realpath(library, NULL) : NULL;
    const char *what = module ? module : absolute ? absolute : library;
    const char *base = strrchr(what, '/') ? strrchr(what, '/') + 1 : what;
    const int length = snprintf(text, sizeof text, "name: \"%.*s\"\nload:\n  - %s: \"%s\"\n",
                                (int)strcspn(base, "."), base, module ? "import" : "dlopen", what);
    free(absolute);
    for (char *at = text + strlen("name: \""); *at != '"'; at++) /* it names folders, too */
        *at = isalnum((unsigned char)*at) ? *at : '_';
    if (length < 0 || (size_t)length >= sizeof text)
        return hn_error_set(error, HN_ELIMIT, "the name of the backend is too long");
    return hn_file_write(path, text, (size_t)length, error);
}

/* ---- questions ---- */

static void write_target(struct hn_json_writer *writer, const struct hn_session *session)
{
    static const char *const claims[] = {
        [HN_CLAIM_UNKNOWN] = NULL, [HN_CLAIM_NO] = "no", [HN_CLAIM_YES] = "yes"};
    const struct hn_profile *profile = session->profile;
    hn_write_text(writer, "target", profile->name);
    hn_write_text(writer, "adapter", session->input.target.adapter);
    hn_write_array(writer, "devices");
    for (size_t i = 0; i < profile->device_count; i++)
        hn_write_integer(writer, NULL, profile->devices[i]);
    hn_write_array_end(writer);
    hn_write_object(writer, "claims");
    for (size_t i = 0; i < profile->capability_count; i++)
        hn_write_text(writer, profile->capabilities[i].name,
                      claims[profile->capabilities[i].claim]);
    hn_write_object_end(writer);
    hn_target_files_write(&session->files, "preflight", writer);
}

static int ask(struct hn_session *session, char **answer, size_t *length, char ended[HN_SIDE_ENDED])
{
    struct hn_buffer request;
    struct hn_json_writer writer;
    struct hn_progress progress;
    hn_progress_wait(&progress, stderr, 0, "asking the target what it can do");
    const struct hn_probe_process process = {
        .python = session->places.python,
        .environment = session->input.target.environment,
        .environment_count = session->input.target.environment_count,
        .folder = session->folder,
        .deadline_ms = session->input.target.load_ms + PROBE_MS,
        .progress = &progress,
    };
    hn_buffer_init(&request, REQUEST_LIMIT);
    hn_write_document(&writer, &request, NULL);
    hn_write_load_steps(&session->input.target, &writer);
    write_target(&writer, session);
    int status = hn_write_document_end(&writer);
    if (status == HN_OK)
        status = hn_probe_ask(&process, request.text, request.length, answer, length, ended,
                              &session->error);
    hn_buffer_finish(&request);
    return status;
}

/* ---- the answer ---- */

static int show(struct hn_session *session, const struct hn_invocation *invocation,
                const struct hn_json *root, const char *answer)
{
    const char *path = hn_option_value(invocation, "write");
    int status = HN_OK;
    if (hn_wants_json(invocation))
        puts(answer);
    else
        status = hn_probe_print(root, stdout, &session->error);
    if (status == HN_OK && path)
        status = hn_probe_write_profile(session->profile, root, path, &session->error);
    if (status == HN_OK && path && !hn_wants_json(invocation))
        printf("wrote %s\n", path);
    return status;
}

/* *complete: the backend was loaded, and nothing was left unanswered. */
static int probe(struct hn_session *session, const struct hn_invocation *invocation, int *complete)
{
    char ended[HN_SIDE_ENDED] = "", *answer = NULL;
    size_t length = 0;
    struct hn_json_document *document = NULL;
    struct hn_json root;
    int status = ask(session, &answer, &length, ended);
    if (status == HN_OK && !answer)
        status =
            hn_error_set(&session->error, HN_EINPUT,
                         "the probing process %s before it could answer; what it printed is above",
                         *ended ? ended : "ended");
    if (status == HN_OK)
        status = hn_json_parse(answer, length, &limits, "answer", 0, &document, &session->error);
    if (status == HN_OK) {
        hn_json_root(document, &root);
        hn_json_boolean(&root, "complete", complete, NULL);
        status = show(session, invocation, &root, answer);
    }
    if (status == HN_OK && *ended)
        fprintf(stderr, "assay: the probing process %s\n", ended);
    hn_json_destroy(document);
    free(answer);
    return status == HN_OK ? HN_OK : hn_findings_add_error(&session->findings, &session->error);
}

static int take_steps(struct hn_session *session, const struct hn_invocation *invocation,
                      int *complete)
{
    int status = hn_session_find_target(session);
    if (status == HN_OK)
        status = hn_session_read_files(session);
    return status == HN_OK ? probe(session, invocation, complete) : status;
}

static int run(const struct hn_invocation *invocation)
{
    char folder[] = "/tmp/assay-probe-XXXXXX", made[sizeof folder + 16];
    struct hn_session session;
    struct hn_error error;
    struct hn_asked asked = {.target = hn_option_value(invocation, "target")};
    int complete = 0, status = HN_OK;
    const int is_made =
        hn_option_value(invocation, "import") || hn_option_value(invocation, "dlopen");
    if (!mkdtemp(folder)) {
        hn_error_errno(&error, "cannot make a folder for the probe");
        return hn_print_error(&error);
    }
    snprintf(made, sizeof made, "%s/probed.yaml", folder);
    if (is_made) {
        asked.target = made;
        status = write_made_profile(invocation, made, &error);
    }
    hn_session_begin(&session, &asked);
    snprintf(session.folder, sizeof session.folder, "%s", folder);
    if (status != HN_OK)
        hn_findings_add_error(&session.findings, &error);
    if (!session.findings.total)
        take_steps(&session, invocation, &complete);
    if (session.findings.total)
        status = hn_print_findings(&session.findings);
    else
        status = complete ? HN_EXIT_OK : HN_EXIT_INPUT;
    unlink(made);
    rmdir(folder);
    hn_session_finish(&session);
    return status;
}

const struct hn_command hn_cmd_probe = {
    .name = "probe",
    .summary = "what a backend registers, and what it can do",
    .usage = "[--target TARGET | --import MODULE | --dlopen FILE] [OPTIONS]",
    .help = "Reads the backend's files (preflight), then loads it in a throw-away process and says "
            "what each load step registered, which devices work, and which capabilities it has.\n\n"
            "  assay probe --import torch_foo --write foo.yaml\n"
            "  assay run --target foo.yaml\n\n"
            "Exit status 65 when the backend could not be loaded or the process did not end by "
            "itself.\n",
    HN_OPTIONS(options),
    .run = run,
};
