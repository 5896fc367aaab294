/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A diff of two runs as JSON, schema assay/diff/1 (reports/schema/diff.schema.json).
 */
#include "json_write.h"
#include "render_diff.h"

static void write_run(struct hn_json_writer *writer, const char *key, const struct rp_run *run)
{
    hn_write_object(writer, key);
    hn_write_text(writer, "target", run->target);
    hn_write_text(writer, "torch", run->torch_version);
    hn_write_integer(writer, "contract", run->contract);
    hn_write_text(writer, "digest", run->digest);
    hn_write_text(writer, "date", run->date);
    hn_write_boolean(writer, "complete", run->complete);
    hn_write_object_end(writer);
}

static void write_change(struct hn_json_writer *writer, const struct rp_change *change)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "id", change->to->id);
    hn_write_text(writer, "level", hn_level_names[change->to->level]);
    hn_write_text(writer, "kind", rp_change_names[change->kind]);
    hn_write_text(writer, "from", hn_verdict_table[change->from->verdict].name);
    hn_write_text(writer, "to", hn_verdict_table[change->to->verdict].name);
    hn_write_text(writer, "seen", change->to->seen[0] ? change->to->seen : NULL);
    hn_write_text(writer, "reason", change->to->reason[0] ? change->to->reason : NULL);
    hn_write_text(writer, "location", change->to->location[0] ? change->to->location : NULL);
    hn_write_text(writer, "cause", change->to->root ? change->to->root->id : NULL);
    hn_write_object_end(writer);
}

static void write_ids(struct hn_json_writer *writer, const struct rp_diff *diff,
                      enum rp_change_kind kind)
{
    hn_write_array(writer, rp_change_names[kind]);
    for (size_t i = 0; i < diff->change_count; i++) {
        const struct rp_change *change = &diff->changes[i];
        if (change->kind == kind)
            hn_write_text(writer, NULL, change->to ? change->to->id : change->from->id);
    }
    hn_write_array_end(writer);
}

int rp_diff_json(const struct rp_diff *diff, int colour, struct hn_buffer *out)
{
    struct hn_json_writer writer;
    (void)colour;
    hn_write_document(&writer, out, "assay/diff/1");
    write_run(&writer, "from", diff->from);
    write_run(&writer, "to", diff->to);
    hn_write_array(&writer, "changed");
    for (size_t i = 0; i < diff->change_count; i++)
        if (diff->changes[i].from && diff->changes[i].to)
            write_change(&writer, &diff->changes[i]);
    hn_write_array_end(&writer);
    write_ids(&writer, diff, RP_ADDED);
    write_ids(&writer, diff, RP_REMOVED);
    hn_write_object(&writer, "summary");
    for (int kind = 0; kind < RP_CHANGE_KINDS; kind++)
        hn_write_integer(&writer, rp_change_names[kind], (int64_t)diff->counts[kind]);
    hn_write_object_end(&writer);
    return hn_write_document_end(&writer);
}
