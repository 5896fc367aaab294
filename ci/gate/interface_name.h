/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which interface of PyTorch a compiler, linker, loader or Python complains about.
 */
#ifndef CI_INTERFACE_NAME_H
#define CI_INTERFACE_NAME_H

#include <stddef.h>

/* Looks through the words of a failed step. `name` (clean) becomes the interface, "" when no known
 * complaint is there; `line` (clean) the complaint itself, else the first line that says "error",
 * else the last line. Returns what has become of the interface in words, "" with an empty name. */
const char *ci_interface_find(const char *log, char *name, size_t name_size, char *line,
                              size_t line_size);

#endif
