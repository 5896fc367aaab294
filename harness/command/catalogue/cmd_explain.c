/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay explain: prints everything that the contract contains about a name: a requirement, a check,
 * a fault, a capability, a module or a verdict. guide/troubleshooting looks up texts of PyTorch.
 */
#include <string.h>

#include "anchor.h"
#include "commands.h"
#include "nearest.h"
#include "output.h"
#include "python_command.h"
#include "read_contract.h"
#include "verdict.h"

static const struct hn_option options[] = {
    {"format", "text|json", "json: one document, schema assay/explain/1"},
    {"header", "FILE", "requirements about a header or Python file, or FILE:Class::member"},
    {"error", "TEXT",
     "cause and repair of an error message of PyTorch; - reads it from standard input"},
};

/* One explanation, written either as text or as JSON. */
struct page {
    struct hn_json_writer *json; /* NULL: text */
    const char *label;           /* label of the open list, printed before its first item as text */
};

static void say(struct page *page, const char *key, const char *text)
{
    if (page->json)
        hn_write_text(page->json, key, text);
    else if (text && *text)
        hn_output_wrapped(key, 14, text);
}

static void open_list(struct page *page, const char *key)
{
    page->label = key;
    if (page->json)
        hn_write_array(page->json, key);
}

static void say_item(struct page *page, const char *text)
{
    if (page->json)
        hn_write_text(page->json, NULL, text);
    else
        hn_output_wrapped(page->label, 14, text);
    page->label = "";
}

static void close_list(struct page *page)
{
    if (page->json)
        hn_write_array_end(page->json);
}

static void say_texts(struct page *page, const char *key, const struct hn_texts *texts)
{
    open_list(page, key);
    for (size_t i = 0; i < texts->count; i++)
        say_item(page, texts->items[i]);
    close_list(page);
}

static void say_dispute(struct page *page, const struct hn_dispute *dispute)
{
    struct hn_buffer words;
    if (page->json) {
        hn_dispute_write(dispute, "disputed", page->json);
        return;
    }
    if (!hn_dispute_is_open(dispute))
        return;
    hn_buffer_init(&words, HN_OUTPUT_LIMIT);
    hn_dispute_words(dispute, &words);
    if (!words.status)
        say(page, "disputed", words.text);
    hn_buffer_finish(&words);
}

/* ---- one function per kind of name; returns 1 if `name` is of that kind ---- */

static int explain_requirement(struct page *page, const struct hn_catalogue *catalogue,
                               const char *name)
{
    const struct hn_requirement *found = hn_catalogue_requirement(catalogue, name);
    if (!found)
        return 0;
    say(page, "requirement", found->id);
    say(page, "module", found->module->title);
    say(page, "level", hn_level_names[found->level]);
    say(page, "subject", hn_subject_names[found->subject]);
    say(page, "demand", found->text);
    say(page, "why", found->why);
    say(page, "anchor", found->anchor);
    say_texts(page, "about", &found->about);
    say(page, "since", found->torch.since);
    say(page, "until", found->torch.until);
    say_texts(page, "capability", &found->capabilities);
    say(page, "untested", found->untested);
    say(page, "listed", found->listed);
    say_dispute(page, &found->dispute);
    open_list(page, "checks");
    for (size_t i = 0; i < catalogue->check_count; i++)
        if (hn_check_covers(&catalogue->checks[i], found))
            say_item(page, catalogue->checks[i].id);
    close_list(page);
    return 1;
}

static void say_dependents(struct page *page, const struct hn_catalogue *catalogue,
                           const struct hn_check *check)
{
    open_list(page, "carries");
    for (size_t i = 0; i < catalogue->check_count; i++)
        for (size_t j = 0; j < catalogue->checks[i].builds_on_count; j++)
            if (catalogue->checks[i].builds_on[j] == check)
                say_item(page, catalogue->checks[i].id);
    close_list(page);
}

static int explain_check(struct page *page, const struct hn_catalogue *catalogue, const char *name)
{
    const struct hn_check *found = hn_catalogue_check(catalogue, name);
    char place[600];
    if (!found)
        return 0;
    snprintf(place, sizeof place, "%s:%d", found->file, found->line);
    say(page, "check", found->id);
    say(page, "summary", found->words.summary);
    say(page, "level", hn_level_names[found->level]);
    say(page, "subject", hn_subject_names[found->subject]);
    open_list(page, "covers");
    for (size_t i = 0; i < found->covers_count; i++) {
        char line[1200];
        snprintf(line, sizeof line, "%s %s", found->covers[i]->id, found->covers[i]->text);
        say_item(page, page->json ? found->covers[i]->id : line);
    }
    close_list(page);
    say(page, "why", found->covers[0]->why);
    say(page, "likely", found->words.hint);
    open_list(page, "builds_on");
    for (size_t i = 0; i < found->builds_on_count; i++)
        say_item(page, found->builds_on[i]->id);
    close_list(page);
    say_dependents(page, catalogue, found);
    say_texts(page, "capability", &found->capabilities);
    say_texts(page, "operators", &found->operators);
    say_texts(page, "faults", &found->faults);
    say(page, "code", place);
    return 1;
}

