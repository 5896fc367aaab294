/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Common Test Report Format (ctrf.io): results with tool, summary and tests. Statuses come from the
 * table of verdicts; what could not be decided is "other", never "passed".
 */
#include <stdio.h>

#include "check_story.h"
#include "file.h"
#include "json_write.h"
#include "render.h"
#include "terminal.h"

#define SPEC_VERSION "0.0.0"

static const char *status_of(const struct hn_verdict_row *row)
{
    if (row->junit == HN_JUNIT_PASSED)
        return "passed";
    if (row->junit == HN_JUNIT_SKIPPED)
        return "skipped";
    return row->fails ? "failed" : "other";
}

static void write_story(struct hn_json_writer *writer, const struct rp_run *run,
                        const struct rp_check *check)
{
    struct hn_buffer story, safe;

    hn_buffer_init(&story, RP_STORY_LIMIT);
    hn_buffer_init(&safe, 6 * RP_STORY_LIMIT);
    rp_check_story(run, check, &story);
    hn_terminal_filter(&safe, story.text, story.length);
    hn_write_text(writer, "trace", safe.text);
    hn_buffer_finish(&safe);
    hn_buffer_finish(&story);
}

static void write_test(struct hn_json_writer *writer, const struct rp_run *run,
                       const struct rp_check *check)
{
    const struct hn_verdict_row *row = &hn_verdict_table[check->verdict];
    char file[HN_PATH_SIZE];
    int line;

    hn_write_object(writer, NULL);
    hn_write_text(writer, "name", check->id[0] ? check->id : "(unnamed)");
    hn_write_text(writer, "status", status_of(row));
    hn_write_integer(writer, "duration", (int64_t)(rp_check_seconds(check) * 1000 + 0.5));
    hn_write_array(writer, "suite");
    hn_write_text(writer, NULL, run->target);
    hn_write_text(writer, NULL, check->module);
    hn_write_array_end(writer);
    hn_write_text(writer, "rawStatus", row->name);
    hn_write_array(writer, "tags");
    hn_write_text(writer, NULL, hn_level_names[check->level]);
    for (size_t i = 0; i < check->covers.count; i++)
        hn_write_text(writer, NULL, check->covers.items[i]);
    hn_write_array_end(writer);
    hn_write_integer(writer, "retries", check->retries);
    hn_write_boolean(writer, "flaky", check->verdict == HN_FLAKY);
    if (rp_check_place(check, file, sizeof file, &line)) {
        hn_write_text(writer, "filePath", file);
        if (line)
            hn_write_integer(writer, "line", line);
    }
    if (check->verdict != HN_PASS)
        hn_write_text(writer, "message", rp_check_message(check));
    if (row->junit == HN_JUNIT_FAILURE || row->junit == HN_JUNIT_ERROR)
        write_story(writer, run, check);
    hn_write_object_end(writer);
}

static void write_summary(struct hn_json_writer *writer, const struct rp_run *run)
{
    struct rp_counts counts;
    const int64_t start = rp_run_start_ms(run);

    rp_run_counts(run, &counts);
    hn_write_object(writer, "summary");
    hn_write_integer(writer, "tests", (int64_t)counts.all);
    hn_write_integer(writer, "passed", (int64_t)counts.passed);
    hn_write_integer(writer, "failed", (int64_t)counts.failed);
    hn_write_integer(writer, "skipped", (int64_t)counts.skipped);
    hn_write_integer(writer, "pending", 0);
    hn_write_integer(writer, "other", (int64_t)counts.undecided);
    hn_write_integer(writer, "flaky", (int64_t)run->totals[HN_FLAKY]);
    hn_write_integer(writer, "suites", (int64_t)run->module_count);
    hn_write_integer(writer, "start", start);
    /* The journal has no end of the run: the checks' own time stands for it. */
    hn_write_integer(writer, "stop", start + (int64_t)(counts.seconds * 1000 + 0.5));
    hn_write_object_end(writer);
}

static void write_environment(struct hn_json_writer *writer, const struct rp_run *run)
{
    hn_write_object(writer, "environment");
    hn_write_object(writer, "extra");
    hn_write_text(writer, "target", run->target);
    hn_write_text(writer, "torch", run->torch_version);
    hn_write_text(writer, "torch_git", run->torch_git);
    hn_write_integer(writer, "contract", run->contract);
    hn_write_text(writer, "host", run->host);
    hn_write_text(writer, "seed", run->seed);
    hn_write_text(writer, "command", run->command);
    hn_write_boolean(writer, "complete", run->complete);
    hn_write_object_end(writer);
    hn_write_object_end(writer);
}

int rp_render_ctrf(const struct rp_run *const *runs, size_t count, const struct rp_options *options,
                   struct hn_buffer *out)
{
    const struct rp_run *run = runs[0];
    struct hn_json_writer writer;

    (void)count;
    (void)options;
    hn_write_document(&writer, out, NULL);
    hn_write_text(&writer, "reportFormat", "CTRF");
    hn_write_text(&writer, "specVersion", SPEC_VERSION);
    hn_write_text(&writer, "generatedBy", "assay");
    hn_write_object(&writer, "results");
    hn_write_object(&writer, "tool");
    hn_write_text(&writer, "name", "assay");
    hn_write_object_end(&writer);
    write_summary(&writer, run);
    hn_write_array(&writer, "tests");
    for (size_t i = 0; i < run->check_count; i++)
        if (!run->checks[i].support)
            write_test(&writer, run, &run->checks[i]);
    hn_write_array_end(&writer);
    write_environment(&writer, run);
    hn_write_object_end(&writer);
    return hn_write_document_end(&writer);
}
