/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records and refuses means: the functions of the backend that a check uses and that its clause is
 * not about. Active only in a run that orders it (orders.h). Called by both hosts in the job, after
 * loading.
 *
 * The file means.txt in the folder of the job gets a line "used NAME" or "refused NAME" at the
 * first use of each name, so that the line survives any death of the job. suites/RULES.md lists the
 * names.
 */
#ifndef HN_MEANS_H
#define HN_MEANS_H

#include <stddef.h>

#include "adapter.h"

/* Options of the run. The Python host declares the same struct. */
struct hn_means_asked {
    const char *folder;  /* folder of the job */
    const char *refused; /* name of a means; NULL: none */
    int32_t recorded;    /* used means are recorded; implied by `late_ms` */
    int64_t late_ms;     /* delay of the first use of each means */
};

/* Starts to record the used means, or to refuse one means. If the harness cannot refuse the means,
 * the adapter must refuse it. Returns 0, or a negative ASSAY_E and one sentence. */
ASSAY_EXPORT int32_t hn_means_begin(const struct hn_means_asked *asked, struct hn_adapter *adapter,
                                    char *text, size_t size);
/* Writes the uses that the adapter's switchboard recorded. Must be called before the job reports
 * its end. */
ASSAY_EXPORT void hn_means_end(void);
/* Records a used name of the device module, which only the Python host can observe. [any] */
ASSAY_EXPORT void hn_means_used(const char *name);
ASSAY_EXPORT void hn_means_refused(const char *name);

#endif
