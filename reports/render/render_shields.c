/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A badge for shields.io's endpoint: "assay foo | 118 of 133 musts kept, stage usable".
 */
#include <stdio.h>

#include "check_story.h"
#include "json_write.h"
#include "render.h"
#include "run_set.h"

/* Red for a failed must, grey for undecided, yellow for a should that does not hold. */
static const char *colour_of(const struct rp_run *run)
{
    const int status = rp_run_exit(run);
    const struct rp_share should = rp_level_share(run, HN_SHOULD);
    if (status == HN_EXIT_FAILED)
        return "red";
    if (status == HN_EXIT_UNDECIDED)
        return "lightgrey";
    return should.kept < should.total ? "yellow" : "brightgreen";
}

static void write_message(struct hn_json_writer *writer, const struct rp_run *run)
{
    char message[160];
    struct rp_counts counts;
    const struct rp_share must = rp_level_share(run, HN_MUST);
    const char *stage = rp_run_stage(run);
    const int is_part = rp_run_is_part(run);
    rp_run_counts(run, &counts);
    if (!run->complete)
        snprintf(message, sizeof message, "run not complete");
    else if (must.total)
        snprintf(message, sizeof message, "%zu of %zu %smusts kept%s%.40s", must.kept,
                 is_part ? rp_count_asked(run, HN_MUST) : must.total, is_part ? "asked " : "",
                 stage ? ", stage " : "", stage ? stage : "");
    else
        snprintf(message, sizeof message, "%zu of %zu checks passed", counts.passed, counts.all);
    hn_write_text(writer, "message", message);
}

int rp_render_shields(const struct rp_run *const *runs, size_t count,
                      const struct rp_options *options, struct hn_buffer *out)
{
    const struct rp_run *run = runs[0];
    struct hn_json_writer writer;
    char label[80];
    (void)count;
    (void)options;
    snprintf(label, sizeof label, "assay %.60s", run->target);
    hn_write_document(&writer, out, NULL);
    hn_write_integer(&writer, "schemaVersion", 1);
    hn_write_text(&writer, "label", label);
    write_message(&writer, run);
    hn_write_text(&writer, "color", colour_of(run));
    hn_write_boolean(&writer, "isError", rp_run_exit(run) != HN_EXIT_OK);
    return hn_write_document_end(&writer);
}
