/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The contract for a command that runs nothing.
 */
#ifndef HN_READ_CONTRACT_H
#define HN_READ_CONTRACT_H

#include "catalogue.h"

/* With the private suite in the folder `suite`; NULL: none. 0, or an exit status when everything that is wrong has been printed; *catalogue is then NULL. */
int hn_read_contract(const char *suite, struct hn_catalogue **catalogue);

#endif
