/* SPDX-License-Identifier: BSD-3-Clause
 *
 * SARIF 2.1.0 for code scanning: findings with a file inside the source tree, causes first.
 * GitHub stores 5,000 results of a run. Further findings, and findings without such a file, are
 * counted in the run's properties.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_story.h"
#include "file.h"
#include "json_write.h"
#include "render.h"
#include "terminal.h"

#define RESULTS_MOST 5000

/* A relative path that stays below the root; other paths name files of one machine. */
static int is_inside(const char *path)
{
    if (path[0] == '/' || strchr(path, '\\') || strchr(path, ':'))
        return 0;
    for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
            return 0;
    return path[0] != '\0';
}

static int has_place(const struct rp_check *check, char *file, size_t size, int *line)
{
    return rp_check_place(check, file, size, line) && is_inside(file);
}

/* A URI reference: all characters except unreserved characters and '/' are percent-encoded. */
static void encode_uri(const char *path, char *uri, size_t size)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    size_t used = 0;
    uri[0] = '\0';
    for (const char *c = path; *c && used + 4 < size; c++)
        used += (size_t)snprintf(uri + used, size - used, strchr(plain, *c) ? "%c" : "%%%02X",
                                 (unsigned char)*c);
}

static const char *rule_of(const struct rp_check *check)
{
    return check->covers.count ? check->covers.items[0] : check->id;
}

static const char *level_of(const struct rp_check *check)
{
    if (!hn_verdict_table[check->verdict].fails)
        return "note";
    return check->level == HN_MUST ? "error" : "warning";
}

static void write_message(struct hn_json_writer *writer, const char *key, const char *text)
{
    struct hn_buffer safe;
    hn_buffer_init(&safe, 6 * strlen(text) + 16);
    hn_terminal_puts(&safe, text);
    hn_write_object(writer, key);
    hn_write_text(writer, "text", safe.length ? safe.text : "(no text)");
    hn_write_object_end(writer);
    hn_buffer_finish(&safe);
}

/* ---- collecting findings ---- */

struct findings {
    const struct rp_run *run;
    size_t *indices, count, omitted;
};

static int collect(struct findings *findings, const struct rp_run *run)
{
    char file[HN_PATH_SIZE];
    size_t kept = 0;
    int line;
    findings->run = run;
    findings->indices = calloc(run->check_count + 1, sizeof *findings->indices);
    if (!findings->indices)
        return HN_ENOMEM;
    const size_t count = rp_run_troubles(run, findings->indices);
    for (size_t i = 0; i < count; i++) {
        const size_t index = findings->indices[i];
        if (kept < RESULTS_MOST && has_place(&run->checks[index], file, sizeof file, &line))
            findings->indices[kept++] = index;
    }
    findings->count = kept;
    findings->omitted = count - kept;
    return HN_OK;
}

static const struct rp_check *finding(const struct findings *findings, size_t i)
{
    return &findings->run->checks[findings->indices[i]];
}

/* Ids of rules are unique: a rule is written with its first finding. */
static int is_first(const struct findings *findings, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(rule_of(finding(findings, j)), rule_of(finding(findings, i))) == 0)
            return 0;
    return 1;
}

static void write_rule(struct hn_json_writer *writer, const struct rp_check *check)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "id", rule_of(check));
    write_message(writer, "shortDescription", check->demand[0] ? check->demand : check->id);
    if (check->words.hint[0])
        write_message(writer, "help", check->words.hint);
    hn_write_object(writer, "properties");
    hn_write_array(writer, "tags");
    hn_write_text(writer, NULL, check->module);
    hn_write_text(writer, NULL, hn_level_names[check->level]);
    hn_write_array_end(writer);
    hn_write_object_end(writer);
    hn_write_object_end(writer);
}

static void write_location(struct hn_json_writer *writer, const struct rp_check *check)
{
    char file[HN_PATH_SIZE], uri[3 * HN_PATH_SIZE];
    int line = 0;
    has_place(check, file, sizeof file, &line);
    encode_uri(file, uri, sizeof uri);
    hn_write_array(writer, "locations");
    hn_write_object(writer, NULL);
    hn_write_object(writer, "physicalLocation");
    hn_write_object(writer, "artifactLocation");
    hn_write_text(writer, "uri", uri);
    hn_write_object_end(writer);
    hn_write_object(writer, "region");
    hn_write_integer(writer, "startLine", line > 0 ? line : 1);
    hn_write_object_end(writer);
    hn_write_object_end(writer);
    hn_write_object_end(writer);
    hn_write_array_end(writer);
}

static void write_result(struct hn_json_writer *writer, const struct rp_run *run,
                         const struct rp_check *check)
{
    struct hn_buffer text;
    hn_buffer_init(&text, 4 * RP_STORY_LIMIT);
    hn_buffer_printf(&text, "%s: %s: %.4000s", check->id, hn_verdict_table[check->verdict].name,
                     rp_check_message(check));
    hn_write_object(writer, NULL);
    hn_write_text(writer, "ruleId", rule_of(check));
    hn_write_text(writer, "level", level_of(check));
    write_message(writer, "message", text.text);
    write_location(writer, check);
    hn_write_object(writer, "partialFingerprints");
    hn_buffer_clear(&text);
    hn_buffer_printf(&text, "%s %s", run->target, check->id);
    hn_write_text(writer, "assayCheck/v1", text.text);
    hn_write_object_end(writer);
    hn_write_object_end(writer);
    hn_buffer_finish(&text);
}

static void write_tool(struct hn_json_writer *writer, const struct findings *findings)
{
    hn_write_object(writer, "tool");
    hn_write_object(writer, "driver");
    hn_write_text(writer, "name", "assay");
    hn_write_array(writer, "rules");
    for (size_t i = 0; i < findings->count; i++)
        if (is_first(findings, i))
            write_rule(writer, finding(findings, i));
    hn_write_array_end(writer);
    hn_write_object_end(writer);
    hn_write_object_end(writer);
}

int rp_render_sarif(const struct rp_run *const *runs, size_t count,
                    const struct rp_options *options, struct hn_buffer *out)
{
    struct hn_json_writer writer;
    struct findings findings;
    const int status = collect(&findings, runs[0]);
    (void)count;
    (void)options;
    if (status)
        return status;
    hn_write_document(&writer, out, NULL);
    hn_write_text(&writer, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    hn_write_text(&writer, "version", "2.1.0");
    hn_write_array(&writer, "runs");
    hn_write_object(&writer, NULL);
    write_tool(&writer, &findings);
    hn_write_array(&writer, "results");
    for (size_t i = 0; i < findings.count; i++)
        write_result(&writer, runs[0], finding(&findings, i));
    hn_write_array_end(&writer);
    hn_write_object(&writer, "properties");
    hn_write_text(&writer, "target", runs[0]->target);
    hn_write_integer(&writer, "omitted", (int64_t)findings.omitted);
    hn_write_object_end(&writer);
    hn_write_object_end(&writer);
    hn_write_array_end(&writer);
    free(findings.indices);
    return hn_write_document_end(&writer);
}
