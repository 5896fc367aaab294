/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay list: prints the checks. Reads only the contract; needs no torch, no target, no process.
 */
#include <stdlib.h>
#include <string.h>

#include "anchor.h"
#include "commands.h"
#include "output.h"
#include "read_contract.h"
#include "select.h"

static const struct hn_option options[] = {
    {"select", "EXPR", "only these checks (as an argument, too)"},
    {"suite", "DIR", "also use your own checks in DIR, see suites/README.md"},
    {"torch", "VERSION", "only requirements of that release of PyTorch"},
    {"format", "text|json", "json: one document, schema assay/list/1"},
};

static void write_capability(struct hn_json_writer *writer, const struct hn_check *check)
{
    struct hn_buffer joined;
    hn_buffer_init(&joined, 4096);
    for (size_t i = 0; i < check->capabilities.count; i++)
        hn_buffer_printf(&joined, "%s%s", i ? "," : "", check->capabilities.items[i]);
    hn_write_text(writer, "capability", joined.length ? joined.text : NULL);
    hn_buffer_finish(&joined);
}

static void write_check(struct hn_json_writer *writer, const struct hn_check *check)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "id", check->id);
    hn_write_text(writer, "module", check->module->name);
    hn_write_text(writer, "kind", hn_kind_names[check->kind]);
    hn_write_text(writer, "level", hn_level_names[check->level]);
    hn_write_text(writer, "subject", hn_subject_names[check->subject]);
    hn_write_array(writer, "covers");
    for (size_t i = 0; i < check->covers_count; i++)
        hn_write_text(writer, NULL, check->covers[i]->id);
    hn_write_array_end(writer);
    hn_write_array(writer, "builds_on");
    for (size_t i = 0; i < check->builds_on_count; i++)
        hn_write_text(writer, NULL, check->builds_on[i]->id);
    hn_write_array_end(writer);
    write_capability(writer, check);
    hn_write_integer(writer, "devices", check->devices);
    hn_write_texts(writer, "faults", &check->faults);
    hn_write_text(writer, "summary", check->words.summary);
    hn_write_text(writer, "file", check->file);
    hn_write_integer(writer, "line", check->line);
    hn_write_object_end(writer);
}

/* Deselects the checks that do not apply to this release of torch; NULL deselects no check. */
static void keep_to_torch(const struct hn_catalogue *catalogue, const char *torch,
                          unsigned char *selected)
{
    for (size_t i = 0; torch && i < catalogue->check_count; i++)
        if (!hn_torch_range_has(catalogue->checks[i].torch, torch))
            selected[i] = 0;
}

