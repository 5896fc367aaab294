/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See calibration_cache.h. Called by session.c.
 */
#include "calibration_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hash.h"
#include "isolation.h"
#include "json_read.h"
#include "json_write.h"

#define LIMIT ((size_t)256 << 10)

extern char **environ;

/* ---- what it depends on ---- */

/* Set by shells and terminals anew each time, and no business of a backend. */
static int is_of_the_shell(const char *setting)
{
    static const char *const names[] = {
        "PWD=", "OLDPWD=", "SHLVL=",   "_=",      "TERM=",        "COLUMNS=",   "LINES=",
        "SSH_", "TMUX",    "WINDOWID", "DISPLAY", "XDG_SESSION_", "COLORTERM=", "GITHUB_",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(setting, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

/* In no order: a shell may export the same names in another one. */
static uint64_t hash_environment(void)
{
    uint64_t sum = 0;
    for (char **setting = environ; *setting; setting++)
        if (!is_of_the_shell(*setting))
            sum += hn_hash_mix(hn_hash_text(HN_HASH_START, *setting));
    return sum;
}

static uint64_t hash_file(uint64_t hash, const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return hash;
    const int64_t facts[] = {file.st_mtim.tv_sec, file.st_mtim.tv_nsec, file.st_size};
    return hn_hash_bytes(hash, facts, sizeof facts);
}

/* Devices and their drivers may be others after the machine was started again. */
static uint64_t hash_boot(uint64_t hash)
{
    char *text = NULL;
    size_t length = 0;
    if (hn_file_read("/proc/sys/kernel/random/boot_id", 4096, &text, &length, NULL) == HN_OK)
        hash = hn_hash_bytes(hash, text, length);
    free(text);
    return hash;
}

static uint64_t hash_target(uint64_t hash, const struct hn_run_target *target)
{
    for (size_t i = 0; i < target->step_count; i++) {
        hash = hn_hash_text(hash, target->steps[i].kind);
        hash = hn_hash_text(hash, target->steps[i].argument);
        hash = hn_hash_text(hash, target->steps[i].extra);
    }
    for (size_t i = 0; i < target->environment_count; i++)
        hash = hn_hash_text(hash, target->environment[i]);
    for (size_t i = 0; i < target->asked_count; i++)
        hash = hn_hash_text(hash, target->asked[i]);
    hash = hn_hash_bytes(hash, target->devices, target->device_count * sizeof *target->devices);
    if (target->adapter)
        hash = hash_file(hn_hash_text(hash, target->adapter), target->adapter);
    return hn_hash_text(hash, target->device_name ? target->device_name : "");
}

static uint64_t hash_torch(uint64_t hash, const struct hn_places *places)
{
    hash = hn_hash_text(hn_hash_text(hash, places->python), places->torch.version);
    return hn_hash_text(hn_hash_text(hash, places->torch.git), places->torch.path);
}

/* The place that cached builds have, too: assay_host/torch_builds.py. */
static int find_cache(char folder[HN_PATH_SIZE])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache)
        return hn_path_join(folder, HN_PATH_SIZE, cache, "assay/isolation", NULL);
    if (!home || !*home)
        return HN_ENOTFOUND;
    return hn_path_join(folder, HN_PATH_SIZE, home, ".cache/assay/isolation", NULL);
}

void hn_calibration_place(const struct hn_run_target *target, const struct hn_places *places,
                          const char *stamp, const char *mode, char path[HN_PATH_SIZE])
{
    char folder[HN_PATH_SIZE], name[40];
    path[0] = '\0';
    if (!*stamp || find_cache(folder) != HN_OK)
        return;
    uint64_t hash = hn_hash_text(HN_HASH_START, stamp);
    hash = hash_torch(hash_target(hash, target), places);
    hash = hash_file(hash_boot(hash), "/proc/self/exe");
    hash = hn_hash_mix(hn_hash_text(hash, mode ? mode : "") + hash_environment());
    snprintf(name, sizeof name, "%016" PRIx64 ".json", hash);
    if (hn_path_join(path, HN_PATH_SIZE, folder, name, NULL) != HN_OK)
        path[0] = '\0';
}

/* ---- reading and writing ---- */

static const char *known_mode(const char *name)
{
    for (int i = 0; i < HN_ISOLATIONS; i++)
        if (strcmp(hn_isolations[i].name, name) == 0)
            return hn_isolations[i].name;
    return NULL;
}

static int take_notes(const struct hn_json *root, struct hn_notes *notes)
{
    struct hn_json list, item;
    const char *key, *text;
    if (hn_json_array(root, "notes", &list, NULL) != HN_OK)
        return HN_EINPUT;
    for (size_t i = 0; i < hn_json_count(&list); i++) {
        hn_json_item(&list, i, &item);
        if (hn_json_text(&item, "key", &key, NULL) != HN_OK ||
            hn_json_text(&item, "text", &text, NULL) != HN_OK)
            return HN_EINPUT;
        hn_notes_add(notes, key, text);
    }
    return HN_OK;
}

static int take(const struct hn_json *root, struct hn_calibration *calibration)
{
    struct hn_calibration found = {0};
    const char *mode = "", *why = "";
    if (hn_json_text(root, "mode", &mode, NULL) != HN_OK || !known_mode(mode) ||
        hn_json_text(root, "why", &why, NULL) != HN_OK || take_notes(root, &found.notes) != HN_OK)
        return 0;
    found.mode = known_mode(mode);
    snprintf(found.why, sizeof found.why, "%s", why);
    *calibration = found;
    return 1;
}

int hn_calibration_recall(const char *path, struct hn_calibration *calibration)
{
    static const struct hn_json_limits limits = {.bytes = LIMIT, .depth = 4};
    struct hn_json_document *document = NULL;
    struct hn_json root;
    char *text = NULL;
    size_t length = 0;
    int found = 0;
    if (*path && hn_file_read(path, LIMIT, &text, &length, NULL) == HN_OK &&
        hn_json_parse(text, length, &limits, path, 0, &document, NULL) == HN_OK) {
        hn_json_root(document, &root);
        found = take(&root, calibration);
    }
    hn_json_destroy(document);
    free(text);
    return found;
}

static void write_notes(const struct hn_notes *notes, struct hn_json_writer *writer)
{
    struct hn_note list[HN_NOTES_MOST];
    const size_t count = hn_notes_list(notes, list);
    hn_write_array(writer, "notes");
    for (size_t i = 0; i < count; i++) {
        hn_write_object(writer, NULL);
        hn_write_text(writer, "key", list[i].key);
        hn_write_text(writer, "text", list[i].text);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
}

static int make_folder_of(const char *path)
{
    char folder[HN_PATH_SIZE];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    return hn_dir_make(folder, NULL);
}

void hn_calibration_keep(const char *path, const struct hn_calibration *calibration)
{
    struct hn_buffer text;
    struct hn_json_writer writer;
    if (!*path || make_folder_of(path) != HN_OK)
        return;
    hn_buffer_init(&text, LIMIT);
    hn_write_begin(&writer, &text, 1);
    hn_write_object(&writer, NULL);
    hn_write_text(&writer, "mode", calibration->mode);
    hn_write_text(&writer, "why", calibration->why);
    write_notes(&calibration->notes, &writer);
    hn_write_object_end(&writer);
    if (hn_write_end(&writer) == HN_OK)
        hn_file_write(path, text.text, text.length, NULL);
    hn_buffer_finish(&text);
}

void hn_calibration_forget(const char *path)
{
    if (*path)
        unlink(path);
}