static int explain_fault(struct page *page, const struct hn_catalogue *catalogue, const char *name)
{
    const struct hn_fault *found = hn_catalogue_fault(catalogue, name);
    char trial[256];
    if (!found)
        return 0;
    snprintf(trial, sizeof trial, "assay run --target %s --arm %s --select fault:%s",
             ASSAY_FAULTY_TARGET, name, name);
    say(page, "fault", found->name);
    say(page, "effect", found->summary);
    say(page, "layer", found->layer);
    say(page, "violates", found->violates);
    say(page, "origin", found->origin);
    open_list(page, "killed_by");
    for (size_t i = 0; i < catalogue->check_count; i++)
        if (hn_texts_contain(&catalogue->checks[i].faults, name))
            say_item(page, catalogue->checks[i].id);
    close_list(page);
    say(page, "try", trial);
    return 1;
}

static int explain_capability(struct page *page, const struct hn_catalogue *catalogue,
                              const char *name)
{
    const struct hn_contract_capability *found = hn_catalogue_capability(catalogue, name);
    char count[64];
    size_t checks = 0;
    if (!found)
        return 0;
    for (size_t i = 0; i < catalogue->check_count; i++)
        checks += (size_t)hn_texts_contain(&catalogue->checks[i].capabilities, name);
    snprintf(count, sizeof count, "%zu checks", checks);
    say(page, "capability", found->name);
    say(page, "meaning", found->text);
    say(page, "probe", found->probe ? found->probe->id : "none yet");
    say(page, "refusal", found->refusal ? found->refusal->id : "none yet");
    say(page, "needed_by", count);
    return 1;
}

static int explain_module(struct page *page, const struct hn_catalogue *catalogue, const char *name)
{
    const struct hn_module *found = hn_catalogue_module(catalogue, name);
    char count[96];
    size_t requirements = 0, checks = 0;
    if (!found)
        return 0;
    for (size_t i = 0; i < catalogue->requirement_count; i++)
        requirements += catalogue->requirements[i].module == found;
    for (size_t i = 0; i < catalogue->check_count; i++)
        checks += catalogue->checks[i].module == found;
    snprintf(count, sizeof count, "%zu requirements (%s-...), %zu checks", requirements,
             found->prefix, checks);
    say(page, "module", found->name);
    say(page, "title", found->title);
    say(page, "holds", count);
    say_texts(page, "anchors", &found->anchors);
    return 1;
}

static int explain_verdict(struct page *page, const struct hn_catalogue *catalogue,
                           const char *name)
{
    enum hn_verdict verdict;
    char status[48];
    (void)catalogue;
    if (hn_verdict_from_name(name, &verdict))
        return 0;
    snprintf(status, sizeof status, "%d", hn_verdict_table[verdict].exit_status);
    say(page, "verdict", name);
    say(page, "meaning", hn_verdict_table[verdict].meaning);
    say(page, "counts", hn_verdict_table[verdict].fails ? "as a failure" : "not as a failure");
    say(page, "exit status", status);
    return 1;
}

/* Users often give the name of a header without its folder, so this suggests the full path. */
static void say_nothing_anchored(struct page *page, const struct hn_catalogue *catalogue,
                                 const char *file)
{
    char line[400];
    const size_t length = strcspn(file, ":");
    for (size_t i = 0; i < catalogue->requirement_count; i++) {
        const char *const anchor = catalogue->requirements[i].anchor;
        const size_t whole = strcspn(anchor, ":");
        if (whole <= length || anchor[whole - length - 1] != '/' ||
            strncmp(anchor + whole - length, file, length) != 0)
            continue;
        snprintf(line, sizeof line, "no clause has this anchor; did you mean %.*s?", (int)whole,
                 anchor);
        say(page, "", line);
        return;
    }
    say(page, "", "no clause has this anchor");
}

/* Explains a file of PyTorch: the clauses anchored in the file, and the checks of these clauses.
 * Returns 0 if there are none. */
