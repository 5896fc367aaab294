/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kind of exception of the last failing call of this thread. Only refusal.c of the suites may
 * use this header: checks use the status, or an expectation that recognizes a refusal.
 */
#ifndef ASSAY_BRIDGE_RAISED_H
#define ASSAY_BRIDGE_RAISED_H

#include "bridge.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRIDGE_RAISED_NOTHING 0 /* the bridge itself returned the error, or no call has failed */
/* The error says that something does not exist or is not allowed: c10::Error except index errors, NotImplementedError, std::runtime_error. */
#define BRIDGE_RAISED_SAID 1
/* Accidents: any other exception, lack of memory, an internal assert. */
#define BRIDGE_RAISED_ACCIDENT 2
BRIDGE_API int32_t bridge_raised(void);

#ifdef __cplusplus
}
#endif

#endif
