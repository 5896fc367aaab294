/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See means_options.h.
 */
#include "means_options.h"

#include <stdio.h>
#include <stdlib.h>

#define LATEST_MS 60000

int hn_means_options_read(const struct hn_invocation *asked, struct hn_run_options *options)
{
    const char *refused = hn_option_value(asked, "refuse");
    const char *record = hn_option_value(asked, "record-means");
    char text[32];
    long late = 0;
    const int status = hn_option_integer(asked, "late-means", 0, LATEST_MS, &late);
    if (status || (!refused && !record && !late))
        return status;
    options->keep = 1; /* what was met is in the folders of the jobs */
    snprintf(text, sizeof text, "%ld", late);
    if (refused)
        setenv("ASSAY_REFUSE", refused, 1);
    if (record)
        setenv("ASSAY_RECORD_MEANS", "1", 1);
    if (late)
        setenv("ASSAY_LATE_MEANS", text, 1);
    return 0;
}
