/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the evidence of one job. Called inside the job process, next to the target's code,
 * which may do anything. Therefore the file is opened again for each line, and each line is a
 * single write. A check may then close all descriptors, or reuse the number of our descriptor,
 * without harm.
 */
#include "evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINE_SIZE 32768
/* size of one text when written; a line has at most five texts and a clause */
#define TEXT_LIMIT 6000

struct line {
    char bytes[LINE_SIZE];
    size_t length;
};

static void put(struct line *line, const char *text)
{
    size_t size = strlen(text);
    if (line->length + size > sizeof line->bytes)
        size = sizeof line->bytes - line->length;
    memcpy(line->bytes + line->length, text, size);
    line->length += size;
}

/* Returns the length of the UTF-8 character at `text`, or 0 if it is not valid in JSON. */
static size_t utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char mask, lead;
        size_t length;
    } forms[] = {{0x80, 0x00, 1}, {0xe0, 0xc0, 2}, {0xf0, 0xe0, 3}, {0xf8, 0xf0, 4}};
    for (size_t i = 0; i < 4; i++) {
        if ((text[0] & forms[i].mask) != forms[i].lead)
            continue;
        for (size_t k = 1; k < forms[i].length; k++)
            if ((text[k] & 0xc0) != 0x80)
                return 0;
        const int overlong = (text[0] == 0xe0 && text[1] < 0xa0) ||
                             (text[0] == 0xf0 && text[1] < 0x90) || text[0] == 0xc0 ||
                             text[0] == 0xc1;
        const int outside = (text[0] == 0xed && text[1] > 0x9f) ||
                            (text[0] == 0xf4 && text[1] > 0x8f) || text[0] > 0xf4;
        return overlong || outside ? 0 : forms[i].length;
    }
    return 0;
}

