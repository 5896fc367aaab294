/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The options of assay run about means (suites/README.md): record them, refuse one, make them late.
 * The hosts hear of them by their environment, which is ours: see host/means.h.
 */
#ifndef HN_MEANS_OPTIONS_H
#define HN_MEANS_OPTIONS_H

#include "command.h"
#include "task.h"

/* Rows of a command's table of options. */
#define HN_MEANS_OPTIONS                                                                           \
    {"record-means", NULL,                                                                         \
     "write what each check uses of the backend into its folder, and keep it"},                    \
        {"refuse", "NAME",                                                                         \
         "let the backend refuse a means, such as aten::mm or module.synchronize"},                \
    {                                                                                              \
        "late-means", "MS", "delay the first use of each means by this many milliseconds"          \
    }

/* 0, or the exit status of a usage error that has been told. After the other options. */
int hn_means_options_read(const struct hn_invocation *asked, struct hn_run_options *options);

#endif
