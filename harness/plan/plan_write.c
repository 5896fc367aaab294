/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the plan as JSON, so that later readers know the planned checks. Called once by the
 * runner.
 */
#include "plan.h"

static void write_set(struct hn_json_writer *writer, const struct hn_check_field *field,
                      unsigned set)
{
    hn_write_array(writer, field->name);
    for (int i = 0; i < field->word_count; i++)
        if (set & 1u << i)
            hn_write_text(writer, NULL, field->words[i]);
    hn_write_array_end(writer);
}

static void write_field(struct hn_json_writer *writer, const struct hn_check *check,
                        const struct hn_check_field *field)
{
    const void *value = hn_check_value(check, field);
    if (field->type == HN_CHECK_TEXT)
        hn_write_text(writer, field->name, *(const char *const *)value);
    else if (field->type == HN_CHECK_NUMBER)
        hn_write_integer(writer, field->name, *(const int *)value);
    else if (field->type == HN_CHECK_WORD)
        hn_write_text(writer, field->name, field->words[*(const int *)value]);
    else if (field->type == HN_CHECK_SET)
        write_set(writer, field, *(const unsigned *)value);
    else
        hn_write_texts(writer, field->name, value);
}

static void write_task(const struct hn_plan *plan, const struct hn_task *task,
                       struct hn_json_writer *writer)
{
    const struct hn_check *check = task->check;
    hn_write_object(writer, NULL);
    for (size_t i = 0; i < hn_check_field_count; i++)
        write_field(writer, check, &hn_check_fields[i]);
    hn_write_text(writer, "module", check->module->name);
    hn_write_array(writer, "covers");
    for (size_t i = 0; i < check->covers_count; i++)
        hn_write_text(writer, NULL, check->covers[i]->id);
    hn_write_array_end(writer);
    hn_write_array(writer, "builds_on");
    for (size_t i = 0; i < task->builds_on.count; i++)
        hn_write_text(writer, NULL, plan->tasks[task->builds_on.items[i]].check->id);
    hn_write_array_end(writer);
    hn_write_array(writer, "capabilities");
    for (size_t i = 0; i < task->capabilities.count; i++)
        hn_write_text(writer, NULL, plan->capabilities[task->capabilities.items[i]].name);
    hn_write_array_end(writer);
    hn_write_boolean(writer, "support", task->support);
    hn_write_text(writer, "demand", check->covers_count ? check->covers[0]->text : "");
    hn_write_object_end(writer);
}

static void write_requirement(const struct hn_requirement *requirement,
                              struct hn_json_writer *writer)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "id", requirement->id);
    hn_write_text(writer, "module", requirement->module->name);
    hn_write_text(writer, "level", hn_level_names[requirement->level]);
    hn_write_text(writer, "subject", hn_subject_names[requirement->subject]);
    hn_write_text(writer, "text", requirement->text);
    hn_dispute_write(&requirement->dispute, "disputed", writer);
    hn_write_object_end(writer);
}

static void write_capability(const struct hn_plan *plan, const struct hn_capability *capability,
                             struct hn_json_writer *writer)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "name", capability->name);
    hn_write_text(writer, "claim", hn_claim_names[capability->claim]);
    hn_write_text(writer, "source", capability->source);
    hn_write_text(writer, "probe",
                  capability->probe == HN_NONE ? NULL : plan->tasks[capability->probe].check->id);
    hn_write_text(writer, "refusal",
                  capability->refusal == HN_NONE ? NULL
                                                 : plan->tasks[capability->refusal].check->id);
    hn_write_object_end(writer);
}

static void write_stage(const struct hn_plan_stage *stage, struct hn_json_writer *writer)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "name", stage->stage->name);
    hn_write_text(writer, "text", stage->stage->text);
    hn_write_texts(writer, "capabilities", &stage->stage->capabilities);
    hn_write_array(writer, "checks");
    for (size_t i = 0; i < stage->count; i++)
        hn_write_text(writer, NULL, stage->checks[i]->id);
    hn_write_array_end(writer);
    hn_write_object_end(writer);
}

void hn_plan_write(const struct hn_plan *plan, const struct hn_texts *arguments,
                   struct hn_json_writer *writer)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "schema", "assay/plan/1");
    hn_write_integer(writer, "contract", plan->contract);
    hn_write_text(writer, "digest", plan->digest);
    hn_write_integer(writer, "shard", plan->shard);
    hn_write_integer(writer, "shards", plan->shards);
    hn_write_integer(writer, "seed", (int64_t)plan->seed);
    hn_write_texts(writer, "arguments", arguments);
    hn_write_object(writer, "promised");
    for (int level = 0; level < HN_LEVELS; level++)
        hn_write_integer(writer, hn_level_names[level], (int64_t)plan->promised[level]);
    hn_write_object_end(writer);
    hn_write_array(writer, "other_torch");
    for (size_t i = 0; i < plan->other_torch_count; i++)
        hn_write_text(writer, NULL, plan->other_torch[i]->id);
    hn_write_array_end(writer);
    hn_write_array(writer, "jobs");
    for (size_t i = 0; i < plan->count; i++)
        write_task(plan, &plan->tasks[i], writer);
    hn_write_array_end(writer);
    hn_write_array(writer, "requirements");
    for (size_t i = 0; i < plan->requirement_count; i++)
        write_requirement(plan->requirements[i], writer);
    hn_write_array_end(writer);
    hn_write_array(writer, "capabilities");
    for (size_t i = 0; i < plan->capability_count; i++)
        write_capability(plan, &plan->capabilities[i], writer);
    hn_write_array_end(writer);
    hn_write_array(writer, "stages");
    for (size_t i = 0; i < plan->stage_count; i++)
        write_stage(&plan->stages[i], writer);
    hn_write_array_end(writer);
    hn_write_object_end(writer);
}
