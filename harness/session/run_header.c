/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_header.h. Called by session.c.
 */
#include "run_header.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "file.h"
#include "json_read.h"

#define PLAN_LIMIT ((size_t)64 << 20)
#define LINE_LIMIT 65536 /* size of the command line */

static const char *copy(const char *text, struct hn_arena *arena)
{
    return hn_arena_copy(arena, text, strlen(text));
}

static void fill_host(struct hn_run_record *header, struct hn_arena *arena)
{
    struct utsname system;
    if (uname(&system) != 0)
        return;
    header->host.name = copy(system.nodename, arena);
    header->host.system = copy(system.sysname, arena);
    header->host.release = copy(system.release, arena);
    header->host.machine = copy(system.machine, arena);
    header->host.processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Returns an absolute path, because the report of the run may be read from another folder. */
static const char *absolute_path(const char *path, struct hn_arena *arena)
{
    char *const real = realpath(path, NULL);
    const char *text = copy(real ? real : path, arena);
    free(real);
    return text;
}

/* Joins the words of the command for people to read. plan.json has the words for --resume. */
static const char *command_line(const struct hn_run_facts *facts, struct hn_arena *arena)
{
    struct hn_buffer line;
    hn_buffer_init(&line, LINE_LIMIT);
    hn_buffer_puts(&line, "assay");
    for (size_t i = 0; i < facts->command_count; i++)
        hn_buffer_printf(&line, " %s", facts->command[i]);
    const char *text = line.status == HN_OK ? copy(line.text, arena) : NULL;
    hn_buffer_finish(&line);
    return text;
}

int hn_run_header_make(const struct hn_run_facts *facts, struct hn_arena *arena,
                       struct hn_run_record *header, struct hn_error *error)
{
    *header = (struct hn_run_record){
        .target = {facts->profile->name, absolute_path(facts->profile->path, arena)},
        .torch = {facts->torch->version, facts->torch->git, facts->torch->path},
        .contract = {(int)facts->plan->contract, copy(facts->plan->digest, arena)},
        .shard = {(int)facts->plan->shard, (int)facts->plan->shards},
        .select = facts->select ? facts->select : "all",
        .command = command_line(facts, arena),
    };
    fill_host(header, arena);
    if (!header->command)
        return hn_error_set(error, HN_ELIMIT, "the command line is too long for the journal");
    return HN_OK;
}

static const struct hn_json_limits limits = {.bytes = PLAN_LIMIT, .depth = 8};

int hn_run_header_has_contract(const char *folder, const char *digest, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    struct hn_json_document *document = NULL;
    struct hn_json root;
    const char *begun;
    int status = hn_path_join(path, sizeof path, folder, HN_PLAN_FILE, error);
    if (status == HN_OK)
        status = hn_json_read(path, &limits, &document, error);
    if (status != HN_OK)
        return status;
    hn_json_root(document, &root);
    status = hn_json_text(&root, "digest", &begun, error);
    if (status == HN_OK && strcmp(begun, digest) != 0)
        status = hn_error_set(error, HN_EINPUT,
                              "the contract has changed since the run in %s was begun, and results "
                              "of two contracts are not mixed: begin a new run",
                              folder);
    hn_json_destroy(document);
    return status;
}

int hn_run_header_command(const char *folder, char **words, size_t *count, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    struct hn_json_document *document = NULL;
    struct hn_json root, list, word;
    const char *one;
    *count = 0;
    int status = hn_path_join(path, sizeof path, folder, HN_PLAN_FILE, error);
    if (status == HN_OK && !hn_path_exists(path))
        status = hn_error_set(error, HN_EINPUT, "there is no run in %s", folder);
    if (status == HN_OK)
        status = hn_json_read(path, &limits, &document, error);
    if (status == HN_OK) {
        hn_json_root(document, &root);
        status = hn_json_array(&root, "arguments", &list, error);
    }
    for (size_t i = 0; status == HN_OK && i < hn_json_count(&list) && i + 1 < HN_COMMAND_WORDS;
         i++) {
        hn_json_item(&list, i, &word);
        status = hn_json_as_text(&word, &one, error);
        if (status == HN_OK)
            words[(*count)++] = strdup(one);
    }
    if (status == HN_OK && *count == 0)
        status = hn_error_set(error, HN_EINPUT,
                              "%s does not say how the run was begun: begin a new run", path);
    hn_json_destroy(document);
    return status;
}
