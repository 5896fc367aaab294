/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gives PyTorch's names of bridge calls, because a vendor knows getStream() but not the bridge.
 * Called by expect.c for the sentences in reports.
 */
#ifndef ASSAY_PUBLIC_CALL_H
#define ASSAY_PUBLIC_CALL_H

#include <stddef.h>
#include <stdint.h>

/* Writes "getStream(-1).device" for the expression "bridge_stream_current(-1).device". Leaves out
 * result arguments, the check and the status, because a caller of the backend does not see them.
 * Returns 0 and an empty text if the expression is no bridge call. */
int assay_public_call(const char *expression, char *text, size_t size);

/* Returns "the data pointer" for "seen->data" and "the storage offset" for "one.storage_offset".
 * Returns "it" for an expression that the table does not contain. */
void assay_subject(const char *expression, char *text, size_t size);

/* Writes "bridge_guard_set(2)" for "bridge_guard_set(count)": replaces the argument `count` by its
 * value. */
void assay_with_value(const char *call, const char *argument, int64_t value, char *text,
                      size_t size);

#endif
