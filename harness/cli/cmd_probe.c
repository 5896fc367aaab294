/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay probe: what is this backend? Reads its files first (preflight), then loads it in a
 * throw-away process and tells what each step registered and what it can do. Loads nothing itself.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "data.h"
#include "file.h"
#include "output.h"
#include "probe_process.h"
#include "probe_text.h"
#include "run_input.h"
#include "run_paths.h"
#include "target_preflight.h"

#define ARENA_LIMIT ((size_t)16 << 20)
#define REQUEST_LIMIT ((size_t)1 << 20)
#define PROBE_MS 120000

static const struct hn_json_limits limits = {.bytes = (size_t)4 << 20, .depth = 16};

static const struct hn_option options[] = {
    {"target", "TARGET", "a name in ci/targets or a profile (default fakedev)"},
    {"import", "MODULE", "instead of a profile: the Python module that loads the backend"},
    {"dlopen", "FILE", "instead of a profile: the shared object of the backend"},
    {"write", "FILE", "write a profile with what was found"},
    {"format", "text|json", "json: one document, schema assay/probe/1"},
};

struct session {
    const struct hn_invocation *invocation;
    struct hn_profile *profile;
    struct hn_arena *arena;
    struct hn_run_input input;
    struct hn_places places;
    char folder[HN_PATH_SIZE];
    struct hn_target_files preflight;
    struct hn_error error;
};

/* ---- the profile
 * ----------------------------------------------------------------------------------- */

/* A backend named on the command line becomes a profile like any other. */
static int write_made_profile(struct session *session, const char *path)
{
    const char *module = hn_option_value(session->invocation, "import");
    const char *library = hn_option_value(session->invocation, "dlopen");
    char *absolute = library ? realpath(library, NULL) : NULL;
    const char *what = module ? module : absolute ? absolute : library;
    const char *base = strrchr(what, '/') ? strrchr(what, '/') + 1 : what;
    const char *text =
        hn_arena_text(session->arena, "name: \"%.*s\"\nload:\n  - %s: \"%s\"\n",
                      (int)strcspn(base, "."), base, module ? "import" : "dlopen", what);
    free(absolute);
    return text ? hn_file_write(path, text, strlen(text), &session->error)
                : hn_error_nomem(&session->error);
}

static int read_profile(struct session *session)
{
    char path[HN_PATH_SIZE];
    struct hn_findings findings = {0};
    const char *target = hn_option_value(session->invocation, "target");
    const int made = hn_option_value(session->invocation, "import") ||
                     hn_option_value(session->invocation, "dlopen");
    int status =
        made ? hn_path_join(path, sizeof path, session->folder, "probed.yaml", &session->error)
             : hn_run_profile_path(path, target ? target : "fakedev", &session->error);
    if (status == HN_OK && made)
        status = write_made_profile(session, path);
    if (status != HN_OK)
        return hn_print_error(&session->error);
    if (hn_profile_read(path, &session->profile, &findings) != HN_OK)
        status = hn_print_findings(&findings);
    hn_findings_finish(&findings);
    if (made)
        unlink(path);
    return status;
}

static int find_places(struct session *session)
{
    static const struct hn_plan no_checks = {.shard = 1, .shards = 1};
    const struct hn_run_sources sources = {&no_checks, session->profile, &session->places};
    if (hn_interpreter_places(session->profile, &session->places, &session->error) != HN_OK ||
        hn_run_input_make(&sources, session->arena, &session->input, &session->error) != HN_OK)
        return hn_print_error(&session->error);
    return HN_EXIT_OK;
}

/* ---- questions
 * -------------------------------------------------------------------------------------- */

static void write_target(struct hn_json_writer *writer, const struct session *session)
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
    hn_target_files_write(&session->preflight, "preflight", writer);
}

