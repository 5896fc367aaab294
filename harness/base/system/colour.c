/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See colour.h. https://no-color.org: if NO_COLOR is set and not empty, there is no colour.
 */
#include "colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int hn_colour_wanted(const char *said, FILE *out)
{
    const char *const none = getenv("NO_COLOR"), *const terminal = getenv("TERM");
    if (said && strcmp(said, "auto") != 0)
        return strcmp(said, "always") == 0;
    return out && isatty(fileno(out)) && !(none && *none) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

const char *hn_colour(int colour, enum hn_verdict verdict)
{
    if (!colour)
        return "";
    if (hn_verdict_table[verdict].fails)
        return "\x1b[31m";
    if (hn_verdict_table[verdict].exit_status)
        return "\x1b[35m";
    return verdict == HN_PASS ? "\x1b[32m" : "\x1b[33m";
}

const char *hn_colour_end(int colour)
{
    return colour ? "\x1b[0m" : "";
}
