/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See target_preflight.h.
 */
#include "target_preflight.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "json_read.h"
#include "library_search.h"
#include "preflight.h"
#include "probe_process.h"
#include "terminal.h"

#define INVENTORY_MS 60000
#define REQUEST_LIMIT ((size_t)1 << 20)

static const struct hn_json_limits limits = {.bytes = (size_t)4 << 20, .depth = 16};

struct listener {
    struct hn_arena *arena;
    struct hn_target_files *files;
};

static void hear(void *context, const char *severity, const char *sentence)
{
    const struct listener *listener = context;
    struct hn_target_files *files = listener->files;
    if (files->count == HN_TOLD_MOST)
        return;
    files->told[files->count].severity = hn_arena_text(listener->arena, "%s", severity);
    files->told[files->count].message = hn_arena_text(listener->arena, "%s", sentence);
    files->count += files->told[files->count].severity && files->told[files->count].message;
}

/* ---- which files */

void hn_write_load_steps(const struct hn_run_target *target, struct hn_json_writer *writer)
{
    hn_write_array(writer, "steps");
    for (size_t i = 0; i < target->step_count; i++) {
        hn_write_array(writer, NULL);
        hn_write_text(writer, NULL, target->steps[i].kind);
        hn_write_text(writer, NULL, target->steps[i].argument);
        hn_write_text(writer, NULL, target->steps[i].extra);
        hn_write_array_end(writer);
    }
    hn_write_array_end(writer);
}

/* The caller frees *answer, which is NULL if the interpreter could not answer. */
static int ask_for_files(const struct hn_run_target *target, const char *python, const char *folder,
                         char **answer, size_t *length, struct hn_error *error)
{
    char ended[HN_SIDE_ENDED];
    struct hn_buffer request;
    struct hn_json_writer writer;
    struct hn_progress progress;
    hn_progress_wait(&progress, stderr, 0, "reading the target's files");
    const struct hn_probe_process process = {
        .python = python,
        .environment = target->environment,
        .environment_count = target->environment_count,
        .folder = folder,
        .deadline_ms = INVENTORY_MS,
        .progress = &progress,
    };
    hn_buffer_init(&request, REQUEST_LIMIT);
    hn_write_document(&writer, &request, NULL);
    hn_write_boolean(&writer, "inventory", 1);
    hn_write_load_steps(target, &writer);
    int status = hn_write_document_end(&writer);
    if (status == HN_OK)
        status = hn_probe_ask(&process, request.text, request.length, answer, length, ended, error);
    hn_buffer_finish(&request);
    return status;
}

static const char *library_path(const struct hn_run_target *target)
{
    static const char name[] = "LD_LIBRARY_PATH=";
    for (size_t i = 0; i < target->environment_count; i++)
        if (strncmp(target->environment[i], name, sizeof name - 1) == 0)
            return target->environment[i] + sizeof name - 1;
    return NULL;
}

/* Returns a list of paths in the answer, which live as long as the answer. */
static const char **take_paths(const struct hn_json *inventory, const char *key,
                               struct hn_arena *arena, size_t *count)
{
    struct hn_json list, item;
    *count = 0;
    if (!hn_json_has(inventory, key) || hn_json_array(inventory, key, &list, NULL) != HN_OK)
        return NULL;
    const size_t most = hn_json_count(&list);
    const char **paths = hn_arena_array(arena, most + 1, sizeof *paths);
    for (size_t i = 0; paths && i < most; i++) {
        hn_json_item(&list, i, &item);
        *count += hn_json_as_text(&item, &paths[*count], NULL) == HN_OK;
    }
    return paths;
}

static const char *take_stamp(const struct hn_json *inventory, struct hn_arena *arena)
{
    const char *stamp = "";
    if (hn_json_has(inventory, "stamp"))
        hn_json_text(inventory, "stamp", &stamp, NULL);
    const char *copy = hn_arena_copy(arena, stamp, strlen(stamp));
    return copy ? copy : "";
}

/* ---- what the files contain */

