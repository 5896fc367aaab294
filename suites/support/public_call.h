/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of PyTorch for calls of the bridge: a vendor knows getStream(), and no file of ours. Called by
 * expect.c for the sentences that reports show.
 */
#ifndef ASSAY_PUBLIC_CALL_H
#define ASSAY_PUBLIC_CALL_H

#include <stddef.h>
#include <stdint.h>

/* "getStream(-1).device" for the expression "bridge_stream_current(-1).device", without what a caller of
 * the backend does not see: arguments for results, the check, the status. Returns 0, and text is "", for an
 * expression that is no call of the bridge: the check's own variable or helper. */
int assay_public_call(const char *expression, char *text, size_t size);

/* "the data pointer" for "seen->data", "the storage offset" for "one.storage_offset": what a value of the check's own is; "it"
 * for an expression that the table has no words for. */
void assay_subject(const char *expression, char *text, size_t size);

/* "bridge_guard_set(2)" for "bridge_guard_set(count)", with the value of the argument `count`. */
void assay_with_value(const char *call, const char *argument, int64_t value, char *text,
                      size_t size);

#endif
