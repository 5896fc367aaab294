/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The past as JSON: see dashboard.h.
 */
#include "dashboard.h"
#include "json_write.h"

static void write_mark(struct hn_json_writer *writer, const struct rp_mark *mark)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "id", mark->check);
    hn_write_text(writer, "level", hn_level_names[mark->level]);
    hn_write_text(writer, "verdict", hn_verdict_table[mark->verdict].name);
    hn_write_text(writer, "seen", mark->seen);
    hn_write_boolean(writer, "fresh", mark->fresh);
    hn_write_object_end(writer);
}

static void write_run(struct hn_json_writer *writer, const struct rp_past *past, size_t index)
{
    const struct rp_past_run *run = &past->runs[index];

    hn_write_object(writer, NULL);
    hn_write_text(writer, "target", run->target);
    hn_write_text(writer, "torch", run->torch);
    hn_write_text(writer, "release", run->release);
    hn_write_text(writer, "git", run->git);
    hn_write_text(writer, "date", run->date);
    hn_write_integer(writer, "contract", run->contract);
    hn_write_text(writer, "digest", run->digest);
    hn_write_text(writer, "asked", run->asked);
    hn_write_text(writer, "state", rp_state_names[run->state]);
    hn_write_text(writer, "since", past->runs[run->since].date);
    hn_write_integer(writer, "must_kept", (int64_t)run->kept);
    hn_write_integer(writer, "must_total", (int64_t)run->total);
    hn_write_integer(writer, "must_all", (int64_t)run->all);
    hn_write_array(writer, "troubles");
    for (size_t i = 0; i < run->mark_count; i++)
        write_mark(writer, &run->marks[i]);
    hn_write_array_end(writer);
    hn_write_object_end(writer);
}

int rp_dashboard_json(const struct rp_past *past, struct hn_buffer *out)
{
    struct hn_json_writer writer;

    hn_write_document(&writer, out, "assay/history/1");
    hn_write_array(&writer, "runs");
    for (size_t i = 0; i < past->count; i++)
        write_run(&writer, past, i);
    hn_write_array_end(&writer);
    return hn_write_document_end(&writer);
}
