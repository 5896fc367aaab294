/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_words.h.
 */
#include "run_words.h"

#include <string.h>

#include "commands.h"

#define MOST_WORDS 32

int hn_run_words(struct hn_buffer *words)
{
    char *each[MOST_WORDS], *rest;
    struct hn_invocation run;
    int count = 0, status = HN_EXIT_SYSTEM;
    if (words->status != HN_OK)
        return status;
    for (char *word = strtok_r(words->text, "\n", &rest); word && count < MOST_WORDS;
         word = strtok_r(NULL, "\n", &rest))
        each[count++] = word;
    if (hn_command_parse(&hn_cmd_run, count, each, &run, &status))
        status = hn_cmd_run.run(&run);
    return status;
}
