/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the events.jsonl of a job. Called by the supervisor when the process of the job is gone or,
 * in a batch, has reported the end of the job. outcome.c decides the verdict.
 */
#include "evidence_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/check.h"
#include "file.h"
#include "json_read.h"

#define EVENTS_LIMIT (16u << 20)

static const struct hn_json_limits line_limits = {65536, 4};

/* Worst first. */
static const struct {
    const char *name;
    int kind;
} kinds[] = {
    {"fail", ASSAY_FINDING_FAIL},       {"broken", ASSAY_FINDING_BROKEN},
    {"blocked", ASSAY_FINDING_BLOCKED}, {"fallback", ASSAY_FINDING_FALLBACK},
    {"skip", ASSAY_FINDING_SKIP},       {"unobservable", ASSAY_FINDING_UNOBSERVABLE},
    {"noted", ASSAY_FINDING_NOTED},
};
#define KINDS (sizeof kinds / sizeof *kinds)

struct reader {
    struct hn_found *found;
    const char *nonce;
    struct hn_error error;
};

static int spoil(struct reader *reader, const char *why)
{
    if (!reader->found->spoiled[0])
        snprintf(reader->found->spoiled, sizeof reader->found->spoiled, "%s", why);
    return HN_EINPUT;
}

static void copy_text(const struct hn_json *event, const char *key, char *text, size_t size)
{
    const char *value = "";
    if (hn_json_has(event, key))
        hn_json_text(event, key, &value, NULL);
    snprintf(text, size, "%s", value);
}

static size_t rank_of(int kind)
{
    size_t rank = 0;
    while (rank < KINDS && kinds[rank].kind != kind)
        rank++;
    return rank;
}

/* Finds the index of a clause, and adds a clause that occurs for the first time. */
static int find_clause(struct reader *reader, const char *id, size_t *number)
{
    struct hn_found *found = reader->found;
    size_t i = 0;
    while (i < found->clause_count && strcmp(found->clauses[i].id, id) != 0)
        i++;
    if (i == HN_CLAUSES_MOST || strlen(id) >= sizeof found->clauses[i].id)
        return spoil(reader, "more clauses than a check may have, or one with a long name");
    if (i == found->clause_count) {
        memcpy(found->clauses[i].id, id, strlen(id) + 1);
        found->clause_count++;
    }
    *number = i + 1;
    return HN_OK;
}

/* Counts an event for its clause. An event without a clause counts for all clauses. */
static int count_for_clause(struct reader *reader, const struct hn_json *event, size_t rank)
{
    struct hn_found *found = reader->found;
    char id[sizeof found->clauses->id + 1];
    size_t number = 0;
    copy_text(event, "clause", id, sizeof id);
    const int status = *id ? find_clause(reader, id, &number) : HN_OK;
    int *worst = number ? &found->clauses[number - 1].worst : &found->worst_of_all;
    if (status == HN_OK && rank < rank_of(*worst))
        *worst = kinds[rank].kind;
    return status;
}

static int take_clause(struct reader *reader, const struct hn_json *event)
{
    char id[sizeof reader->found->clauses->id + 1];
    copy_text(event, "id", id, sizeof id);
    reader->found->clause = 0;
    return *id ? find_clause(reader, id, &reader->found->clause) : HN_OK;
}

static int take_finding(struct reader *reader, const struct hn_json *event)
{
    struct hn_found *found = reader->found;
    const char *name = NULL;
    int64_t line = 0;
    size_t rank = 0;
    int status = hn_json_text(event, "kind", &name, &reader->error);
    while (status == HN_OK && rank < KINDS && strcmp(kinds[rank].name, name) != 0)
        rank++;
    if (status != HN_OK || rank == KINDS)
        return spoil(reader, "a finding of an unknown kind");
    found->finding_count++;
    status = count_for_clause(reader, event, rank);
    if (status != HN_OK || rank >= rank_of(found->worst))
        return status;
    found->worst = kinds[rank].kind;
    copy_text(event, "what", found->what, sizeof found->what);
    copy_text(event, "seen", found->seen, sizeof found->seen);
    copy_text(event, "subject", found->subject, sizeof found->subject);
    copy_text(event, "file", found->file, sizeof found->file);
    if (hn_json_has(event, "line"))
        hn_json_integer(event, "line", 0, INT32_MAX, &line, NULL);
    found->line = (int)line;
    return HN_OK;
}

