/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One problem, said in one sentence: where, what, and what to do. Codes and exit statuses.
 * Every fallible function of the harness returns 0 or one of the codes and fills an hn_error.
 */
#ifndef HN_ERROR_H
#define HN_ERROR_H

#include <stdarg.h>

#define HN_OK 0
#define HN_EINPUT (-1)    /* a file or message of the user or of a job is wrong */
#define HN_EUSAGE (-2)    /* the command line is wrong */
#define HN_ESYSTEM (-3)   /* the operating system refused; the text has the reason */
#define HN_ELIMIT (-4)    /* larger or deeper than the limit given */
#define HN_ENOMEM (-5)    /* out of memory */
#define HN_ENOTFOUND (-6) /* no such file, id or name */
#define HN_STOPPED_BY(signal) (-128 - (signal)) /* somebody told us to stop */

/* Exit statuses of `assay`, documented in assay(1). */
#define HN_EXIT_OK 0
#define HN_EXIT_FAILED 1    /* complete, and something that counts failed */
#define HN_EXIT_UNDECIDED 2 /* incomplete, or a check could not decide */
#define HN_EXIT_USAGE 64    /* wrong command line */
#define HN_EXIT_INPUT 65    /* bad or missing input file */
#define HN_EXIT_SYSTEM 71   /* the operating system refused (no memory, no process, full disk) */
/* Stopped by a signal, as shells say it: 130 after Ctrl-C, 143 after a TERM. */
#define HN_EXIT_STOPPED_BY(signal) (128 + (signal))

#define HN_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))

struct hn_error {
    int code;
    int line, column; /* from 1; 0: not known */
    char file[256];   /* "" : no file */
    char text[768];   /* one sentence, no newline */
};

/* All of them return `code`, so that a caller can write `return hn_error_set(...)`. `error` may be
 * NULL. Text that does not fit is cut. [any] */
int hn_error_set(struct hn_error *error, int code, const char *format, ...) HN_PRINTF(3, 4);
int hn_error_at(struct hn_error *error, int code, const char *file, int line, int column,
                const char *format, ...) HN_PRINTF(6, 7);
int hn_error_vat(struct hn_error *error, int code, const char *file, int line, int column,
                 const char *format, va_list arguments) HN_PRINTF(6, 0);
/* Adds ": <strerror(errno)>" to the sentence; code HN_ESYSTEM, HN_ENOTFOUND for ENOENT. */
int hn_error_errno(struct hn_error *error, const char *format, ...) HN_PRINTF(2, 3);
int hn_error_nomem(struct hn_error *error);

/* "suites/guard/contract.yaml:12:5: unknown key ..." as far as the place is known. Cuts. */
void hn_error_format(const struct hn_error *error, char *text, unsigned long size);
/* The exit status that belongs to a code. */
int hn_error_exit_status(int code);

#endif
