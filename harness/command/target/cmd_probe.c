/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay probe: describes a backend. The command reads the backend's files first (preflight), then
 * loads the backend in a throw-away process and prints what each step registered and which
 * capabilities work.
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
#include "session_command.h"

#define REQUEST_LIMIT ((size_t)1 << 20)
#define PROBE_MS 120000

static const struct hn_json_limits limits = {.bytes = (size_t)4 << 20, .depth = 16};

struct request {
    struct hn_asked asked;
    const char *module, *library, *profile; /* profile: the path of the profile to write */
    const char *folder;
    int json;
};

static const struct hn_option options[] = {
    {"target", "TARGET", "a name in ci/targets or a profile (default " ASSAY_TARGET ")",
     HN_TEXT_INTO(struct request, asked.target)},
    {"import", "MODULE", "load the backend with this Python module instead of a profile",
     HN_TEXT_INTO(struct request, module)},
    {"dlopen", "FILE", "load this shared object instead of a profile",
     HN_TEXT_INTO(struct request, library)},
    {"write", "FILE", "write a profile with the results", HN_TEXT_INTO(struct request, profile)},
    {"format", "text|json", "json: one document, schema assay/probe/1",
     HN_CHOICE_INTO(struct request, json)},
};

/* Makes a profile for a backend that is named on the command line. */
static int write_made_profile(const struct request *request, struct hn_error *error)
{
    char text[2 * HN_PATH_SIZE];
    const char *module = request->module, *library = request->library;
    char *absolute = library ? realpath(library, NULL) : NULL;
    const char *what = module ? module : absolute ? absolute : library;
    const char *base = strrchr(what, '/') ? strrchr(what, '/') + 1 : what;
    const int length = snprintf(text, sizeof text, "name: \"%.*s\"\nload:\n  - %s: \"%s\"\n",
                                (int)strcspn(base, "."), base, module ? "import" : "dlopen", what);
    free(absolute);
    for (char *at = text + strlen("name: \""); *at != '"'; at++) /* folders get this name */
        *at = isalnum((unsigned char)*at) ? *at : '_';
    if (length < 0 || (size_t)length >= sizeof text)
        return hn_error_set(error, HN_ELIMIT, "the name of the backend is too long");
    return hn_file_write(request->asked.target, text, (size_t)length, error);
}

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
    hn_progress_wait(&progress, stderr, 0, "probing the capabilities of the target");
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

static int show(struct hn_session *session, const struct request *request,
                const struct hn_json *root, const char *answer)
{
    const char *path = request->profile;
    int status = HN_OK;
    if (request->json)
        puts(answer);
    else
        status = hn_probe_print(root, stdout, &session->error);
    if (status == HN_OK && path)
        status = hn_probe_write_profile(session->profile, root, path, &session->error);
    if (status == HN_OK && path && !request->json)
        printf("wrote %s\n", path);
    return status;
}

/* *complete: the backend was loaded, and every question has an answer. */
static int probe(struct hn_session *session, const struct request *request, int *complete)
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
        status = show(session, request, &root, answer);
    }
    if (status == HN_OK && *ended)
        fprintf(stderr, "assay: the probing process %s\n", ended);
    hn_json_destroy(document);
    free(answer);
    return status;
}

static int take_steps(struct hn_session *session, void *context, int *exit_status)
{
    const struct request *request = context;
    int complete = 0, status = HN_OK;
    snprintf(session->folder, sizeof session->folder, "%s", request->folder);
    if (request->module || request->library)
        status = write_made_profile(request, &session->error);
    if (status == HN_OK)
        status = hn_session_find_target(session);
    if (status == HN_OK)
        status = hn_session_read_files(session);
    if (status == HN_OK)
        status = probe(session, request, &complete);
    *exit_status = complete ? HN_EXIT_OK : HN_EXIT_INPUT;
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    char folder[] = "/tmp/assay-probe-XXXXXX", made[sizeof folder + 16];
    struct request request = {.folder = folder};
    struct hn_error error;
    int status = hn_options_read(invocation, &request);
    if (status)
        return status;
    if (!mkdtemp(folder)) {
        hn_error_errno(&error, "cannot make a folder for the probe");
        return hn_print_error(&error);
    }
    snprintf(made, sizeof made, "%s/probed.yaml", folder);
    if (request.module || request.library)
        request.asked.target = made;
    status = hn_session_command(&request.asked, take_steps, &request);
    unlink(made);
    rmdir(folder);
    return status;
}

const struct hn_command hn_cmd_probe = {
    .name = "probe",
    .summary = "show what a backend registers and which capabilities it has",
    .usage = "[--target TARGET | --import MODULE | --dlopen FILE] [OPTIONS]",
    .help = "Inspects the backend's files (preflight), then loads it in a separate process and "
            "shows what each load step registered, which devices work, and which capabilities "
            "the backend has.\n"
            "\n"
            "  assay probe --import torch_foo --write foo.yaml\n"
            "  assay run --target foo.yaml\n"
            "\n"
            "Exit status 65 if the backend could not be loaded or the process did not exit "
            "normally.\n",
    HN_OPTIONS(options),
    .run = run,
};
