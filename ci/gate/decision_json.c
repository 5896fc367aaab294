/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes decision.json. Called by cmd_gate.c. This file must not depend on the rules.
 */
#include "decision_write.h"
#include "json_write.h"

static const char *or_null(const char *text)
{
    return text && text[0] ? text : NULL;
}

static void write_label(struct hn_json_writer *writer, const char *key, const char *name, int there)
{
    hn_write_array(writer, key);
    if (there)
        hn_write_text(writer, NULL, name);
    hn_write_array_end(writer);
}

static void write_labels(struct hn_json_writer *writer, const struct ci_policy *policy,
                         const struct ci_result *result)
{
    hn_write_object(writer, "labels");
    write_label(writer, "add", policy->label_adaptation, result->add_label);
    write_label(writer, "remove", policy->label_adaptation, result->remove_label);
    write_label(writer, "suggest", policy->label_hint, result->suggest_hint);
    hn_write_text(writer, "override", policy->label_override);
    hn_write_object_end(writer);
}

static void write_causes(struct hn_json_writer *writer, const char *key,
                         const struct ci_cause *causes, size_t count)
{
    hn_write_array(writer, key);
    for (size_t i = 0; i < count; i++) {
        const struct ci_rule *rule = &ci_rules[causes[i].rule];
        hn_write_object(writer, NULL);
        hn_write_text(writer, "kind", ci_kind_names[rule->kind]);
        hn_write_text(writer, "rule", rule->name);
        hn_write_text(writer, "decides", ci_decision_names[causes[i].decides]);
        hn_write_text(writer, "target", or_null(causes[i].target));
        hn_write_texts(writer, "checks",
                       &(struct hn_texts){causes[i].checks, causes[i].check_count});
        hn_write_text(writer, "text", causes[i].text);
        hn_write_text(writer, "interface", or_null(causes[i].interface_name));
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
}

static void write_counts(struct hn_json_writer *writer, const struct ci_counts *counts)
{
    hn_write_object(writer, "counts");
    for (int i = 0; i < CI_COUNTERS; i++)
        hn_write_integer(writer, ci_counter_names[i], (int64_t)counts->of[i]);
    hn_write_object_end(writer);
}

static void write_targets(struct hn_json_writer *writer, const struct ci_result *result)
{
    hn_write_array(writer, "targets");
    for (size_t i = 0; i < result->target_count; i++) {
        const struct ci_target_decision *target = &result->targets[i];
        hn_write_object(writer, NULL);
        hn_write_text(writer, "target", target->target);
        hn_write_text(writer, "decision", ci_decision_names[target->decision]);
        hn_write_text(writer, "torch", or_null(target->torch));
        hn_write_integer(writer, "contract", target->contract);
        write_counts(writer, &target->counts);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
}

int ci_decision_json(const struct ci_policy *policy, const struct ci_result *result,
                     struct hn_buffer *out)
{
    struct hn_json_writer writer;
    hn_write_document(&writer, out, "assay/decision/1");
    hn_write_text(&writer, "decision", ci_decision_names[result->decision]);
    hn_write_boolean(&writer, "overridden", result->overridden);
    hn_write_integer(&writer, "exit_status", ci_exit_status(result));
    hn_write_text(&writer, "date", or_null(result->date));
    hn_write_text(&writer, "summary", result->summary);
    write_labels(&writer, policy, result);
    write_causes(&writer, "causes", result->causes, result->cause_count);
    write_causes(&writer, "warnings", result->warnings, result->warning_count);
    write_counts(&writer, &result->counts);
    write_targets(&writer, result);
    return hn_write_document_end(&writer);
}
