/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the contract for commands that run no checks.
 */
#ifndef HN_READ_CONTRACT_H
#define HN_READ_CONTRACT_H

#include "catalogue.h"

/* `suite`: folder of a private suite, or NULL. Returns 0; or prints all errors, sets *catalogue to
 * NULL and returns an exit status. */
int hn_read_contract(const char *suite, struct hn_catalogue **catalogue);

#endif