static int ask(struct session *session, char **answer, size_t *length, char ended[HN_PROBE_ENDED])
{
    struct hn_buffer request;
    struct hn_json_writer writer;
    const struct hn_probe_process process = {
        .python = session->places.python,
        .environment = session->input.target.environment,
        .environment_count = session->input.target.environment_count,
        .folder = session->folder,
        .deadline_ms = session->input.target.load_ms + PROBE_MS,
    };
    hn_buffer_init(&request, REQUEST_LIMIT);
    hn_write_begin(&writer, &request, 0);
    hn_write_object(&writer, NULL);
    hn_write_load_steps(&session->input.target, &writer);
    write_target(&writer, session);
    hn_write_object_end(&writer);
    int status = hn_write_end(&writer);
    if (status == HN_OK)
        status = hn_probe_ask(&process, request.text, request.length, answer, length, ended,
                              &session->error);
    hn_buffer_finish(&request);
    return status;
}

/* ---- preflight
 * --------------------------------------------------------------------------------------- */

static int run_preflight(struct session *session)
{
    const int status =
        hn_target_preflight(&session->input.target, &session->places, session->folder,
                            session->arena, &session->preflight, &session->error);
    return status == HN_OK ? HN_EXIT_OK : hn_print_error(&session->error);
}

/* ---- the answer
 * ---------------------------------------------------------------------------------------- */

static int show(struct session *session, const struct hn_json *root, const char *answer,
                const char *ended)
{
    const char *path = hn_option_value(session->invocation, "write");
    int complete = 0, status = HN_OK;
    hn_json_boolean(root, "complete", &complete, NULL);
    if (hn_wants_json(session->invocation))
        puts(answer);
    else
        status = hn_probe_print(root, stdout, &session->error);
    if (status == HN_OK && path)
        status = hn_probe_write_profile(session->profile, root, path, &session->error);
    if (status != HN_OK)
        return hn_print_error(&session->error);
    if (path && !hn_wants_json(session->invocation))
        printf("wrote %s\n", path);
    if (*ended)
        fprintf(stderr, "assay: the probing process %s\n", ended);
    return complete ? HN_EXIT_OK : HN_EXIT_INPUT;
}

static int probe(struct session *session)
{
    char ended[HN_PROBE_ENDED] = "", *answer = NULL;
    size_t length = 0;
    struct hn_json_document *document = NULL;
    struct hn_json root;
    int status = ask(session, &answer, &length, ended);
    if (status == HN_OK && !answer)
        status = hn_error_set(&session->error, HN_EINPUT,
                              "the probing process %s before it could answer; its words are above",
                              *ended ? ended : "ended");
    if (status == HN_OK)
        status = hn_json_parse(answer, length, &limits, "answer", 0, &document, &session->error);
    if (status == HN_OK) {
        hn_json_root(document, &root);
        status = show(session, &root, answer, ended);
    } else {
        status = hn_print_error(&session->error);
    }
    hn_json_destroy(document);
    free(answer);
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    struct session session = {.invocation = invocation, .folder = "/tmp/assay-probe-XXXXXX"};
    session.arena = hn_arena_create(ARENA_LIMIT);
    if (!session.arena || !mkdtemp(session.folder)) {
        hn_error_errno(&session.error, "cannot make a folder for the probe");
        hn_arena_destroy(session.arena);
        return hn_print_error(&session.error);
    }
    int status = read_profile(&session);
    if (status == HN_EXIT_OK)
        status = find_places(&session);
    if (status == HN_EXIT_OK)
        status = run_preflight(&session);
    if (status == HN_EXIT_OK)
        status = probe(&session);
    rmdir(session.folder);
    hn_profile_destroy(session.profile);
    hn_arena_destroy(session.arena);
    return status;
}

const struct hn_command hn_cmd_probe = {
    .name = "probe",
    .summary = "what a backend registers, and what it can do",
    .usage = "[--target TARGET | --import MODULE | --dlopen FILE] [OPTIONS]",
    .help = "Reads the backend's files (preflight), then loads it in a throw-away process and says "
            "what\n"
            "each load step registered, which devices work, and which capabilities it has.\n"
            "\n"
            "  assay probe --import torch_foo --write foo.yaml\n"
            "  assay run --target foo.yaml\n"
            "\n"
            "Exit status 65 when the backend could not be loaded or the process did not end by "
            "itself.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
