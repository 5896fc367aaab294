/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program in our place: it has our terminal, our group and our environment, and the signals that
 * are sent to us are passed on to it. We wait, and go on when it has ended.
 */
#ifndef HN_FOREGROUND_H
#define HN_FOREGROUND_H

#include <stddef.h>

#include "hn_error.h"

/* `words` end with NULL; `settings` ("NAME=value") go on top of our environment. *status is as
 * waitpid(2) says it. */
int hn_foreground_run(const char *const *words, const char *const *settings, size_t setting_count,
                      int *status, struct hn_error *error);

#endif
