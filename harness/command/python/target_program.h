/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a Python program in the target's interpreter and in our terminal to do the work of a
 * sub-command: assay watch, assay clients, assay bench. The program gets a request in JSON: the
 * target, its load steps, the folder of the run, and every option of the command by name (a
 * number, a boolean, or null if not given). Therefore an option that only the program uses needs
 * a row in the command's table, and no other C code.
 */
#ifndef HN_TARGET_PROGRAM_H
#define HN_TARGET_PROGRAM_H

#include "json_write.h"
#include "session_command.h"

struct hn_request {
    struct hn_buffer text;
    struct hn_json_writer writer; /* the caller may add members before the end */
};

void hn_request_begin(struct hn_request *request, const struct hn_session *session,
                      const struct hn_invocation *invocation);
/* Ends the document and writes it to request.json in the folder of the run. */
int hn_request_save(struct hn_request *request, struct hn_session *session,
                    char path[HN_PATH_SIZE]);

/* Runs python -m MODULE ARGUMENT WORDS... *exit_status is the program's, or encodes its signal. */
int hn_target_program_run(struct hn_session *session, const char *module, const char *argument,
                          char *const *words, size_t word_count, int *exit_status);

#endif
