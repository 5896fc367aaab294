/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns this process into the Python host program of a target, as a nursery of hosts: see
 * ../host/nursery.c. Called by cmd_run.c for `assay prove`.
 */
#ifndef HN_BECOME_NURSERY_H
#define HN_BECOME_NURSERY_H

#include "task.h"

/* `listener`: the number of a listening socket. Comes back only when it failed: an exit status. */
int hn_become_nursery(const struct hn_run_input *input, const char *listener);

#endif
