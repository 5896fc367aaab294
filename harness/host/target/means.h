/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Means of the backend that a check uses beside those its clause is about, written down and refused.
 * Only in a run that was asked for it (orders.h). Called by both hosts in the job, after loading.
 *
 * The job's folder then holds means.txt: a line "used NAME" or "refused NAME" for each name, written
 * when it is first met, so that it outlives any death of the job. Names: suites/RULES.md.
 */
#ifndef HN_MEANS_H
#define HN_MEANS_H

#include <stddef.h>

#include "adapter.h"

/* Wishes of the run; the Python host lays this struct out, too. */
struct hn_means_asked {
    const char *folder;  /* of the job */
    const char *refused; /* a name; NULL: none */
    int32_t recorded;    /* what is used is written down; implied by `late_ms` */
    int64_t late_ms;     /* the first use of each means takes so much longer */
};

/* Asks the adapter to refuse a means that the harness cannot refuse itself. 0, or a negative
 * ASSAY_E and one sentence. */
ASSAY_EXPORT int32_t hn_means_begin(const struct hn_means_asked *asked, struct hn_adapter *adapter,
                                    char *text, size_t size);
/* Writes down what is only known afterwards: what the adapter's switchboard saw. To be called before
 * the job says that it ended. */
ASSAY_EXPORT void hn_means_end(void);
/* For what only the Python host sees: names of the device module. [any] */
ASSAY_EXPORT void hn_means_used(const char *name);
ASSAY_EXPORT void hn_means_refused(const char *name);

#endif
