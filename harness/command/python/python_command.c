/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See python_command.h. No C code runs after the Python program, so it replaces this process.
 */
#include "python_command.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "data.h"
#include "file.h"
#include "run_paths.h"
#include "safe_path.h"

#define FIXED_WORDS 6

/* Sets the paths of this installation in the environment of the module. */
static int set_environment(struct hn_error *error)
{
    static const struct {
        const char *name, *program;
    } programs[] = {{"ASSAY_FACTS", "bin/assay-facts"},
                    {"ASSAY_USES_FACTS", "bin/assay-uses-facts"}};
    char data[HN_PATH_SIZE], path[HN_PATH_SIZE], paths[4 * HN_PATH_SIZE];
    int status = hn_data_own(data, error);
    snprintf(paths, sizeof paths, "%s/" HN_DATA_PYTHON ":%s/guide:%s/guide/troubleshooting", data,
             data, data);
    if (status == HN_OK && setenv("PYTHONPATH", paths, 1) != 0)
        return hn_error_nomem(error);
    if (status == HN_OK && setenv(HN_SAFE_PATH_NAME, HN_SAFE_PATH_VALUE, 0) != 0)
        return hn_error_nomem(error);
    for (size_t i = 0; status == HN_OK && i < sizeof programs / sizeof *programs; i++) {
        status = hn_data_installed(path, programs[i].program, error);
        if (status == HN_OK && setenv(programs[i].name, path, 0) != 0)
            return hn_error_nomem(error);
    }
    return status;
}

static char *word(const char *text)
{
    return (char *)(uintptr_t)text; /* execv does not write to the words */
}

/* Makes a NULL-terminated list that the caller frees. */
static char **make_words(const struct hn_invocation *invocation, const char *python,
                         const char *module)
{
    const struct hn_command *command = invocation->command;
    const size_t most = FIXED_WORDS + 2 * command->option_count + invocation->word_count;
    char **words = calloc(most, sizeof *words);
    size_t used = 0;
    if (!words)
        return NULL;
    words[used++] = word(python);
    words[used++] = word("-m");
    words[used++] = word(module);
    words[used++] = word(command->name);
    for (size_t i = 0; i < command->option_count; i++) {
        if (!invocation->values[i])
            continue;
        words[used++] = word(command->options[i].name); /* without hyphens, followed by the value */
        words[used++] = word(invocation->values[i]);
    }
    words[used++] = word("--");
    for (size_t i = 0; i < invocation->word_count; i++)
        words[used++] = invocation->words[i];
    return words;
}

int hn_become_python(const struct hn_invocation *invocation, const char *module)
{
    char python[HN_PATH_SIZE];
    struct hn_error error;
    int status = hn_run_python(python, "", "", &error);
    if (status == HN_OK)
        status = set_environment(&error);
    char **words = status == HN_OK ? make_words(invocation, python, module) : NULL;
    if (words) {
        execvp(python, words);
        status = hn_error_errno(&error, "cannot start %s", python);
    } else if (status == HN_OK) {
        status = hn_error_nomem(&error);
    }
    free(words);
    return hn_print_error(&error);
}
