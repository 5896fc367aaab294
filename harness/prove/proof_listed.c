/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads pairs of switch and check from a file, one per line. Called by proof_plan.c. For this file
 * a switch is only a name.
 */
#include <string.h>

#include "file.h"
#include "proof.h"

#define LIST_LIMIT ((size_t)64 << 20)

static int add_line(struct hn_proof *proof, size_t number, char *line, struct hn_error *error)
{
    const struct hn_catalogue *catalogue = proof->catalogue;
    const char *name = strsep(&line, "\t"), *id = strsep(&line, "\t");
    const struct hn_check *check = id ? hn_catalogue_check(catalogue, id) : NULL;
    if (!*name || !check)
        return hn_error_set(
            error, HN_EINPUT,
            "%s, line %zu: a pair is \"switch TAB check\", not \"%.60s\" with \"%.100s\"",
            proof->options->pairs, number, name, id ? id : "");
    if (line && !strchr(line, '='))
        return hn_error_set(error, HN_EINPUT, "%s, line %zu: \"%.60s\" is not NAME=value",
                            proof->options->pairs, number, line);
    struct hn_case *one = hn_proof_case_of(proof, HN_CASE_LISTED, name);
    if (!one)
        return hn_error_nomem(error);
    const size_t index = (size_t)(check - catalogue->checks);
    one->wanted[index] = 1;
    proof->listed[proof->listed_count++] =
        (struct hn_listed){.one = (size_t)(one - proof->cases), .check = index, .setting = line};
    return HN_OK;
}

static int add_lines(struct hn_proof *proof, char *text, struct hn_error *error)
{
    int status = HN_OK;
    size_t number = 0;
    for (char *line; status == HN_OK && (line = strsep(&text, "\n"));) {
        number++;
        if (*line)
            status = add_line(proof, number, line, error);
    }
    return status;
}

int hn_proof_add_listed(struct hn_proof *proof, struct hn_error *error)
{
    char *text;
    size_t lines;
    const int status =
        hn_file_list(proof->options->pairs, LIST_LIMIT, proof->arena, &text, &lines, error);
    if (status != HN_OK)
        return status;
    proof->cases = hn_arena_array(proof->arena, lines + 1, sizeof *proof->cases);
    proof->listed = hn_arena_array(proof->arena, lines, sizeof *proof->listed);
    struct hn_case *clean = proof->cases ? hn_proof_add_case(proof, HN_CASE_CLEAN, "clean") : NULL;
    return clean && proof->listed ? add_lines(proof, text, error) : hn_error_nomem(error);
}
