/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fd_last_error_text, and the function that sets this text. Each thread has one buffer, so no lock
 * and no allocation is needed.
 */
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last_text[FD_ERROR_TEXT_SIZE];

fd_status fd_fail(fd_status status, const char *format, ...)
{
    /* Format into a separate buffer: an argument may point to the text that is being replaced. */
    char text[FD_ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(last_text, text, sizeof last_text);
    return status;
}

fd_status fd_fail_errno(const char *what)
{
    const int number = errno;
    char buffer[128];
    return fd_fail(FD_ERROR_SYSTEM, "%s: %s", what, strerror_r(number, buffer, sizeof buffer));
}

const char *fd_last_error_text(void)
{
    return last_text;
}
