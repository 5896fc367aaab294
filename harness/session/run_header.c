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
#include "journal.h"
#include "json_write.h"

static void write_target(struct hn_json_writer *writer, const struct hn_profile *profile)
{
    hn_write_object(writer, "target");
    hn_write_text(writer, "name", profile->name);
    hn_write_text(writer, "profile", profile->path);
    hn_write_object_end(writer);
}

static void write_torch(struct hn_json_writer *writer, const struct hn_torch_version *torch)
{
    hn_write_object(writer, "torch");
    hn_write_text(writer, "version", torch->version);
    hn_write_text(writer, "git", torch->git);
    hn_write_text(writer, "path", torch->path);
    hn_write_object_end(writer);
}

static void write_plan(struct hn_json_writer *writer, const struct hn_run_facts *facts)
{
    hn_write_object(writer, "contract");
    hn_write_integer(writer, "version", facts->plan->contract);
    hn_write_text(writer, "digest", facts->plan->digest);
    hn_write_object_end(writer);
    hn_write_object(writer, "shard");
    hn_write_integer(writer, "index", facts->plan->shard);
    hn_write_integer(writer, "of", facts->plan->shards);
    hn_write_object_end(writer);
    hn_write_text(writer, "select", facts->select ? facts->select : "all");
}

static void write_host(struct hn_json_writer *writer)
{
    struct utsname system;
    if (uname(&system) != 0)
        return;
    hn_write_object(writer, "host");
    hn_write_text(writer, "name", system.nodename);
    hn_write_text(writer, "system", system.sysname);
    hn_write_text(writer, "release", system.release);
    hn_write_text(writer, "machine", system.machine);
    hn_write_integer(writer, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
    hn_write_object_end(writer);
}

/* For people; the words one by one are what --resume reads. */
static void write_command_line(struct hn_json_writer *writer, const struct hn_run_facts *facts)
{
    struct hn_buffer line;
    hn_buffer_init(&line, 65536);
    hn_buffer_puts(&line, "assay");
    for (size_t i = 0; i < facts->command_count; i++)
        hn_buffer_printf(&line, " %s", facts->command[i]);
    hn_write_text(writer, "command", line.text);
    hn_buffer_finish(&line);
}

int hn_run_header_write(const struct hn_run_facts *facts, struct hn_buffer *members,
                        struct hn_error *error)
{
    struct hn_json_writer writer;
    hn_write_begin(&writer, members, 0);
    hn_write_object(&writer, NULL);
    write_target(&writer, facts->profile);
    write_torch(&writer, facts->torch);
    write_plan(&writer, facts);
    write_host(&writer);
    write_command_line(&writer, facts);
    hn_write_array(&writer, "arguments");
    for (size_t i = 0; i < facts->command_count; i++)
        hn_write_text(&writer, NULL, facts->command[i]);
    hn_write_array_end(&writer);
    hn_write_object_end(&writer);
    if (hn_write_end(&writer) != HN_OK)
        return hn_error_set(error, HN_ELIMIT, "the command line is too long for the journal");
    /* An object of its own becomes members of the run record. */
    members->text[0] = ',';
    members->text[--members->length] = '\0';
    return HN_OK;
}

struct reading {
    char **words;
    size_t *count;
    int seen;
};

static int read_command(void *context, const struct hn_json *record, struct hn_error *error)
{
    struct reading *reading = context;
    struct hn_json command, word;
    const char *text;
    if (reading->seen++)
        return HN_OK;
    int status = hn_json_array(record, "arguments", &command, error);
    for (size_t i = 0; status == HN_OK && i < hn_json_count(&command); i++) {
        hn_json_item(&command, i, &word);
        status = hn_json_as_text(&word, &text, error);
        if (status == HN_OK && i + 1 < HN_COMMAND_WORDS)
            reading->words[(*reading->count)++] = strdup(text);
    }
    return status;
}

int hn_run_header_command(const char *folder, char **words, size_t *count, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    struct reading reading = {words, count, 0};
    *count = 0;
    int status = hn_path_join(path, sizeof path, folder, HN_JOURNAL_FILE, error);
    if (status == HN_OK)
        status = hn_journal_read(path, read_command, &reading, NULL, error);
    if (status == HN_OK && *count == 0)
        status = hn_error_set(error, HN_EINPUT, "%s does not say how it was begun: begin a new run",
                              path);
    return status;
}
