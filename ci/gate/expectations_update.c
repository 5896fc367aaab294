/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See expectations_update.h. Called by cmd_expectations.c. The update works on lines, because a
 * YAML writer would lose the comments that people wrote around the entries.
 */
#include "expectations_update.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_write.h"

#define SIGNATURE 128

/* The result of the runs for one check. */
struct finding {
    enum hn_verdict verdict; /* HN_PASS: no entry is needed */
    char signature[SIGNATURE];
};

struct updater {
    const struct ci_expectations *old;
    const struct rp_run *const *runs;
    size_t run_count;
    const struct ci_entry_words *words;
    struct hn_buffer *out;
    struct ci_update *update;
    int indent; /* indentation of the dashes */
};

static void look(const struct updater *updater, const char *id, struct finding *found)
{
    size_t failed = 0, seen = 0;
    int flaky = 0;
    *found = (struct finding){.verdict = HN_PASS};
    for (size_t i = 0; i < updater->run_count; i++) {
        const struct rp_check *check = rp_run_check(updater->runs[i], id);
        if (!check || check->level == HN_ADVISORY)
            continue;
        seen++;
        flaky |= check->verdict == HN_FLAKY;
        if (!hn_verdict_table[check->verdict].fails)
            continue;
        if (!failed++) {
            found->verdict = check->verdict;
            ci_expectation_signature(check, found->signature, sizeof found->signature);
        }
    }
    if (flaky || (failed && failed < seen))
        found->verdict = HN_FLAKY;
}

static void write_member(struct updater *updater, const char *key, const char *text)
{
    struct hn_json_writer writer;
    hn_buffer_printf(updater->out, "%*s%s: ", updater->indent + 2, "", key);
    hn_write_begin(&writer, updater->out, 0);
    hn_write_text(&writer, NULL, text);
    hn_buffer_putc(updater->out, '\n');
}

static void write_entry(struct updater *updater, const char *check, const struct finding *found,
                        const struct ci_entry_words *words)
{
    hn_buffer_printf(updater->out, "%*s- check: %s\n", updater->indent, "", check);
    hn_buffer_printf(updater->out, "%*sverdict: %s\n", updater->indent + 2, "",
                     hn_verdict_table[found->verdict].name);
    if (found->verdict != HN_FLAKY)
        write_member(updater, "signature", found->signature);
    write_member(updater, "reason", words->reason);
    write_member(updater, "issue", words->issue);
    hn_buffer_printf(updater->out, "%*sexpires: %s\n", updater->indent + 2, "", words->expires);
}

static const struct ci_expectation *entry_at(const struct ci_expectations *old, int line)
{
    for (size_t i = 0; i < old->count; i++)
        if (old->items[i].line == line)
            return &old->items[i];
    return NULL;
}

static const struct ci_expectation *entry_for(const struct ci_expectations *old, const char *id)
{
    for (size_t i = 0; old && i < old->count; i++)
        if (ci_pattern_fits(old->items[i].check, id))
            return &old->items[i];
    return NULL;
}

/* Sets *failing to a failed or flaky check that matches the entry, with its result in *found, or to
 * NULL. Returns 1 if such a check exists, or if a run has passed a matching check. Otherwise no run
 * has decided anything about the entry: the checks were not selected, were skipped or blocked. */
static int is_decided(const struct updater *updater, const struct ci_expectation *entry,
                      const struct rp_check **failing, struct finding *found)
{
    int passed = 0;
    *failing = NULL;
    for (size_t k = 0; k < updater->run_count; k++)
        for (size_t i = 0; i < updater->runs[k]->check_count; i++) {
            const struct rp_check *check = &updater->runs[k]->checks[i];
            if (!ci_pattern_fits(entry->check, check->id))
                continue;
            passed |= check->verdict == HN_PASS;
            look(updater, check->id, found);
            if (found->verdict != HN_PASS) {
                *failing = check;
                return 1;
            }
        }
    return passed;
}

static int describes(const struct ci_expectation *entry, const struct finding *found)
{
    return entry->verdict == HN_FLAKY ||
           (entry->verdict == found->verdict && strstr(found->signature, entry->signature));
}

enum fate { KEEP, DROP, REWRITE };

