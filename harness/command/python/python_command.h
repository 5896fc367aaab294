/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The commands that a Python module does: assay drift, assay uses, assay new.
 */
#ifndef HN_PYTHON_COMMAND_H
#define HN_PYTHON_COMMAND_H

#include "command.h"

/* Becomes `python -m MODULE <command> option value ... -- words...`, with a module of the package assay or
 * of guide/. Returns only when it cannot: an exit status, with the reason on stderr. */
int hn_become_python(const struct hn_invocation *invocation, const char *module);

#endif
