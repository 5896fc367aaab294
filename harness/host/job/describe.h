/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the description of a loaded target as notes of the warm-up: its name and devices, the
 * offers and claims of its adapter, the settings of switches that act at load time. Read by
 * session/description.c. Called by job.c.
 */
#ifndef HN_DESCRIBE_H
#define HN_DESCRIBE_H

#include "evidence.h"
#include "host_callbacks.h"
#include "request.h"

#define HN_NOTE_DEVICE "device"   /* "fakedev" */
#define HN_NOTE_DEVICES "devices" /* the counted devices: "0 1" */
/* devices to which a tensor can be copied and back: "0"; none: "" */
#define HN_NOTE_USABLE "usable devices"
#define HN_NOTE_TAKES "takes"              /* "int32 32", if the device takes no common kind */
#define HN_NOTE_STATE "state can be asked" /* "5": HN_MAY_... of process_state.h; "0": none */
#define HN_NOTE_OFFERS "adapter offers"    /* "assay.reset/1 assay.gate/1" */
#define HN_NOTE_YES "adapter claims yes"   /* "streams meta" */
#define HN_NOTE_NO "adapter claims no"
#define HN_NOTE_AT_LOAD "switch at load" /* "guard.not_registered FOO_FAULT=x"; one note each */

void hn_describe_target(const struct hn_setup *setup, const struct hn_host_callbacks *callbacks,
                        const struct hn_host_target *target, struct hn_evidence *evidence);

#endif
