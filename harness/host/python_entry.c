/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that `python -m assay.host` calls by ctypes, besides hn_host_serve. The functions
 * report on the running check, and take no struct that Python would have to declare. Findings may
 * come from any thread.
 */
#include "python_entry.h"

#include <stddef.h>

#include "host_callbacks.h"

void hn_python_report(int32_t kind, const char *what, const char *seen, const char *subject,
                      const char *file, int32_t line)
{
    struct assay_check *check = hn_host_check();
    const struct assay_finding finding = {
        .struct_size = sizeof finding,
        .kind = kind,
        .what = what,
        .seen = seen,
        .subject = subject,
        .file = file,
        .line = line,
    };
    if (check)
        check->host->report(check, &finding);
}

void hn_python_note(const char *key, const char *text)
{
    struct assay_check *check = hn_host_check();
    if (check)
        check->host->note(check, key, text);
}

void hn_python_clause(const char *id)
{
    struct assay_check *check = hn_host_check();
    if (check)
        check->host->clause(check, id);
}

void hn_python_mark(const char *file, int32_t line)
{
    struct assay_check *check = hn_host_check();
    if (check)
        check->host->mark(check, file, line);
}

int64_t hn_python_milliseconds_left(void)
{
    struct assay_check *check = hn_host_check();
    return check ? check->host->milliseconds_left(check) : 0;
}

int32_t hn_python_capability(const char *name)
{
    struct assay_check *check = hn_host_check();
    return check ? check->host->capability(check, name) : ASSAY_UNKNOWN;
}

void hn_python_sizes(uint32_t sizes[4])
{
    sizes[0] = sizeof(struct hn_host_setup);
    sizes[1] = sizeof(struct hn_host_target);
    sizes[2] = sizeof(struct hn_host_callbacks);
    sizes[3] = sizeof(struct assay_check);
}
