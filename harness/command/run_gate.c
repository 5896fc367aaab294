/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_gate.h. Called by cmd_run.c; the rules are those of assay gate, in ci/gate.
 */
#include "run_gate.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "expectations.h"

static int is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* A list that is not in order would spoil an hour of checks at their very end. */
int hn_run_gate_begin(struct hn_run_gate *gate, const char *expectations,
                      struct hn_findings *findings)
{
    struct ci_expectations *read = NULL;
    struct hn_error error;
    *gate = (struct hn_run_gate){.expectations = expectations};
    if (!expectations || is_folder(expectations))
        return HN_OK;
    if (ci_expectations_read(expectations, &read, &error) != HN_OK)
        return hn_findings_add_error(findings, &error);
    for (size_t i = 0; i < read->findings.count; i++)
        hn_findings_add_error(findings, &read->findings.items[i]);
    const int status = read->findings.total ? HN_EINPUT : HN_OK;
    ci_expectations_destroy(read);
    return status;
}

int hn_run_gate_judge(struct hn_run_gate *gate, struct hn_session *session)
{
    const struct hn_gate_paths paths = {.head = session->folder,
                                        .expectations = gate->expectations,
                                        .select = session->asked.select};
    gate->input = calloc(1, sizeof *gate->input);
    if (!gate->input)
        hn_error_nomem(&session->error);
    int status = gate->input ? HN_OK : HN_ENOMEM;
    if (status == HN_OK)
        status = hn_gate_input_read(&paths, session->catalogue, gate->input, &session->error);
    if (status == HN_OK)
        status =
            ci_gate_decide(&gate->input->policy, &gate->input->change, gate->input->cases,
                           gate->input->count, gate->input->arena, &gate->result, &session->error);
    return status == HN_OK ? HN_OK : hn_findings_add_error(&session->findings, &session->error);
}

void hn_run_gate_finish(struct hn_run_gate *gate)
{
    if (gate->input)
        hn_gate_input_finish(gate->input);
    free(gate->input);
}