static enum fate decide(struct updater *updater, const struct ci_expectation *entry,
                        struct finding *found)
{
    const struct rp_check *failing;
    const int decided = is_decided(updater, entry, &failing, found);
    /* A flaky check may pass in these runs. */
    if (decided && !failing && entry->verdict != HN_FLAKY) {
        updater->update->removed++;
        return DROP;
    }
    if (!failing || describes(entry, found) || strchr(entry->check, '*')) {
        updater->update->kept++;
        return KEEP;
    }
    updater->update->changed++;
    return REWRITE;
}

static size_t line_length(const char *line)
{
    const size_t length = strcspn(line, "\n");
    return length + (line[length] == '\n');
}

static int is_comment(const char *line)
{
    return line[strspn(line, " ")] == '#';
}

static int is_blank(const char *line)
{
    return strchr("\n", line[strspn(line, " ")]) != NULL;
}

/* Returns 1 if the line continues an entry whose dash is at `indent`. */
static int belongs(const char *line, int indent)
{
    return *line && !is_blank(line) && (int)strspn(line, " ") > indent;
}

/* Copies, removes or rewrites the entry whose first line is at `at`, and always copies its
 * comments. Returns the text after the entry, and advances *line. */
static const char *do_entry(struct updater *updater, const char *at,
                            const struct ci_expectation *entry, int *line)
{
    struct finding found;
    const enum fate fate = decide(updater, entry, &found);
    int first = 1;
    updater->indent = (int)strspn(at, " ");
    while (first || belongs(at, updater->indent)) {
        const size_t length = line_length(at);
        if (fate == KEEP || (!first && is_comment(at)))
            hn_buffer_add(updater->out, at, length);
        first = 0;
        at += length;
        ++*line;
    }
    if (fate == REWRITE) {
        const struct ci_entry_words words = {entry->reason, entry->issue, entry->expires};
        write_entry(updater, entry->check, &found, &words);
    }
    return at;
}

/* Replaces "expected: []", because no entry can be added to it. */
static size_t open_list(struct updater *updater, const char *at)
{
    static const char key[] = "expected:";
    const size_t length = line_length(at);
    if (strncmp(at, key, sizeof key - 1) != 0 || !memchr(at, '[', length))
        return 0;
    hn_buffer_puts(updater->out, "expected:\n");
    return length;
}

static void copy_lines(struct updater *updater, const char *text)
{
    int line = 1;
    while (*text) {
        const struct ci_expectation *entry = entry_at(updater->old, line);
        if (entry) {
            text = do_entry(updater, text, entry, &line);
            continue;
        }
        const size_t opened = open_list(updater, text);
        if (!opened)
            hn_buffer_add(updater->out, text, line_length(text));
        text += line_length(text);
        line++;
    }
    if (updater->out->length && updater->out->text[updater->out->length - 1] != '\n')
        hn_buffer_putc(updater->out, '\n');
}

static int has_words(const struct ci_entry_words *words)
{
    return words->reason && words->issue && words->expires;
}

static int add_new(struct updater *updater, struct hn_error *error)
{
    struct finding found;
    for (size_t i = 0; i < updater->runs[0]->check_count; i++) {
        const char *id = updater->runs[0]->checks[i].id;
        look(updater, id, &found);
        if (found.verdict == HN_PASS || entry_for(updater->old, id))
            continue;
        if (!updater->update->added++)
            updater->update->first_added = id;
        if (has_words(updater->words))
            write_entry(updater, id, &found, updater->words);
    }
    if (updater->update->added && !has_words(updater->words))
        return hn_error_set(error, HN_EUSAGE,
                            "%zu failures are new, the first is %.100s: give --reason, --issue and "
                            "--expires for them",
                            updater->update->added, updater->update->first_added);
    return HN_OK;
}

int ci_expectations_update(const char *text, const struct ci_expectations *old,
                           const struct rp_run *const *runs, size_t count,
                           const struct ci_entry_words *words, struct hn_buffer *out,
                           struct ci_update *update, struct hn_error *error)
{
    struct updater updater = {.old = old,
                              .runs = runs,
                              .run_count = count,
                              .words = words,
                              .out = out,
                              .update = update,
                              .indent = 2};
    *update = (struct ci_update){0};
    if (text)
        copy_lines(&updater, text);
    else
        hn_buffer_printf(out,
                         "# What %s is known not to do yet. See ci/gate/README.md.\n"
                         "target: %s\n"
                         "expected:\n",
                         runs[0]->target, runs[0]->target);
    const int status = add_new(&updater, error);
    if (!status && out->status)
        return hn_error_set(error, out->status, "the expectations are too long");
    return status;
}
