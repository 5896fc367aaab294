/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of PyTorch for calls of the bridge: a vendor knows getStream(), and no file of ours. Called by
 * expect.c for the sentences that reports show.
 */
#ifndef ASSAY_PUBLIC_CALL_H
#define ASSAY_PUBLIC_CALL_H

#include <stddef.h>

/* "getStream(-1).device" for the expression "bridge_stream_current(-1).device", without what a caller of
 * the backend does not see: arguments for results, the check, the status. Returns 0, and text is "", for an
 * expression that is no call of the bridge: the check's own variable or helper. */
int assay_public_call(const char *expression, char *text, size_t size);

#endif
