/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See failed_checks.h. Uses the final verdict of each check in the journal.
 */
#include "failed_checks.h"

#include <string.h>

#include "file.h"
#include "journal.h"

struct search {
    const struct hn_catalogue *catalogue;
    unsigned char *failed;
};

static int visit(void *context, const struct hn_record *record, struct hn_error *error)
{
    const struct search *search = context;
    (void)error;
    if (record->event != HN_EVENT_END || !record->end.final)
        return HN_OK;
    const struct hn_check *check = hn_catalogue_check(search->catalogue, record->end.id);
    if (check)
        search->failed[check - search->catalogue->checks] =
            hn_verdict_table[record->end.verdict].exit_status != 0;
    return HN_OK;
}

int hn_failed_checks(const struct hn_catalogue *catalogue, const char *run, unsigned char *failed,
                     struct hn_error *error)
{
    struct search search = {catalogue, failed};
    char path[HN_PATH_SIZE];
    memset(failed, 0, catalogue->check_count);
    if (!hn_path_exists(run))
        return hn_error_at(error, HN_ENOTFOUND, run, 0, 0,
                           "is not there: give the folder of a run");
    int status = hn_path_join(path, sizeof path, run, HN_JOURNAL_FILE, error);
    if (status == HN_OK)
        status = hn_journal_read(path, visit, &search, NULL, error);
    if (status == HN_OK && !memchr(failed, 1, catalogue->check_count))
        status =
            hn_error_at(error, HN_EUSAGE, run, 0, 0, "no check of the contract failed in that run");
    return status;
}
