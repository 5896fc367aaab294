/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a run's journal line by line, each line once. Called by resume, merge, the proof and the
 * reports.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agreement.h"
#include "file.h"
#include "journal.h"
#include "record_line.h"

#define PIECE ((size_t)64 << 10)

static const struct hn_json_limits limits = {HN_JOURNAL_LINE, 16};

/* ---- lines */

struct lines {
    const char *path;
    int file;
    char *piece; /* PIECE bytes, of which `at` to `end` are not read yet */
    size_t at, end;
    struct hn_buffer begun; /* part of the current line from earlier pieces */
    int number;
};

static int open_lines(struct lines *lines, const char *path, struct hn_error *error)
{
    struct stat facts;
    /* Without O_NONBLOCK, opening a pipe without a writer would block. */
    *lines = (struct lines){.path = path, .file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    hn_buffer_init(&lines->begun, HN_JOURNAL_LINE);
    if (lines->file < 0)
        return errno == ENOENT ? hn_error_at(error, HN_ENOTFOUND, path, 0, 0,
                                             "does not exist, so this is no run: give the folder "
                                             "that assay run printed")
                               : hn_error_errno(error, "cannot open %s", path);
    if (fstat(lines->file, &facts) != 0 || !S_ISREG(facts.st_mode))
        return hn_error_at(error, HN_EINPUT, path, 0, 0, "is not a regular file");
    hn_file_is_read(lines->file);
    lines->piece = malloc(PIECE);
    return lines->piece ? HN_OK : hn_error_nomem(error);
}

static void close_lines(struct lines *lines)
{
    if (lines->file >= 0)
        close(lines->file);
    free(lines->piece);
    hn_buffer_finish(&lines->begun);
}

/* Skips a hole of a sparse file, which has no content and may be very long. */
static void skip_hole(struct lines *lines)
{
    const off_t at = lseek(lines->file, 0, SEEK_CUR);
    const off_t data = lseek(lines->file, at, SEEK_DATA);
    if (data < 0)
        lseek(lines->file, errno == ENXIO ? 0 : at, errno == ENXIO ? SEEK_END : SEEK_SET);
}

/* Returns 1 if there are more bytes, 0 at end of file, or a negative error. */
static int refill(struct lines *lines, struct hn_error *error)
{
    ssize_t got;
    if (lines->begun.status == HN_ELIMIT)
        skip_hole(lines);
    do
        got = read(lines->file, lines->piece, PIECE);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return hn_error_errno(error, "cannot read %s", lines->path);
    lines->at = 0;
    lines->end = (size_t)got;
    return got > 0;
}

enum line { LINE_END = 0, LINE_WHOLE = 1, LINE_TORN = 2, LINE_LONG = 3 };

/* Gets the next line without its newline, valid until the next call. Returns enum line, or a
 * negative error. */
static int next_line(struct lines *lines, const char **text, size_t *length, struct hn_error *error)
{
    hn_buffer_clear(&lines->begun);
    lines->number++;
    for (;;) {
        const char *from = lines->piece + lines->at;
        const size_t left = lines->end - lines->at;
        const char *newline = left ? memchr(from, '\n', left) : NULL;
        const size_t used = newline ? (size_t)(newline - from) : left;
        lines->at += newline ? used + 1 : used;
        *text = from;
        *length = used;
        if (newline && lines->begun.length == 0 && lines->begun.status == HN_OK)
            return LINE_WHOLE;
        const int status = hn_buffer_add(&lines->begun, from, used);
        if (status == HN_ENOMEM)
            return hn_error_nomem(error);
        *text = lines->begun.text;
        *length = lines->begun.length;
        if (newline)
            return status == HN_OK ? LINE_WHOLE : LINE_LONG;
        const int more = refill(lines, error);
        if (more < 0)
            return more;
        if (more == 0)
            return lines->begun.length || status ? LINE_TORN : LINE_END;
    }
}

/* ---- records */

struct reading {
    struct lines lines;
    struct hn_journal_gaps gaps;
    struct hn_error *error;
    int begun; /* the record of the run itself was read */
};

/* Counts a line that is not JSON. Such a line was damaged; the other lines are still valid. */
static int lose(struct reading *reading, const struct hn_error *why)
{
    if (reading->gaps.lines++ == 0)
        reading->gaps.first = *why;
    return HN_ENOTFOUND;
}

static int check_order(struct reading *reading, const struct hn_record *record)
{
    const int is_run = record->event == HN_EVENT_RUN;
    if (is_run && reading->begun)
        return hn_record_complain(record, reading->error, "is a second record of a run");
    if (!is_run && !reading->begun)
        return hn_record_complain(record, reading->error,
                                  "comes before the record of the run, which must be the first");
    reading->begun = 1;
    return HN_OK;
}

static int parse(struct reading *reading, const char *text, size_t length,
                 struct hn_record_read *read)
{
    struct hn_error why;
    struct hn_json_document *document;
    const struct lines *lines = &reading->lines;
    int status = hn_json_parse(text, length, &limits, lines->path, lines->number, &document, &why);
    if (status == HN_ENOMEM)
        return hn_error_nomem(reading->error);
    if (status != HN_OK)
        return lose(reading, &why);
    status = hn_record_read(read, document, reading->error);
    return status == HN_OK ? check_order(reading, &read->record) : status;
}

/* Returns HN_OK and a record, or HN_OK without a document at the end. */
static int next_record(struct reading *reading, struct hn_record_read *read)
{
    const char *text;
    size_t length;
    struct hn_error long_line;
    int status = HN_ENOTFOUND;
    while (status == HN_ENOTFOUND) {
        hn_record_read_finish(read);
        const int line = next_line(&reading->lines, &text, &length, reading->error);
        reading->gaps.torn |= line == LINE_TORN;
        if (line == LINE_WHOLE)
            status = parse(reading, text, length, read);
        else if (line != LINE_LONG)
            return line < 0 ? line : HN_OK;
        else {
            hn_error_at(&long_line, HN_ELIMIT, reading->lines.path, reading->lines.number, 0,
                        "is longer than the %zu bytes of a line", HN_JOURNAL_LINE);
            lose(reading, &long_line);
        }
    }
    return status;
}

static int need_run(const struct reading *reading)
{
    if (reading->begun)
        return HN_OK;
    if (reading->gaps.lines == 0)
        return hn_error_at(reading->error, HN_EINPUT, reading->lines.path, 0, 0,
                           "holds no run: its first line is missing");
    *reading->error = reading->gaps.first;
    return HN_EINPUT;
}

int hn_journal_read(const char *path, hn_journal_visit visit, void *context,
                    struct hn_journal_gaps *gaps, struct hn_error *error)
{
    struct hn_error ignored;
    struct reading reading = {.error = error ? error : &ignored};
    struct hn_record_read read = {0};
    struct hn_agreement agreement = {0};
    int status = open_lines(&reading.lines, path, reading.error);
    while (status == HN_OK) {
        status = next_record(&reading, &read);
        if (!read.document)
            break;
        if (status == HN_OK)
            status =
                hn_agreement_see(&agreement, &read.record, reading.gaps.lines == 0, reading.error);
        if (status == HN_OK)
            status = visit(context, &read.record, reading.error);
    }
    hn_record_read_finish(&read);
    if (status == HN_OK)
        status = need_run(&reading);
    close_lines(&reading.lines);
    hn_agreement_finish(&agreement);
    if (gaps)
        *gaps = reading.gaps;
    return status;
}

static int read_head(struct reading *reading, const char *path, struct hn_record_read *read)
{
    int status = open_lines(&reading->lines, path, reading->error);
    if (status == HN_OK)
        status = next_record(reading, read);
    if (status == HN_OK)
        status = need_run(reading);
    close_lines(&reading->lines);
    read->record.file = ""; /* the path of the caller may not live as long as the record */
    return status;
}

int hn_journal_head(const char *path, struct hn_record **head, struct hn_error *error)
{
    struct hn_error ignored;
    struct reading reading = {.error = error ? error : &ignored};
    struct hn_record_read *read = calloc(1, sizeof *read);
    *head = NULL;
    if (!read)
        return hn_error_nomem(error);
    const int status = read_head(&reading, path, read);
    if (status == HN_OK)
        *head = &read->record;
    else
        hn_journal_head_destroy(&read->record);
    return status;
}

void hn_journal_head_destroy(struct hn_record *head)
{
    if (head)
        hn_record_read_finish((struct hn_record_read *)head);
    free(head);
}
