/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns this process into the Python host program of a target, as a nursery of hosts: see
 * ../host/nursery.c. Called by cmd_run.c for `assay prove`.
 */
#ifndef HN_BECOME_NURSERY_H
#define HN_BECOME_NURSERY_H

#include "hn_error.h"
#include "task.h"

/* `listener`: the number of a listening socket.
 * Comes back only when it failed. */
int hn_become_nursery(const struct hn_run_input *input, const char *listener,
                      struct hn_error *error);

#endif
