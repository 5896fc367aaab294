/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the adapter share.
 */
#ifndef FAKEDEV_ADAPTER_H
#define FAKEDEV_ADAPTER_H

#include "assay/plugin.h"
#include "assay/target.h"

#include "fakedev_faults.h"

/* The driver's status in assay's words; the sentence of a failure goes to the plugin host, which is
 * said first. */
void fakedev_report_to(const struct assay_plugin_host *host);
int32_t fakedev_translate(fd_status driver);

/* The driver's table of faults as a switchboard. */
extern const struct assay_switches fakedev_switches;
/* Reads that table; before fakedev_switches is used, after the backend is loaded. */
void fakedev_switches_list(void);

#endif
