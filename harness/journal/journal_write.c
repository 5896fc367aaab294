/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Appends records to a run's journal. Called by the supervisor and by merge.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal.h"
#include "record_line.h"

/* The kernel releases the lock when the process ends, even by kill -9. */
static int begin(struct hn_journal *journal, const char *path, int flags, struct hn_error *error)
{
    *journal = (struct hn_journal){.file = open(path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0644)};
    if (journal->file < 0)
        return hn_error_errno(error, flags ? "cannot begin %s" : "cannot continue %s", path);
    if (flock(journal->file, LOCK_EX | LOCK_NB) == 0)
        return HN_OK;
    hn_journal_close(journal);
    return hn_error_set(error, HN_EINPUT, "%s is being written by another run", path);
}

int hn_journal_create(struct hn_journal *journal, const char *path, struct hn_error *error)
{
    return begin(journal, path, O_CREAT | O_EXCL, error);
}

/* Returns the end of the last complete line, searched from the end of the file. 0: the file has no
 * complete line; -1: the last line is too long. */
static off_t find_last_end(int file, off_t size)
{
    char piece[4096];
    const off_t lowest = size > (off_t)HN_JOURNAL_LINE ? size - (off_t)HN_JOURNAL_LINE : 0;
    for (off_t end = size; end > lowest;) {
        const off_t from = end > (off_t)sizeof piece ? end - (off_t)sizeof piece : 0;
        const ssize_t got = pread(file, piece, (size_t)(end - from), from);
        const char *newline = got > 0 ? memrchr(piece, '\n', (size_t)got) : NULL;
        if (newline)
            return from + (newline - piece) + 1;
        end = from;
    }
    return lowest ? -1 : 0;
}

static int cut_torn_line(struct hn_journal *journal, const char *path, struct hn_error *error)
{
    struct stat facts;
    if (fstat(journal->file, &facts) != 0)
        return hn_error_errno(error, "cannot look at %s", path);
    if (!S_ISREG(facts.st_mode))
        return hn_error_set(error, HN_EINPUT, "%s is not a regular file", path);
    journal->end = find_last_end(journal->file, facts.st_size);
    if (journal->end < 0)
        return hn_error_set(error, HN_EINPUT,
                            "%s does not end with a complete line: it is damaged; begin a new run",
                            path);
    if (journal->end != facts.st_size && ftruncate(journal->file, journal->end) != 0)
        return hn_error_errno(error, "cannot remove the incomplete last line of %s", path);
    return HN_OK;
}

int hn_journal_reopen(struct hn_journal *journal, const char *path, struct hn_error *error)
{
    int status = begin(journal, path, 0, error);
    if (status != HN_OK)
        return status;
    status = cut_torn_line(journal, path, error);
    if (status != HN_OK)
        hn_journal_close(journal);
    return status;
}

void hn_journal_close(struct hn_journal *journal)
{
    if (journal->file >= 0) {
        hn_journal_sync(journal);
        close(journal->file);
    }
    journal->file = -1;
}

/* Detects a check that writes to ../../journal.jsonl. */
static int is_untouched(const struct hn_journal *journal, struct hn_error *error)
{
    struct stat facts;
    if (fstat(journal->file, &facts) != 0)
        return hn_error_errno(error, "cannot read the state of the journal");
    if (facts.st_nlink == 0)
        return hn_error_set(error, HN_EINPUT,
                            "the journal was removed by someone else while the run wrote it");
    if (facts.st_size != journal->end)
        return hn_error_set(error, HN_EINPUT,
                            "the journal was changed by someone else while the run wrote it: it "
                            "has %lld bytes, the run wrote %lld",
                            (long long)facts.st_size, (long long)journal->end);
    return HN_OK;
}

/* On a full disk, an incomplete line would also make the next line invalid. */
static int append(struct hn_journal *journal, const char *line, size_t length,
                  struct hn_error *error)
{
    ssize_t done;
    do
        done = write(journal->file, line, length);
    while (done < 0 && errno == EINTR);
    if (done < 0)
        return hn_error_errno(error, "cannot write the journal");
    if ((size_t)done == length) {
        journal->end += done;
        journal->unsynced++;
        return HN_OK;
    }
    if (ftruncate(journal->file, journal->end) != 0)
        return hn_error_errno(error, "cannot remove an incomplete line from the journal");
    return hn_error_set(error, HN_ESYSTEM, "cannot write the journal: there is no room left");
}

static int write_line(struct hn_journal *journal, const struct hn_record *record,
                      struct hn_error *error)
{
    struct hn_buffer line;
    hn_buffer_init(&line, HN_JOURNAL_LINE);
    int status = hn_record_write(record, &line);
    if (status == HN_OK)
        status = hn_buffer_putc(&line, '\n');
    if (status != HN_OK)
        hn_buffer_complain(status, "a record of the journal", error);
    else
        status = is_untouched(journal, error);
    if (status == HN_OK)
        status = append(journal, line.text, line.length, error);
    hn_buffer_finish(&line);
    return status;
}

int hn_journal_write(struct hn_journal *journal, const struct hn_record *record,
                     struct hn_error *error)
{
    if (journal->failure.code == HN_OK)
        write_line(journal, record, &journal->failure);
    if (journal->failure.code != HN_OK && error)
        *error = journal->failure;
    return journal->failure.code;
}

void hn_journal_sync(struct hn_journal *journal)
{
    if (journal->unsynced)
        fdatasync(journal->file);
    journal->unsynced = 0;
}
