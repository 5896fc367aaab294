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

#include "cache_folder.h"
#include "hash.h"
#include "isolation.h"
#include "json_fields.h"

#define LIMIT ((size_t)256 << 10)

extern char **environ;

/* ---- the inputs of a calibration ---- */

/* Returns 1 for variables that shells and terminals change, and that no backend reads. */
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

/* The hash does not depend on the order, because a shell may export variables in any order. */
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

/* Hashes the boot id, because a rebooted machine may have other devices and drivers. */
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

/* Hashes the orders, because they change how jobs behave. */
static uint64_t hash_orders(uint64_t hash, const struct hn_orders *orders)
{
    for (size_t i = 0; i < HN_ORDERS; i++)
        hash = hn_hash_text(hash, orders->said[i] ? orders->said[i] : "");
    return hash;
}

static uint64_t hash_torch(uint64_t hash, const struct hn_places *places)
{
    hash = hn_hash_text(hn_hash_text(hash, places->python), places->torch.version);
    return hn_hash_text(hn_hash_text(hash, places->torch.git), places->torch.path);
}

void hn_calibration_place(const struct hn_run_input *input, const struct hn_places *places,
                          const char *stamp, const char *mode, char path[HN_PATH_SIZE])
{
    char folder[HN_PATH_SIZE], name[40];
    path[0] = '\0';
    if (!*stamp || hn_cache_folder("isolation", folder) != HN_OK)
        return;
    uint64_t hash = hn_hash_text(HN_HASH_START, stamp);
    hash =
        hash_torch(hash_target(hash_orders(hash, &input->options.orders), &input->target), places);
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

struct kept {
    const char *mode, *why;
    const struct hn_note *notes;
    size_t note_count;
};
static const struct hn_field note_fields[] = {
    HN_ALWAYS("key", HN_FIELD_TEXT, offsetof(struct hn_note, key)),
    HN_ALWAYS("text", HN_FIELD_TEXT, offsetof(struct hn_note, text)),
    HN_END_OF_TABLE,
};
static const struct hn_field kept_fields[] = {
    HN_ALWAYS("mode", HN_FIELD_TEXT, offsetof(struct kept, mode)),
    HN_ALWAYS("why", HN_FIELD_TEXT, offsetof(struct kept, why)),
    HN_LIST("notes", offsetof(struct kept, notes), offsetof(struct kept, note_count), note_fields,
            struct hn_note, 1),
    HN_END_OF_TABLE,
};

int hn_calibration_recall(const char *path, struct hn_calibration *calibration)
{
    static const struct hn_json_limits limits = {.bytes = LIMIT, .depth = 4};
    struct hn_arena *arena = hn_arena_create(4 * LIMIT);
    struct kept kept = {0};
    const int found =
        arena && *path &&
        hn_fields_read_file(path, &limits, kept_fields, &kept, arena, NULL) == HN_OK &&
        known_mode(kept.mode);
    if (found) {
        *calibration = (struct hn_calibration){.mode = known_mode(kept.mode)};
        snprintf(calibration->why, sizeof calibration->why, "%s", kept.why);
        for (size_t i = 0; i < kept.note_count; i++)
            hn_notes_add(&calibration->notes, kept.notes[i].key, kept.notes[i].text);
    }
    hn_arena_destroy(arena);
    return found;
}

void hn_calibration_keep(const char *path, const struct hn_calibration *calibration)
{
    struct hn_buffer text;
    struct hn_json_writer writer;
    struct hn_note list[HN_NOTES_MOST];
    const struct kept kept = {calibration->mode, calibration->why, list,
                              hn_notes_list(&calibration->notes, list)};
    if (!*path || hn_cache_prepare(path) != HN_OK)
        return;
    hn_buffer_init(&text, LIMIT);
    hn_write_document(&writer, &text, NULL);
    hn_fields_write(&writer, kept_fields, &kept);
    if (hn_write_document_end(&writer) == HN_OK)
        hn_file_write(path, text.text, text.length, NULL);
    hn_buffer_finish(&text);
}

int hn_calibration_lasts(const struct hn_calibration *calibration, double load, long processors)
{
    const int is_busy = load >= (double)processors;
    return calibration->notes.count > 0 && !calibration->refusal[0] && !calibration->stopped &&
           !calibration->fell && !(calibration->too_slow && is_busy);
}

void hn_calibration_forget(const char *path)
{
    if (*path)
        unlink(path);
}