static void put_json(struct line *line, const char *text)
{
    char piece[8];
    put(line, "\"");
    const size_t start = line->length;
    for (size_t i = 0; text[i] && line->length - start < TEXT_LIMIT;) {
        const unsigned char byte = (unsigned char)text[i];
        const size_t length = utf8_length((const unsigned char *)text + i);
        if (byte == '"' || byte == '\\')
            snprintf(piece, sizeof piece, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            snprintf(piece, sizeof piece, "\\u%04x", byte);
        else if (length == 0)
            snprintf(piece, sizeof piece, "\\ufffd");
        else
            snprintf(piece, sizeof piece, "%.*s", (int)length, text + i);
        put(line, piece);
        i += length ? length : 1;
    }
    put(line, "\"");
}

static void put_pair(struct line *line, const char *key, const char *value)
{
    if (!value)
        return;
    put(line, ",");
    put_json(line, key);
    put(line, ":");
    put_json(line, value);
}

static void put_number(struct line *line, const char *key, long long value)
{
    char text[64];
    snprintf(text, sizeof text, ",\"%s\":%lld", key, value);
    put(line, text);
}

static void begin(struct line *line, const char *event)
{
    line->length = 0;
    put(line, "{\"event\":");
    put_json(line, event);
}

static void append(struct hn_evidence *evidence, struct line *line)
{
    put(line, "}\n");
    __atomic_fetch_add(&evidence->bytes, (uint32_t)line->length, __ATOMIC_RELAXED);
    /* O_NONBLOCK: the check may have replaced the file by a pipe, and opening a pipe would
     * block. */
    const int fd =
        open(evidence->events, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
    /* A short write leaves an incomplete line, which the reader rejects. */
    const ssize_t written = fd < 0 ? -1 : write(fd, line->bytes, line->length);
    if (evidence->mark &&
        (written < 0 ? errno == ENOSPC || errno == EDQUOT : (size_t)written < line->length))
        evidence->mark->no_room = 1;
    if (fd >= 0)
        close(fd);
}

static struct hn_mark *map_mark(const char *folder)
{
    char path[HN_EVIDENCE_PATH];
    snprintf(path, sizeof path, "%s/" HN_MARK_FILE, folder);
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return NULL;
    void *page = MAP_FAILED;
    if (ftruncate(fd, sizeof(struct hn_mark)) == 0)
        page = mmap(NULL, sizeof(struct hn_mark), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return page == MAP_FAILED ? NULL : page;
}

int hn_evidence_open(struct hn_evidence *evidence, const char *folder, const char *nonce)
{
    *evidence = (struct hn_evidence){0};
    int length = snprintf(evidence->events, sizeof evidence->events, "%s/" HN_EVENTS_FILE, folder);
    if (length < 0 || (size_t)length >= sizeof evidence->events)
        return -1;
    snprintf(evidence->stack, sizeof evidence->stack, "%s/" HN_STACK_FILE, folder);
    snprintf(evidence->nonce, sizeof evidence->nonce, "%s", nonce);
    evidence->mark = map_mark(folder);
    if (!evidence->mark)
        return -1;
    evidence->mark->magic = HN_MARK_MAGIC;
    return 0;
}

void hn_evidence_close(struct hn_evidence *evidence)
{
    if (evidence->mark)
        munmap(evidence->mark, sizeof *evidence->mark);
    evidence->mark = NULL;
}

static const char *const kind_names[] = {
    [ASSAY_FINDING_FAIL] = "fail",       [ASSAY_FINDING_SKIP] = "skip",
    [ASSAY_FINDING_BLOCKED] = "blocked", [ASSAY_FINDING_UNOBSERVABLE] = "unobservable",
    [ASSAY_FINDING_BROKEN] = "broken",   [ASSAY_FINDING_FALLBACK] = "fallback",
    [ASSAY_FINDING_NOTED] = "noted",
};

static int is_full(const struct hn_evidence *evidence)
{
    return __atomic_load_n(&evidence->bytes, __ATOMIC_RELAXED) >= HN_EVENTS_BYTES ||
           __atomic_load_n(&evidence->stored, __ATOMIC_RELAXED) >= HN_FINDINGS_STORED;
}

static int is_first(struct hn_evidence *evidence, int32_t kind)
{
    const uint32_t bit = 1u << kind;
    return !(__atomic_fetch_or(&evidence->kinds, bit, __ATOMIC_RELAXED) & bit);
}

void hn_evidence_finding(struct hn_evidence *evidence, const struct assay_finding *finding)
{
    struct line line;
    const int32_t count = (int32_t)(sizeof kind_names / sizeof *kind_names);
    /* A finding of an unknown kind counts as broken. */
    const int32_t kind =
        finding->kind > 0 && finding->kind < count ? finding->kind : ASSAY_FINDING_BROKEN;
    __atomic_fetch_add(&evidence->findings, 1, __ATOMIC_RELAXED);
    if (!is_first(evidence, kind) && is_full(evidence))
        return;
    __atomic_fetch_add(&evidence->stored, 1, __ATOMIC_RELAXED);
    begin(&line, "finding");
    put_pair(&line, "kind", kind_names[kind]);
    const uint32_t clause = __atomic_load_n(&evidence->clause, __ATOMIC_RELAXED);
    if (clause)
        put_pair(&line, "clause", evidence->clauses[clause - 1]);
    put_pair(&line, "what", finding->what ? finding->what : "(nothing said)");
    put_pair(&line, "seen", finding->seen);
    put_pair(&line, "subject", finding->subject);
    put_pair(&line, "file", finding->file);
    if (finding->line > 0)
        put_number(&line, "line", finding->line);
    append(evidence, &line);
}

static void keep_under_way(struct hn_mark *mark, const char *text)
{
    if (mark)
        snprintf(mark->under_way, sizeof mark->under_way, "%s", text ? text : "");
}

void hn_evidence_note(struct hn_evidence *evidence, const char *key, const char *text)
{
    if (key && strcmp(key, HN_NOTE_UNDER_WAY) == 0) {
        keep_under_way(evidence->mark, text);
        return;
    }
    struct line line;
    if (__atomic_load_n(&evidence->bytes, __ATOMIC_RELAXED) >= HN_EVENTS_BYTES)
        return;
    begin(&line, "note");
    put_pair(&line, "key", key ? key : "");
    put_pair(&line, "text", text ? text : "");
    append(evidence, &line);
}

/* Returns the number of the clause; 0: no room is left, and its findings count for all clauses. */
static uint32_t number_of(struct hn_evidence *evidence, const char *id)
{
    uint32_t number = 0;
    while (number < evidence->clause_count && strcmp(evidence->clauses[number], id) != 0)
        number++;
    if (number == HN_CLAUSES || strlen(id) >= HN_CLAUSE_SIZE)
        return 0;
    if (number == evidence->clause_count) {
        memcpy(evidence->clauses[number], id, strlen(id) + 1);
        evidence->clause_count++;
    }
    return number + 1;
}

void hn_evidence_clause(struct hn_evidence *evidence, const char *id)
{
    struct line line;
    const uint32_t number = id && *id ? number_of(evidence, id) : 0;
    if (number == __atomic_exchange_n(&evidence->clause, number, __ATOMIC_RELAXED) ||
        __atomic_load_n(&evidence->bytes, __ATOMIC_RELAXED) >= HN_EVENTS_BYTES)
        return;
    begin(&line, "clause");
    if (number)
        put_pair(&line, "id", evidence->clauses[number - 1]);
    append(evidence, &line);
}

void hn_evidence_problem(struct hn_evidence *evidence, const char *stage, const char *text)
{
    struct line line;
    begin(&line, "problem");
    put_pair(&line, "stage", stage);
    put_pair(&line, "text", text);
    append(evidence, &line);
}

void hn_evidence_end(struct hn_evidence *evidence)
{
    struct line line;
    begin(&line, "end");
    put_pair(&line, "nonce", evidence->nonce);
    put_number(&line, "findings", __atomic_load_n(&evidence->findings, __ATOMIC_RELAXED));
    put_number(&line, "stored", __atomic_load_n(&evidence->stored, __ATOMIC_RELAXED));
    append(evidence, &line);
}

void hn_evidence_mark(struct hn_evidence *evidence, const char *file, int32_t line)
{
    struct hn_mark *mark = evidence->mark;
    if (!mark || !file)
        return;
    size_t length = strlen(file);
    if (length >= sizeof mark->file) {
        file += length - (sizeof mark->file - 1);
        length = sizeof mark->file - 1;
    }
    memcpy(mark->file, file, length + 1);
    mark->line = line;
    mark->moves++;
}

int hn_mark_read(const char *folder, struct hn_mark *mark)
{
    char path[HN_EVIDENCE_PATH];
    snprintf(path, sizeof path, "%s/" HN_MARK_FILE, folder);
    /* The job may have replaced the page by another file, such as a pipe without a writer. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -1;
    const ssize_t got = read(fd, mark, sizeof *mark);
    close(fd);
    if (got != (ssize_t)sizeof *mark || mark->magic != HN_MARK_MAGIC)
        return -1;
    mark->file[sizeof mark->file - 1] = '\0';
    mark->under_way[sizeof mark->under_way - 1] = '\0';
    return 0;
}
