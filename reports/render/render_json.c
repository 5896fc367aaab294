/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report as JSON, schema assay/report/1 (reports/schema/report.schema.json). Called by
 * render_json_several.c.
 */
#include "render_json.h"
#include "check_story.h"

#include "text_left.h"

static void write_unless_empty(struct hn_json_writer *writer, const char *key, const char *text)
{
    hn_write_text(writer, key, text[0] ? text : NULL);
}

static void write_totals(struct hn_json_writer *writer, const size_t totals[HN_VERDICTS])
{
    hn_write_object(writer, "totals");
    for (int i = HN_VERDICTS - 1; i >= 0; i--)
        hn_write_integer(writer, hn_verdict_table[i].name, (int64_t)totals[i]);
    hn_write_object_end(writer);
}

static void write_doubts(struct hn_json_writer *writer, const struct rp_run *run)
{
    hn_write_array(writer, "preflight");
    for (size_t i = 0; i < run->doubt_count; i++) {
        hn_write_object(writer, NULL);
        hn_write_text(writer, "severity", run->doubts[i].severity);
        hn_write_text(writer, "message", run->doubts[i].message);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
}

void rp_json_run(struct hn_json_writer *writer, const char *key, const struct rp_run *run)
{
    hn_write_object(writer, key);
    hn_write_text(writer, "target", run->target);
    hn_write_object(writer, "torch");
    write_unless_empty(writer, "version", run->torch_version);
    write_unless_empty(writer, "git", run->torch_git);
    hn_write_object_end(writer);
    hn_write_object(writer, "contract");
    hn_write_integer(writer, "version", run->contract);
    write_unless_empty(writer, "digest", run->digest);
    hn_write_object_end(writer);
    hn_write_integer(writer, "devices", run->devices);
    write_unless_empty(writer, "host", run->host);
    write_unless_empty(writer, "date", run->date);
    write_unless_empty(writer, "seed", run->seed);
    write_unless_empty(writer, "command", run->command);
    write_unless_empty(writer, "isolation", run->isolation);
    write_unless_empty(writer, "select", run->select);
    hn_write_integer(writer, "shard", run->shard);
    hn_write_integer(writer, "shards", run->shards);
    hn_write_object(writer, "promised");
    for (int level = 0; level < HN_LEVELS; level++)
        hn_write_integer(writer, hn_level_names[level], (int64_t)run->promised[level]);
    hn_write_object_end(writer);
    hn_write_boolean(writer, "complete", run->complete);
    hn_write_text(writer, "stage", rp_run_stage(run));
    write_unless_empty(writer, "why", run->why);
    write_unless_empty(writer, "loss", run->loss);
    write_doubts(writer, run);
    hn_write_object_end(writer);
}

void rp_json_identity(struct hn_json_writer *writer, const char *id, const char *module,
                      enum hn_level level, enum hn_subject subject)
{
    hn_write_text(writer, "id", id);
    hn_write_text(writer, "module", module);
    hn_write_text(writer, "level", hn_level_names[level]);
    hn_write_text(writer, "subject", hn_subject_names[subject]);
}

static void write_requirement(struct hn_json_writer *writer, const struct rp_run *run,
                              const struct rp_requirement *requirement)
{
    hn_write_object(writer, NULL);
    rp_json_identity(writer, requirement->id, requirement->module, requirement->level,
                     requirement->subject);
    hn_write_text(writer, "text", requirement->text);
    hn_write_text(writer, "verdict", hn_verdict_table[requirement->verdict].name);
    hn_dispute_write(&requirement->dispute, "disputed", writer);
    hn_write_boolean(writer, "partly_observed", requirement->partly);
    hn_write_array(writer, "checks");
    for (size_t i = 0; i < requirement->check_count; i++)
        hn_write_text(writer, NULL, run->checks[requirement->checks[i]].id);
    hn_write_array_end(writer);
    hn_write_object_end(writer);
}

void rp_json_standing(struct hn_json_writer *writer, const struct rp_capability *capability)
{
    const struct rp_check *probe = capability->probe, *refusal = capability->refusal;
    hn_write_text(writer, "claim", hn_claim_names[capability->claim]);
    write_unless_empty(writer, "source", capability->source);
    hn_write_text(writer, "probe", probe ? hn_verdict_table[probe->verdict].name : NULL);
    hn_write_text(writer, "refusal", refusal ? hn_verdict_table[refusal->verdict].name : NULL);
    hn_write_integer(writer, "kept", (int64_t)capability->kept);
    hn_write_integer(writer, "total", (int64_t)capability->total);
    hn_write_text(writer, "standing", rp_standing_names[capability->standing]);
}

static void write_capability(struct hn_json_writer *writer, const struct rp_capability *capability)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "name", capability->name);
    rp_json_standing(writer, capability);
    hn_write_object_end(writer);
}

