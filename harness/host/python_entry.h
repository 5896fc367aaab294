/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flat functions for ctypes; see python_entry.c. Outside a check they are no-ops.
 */
#ifndef HN_PYTHON_ENTRY_H
#define HN_PYTHON_ENTRY_H

#include "assay/check.h"

ASSAY_EXPORT void hn_python_report(int32_t kind, const char *what, const char *seen,
                                   const char *subject, const char *file, int32_t line);
ASSAY_EXPORT void hn_python_note(const char *key, const char *text);
ASSAY_EXPORT void hn_python_clause(const char *id);
ASSAY_EXPORT void hn_python_mark(const char *file, int32_t line);
ASSAY_EXPORT int64_t hn_python_milliseconds_left(void);
ASSAY_EXPORT int32_t hn_python_capability(const char *name);

/* Gets the sizes of hn_host_setup, hn_host_target, hn_host_callbacks and assay_check, which Python
 * compares with its own declarations. */
ASSAY_EXPORT void hn_python_sizes(uint32_t sizes[4]);

#endif