static void tell_absent(const struct hn_preflight *preflight, const char *module)
{
    char sentence[512];
    snprintf(sentence, sizeof sentence,
             "the Python module %.200s is not installed for this interpreter: install it, or set "
             "python: and PYTHONPATH in the profile",
             module);
    preflight->tell(preflight->context, "error", sentence);
}

static void examine(struct hn_preflight *preflight, const struct hn_json *inventory,
                    struct hn_arena *arena)
{
    size_t count;
    preflight->companions = take_paths(inventory, "libraries", arena, &preflight->companion_count);
    for (size_t i = 0; i < preflight->companion_count; i++)
        hn_preflight_library(preflight, preflight->companions[i]);
    const char **paths = take_paths(inventory, "metadata", arena, &count);
    for (size_t i = 0; i < count; i++)
        hn_preflight_metadata(preflight, paths[i]);
    paths = take_paths(inventory, "absent", arena, &count);
    for (size_t i = 0; i < count; i++)
        tell_absent(preflight, paths[i]);
}

/* Reports a missing adapter here, because the loader would report it for each check, in a message
 * that does not name the profile. */
static int expect_adapter(const struct hn_run_target *target, struct hn_error *error)
{
    struct hn_search search;
    if (!target->adapter || hn_path_exists(target->adapter))
        return HN_OK;
    hn_search_init(&search);
    if (library_path(target))
        hn_search_add_list(&search, library_path(target), "");
    const int found = !strchr(target->adapter, '/') && hn_search_finds(&search, target->adapter);
    hn_search_finish(&search);
    return found ? HN_OK
                 : hn_error_set(error, HN_EINPUT,
                                "adapter: there is no file %.200s beside the profile of %.100s nor "
                                "among the libraries of assay; nothing was run",
                                target->adapter, target->name);
}

int hn_target_preflight(const struct hn_run_target *target, const struct hn_places *places,
                        const char *folder, struct hn_arena *arena, struct hn_target_files *files,
                        struct hn_error *error)
{
    struct listener listener = {arena, files};
    char libraries[HN_PATH_SIZE + 8], *answer = NULL;
    size_t length = 0;
    struct hn_json_document *document = NULL;
    struct hn_json inventory;
    struct hn_preflight preflight = {
        .torch_libraries = *places->torch.path ? libraries : NULL,
        .torch_version = places->torch.version,
        .library_path = library_path(target),
        .tell = hear,
        .context = &listener,
    };
    *files = (struct hn_target_files){.stamp = ""};
    snprintf(libraries, sizeof libraries, "%s/lib", places->torch.path);
    if (!*places->torch.path)
        hear(&listener, "error", "this interpreter has no torch: install one, or set python:");
    if (*places->torch.remark)
        hear(&listener, "warning", places->torch.remark);
    int status = expect_adapter(target, error);
    if (status == HN_OK)
        status = ask_for_files(target, places->python, folder, &answer, &length, error);
    if (status == HN_OK && answer)
        status = hn_json_parse(answer, length, &limits, "inventory", 0, &document, error);
    if (status == HN_OK && document) {
        hn_json_root(document, &inventory);
        examine(&preflight, &inventory, arena);
        files->stamp = take_stamp(&inventory, arena);
    }
    hn_json_destroy(document);
    free(answer);
    return status;
}

/* ---- results for the callers */

const char *hn_target_files_doubt(const struct hn_target_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->told[i].severity, "error") == 0)
            return files->told[i].message;
    return NULL;
}

void hn_target_files_write(const struct hn_target_files *files, const char *key,
                           struct hn_json_writer *writer)
{
    hn_write_array(writer, key);
    for (size_t i = 0; i < files->count; i++) {
        hn_write_object(writer, NULL);
        hn_write_text(writer, "severity", files->told[i].severity);
        hn_write_text(writer, "message", files->told[i].message);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
}

void hn_target_files_print(const struct hn_target_files *files, FILE *out)
{
    for (size_t i = 0; i < files->count; i++) {
        fprintf(out, "preflight %s: ", files->told[i].severity);
        hn_terminal_print(out, files->told[i].message);
        fputc('\n', out);
    }
}
