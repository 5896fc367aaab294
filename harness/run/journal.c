/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Appends to and reads a run's journal. Called by the supervisor, resume and merge; knows lines,
 * not what they say (record.c).
 */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <unistd.h>

#include "file.h"

#define JOURNAL_LIMIT ((size_t)1 << 31)

static const struct hn_json_limits line_limits = {HN_JOURNAL_LINE, 16};

/* The lock lives as long as the writer, also through kill -9. */
static int lock(struct hn_journal *journal, const char *path, struct hn_error *error)
{
    if (flock(journal->file, LOCK_EX | LOCK_NB) == 0)
        return HN_OK;
    close(journal->file);
    journal->file = -1;
    return hn_error_set(error, HN_EINPUT, "%s is being written by another run", path);
}

int hn_journal_create(struct hn_journal *journal, const char *path, struct hn_error *error)
{
    *journal = (struct hn_journal){.file = -1};
    journal->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
    if (journal->file < 0)
        return hn_error_errno(error, "cannot begin %s", path);
    return lock(journal, path, error);
}

static const char *last_newline(const char *text, size_t length)
{
    return length ? memrchr(text, '\n', length) : NULL;
}

static int cut_torn_line(struct hn_journal *journal, const char *path, struct hn_error *error)
{
    char *text = NULL;
    size_t length = 0;
    int status = hn_file_read(path, JOURNAL_LIMIT, &text, &length, error);
    if (status != HN_OK)
        return status;
    const char *newline = last_newline(text, length);
    const size_t good = newline ? (size_t)(newline - text) + 1 : 0;
    if (good != length && ftruncate(journal->file, (off_t)good) != 0)
        status = hn_error_errno(error, "cannot cut the torn line off %s", path);
    free(text);
    return status;
}

int hn_journal_reopen(struct hn_journal *journal, const char *path, struct hn_error *error)
{
    *journal = (struct hn_journal){.file = -1};
    journal->file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (journal->file < 0)
        return hn_error_errno(error, "cannot go on with %s", path);
    int status = lock(journal, path, error);
    if (status != HN_OK)
        return status;
    status = cut_torn_line(journal, path, error);
    if (status != HN_OK)
        hn_journal_close(journal);
    return status;
}

void hn_journal_close(struct hn_journal *journal)
{
    if (journal->file > 0) {
        hn_journal_sync(journal);
        close(journal->file);
    }
    *journal = (struct hn_journal){.file = -1};
}

/* One write for line and newline; a short one (full disk) is finished or the journal is torn, which
 * readers know how to handle. */
int hn_journal_append(struct hn_journal *journal, const char *line, size_t length,
                      struct hn_error *error)
{
    char newline = '\n';
    struct iovec parts[2] = {{(char *)(uintptr_t)line, length}, {&newline, 1}};
    ssize_t done = writev(journal->file, parts, 2);
    while (done < 0 && errno == EINTR)
        done = writev(journal->file, parts, 2);
    if (done != (ssize_t)(length + 1))
        return hn_error_errno(error, "cannot write the journal");
    journal->unsynced++;
    return HN_OK;
}

void hn_journal_sync(struct hn_journal *journal)
{
    if (journal->unsynced)
        fdatasync(journal->file);
    journal->unsynced = 0;
}

static int visit_line(const char *text, size_t length, const char *path, int number,
                      hn_journal_visit visit, void *context, struct hn_error *error)
{
    struct hn_json_document *document = NULL;
    struct hn_json root;
    int status = hn_json_parse(text, length, &line_limits, path, number, &document, error);
    if (status != HN_OK)
        return status;
    hn_json_root(document, &root);
    status = hn_json_must_be_object(&root, error);
    if (status == HN_OK)
        status = visit(context, &root, error);
    hn_json_destroy(document);
    return status;
}

int hn_journal_read(const char *path, hn_journal_visit visit, void *context, int *torn,
                    struct hn_error *error)
{
    char *text = NULL;
    size_t length = 0;
    int status = hn_file_read(path, JOURNAL_LIMIT, &text, &length, error);
    if (status != HN_OK)
        return status;
    const char *at = text, *end = text + length;
    for (int number = 1; status == HN_OK && at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            break;
        status = visit_line(at, (size_t)(newline - at), path, number, visit, context, error);
        at = newline + 1;
    }
    if (torn)
        *torn = status == HN_OK && at < end;
    free(text);
    return status;
}
