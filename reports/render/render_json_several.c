/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several runs as JSON, schema assay/matrix/1: module, requirement, capability and check by run.
 * Details of a failure are in the report of its run. The entry function of the JSON format is in
 * this file; the function passes a single run on to render_json.c.
 */
#include "render.h"
#include "render_json.h"
#include "run_set.h"

/* Writes the verdict of one run; NULL: the run does not have the check. */
static void write_verdict(struct hn_json_writer *writer, const enum hn_verdict *verdict)
{
    hn_write_text(writer, NULL, verdict ? hn_verdict_table[*verdict].name : NULL);
}

static void write_modules(struct hn_json_writer *writer, const struct rp_set *set)
{
    hn_write_array(writer, "modules");
    for (size_t i = 0; i < set->module_count; i++) {
        hn_write_object(writer, NULL);
        hn_write_text(writer, "module", set->modules[i].name);
        hn_write_array(writer, "in");
        for (size_t run = 0; run < set->run_count; run++) {
            const struct rp_share *share = &set->modules[i].in[run];
            hn_write_object(writer, NULL);
            hn_write_integer(writer, "kept", (int64_t)share->kept);
            hn_write_integer(writer, "total", (int64_t)share->total);
            hn_write_text(writer, "worst",
                          share->total ? hn_verdict_table[share->worst].name : NULL);
            hn_write_object_end(writer);
        }
        hn_write_array_end(writer);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
}

static void write_requirement(struct hn_json_writer *writer, const struct rp_set *set,
                              const struct rp_set_requirement *row)
{
    hn_write_object(writer, NULL);
    rp_json_identity(writer, row->any->id, row->any->module, row->any->level, row->any->subject);
    hn_write_array(writer, "in");
    for (size_t run = 0; run < set->run_count; run++)
        write_verdict(writer, row->in[run] ? &row->in[run]->verdict : NULL);
    hn_write_array_end(writer);
    hn_write_object_end(writer);
}

static void write_capability(struct hn_json_writer *writer, const struct rp_set *set,
                             const struct rp_set_capability *row)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "name", row->any->name);
    hn_write_array(writer, "in");
    for (size_t run = 0; run < set->run_count; run++) {
        if (!row->in[run]) {
            hn_write_null(writer, NULL);
            continue;
        }
        hn_write_object(writer, NULL);
        rp_json_standing(writer, row->in[run]);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
    hn_write_object_end(writer);
}

void rp_json_capabilities(struct hn_json_writer *writer, const struct rp_set *set)
{
    hn_write_array(writer, "capabilities");
    for (size_t i = 0; i < set->capability_count; i++)
        write_capability(writer, set, &set->capabilities[i]);
    hn_write_array_end(writer);
}

static void write_check(struct hn_json_writer *writer, const struct rp_set *set,
                        const struct rp_set_check *row)
{
    hn_write_object(writer, NULL);
    rp_json_identity(writer, row->any->id, row->any->module, row->any->level, row->any->subject);
    hn_write_array(writer, "in");
    for (size_t run = 0; run < set->run_count; run++)
        write_verdict(writer, row->in[run] ? &row->in[run]->verdict : NULL);
    hn_write_array_end(writer);
    hn_write_object_end(writer);
}

static void write_set(struct hn_json_writer *writer, const struct rp_set *set)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "schema", "assay/matrix/1");
    hn_write_array(writer, "runs");
    for (size_t run = 0; run < set->run_count; run++)
        rp_json_run(writer, NULL, set->runs[run]);
    hn_write_array_end(writer);
    write_modules(writer, set);
    hn_write_array(writer, "requirements");
    for (size_t i = 0; i < set->requirement_count; i++)
        write_requirement(writer, set, &set->requirements[i]);
    hn_write_array_end(writer);
    rp_json_capabilities(writer, set);
    hn_write_array(writer, "checks");
    for (size_t i = 0; i < set->check_count; i++)
        write_check(writer, set, &set->checks[i]);
    hn_write_array_end(writer);
    hn_write_object_end(writer);
}

int rp_render_json(const struct rp_run *const *runs, size_t count, const struct rp_options *options,
                   struct hn_buffer *out)
{
    struct hn_json_writer writer;
    struct rp_set *set;
    (void)options;
    if (count == 1)
        return rp_json_report(runs[0], out);
    const int status = rp_set_make(runs, count, &set, NULL);
    if (status)
        return status;
    hn_write_begin(&writer, out, 0);
    write_set(&writer, set);
    hn_buffer_putc(out, '\n');
    rp_set_destroy(set);
    return hn_write_end(&writer);
}
