/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See client_run.h.
 */
#include "client_run.h"

#include "file.h"
#include "json_fields.h"
#include "outside_run.h"

#define LIMIT ((size_t)256 << 20)

struct told {
    struct hn_end_record *ends;
    size_t count;
    const char *incomplete;
    int exit;
};

#define END(member) offsetof(struct hn_end_record, member)
static const struct hn_field end_fields[] = {
    HN_ALWAYS("id", HN_FIELD_TEXT, END(id)),
    HN_ALWAYS("verdict", HN_FIELD_VERDICT, END(verdict)),
    HN_MAYBE("reason", HN_FIELD_TEXT, END(reason)),
    HN_MAYBE("demand", HN_FIELD_TEXT, END(demand)),
    HN_MAYBE("seen", HN_FIELD_TEXT, END(seen)),
    HN_MAYBE("subject", HN_FIELD_TEXT, END(subject)),
    HN_MAYBE("location", HN_FIELD_TEXT, END(location)),
    HN_MAYBE("signal", HN_FIELD_TEXT, END(signal)),
    HN_MAYBE("findings", HN_FIELD_COUNT, END(findings)),
    HN_MAYBE("duration_ms", HN_FIELD_NUMBER, END(duration_ms)),
    HN_END_OF_TABLE,
};
#define TOLD(member) offsetof(struct told, member)
static const struct hn_field told_fields[] = {
    HN_ALWAYS("exit", HN_FIELD_COUNT, TOLD(exit)),
    HN_ALWAYS("incomplete", HN_FIELD_TEXT, TOLD(incomplete)),
    HN_LIST("checks", TOLD(ends), TOLD(count), end_fields, struct hn_end_record, 1),
    HN_END_OF_TABLE,
};

int hn_client_run_write(struct hn_session *session, int *exit_status)
{
    static const struct hn_json_limits limits = {LIMIT, 8};
    char path[HN_PATH_SIZE];
    size_t totals[HN_VERDICTS];
    struct told told = {.incomplete = ""};
    struct hn_error *error = &session->error;
    int status = hn_path_join(path, sizeof path, session->folder, HN_CLIENT_CHECKS, error);
    if (status == HN_OK)
        status = hn_fields_read_file(path, &limits, told_fields, &told, session->arena, error);
    const struct hn_outside_run run = {.select = HN_CLIENT_SELECT,
                                       .ends = told.ends,
                                       .count = told.count,
                                       .level = HN_MUST,
                                       .incomplete = told.incomplete};
    if (status == HN_OK)
        status = hn_outside_run_write(session, &run, totals);
    if (status == HN_OK)
        *exit_status = told.exit;
    else
        hn_findings_add_error(&session->findings, error);
    return status;
}
