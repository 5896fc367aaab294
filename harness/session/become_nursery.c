/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See become_nursery.h.
 */
#include "become_nursery.h"

#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "host_link.h"

#define WORDS 8

int hn_become_nursery(const struct hn_run_input *input, const char *listener,
                      struct hn_error *error)
{
    char *words[WORDS + 2] = {0}, last[64];
    size_t count = 0;
    const struct hn_run_target *target = &input->target;
    char **environment = hn_link_environment(target->environment, target->environment_count);
    for (; input->programs.python[count] && count < WORDS; count++)
        words[count] = (char *)(uintptr_t)input->programs.python[count];
    snprintf(last, sizeof last, "--nursery=%s", listener);
    words[count] = last;
    if (environment)
        execvpe(words[0], words, environment);
    return hn_error_errno(error, "cannot start %s", words[0]);
}
