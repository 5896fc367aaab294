/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Error values. Called by all code. This file must not depend on the rest of the harness.
 */
#include "hn_error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int hn_error_vat(struct hn_error *error, int code, const char *file, int line, int column,
                 const char *format, va_list arguments)
{
    if (!error)
        return code;
    error->code = code;
    error->line = line;
    error->column = column;
    snprintf(error->file, sizeof error->file, "%s", file ? file : "");
    vsnprintf(error->text, sizeof error->text, format, arguments);
    return code;
}

int hn_error_at(struct hn_error *error, int code, const char *file, int line, int column,
                const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hn_error_vat(error, code, file, line, column, format, arguments);
    va_end(arguments);
    return code;
}

int hn_error_set(struct hn_error *error, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hn_error_vat(error, code, "", 0, 0, format, arguments);
    va_end(arguments);
    return code;
}

int hn_error_errno(struct hn_error *error, const char *format, ...)
{
    const int number = errno, code = number == ENOENT ? HN_ENOTFOUND : HN_ESYSTEM;
    va_list arguments;
    if (!error)
        return code;
    va_start(arguments, format);
    hn_error_vat(error, code, "", 0, 0, format, arguments);
    va_end(arguments);

    const size_t used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used, ": %s", strerror(number));
    return code;
}

int hn_error_nomem(struct hn_error *error)
{
    return hn_error_set(error, HN_ENOMEM, "out of memory");
}

void hn_error_format(const struct hn_error *error, char *text, unsigned long size)
{
    if (!error->file[0])
        snprintf(text, size, "%s", error->text);
    else if (error->line <= 0)
        snprintf(text, size, "%s: %s", error->file, error->text);
    else if (error->column <= 0)
        snprintf(text, size, "%s:%d: %s", error->file, error->line, error->text);
    else
        snprintf(text, size, "%s:%d:%d: %s", error->file, error->line, error->column, error->text);
}

int hn_error_exit_status(int code)
{
    static const struct {
        int code, status;
    } table[] = {
        {HN_OK, HN_EXIT_OK},           {HN_EINPUT, HN_EXIT_INPUT}, {HN_EUSAGE, HN_EXIT_USAGE},
        {HN_ESYSTEM, HN_EXIT_SYSTEM},  {HN_ELIMIT, HN_EXIT_INPUT}, {HN_ENOMEM, HN_EXIT_SYSTEM},
        {HN_ENOTFOUND, HN_EXIT_INPUT},
    };
    if (code <= HN_STOPPED_BY(1))
        return -code;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == code)
            return table[i].status;
    return HN_EXIT_SYSTEM;
}
