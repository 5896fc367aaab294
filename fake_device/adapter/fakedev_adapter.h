/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the adapter share.
 */
#ifndef FAKEDEV_ADAPTER_H
#define FAKEDEV_ADAPTER_H

#include "assay/plugin.h"
#include "assay/target.h"

#include "fakedev_faults.h"

/* Translates the driver's status to assay's status. Reports the text of a failure to the plugin
 * host. Call fakedev_report_to() first to set this host. */
void fakedev_report_to(const struct assay_plugin_host *host);
int32_t fakedev_translate(fd_status driver);

/* The switchboard for the faults in the driver's table. */
extern const struct assay_switches fakedev_switches;
/* Reads the driver's table of faults. Must be called after the backend is loaded and before
 * fakedev_switches is used. */
void fakedev_switches_list(void);

#endif
