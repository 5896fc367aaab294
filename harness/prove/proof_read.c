/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the journal of a run to the verdicts of a case. Called before a case is begun (is it there
 * already?) and after it.
 */
#include "file.h"
#include "journal.h"
#include "proof.h"

struct reading {
    const struct hn_proof *proof;
    struct hn_case *one;
};

static int see_end(const struct reading *reading, const struct hn_record *record,
                   struct hn_error *error)
{
    const struct hn_catalogue *catalogue = reading->proof->catalogue;
    const struct hn_check *check = hn_catalogue_check(catalogue, record->end.id);
    if (!check)
        return hn_record_complain(record, error, "is about the check %s, which the contract lacks",
                                  record->end.id);
    if (!record->end.final)
        return HN_OK;
    reading->one->verdicts[check - catalogue->checks] = (unsigned char)record->end.verdict;
    const char **subject = &reading->one->subjects[check - catalogue->checks];
    *subject =
        hn_arena_text(reading->proof->arena, "%s", record->end.subject ? record->end.subject : "");
    return *subject ? HN_OK : hn_error_nomem(error);
}

static int see(void *context, const struct hn_record *record, struct hn_error *error)
{
    struct reading *reading = context;
    if (record->event == HN_EVENT_RESUME)
        reading->one->finished = 0;
    if (record->event == HN_EVENT_FINISH)
        reading->one->finished = record->finish.complete;
    return record->event == HN_EVENT_END ? see_end(reading, record, error) : HN_OK;
}

int hn_proof_read(const struct hn_proof *proof, struct hn_case *one, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    struct reading reading = {proof, one};
    int status = hn_path_join(path, sizeof path, one->folder, HN_JOURNAL_FILE, error);
    one->finished = 0;
    if (status != HN_OK || !hn_path_exists(path))
        return status;
    return hn_journal_read(path, see, &reading, NULL, error);
}