static int explain_file(struct page *page, const struct hn_catalogue *catalogue, const char *file)
{
    char line[1600];
    int found = 0;
    say(page, "header", file);
    open_list(page, "requirements");
    for (size_t i = 0; i < catalogue->requirement_count; i++) {
        const struct hn_requirement *requirement = &catalogue->requirements[i];
        if (!hn_anchor_names(requirement->anchor, file))
            continue;
        snprintf(line, sizeof line, "%s %s", requirement->id, requirement->anchor);
        say_item(page, page->json ? requirement->id : line);
        found = 1;
    }
    close_list(page);
    open_list(page, "checks");
    for (size_t i = 0; i < catalogue->check_count; i++)
        if (hn_check_is_anchored(&catalogue->checks[i], file))
            say_item(page, catalogue->checks[i].id);
    close_list(page);
    if (!found && !page->json)
        say_nothing_anchored(page, catalogue, file);
    return found;
}

static int complain(const struct hn_command *command, const struct hn_catalogue *catalogue,
                    const char *name)
{
    struct hn_nearest search;
    hn_nearest_begin(&search, name);
    HN_NEAREST_OFFER_ALL(&search, catalogue->requirements, catalogue->requirement_count);
    HN_NEAREST_OFFER_ALL(&search, catalogue->checks, catalogue->check_count);
    HN_NEAREST_OFFER_ALL(&search, catalogue->faults, catalogue->fault_count);
    HN_NEAREST_OFFER_ALL(&search, catalogue->capabilities, catalogue->capability_count);
    return hn_usage_error(command, "nothing is called \"%.80s\"%s", name, hn_nearest_hint(&search));
}

static int explain(const struct hn_invocation *invocation, const struct hn_catalogue *catalogue)
{
    static int (*const sorts[])(struct page *, const struct hn_catalogue *, const char *) = {
        explain_requirement, explain_check,  explain_fault,
        explain_capability,  explain_module, explain_verdict,
    };
    const char *file = hn_option_value(invocation, "header");
    const char *name = file ? file : invocation->words[0];
    struct hn_json_writer writer;
    struct hn_buffer buffer;
    struct page page = {.json = hn_wants_json(invocation) ? &writer : NULL};
    int found = 0;
    if (page.json)
        hn_output_begin(&writer, &buffer, "assay/explain/1");
    if (file)
        found = explain_file(&page, catalogue, file);
    for (size_t i = 0; !file && !found && i < sizeof sorts / sizeof *sorts; i++)
        found = sorts[i](&page, catalogue, name);
    if (page.json && (found || file)) {
        const int status = hn_output_end(&writer);
        return status || found ? status : HN_EXIT_FAILED;
    }
    if (page.json)
        hn_buffer_finish(&buffer);
    if (file)
        return found ? HN_EXIT_OK : HN_EXIT_FAILED;
    return found ? HN_EXIT_OK : complain(invocation->command, catalogue, name);
}

static int run(const struct hn_invocation *invocation)
{
    struct hn_catalogue *catalogue;
    const int has_header = hn_option_value(invocation, "header") != NULL;
    const int has_error = hn_option_value(invocation, "error") != NULL;
    if (invocation->word_count + (size_t)has_header + (size_t)has_error != 1)
        return hn_usage_error(invocation->command,
                              "explain takes one name, or --header FILE, or --error TEXT");
    if (has_error)
        return hn_become_python(invocation, "explain_error");
    int status = hn_read_contract(NULL, &catalogue);
    if (!status)
        status = explain(invocation, catalogue);
    hn_catalogue_destroy(catalogue);
    return status;
}

const struct hn_command hn_cmd_explain = {
    .name = "explain",
    .summary = "explain a requirement, check, fault, verdict, error and more",
    .usage = "NAME | --header FILE | --error TEXT [OPTIONS]",
    .help = "  assay explain DEV-004\n"
            "  assay explain guard.exchange_device_returns_the_previous_device\n"
            "  assay explain blocked\n"
            "  assay explain --header c10/core/Allocator.h   about a changed file\n"
            "  assay explain --header c10/core/Allocator.h:Allocator::copy_data\n"
            "  assay explain --error \"Backend doesn't support events.\"\n"
            "  python train.py 2>&1 | assay explain --error -\n"
            "\n"
            "Exit status 0 found; 1 no clause is anchored in the file of --header, or no entry "
            "matches the text of --error (the most similar entry is shown); 64 the name does not "
            "exist, or the text is empty.\n",
    HN_OPTIONS(options),
    .run = run,
};