/* Writes the stages of a backend in their order, with the checks of each stage. */
static int write_stages(struct hn_json_writer *writer, const struct hn_catalogue *catalogue,
                        const char *torch, unsigned char *selected, struct hn_error *error)
{
    int status = HN_OK;
    hn_write_array(writer, "stages");
    for (size_t i = 0; status == HN_OK && i < catalogue->selection_count; i++) {
        const struct hn_selection *stage = &catalogue->selections[i];
        if (!stage->is_stage)
            continue;
        status = hn_select(catalogue, stage->select, selected, error);
        keep_to_torch(catalogue, torch, selected);
        hn_write_object(writer, NULL);
        hn_write_text(writer, "name", stage->name);
        hn_write_text(writer, "text", stage->text);
        hn_write_texts(writer, "capabilities", &stage->capabilities);
        hn_write_array(writer, "checks");
        for (size_t j = 0; j < catalogue->check_count; j++)
            if (selected[j])
                hn_write_text(writer, NULL, catalogue->checks[j].id);
        hn_write_array_end(writer);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
    return status;
}

static void write_anchors(struct hn_json_writer *writer, const char *anchor)
{
    struct hn_anchor_place place;
    int right = 1;
    hn_write_array(writer, "anchors");
    for (const char *rest = *anchor ? anchor : NULL; rest;) {
        rest = hn_anchor_next(rest, &place, &right);
        if (!place.file_length && !place.name_length)
            continue;
        hn_write_object(writer, NULL);
        hn_write_bytes(writer, "file", place.file, place.file_length);
        hn_write_bytes(writer, "name", place.name, place.name_length);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
}

/* Writes all clauses of the contract, selected or not, that apply to this release of torch. */
static void write_clauses(struct hn_json_writer *writer, const struct hn_catalogue *catalogue,
                          const char *torch)
{
    hn_write_array(writer, "clauses");
    for (size_t i = 0; i < catalogue->requirement_count; i++) {
        const struct hn_requirement *clause = &catalogue->requirements[i];
        if (torch && !hn_torch_range_has(clause->torch, torch))
            continue;
        hn_write_object(writer, NULL);
        hn_write_text(writer, "id", clause->id);
        hn_write_text(writer, "module", clause->module->name);
        hn_write_text(writer, "level", hn_level_names[clause->level]);
        hn_write_texts(writer, "about", &clause->about);
        write_anchors(writer, clause->anchor);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
}

static void write_labels(struct hn_json_writer *writer, const struct hn_policy *policy)
{
    hn_write_object(writer, "labels");
    hn_write_text(writer, "adaptation", policy->label_adaptation);
    hn_write_text(writer, "override", policy->label_override);
    hn_write_text(writer, "hint", policy->label_hint);
    hn_write_object_end(writer);
}

/* Writes the disputes of the whole contract, selected or not. */
static void write_disputes(struct hn_json_writer *writer, const struct hn_catalogue *catalogue)
{
    hn_write_object(writer, "disputed");
    for (size_t i = 0; i < catalogue->requirement_count; i++)
        hn_dispute_write(&catalogue->requirements[i].dispute, catalogue->requirements[i].id,
                         writer);
    hn_write_object_end(writer);
}

/* Writes the checks in `selected`, and then overwrites `selected`. */
static int print_json(const struct hn_catalogue *catalogue, const char *torch,
                      unsigned char *selected)
{
    struct hn_buffer buffer;
    struct hn_error error;
    struct hn_json_writer writer;
    hn_output_begin(&writer, &buffer, "assay/list/1");
    hn_write_integer(&writer, "contract", catalogue->version);
    hn_write_array(&writer, "checks");
    for (size_t i = 0; i < catalogue->check_count; i++)
        if (selected[i])
            write_check(&writer, &catalogue->checks[i]);
    hn_write_array_end(&writer);
    write_clauses(&writer, catalogue, torch);
    write_labels(&writer, &catalogue->policy);
    write_disputes(&writer, catalogue);
    if (write_stages(&writer, catalogue, torch, selected, &error)) {
        hn_buffer_finish(&buffer);
        return hn_print_error(&error);
    }
    return hn_output_end(&writer);
}

static int print_text(const struct hn_catalogue *catalogue, const unsigned char *selected)
{
    size_t count = 0;
    for (size_t i = 0; i < catalogue->check_count; i++) {
        const struct hn_check *check = &catalogue->checks[i];
        if (!selected[i])
            continue;
        printf("%-56s %-8s %-6s", check->id, hn_level_names[check->level],
               hn_kind_names[check->kind]);
        for (size_t j = 0; j < check->covers_count; j++)
            printf(" %s", check->covers[j]->id);
        putchar('\n');
        count++;
    }
    printf("%zu checks\n", count);
    return HN_EXIT_OK;
}

static int list(const struct hn_invocation *invocation, const struct hn_catalogue *catalogue,
                const char *select)
{
    const char *const torch = hn_option_value(invocation, "torch");
    unsigned char *selected = calloc(catalogue->check_count + 1, 1);
    struct hn_error error;
    int status = HN_OK;
    if (!selected) {
        hn_error_nomem(&error);
        return hn_print_error(&error);
    }
    if (!select)
        memset(selected, 1, catalogue->check_count);
    if (select && hn_select(catalogue, select, selected, &error))
        status = hn_print_error(&error);
    keep_to_torch(catalogue, torch, selected);
    if (status == HN_OK && hn_wants_json(invocation))
        status = print_json(catalogue, torch, selected);
    else if (status == HN_OK)
        status = print_text(catalogue, selected);
    free(selected);
    return status;
}

static int run(const struct hn_invocation *invocation)
{
    const char *select = hn_option_value(invocation, "select");
    const char *torch = hn_option_value(invocation, "torch");
    struct hn_catalogue *catalogue;
    if (torch && !hn_torch_range_reads(torch))
        return hn_usage_error(invocation->command,
                              "--torch takes the numbers of a release, MAJOR.MINOR, not \"%.60s\"",
                              torch);
    if (invocation->word_count > 1 || (select && invocation->word_count))
        return hn_usage_error(invocation->command,
                              "list takes one selection; join terms with \",\"");
    if (invocation->word_count)
        select = invocation->words[0];
    int status = hn_read_contract(hn_option_value(invocation, "suite"), &catalogue);
    if (!status)
        status = list(invocation, catalogue, select);
    hn_catalogue_destroy(catalogue);
    return status;
}

const struct hn_command hn_cmd_list = {
    .name = "list",
    .summary = "list the checks",
    .usage = "[EXPR] [OPTIONS]",
    .help = "One line for each check: id, level, kind, and the requirements it covers.\n"
            "\n"
            "EXPR selects, here and in every other command:\n"
            "  guard                  a module\n"
            "  guard.exchange_*       checks by id, * and ? as in file names\n"
            "  DEV-004                checks that cover a requirement\n"
            "  must, python, smoke    a level, a kind, a profile of the contract\n"
            "  heavy                  checks that take more than about two seconds\n"
            "  INC-019                checks of clauses that name an incident\n"
            "  capability:streams     checks that need a capability\n"
            "  needs:gate             checks that need an instrument: gate, inject, counters\n"
            "  fault:guard.count_lies checks that claim to detect a fault\n"
            "  failed:runs/a          checks that failed in a run\n"
            "  guard&must,-DEV-010    \"&\" both, \",\" either, \"-\" not\n",
    HN_OPTIONS(options),
    .run = run,
};
