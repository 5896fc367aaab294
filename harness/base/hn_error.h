/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An error is one sentence: where it is, what is wrong, and what to do. This header also has the
 * error codes and the exit statuses. Every function of the harness that can fail returns 0 or one
 * of the codes and fills an hn_error.
 */
#ifndef HN_ERROR_H
#define HN_ERROR_H

#include <stdarg.h>

#define HN_OK 0
#define HN_EINPUT (-1)    /* a file or message of the user or of a job is invalid */
#define HN_EUSAGE (-2)    /* the command line is wrong */
#define HN_ESYSTEM (-3)   /* a system call failed; the text has the reason */
#define HN_ELIMIT (-4)    /* larger or deeper than the limit */
#define HN_ENOMEM (-5)    /* out of memory */
#define HN_ENOTFOUND (-6) /* no such file, id or name */
#define HN_STOPPED_BY(signal) (-128 - (signal)) /* a signal told this program to stop */

/* Exit statuses of `assay`, documented in assay(1). */
#define HN_EXIT_OK 0
#define HN_EXIT_FAILED 1    /* the run is complete, and a check that counts failed */
#define HN_EXIT_UNDECIDED 2 /* the run is incomplete, or a check could not decide */
#define HN_EXIT_USAGE 64    /* wrong command line */
#define HN_EXIT_INPUT 65    /* bad or missing input file */
#define HN_EXIT_SYSTEM 71   /* a system call failed (no memory, no process, full disk) */
/* Stopped by a signal, as shells report it: 130 after Ctrl-C, 143 after SIGTERM. */
#define HN_EXIT_STOPPED_BY(signal) (128 + (signal))

#define HN_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))

struct hn_error {
    int code;
    int line, column; /* from 1; 0: unknown */
    char file[256];   /* "" : no file */
    char text[768];   /* one sentence, no newline */
};

/* Each returns `code`, so that a caller can write `return hn_error_set(...)`. `error` may be
 * NULL. Text that does not fit is truncated. [any] */
int hn_error_set(struct hn_error *error, int code, const char *format, ...) HN_PRINTF(3, 4);
int hn_error_at(struct hn_error *error, int code, const char *file, int line, int column,
                const char *format, ...) HN_PRINTF(6, 7);
int hn_error_vat(struct hn_error *error, int code, const char *file, int line, int column,
                 const char *format, va_list arguments) HN_PRINTF(6, 0);
/* Appends ": <strerror(errno)>" to the sentence. The code is HN_ESYSTEM, or HN_ENOTFOUND for
 * ENOENT. */
int hn_error_errno(struct hn_error *error, const char *format, ...) HN_PRINTF(2, 3);
int hn_error_nomem(struct hn_error *error);

/* Writes "suites/guard/contract.yaml:12:5: unknown key ..." without the unknown parts of the place.
 * Text that does not fit is truncated. */
void hn_error_format(const struct hn_error *error, char *text, unsigned long size);
/* The exit status that belongs to a code. */
int hn_error_exit_status(int code);

#endif
