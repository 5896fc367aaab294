/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See target_program.h.
 */
#include "target_program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "file.h"
#include "foreground.h"
#include "target_preflight.h"

#define REQUEST_LIMIT ((size_t)4 << 20)
#define FIXED_WORDS 4

static void write_option(struct hn_json_writer *writer, const struct hn_option *option,
                         const char *value)
{
    if (!option->value)
        hn_write_boolean(writer, option->name, value != NULL);
    else if (value && option->kind == HN_OPTION_NUMBER)
        hn_write_integer(writer, option->name, strtol(value, NULL, 10));
    else
        hn_write_text(writer, option->name, value);
}

void hn_request_begin(struct hn_request *request, const struct hn_session *session,
                      const struct hn_invocation *invocation)
{
    hn_buffer_init(&request->text, REQUEST_LIMIT);
    hn_write_document(&request->writer, &request->text, NULL);
    for (size_t i = 0; i < invocation->command->option_count; i++)
        if (strcmp(invocation->command->options[i].name, "target") != 0)
            write_option(&request->writer, &invocation->command->options[i], invocation->values[i]);
    hn_write_text(&request->writer, "target", session->profile->name);
    hn_write_text(&request->writer, "folder", session->folder);
    hn_write_load_steps(&session->input.target, &request->writer);
}

int hn_request_save(struct hn_request *request, struct hn_session *session, char path[HN_PATH_SIZE])
{
    int status = hn_write_document_end(&request->writer);
    if (status != HN_OK)
        hn_buffer_complain(status, "the request", &session->error);
    if (status == HN_OK)
        status = hn_path_join(path, HN_PATH_SIZE, session->folder, "request.json", &session->error);
    if (status == HN_OK)
        status =
            hn_file_write_inside(path, request->text.text, request->text.length, &session->error);
    hn_buffer_finish(&request->text);
    return status;
}

int hn_target_program_run(struct hn_session *session, const char *module, const char *argument,
                          char *const *words, size_t word_count, int *exit_status)
{
    const struct hn_run_target *target = &session->input.target;
    int ended = 0;
    const char **line = hn_arena_array(session->arena, FIXED_WORDS + word_count + 1, sizeof *line);
    if (!line)
        return hn_error_nomem(&session->error);
    line[0] = session->places.python;
    line[1] = "-m";
    line[2] = module;
    line[3] = argument;
    for (size_t i = 0; i < word_count; i++)
        line[FIXED_WORDS + i] = words[i];
    const int status = hn_foreground_run(line, target->environment, target->environment_count,
                                         &ended, &session->error);
    *exit_status = WIFEXITED(ended) ? WEXITSTATUS(ended) : HN_EXIT_STOPPED_BY(WTERMSIG(ended));
    return status;
}