static void write_words(struct hn_json_writer *writer, struct hn_check_words words)
{
    for (size_t i = 0; i < hn_check_field_count; i++)
        if (hn_check_fields[i].where & HN_CHECK_SHOWN)
            write_unless_empty(writer, hn_check_fields[i].name,
                               *hn_check_word(&words, &hn_check_fields[i]));
}

/* Writes the verdicts of clauses if the check has verdicts on several clauses. */
static void write_clauses(struct hn_json_writer *writer, const struct rp_check *check)
{
    if (!check->clause_count)
        return;
    hn_write_object(writer, "clauses");
    for (size_t i = 0; i < check->clause_count; i++)
        hn_write_text(writer, check->clauses[i].id,
                      hn_verdict_table[check->clauses[i].verdict].name);
    hn_write_object_end(writer);
}

static void write_check(struct hn_json_writer *writer, const struct rp_run *run,
                        const struct rp_check *check)
{
    hn_write_object(writer, NULL);
    rp_json_identity(writer, check->id, check->module, check->level, check->subject);
    hn_write_text(writer, "verdict", hn_verdict_table[check->verdict].name);
    write_unless_empty(writer, "reason", check->reason);
    write_unless_empty(writer, "blocked_by", check->blocked_by);
    hn_write_text(writer, "cause", check->root ? check->root->id : NULL);
    if (check->cause_key[0])
        hn_write_text(writer, "cause_key", check->cause_key);
    if (check->joined)
        hn_write_text(writer, "joined", check->joined->id);
    hn_write_integer(writer, "blocks", (int64_t)check->blocks);
    if (check->follows)
        hn_write_boolean(writer, "follows", 1);
    write_unless_empty(writer, "about", check->about);
    hn_write_number(writer, "duration_ms", check->duration_ms);
    write_unless_empty(writer, "demand", rp_check_demand(run, check));
    write_unless_empty(writer, "expected", check->expected);
    write_unless_empty(writer, "seen", check->seen);
    write_unless_empty(writer, "location", check->location);
    write_words(writer, check->words);
    write_unless_empty(writer, "signal", check->signal);
    if (check->frames[0])
        hn_write_text(writer, "frames", check->frames);
    if (check->said[0])
        hn_write_text(writer, "said", check->said);
    write_unless_empty(writer, "stage", check->stage);
    write_unless_empty(writer, "folder", check->folder);
    hn_write_integer(writer, "retries", check->retries);
    hn_write_boolean(writer, "support", check->support);
    rp_json_left(writer, check);
    hn_write_texts(writer, "covers", &check->covers);
    write_clauses(writer, check);
    hn_write_object_end(writer);
}

static void write_modules(struct hn_json_writer *writer, const struct rp_run *run)
{
    hn_write_array(writer, "modules");
    for (size_t i = 0; i < run->module_count; i++) {
        hn_write_object(writer, NULL);
        hn_write_text(writer, "module", run->modules[i].name);
        write_totals(writer, run->modules[i].totals);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
}

static void write_stage(struct hn_json_writer *writer, const struct rp_stage *stage)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "name", stage->name);
    hn_write_text(writer, "text", stage->text);
    hn_write_boolean(writer, "reached", rp_stage_is_reached(stage));
    hn_write_integer(writer, "kept", (int64_t)stage->kept);
    hn_write_integer(writer, "not_asked", (int64_t)stage->unasked);
    hn_write_integer(writer, "not_observable", (int64_t)stage->unseen);
    hn_write_texts(writer, "open", &(struct hn_texts){stage->open, stage->open_count});
    hn_write_object_end(writer);
}

int rp_json_report(const struct rp_run *run, struct hn_buffer *out)
{
    struct hn_json_writer writer;
    hn_write_document(&writer, out, "assay/report/1");
    rp_json_run(&writer, "run", run);
    write_totals(&writer, run->totals);
    write_modules(&writer, run);
    hn_write_array(&writer, "requirements");
    for (size_t i = 0; i < run->requirement_count; i++)
        write_requirement(&writer, run, &run->requirements[i]);
    hn_write_array_end(&writer);
    hn_write_array(&writer, "capabilities");
    for (size_t i = 0; i < run->capability_count; i++)
        write_capability(&writer, &run->capabilities[i]);
    hn_write_array_end(&writer);
    hn_write_array(&writer, "stages");
    for (size_t i = 0; i < run->stage_count; i++)
        write_stage(&writer, &run->stages[i]);
    hn_write_array_end(&writer);
    hn_write_array(&writer, "checks");
    for (size_t i = 0; i < run->check_count; i++)
        write_check(&writer, run, &run->checks[i]);
    hn_write_array_end(&writer);
    return hn_write_document_end(&writer);
}
