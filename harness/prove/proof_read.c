/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the journal of a run into the verdicts of a case, or of all pairs. Called before a run
 * is started (it may already be complete) and after it.
 */
#include <string.h>

#include "file.h"
#include "journal.h"
#include "proof.h"

struct reading {
    const struct hn_proof *proof;
    struct hn_case *one; /* NULL: each record goes to the case of its switch */
    int complete;
};

static struct hn_case *case_of(const struct reading *reading, const struct hn_record *record)
{
    if (reading->one)
        return reading->one;
    for (size_t i = 0; i < reading->proof->count; i++)
        if (strcmp(reading->proof->cases[i].name, record->end.armed) == 0)
            return &reading->proof->cases[i];
    return NULL;
}

static int see_end(const struct reading *reading, const struct hn_record *record,
                   struct hn_error *error)
{
    const struct hn_catalogue *catalogue = reading->proof->catalogue;
    const struct hn_check *check = hn_catalogue_check(catalogue, record->end.id);
    const struct hn_case *one = case_of(reading, record);
    if (!check)
        return hn_record_complain(record, error, "is about the check %s, which the contract lacks",
                                  record->end.id);
    if (!one)
        return hn_record_complain(record, error,
                                  "is about the switch \"%s\", which does not belong to this proof",
                                  record->end.armed);
    if (!record->end.final)
        return HN_OK;
    one->verdicts[check - catalogue->checks] = (unsigned char)record->end.verdict;
    const char **subject = &one->subjects[check - catalogue->checks];
    *subject =
        hn_arena_text(reading->proof->arena, "%s", record->end.subject ? record->end.subject : "");
    return *subject ? HN_OK : hn_error_nomem(error);
}

static int see(void *context, const struct hn_record *record, struct hn_error *error)
{
    struct reading *reading = context;
    if (record->event == HN_EVENT_RESUME)
        reading->complete = 0;
    if (record->event == HN_EVENT_FINISH)
        reading->complete = record->finish.complete;
    return record->event == HN_EVENT_END ? see_end(reading, record, error) : HN_OK;
}

int hn_proof_read(const struct hn_proof *proof, const char *folder, struct hn_case *one,
                  int *complete, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    struct reading reading = {.proof = proof, .one = one};
    int status = hn_path_join(path, sizeof path, folder, HN_JOURNAL_FILE, error);
    *complete = 0;
    if (status != HN_OK || !hn_path_exists(path))
        return status;
    status = hn_journal_read(path, see, &reading, NULL, error);
    *complete = status == HN_OK && reading.complete;
    return status;
}
