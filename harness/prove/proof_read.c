/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the journal of a run to the verdicts of a case. Called before a case is begun (is it there
 * already?) and after it.
 */
#include <string.h>

#include "file.h"
#include "journal.h"
#include "proof.h"
#include "verdict.h"

struct reading {
    const struct hn_proof *proof;
    struct hn_case *one;
};

static int see_end(struct reading *reading, const struct hn_json *record, struct hn_error *error)
{
    const char *id, *name;
    enum hn_verdict verdict;
    int final = 0;
    int status = hn_json_boolean(record, "final", &final, error);
    if (status == HN_OK)
        status = hn_json_text(record, "id", &id, error);
    if (status == HN_OK)
        status = hn_json_text(record, "verdict", &name, error);
    if (status != HN_OK || !final)
        return status;
    if (hn_verdict_from_name(name, &verdict) != HN_OK)
        return hn_json_complain(record, error, "has no known verdict: %s", name);
    const struct hn_check *check = hn_catalogue_check(reading->proof->catalogue, id);
    if (!check)
        return hn_json_complain(record, error, "is about the check %s, which the contract lacks",
                                id);
    reading->one->verdicts[check - reading->proof->catalogue->checks] = (unsigned char)verdict;
    return HN_OK;
}

static int see(void *context, const struct hn_json *record, struct hn_error *error)
{
    struct reading *reading = context;
    const char *event;
    int status = hn_json_text(record, "event", &event, error);
    if (status != HN_OK)
        return status;
    if (strcmp(event, "end") == 0)
        return see_end(reading, record, error);
    if (strcmp(event, "resume") == 0)
        reading->one->finished = 0;
    if (strcmp(event, "finish") == 0)
        return hn_json_boolean(record, "complete", &reading->one->finished, error);
    return HN_OK;
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
