/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PyTorch's names for calls of the bridge: a vendor knows getStream() and none of our files. Called
 * by expect.c for the sentences in reports.
 */
#ifndef ASSAY_PUBLIC_CALL_H
#define ASSAY_PUBLIC_CALL_H

#include <stddef.h>
#include <stdint.h>

/* "getStream(-1).device" for the expression "bridge_stream_current(-1).device". Result
 * arguments, the check and the status are left out, because a caller of the backend does not see
 * them. Returns 0, with an empty text, if the expression is no bridge call but a variable or
 * helper of the check. */
int assay_public_call(const char *expression, char *text, size_t size);

/* "the data pointer" for "seen->data", "the storage offset" for "one.storage_offset". Returns
 * "it" for an expression that the table does not contain. */
void assay_subject(const char *expression, char *text, size_t size);

/* "bridge_guard_set(2)" for "bridge_guard_set(count)", with the value of the argument `count`. */
void assay_with_value(const char *call, const char *argument, int64_t value, char *text,
                      size_t size);

#endif
