/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See read_contract.h.
 */
#include "read_contract.h"

#include "command.h"
#include "data.h"

int hn_read_contract(const char *suite, struct hn_catalogue **catalogue)
{
    struct hn_findings findings = {0};
    const int failed = hn_data_catalogue(suite, NULL, catalogue, &findings);
    const int status = failed ? hn_print_findings(&findings) : HN_EXIT_OK;
    hn_findings_finish(&findings);
    return status;
}
