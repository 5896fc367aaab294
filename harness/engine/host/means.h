/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a check uses of the backend beside what its clause is about, written down and refused. Only in
 * a run that was asked for it: its hosts have ASSAY_RECORD_MEANS, ASSAY_REFUSE=name or
 * ASSAY_LATE_MEANS=milliseconds in their environment. Called by both hosts in the job, after loading.
 *
 * The job's folder then holds means.txt: a line "used NAME" or "refused NAME" for each name, written
 * when it is first met, so that it outlives any death of the job. Names: suites/README.md.
 */
#ifndef HN_MEANS_H
#define HN_MEANS_H

#include <stddef.h>

#include "adapter.h"

/* Begins as the environment asks. What the harness itself cannot refuse, the adapter is asked for.
 * 0, or a negative ASSAY_E and one sentence. */
ASSAY_EXPORT int32_t hn_means_begin(const char *folder, struct hn_adapter *adapter, char *text,
                                    size_t size);
/* Writes down what is only known afterwards: what the adapter's switchboard saw. To be called before
 * the job says that it ended. */
ASSAY_EXPORT void hn_means_end(void);
/* For what only the Python host sees: names of the device module. [any] */
ASSAY_EXPORT void hn_means_used(const char *name);
ASSAY_EXPORT void hn_means_refused(const char *name);

#endif
