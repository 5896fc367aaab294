/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See probe_process.h.
 */
#include "probe_process.h"

#include <unistd.h>

#include "file.h"

#define ANSWER_LIMIT ((size_t)4 << 20)

int hn_probe_ask(const struct hn_probe_process *process, const char *request, size_t length,
                 char **answer, size_t *answer_length, char ended[HN_SIDE_ENDED],
                 struct hn_error *error)
{
    char question[HN_PATH_SIZE], reply[HN_PATH_SIZE];
    const char *const words[] = {process->python, "-m", "assay.host.probe", question, reply, NULL};
    const struct hn_side_process side = {.words = words,
                                         .settings = process->environment,
                                         .setting_count = process->environment_count,
                                         .deadline_ms = process->deadline_ms,
                                         .progress = process->progress};
    *answer = NULL;
    int status = hn_path_join(question, sizeof question, process->folder, "request.json", error);
    if (status == HN_OK)
        status = hn_path_join(reply, sizeof reply, process->folder, "answer.json", error);
    if (status != HN_OK)
        return status;
    unlink(reply);
    status = hn_file_write(question, request, length, error);
    if (status == HN_OK)
        status = hn_side_process_run(&side, ended, error);
    if (status == HN_OK && hn_path_exists(reply))
        status = hn_file_read(reply, ANSWER_LIMIT, answer, answer_length, error);
    unlink(question);
    unlink(reply);
    return status;
}