static int take_note(struct reader *reader, const struct hn_json *event)
{
    const char *key = NULL, *text = NULL;
    if (hn_json_text(event, "key", &key, &reader->error) != HN_OK ||
        hn_json_text(event, "text", &text, &reader->error) != HN_OK)
        return spoil(reader, "a note without key or text");
    hn_notes_add(&reader->found->notes, key, text);
    return HN_OK;
}

static int take_problem(struct reader *reader, const struct hn_json *event)
{
    struct hn_found *found = reader->found;
    copy_text(event, "stage", found->problem_stage, sizeof found->problem_stage);
    copy_text(event, "text", found->problem, sizeof found->problem);
    if (!found->problem[0])
        snprintf(found->problem, sizeof found->problem, "no word why");
    return HN_OK;
}

static int take_end(struct reader *reader, const struct hn_json *event)
{
    struct hn_found *found = reader->found;
    const char *nonce = NULL;
    int64_t count = 0, stored = 0;
    if (hn_json_text(event, "nonce", &nonce, &reader->error) != HN_OK ||
        strcmp(nonce, reader->nonce) != 0)
        return spoil(reader, "an end record with a foreign nonce");
    if (hn_json_integer(event, "findings", 0, INT32_MAX, &count, &reader->error) != HN_OK ||
        hn_json_integer(event, "stored", 0, count, &stored, &reader->error) != HN_OK)
        return spoil(reader, "an end record without its count of findings");
    if (stored != found->finding_count)
        return spoil(reader, "findings are missing, or more than were reported");
    found->finding_count = (int)count;
    found->end = 1;
    return HN_OK;
}

static const struct {
    const char *event;
    int (*take)(struct reader *reader, const struct hn_json *event);
} handlers[] = {
    {"finding", take_finding}, {"note", take_note}, {"clause", take_clause},
    {"problem", take_problem}, {"end", take_end},
};

static int take_event(struct reader *reader, const struct hn_json *event)
{
    const char *name = NULL;
    if (reader->found->end)
        return spoil(reader, "an event after the end record");
    if (hn_json_text(event, "event", &name, &reader->error) == HN_OK)
        for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
            if (strcmp(handlers[i].event, name) == 0)
                return handlers[i].take(reader, event);
    return spoil(reader, "an event of an unknown kind");
}

static int take_line(struct reader *reader, const char *text, size_t length)
{
    struct hn_json_document *document = NULL;
    struct hn_json root;
    if (hn_json_parse(text, length, &line_limits, "events.jsonl", 0, &document, &reader->error) !=
        HN_OK)
        return spoil(reader, "a line that is not JSON");
    hn_json_root(document, &root);
    const int status = take_event(reader, &root);
    hn_json_destroy(document);
    return status;
}

void hn_evidence_read(const char *folder, const char *nonce, struct hn_found *found)
{
    char path[HN_PATH_SIZE];
    char *text = NULL;
    size_t length = 0;
    struct reader reader = {.found = found, .nonce = nonce};
    *found = (struct hn_found){0};
    snprintf(path, sizeof path, "%s/events.jsonl", folder);
    const int status = hn_file_read(path, EVENTS_LIMIT, &text, &length, &reader.error);
    if (status == HN_ENOTFOUND)
        return;
    if (status != HN_OK) {
        spoil(&reader, "it cannot be read");
        return;
    }
    for (const char *at = text, *end = text + length; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            spoil(&reader, "a torn line");
        if (!newline || take_line(&reader, at, (size_t)(newline - at)) != HN_OK)
            break;
        at = newline + 1;
    }
    free(text);
}
