/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the adapter share.
 */
#ifndef FAKEDEV_ADAPTER_H
#define FAKEDEV_ADAPTER_H

#include "assay/plugin.h"
#include "assay/target.h"

#include "fakedev_faults.h"

/* Translates the driver's status to assay's status. The text of a failure is reported to the
 * plugin host, which must be set first with fakedev_report_to(). */
void fakedev_report_to(const struct assay_plugin_host *host);
int32_t fakedev_translate(fd_status driver);

/* The driver's table of faults as a switchboard. */
extern const struct assay_switches fakedev_switches;
/* Reads that table. Must be called after the backend is loaded and before fakedev_switches is
 * used. */
void fakedev_switches_list(void);

#endif
