/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a program in the foreground. The program has our terminal, process group and environment,
 * and gets the signals that are sent to us. The caller waits until it ends.
 */
#ifndef HN_FOREGROUND_H
#define HN_FOREGROUND_H

#include <stddef.h>

#include "hn_error.h"

/* `words` is NULL-terminated; `settings` ("NAME=value") override our environment. *status is the
 * status from waitpid(2). */
int hn_foreground_run(const char *const *words, const char *const *settings, size_t setting_count,
                      int *status, struct hn_error *error);

/* Returns 1 if the program exists: a path, or a name on PATH. */
int hn_program_can_start(const char *program);

#endif
