/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the commands that are implemented in Python: assay drift, assay uses, assay new.
 */
#ifndef HN_PYTHON_COMMAND_H
#define HN_PYTHON_COMMAND_H

#include "command.h"

/* Replaces this process by `python -m MODULE <command> option value ... -- words...`. MODULE is in
 * the package assay or in guide/. On failure it prints the reason and returns an exit status. */
int hn_become_python(const struct hn_invocation *invocation, const char *module);

#endif
