/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shape of what this thread's last failing call of the bridge raised. For refusal.c of the suites alone: checks see
 * statuses, and expectations that know a refusal.
 */
#ifndef ASSAY_BRIDGE_RAISED_H
#define ASSAY_BRIDGE_RAISED_H

#include "bridge.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BRIDGE_RAISED_NOTHING 0 /* the bridge itself refused, or nothing has failed */
/* A sentence that something is not there or not allowed: c10::Error but for index and type errors,
 * NotImplementedError, std::runtime_error. */
#define BRIDGE_RAISED_SAID 1
/* Accidents: any exception that fell out of somebody's code, lack of memory, an internal assert. */
#define BRIDGE_RAISED_ACCIDENT 2
BRIDGE_API int32_t bridge_raised(void);

#ifdef __cplusplus
}
#endif

#endif
