/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See option_letter.h. Read by what parses a command line and by what prints --help.
 */
#include "option_letter.h"

#include <stddef.h>
#include <string.h>

static const struct {
    char letter;
    const char *name;
} letters[HN_OPTION_LETTERS] = {{'o', "output"}, {'x', "fail-fast"}, {'k', "match"}};

char hn_option_letter(const char *name)
{
    for (size_t i = 0; i < HN_OPTION_LETTERS; i++)
        if (strcmp(letters[i].name, name) == 0)
            return letters[i].letter;
    return 0;
}

const char *hn_letter_option(int letter)
{
    for (size_t i = 0; i < HN_OPTION_LETTERS; i++)
        if (letters[i].letter == letter)
            return letters[i].name;
    return NULL;
}
