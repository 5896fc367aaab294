/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the interface of PyTorch in an error message of a compiler, linker, loader or Python.
 */
#ifndef CI_INTERFACE_NAME_H
#define CI_INTERFACE_NAME_H

#include <stddef.h>

/* Searches the log of a failed step. `name` becomes the interface, or "" if there is no known error
 * message. `line` becomes the error message, else the first line that contains "error", else the
 * last line. Both are escaped. Returns the kind of change as text, or "" if `name` is empty. */
const char *ci_interface_find(const char *log, char *name, size_t name_size, char *line,
                              size_t line_size);

#endif
