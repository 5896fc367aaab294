/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See operator_matrix.h. The summary of a check contains the operator and the dtype; its notes
 * contain the results.
 */
#include "operator_matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_LIMIT ((size_t)256 << 20)
#define PREFIX "opinfo."

const char *const rp_answer_names[RP_ANSWERS] = {"ended",    "wrong",     "undecided", "refused",
                                                 "fallback", "composite", "native",    "unasked"};

static int is_operator(const struct rp_check *check)
{
    return strncmp(check->id, PREFIX, strlen(PREFIX)) == 0 && strrchr(check->words.summary, ' ');
}

static const char *dtype_of(const struct rp_check *check)
{
    return strrchr(check->words.summary, ' ') + 1;
}

/* ---- one cell ---- */

/* The text of the note `key`; "" if there is none. */
static const char *note(const struct rp_check *check, const char *key)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i < check->notes.count; i++)
        if (strncmp(check->notes.items[i], key, length) == 0 &&
            strncmp(check->notes.items[i] + length, ": ", 2) == 0)
            return check->notes.items[i] + length + 2;
    return "";
}

static enum rp_answer answer_of(const struct rp_check *check)
{
    switch (check->verdict) {
    case HN_CRASH:
    case HN_TIMEOUT:
        return RP_ENDED;
    case HN_FAIL:
        return RP_WRONG;
    case HN_BLOCKED:
        return check->about[0] ? RP_REFUSED : RP_UNDECIDED;
    case HN_PASS:
    case HN_NOTED:
    case HN_FLAKY:
    case HN_FALLBACK:
        return *note(check, "fallback") ? RP_BY_CPU
               : *note(check, "native") ? RP_NATIVE
                                        : RP_COMPOSED;
    default:
        return RP_UNDECIDED;
    }
}

/* Parses "wrong 1/4 (float32[2]): element 0 ..."; returns 0 if the note is not about an aspect. */
static int read_aspect(struct hn_arena *arena, const char *text, struct rp_aspect *aspect)
{
    static const char *const verdicts[] = {"right ", "wrong ", "noted ", "refused ", "unasked: "};
    const char *colon = strstr(text, ": ");
    for (size_t i = 0; colon && i < sizeof verdicts / sizeof *verdicts; i++) {
        const size_t length = strlen(verdicts[i]);
        if (strncmp(colon + 2, verdicts[i], length) != 0)
            continue;
        const char *rest = colon + 2 + length;
        const size_t counts = i < 4 ? strcspn(rest, " ") : 0;
        aspect->name = hn_arena_copy(arena, text, (size_t)(colon - text));
        aspect->verdict = hn_arena_copy(arena, verdicts[i], strcspn(verdicts[i], " :"));
        aspect->counts = hn_arena_copy(arena, rest, counts);
        aspect->text = rest + counts + strspn(rest + counts, " ");
        return aspect->name && aspect->verdict && aspect->counts;
    }
    return 0;
}

static void fill_cell(struct hn_arena *arena, const struct rp_check *check,
                      struct rp_operator_cell *cell)
{
    struct rp_aspect *aspects = hn_arena_array(arena, check->notes.count + 1, sizeof *aspects);
    *cell =
        (struct rp_operator_cell){.check = check, .answer = answer_of(check), .aspects = aspects};
    for (size_t i = 0; aspects && i < check->notes.count; i++)
        cell->aspect_count +=
            (size_t)read_aspect(arena, check->notes.items[i], &aspects[cell->aspect_count]);
    if (!cell->aspect_count && rp_answer_is_right(cell->answer))
        cell->answer = RP_UNASKED; /* the CPU supports none of the samples */
}

/* ---- rows and columns ---- */

static size_t column_of(const char **dtypes, size_t *count, const char *dtype)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(dtypes[i], dtype) == 0)
            return i;
    dtypes[*count] = dtype;
    return (*count)++;
}

static int make_columns(const struct rp_run *run, struct rp_operator_matrix *matrix)
{
    const char **dtypes = hn_arena_array(matrix->arena, run->check_count + 1, sizeof *dtypes);
    size_t count = 0;
    for (size_t i = 0; dtypes && i < run->check_count; i++)
        if (is_operator(&run->checks[i]))
            column_of(dtypes, &count, dtype_of(&run->checks[i]));
    matrix->dtypes = (struct hn_texts){dtypes, count};
    return dtypes ? HN_OK : HN_ENOMEM;
}

/* The dtypes of an operator are adjacent in the plan. */
static int begins_operator(const struct rp_operator_matrix *matrix, const char *name)
{
    return !matrix->operator_count ||
           strcmp(matrix->operators[matrix->operator_count - 1].name, name) != 0;
}

static int compare_checks(const void *a, const void *b)
{
    return strcmp((*(const struct rp_check *const *)a)->id,
                  (*(const struct rp_check *const *)b)->id);
}

static int make_rows(const struct rp_run *run, struct rp_operator_matrix *matrix)
{
    const size_t columns = matrix->dtypes.count;
    const struct rp_check **checks =
        hn_arena_array(matrix->arena, run->check_count + 1, sizeof *checks);
    struct rp_operator *rows = hn_arena_array(matrix->arena, run->check_count + 1, sizeof *rows);
    size_t count = 0;
    if (!checks || !rows)
        return HN_ENOMEM;
    for (size_t i = 0; i < run->check_count; i++)
        if (is_operator(&run->checks[i]))
            checks[count++] = &run->checks[i];
    qsort(checks, count, sizeof *checks, compare_checks);
    matrix->operators = rows;
    for (size_t i = 0; i < count; i++) {
        const char *dtype = dtype_of(checks[i]);
        const char *name = hn_arena_copy(matrix->arena, checks[i]->words.summary,
                                         (size_t)(dtype - 1 - checks[i]->words.summary));
        if (name && begins_operator(matrix, name))
            rows[matrix->operator_count++] = (struct rp_operator){
                name, hn_arena_array(matrix->arena, columns + 1, sizeof(struct rp_operator_cell))};
        struct rp_operator *row = &rows[matrix->operator_count - 1];
        if (!name || !row->cells)
            return HN_ENOMEM;
        size_t known = columns;
        const size_t column =
            column_of((const char **)(uintptr_t)matrix->dtypes.items, &known, dtype);
        fill_cell(matrix->arena, checks[i],
                  (struct rp_operator_cell *)(uintptr_t)&row->cells[column]);
    }
    return HN_OK;
}

static void count_cells(struct rp_operator_matrix *matrix)
{
    for (size_t i = 0; i < matrix->operator_count; i++)
        for (size_t j = 0; j < matrix->dtypes.count; j++) {
            struct rp_operator_cell *cell =
                (struct rp_operator_cell *)(uintptr_t)&matrix->operators[i].cells[j];
            if (!cell->check)
                cell->answer = RP_UNASKED;
            matrix->totals[cell->answer]++;
        }
}

/* ---- operators of models ---- */

static int has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return 1;
    return 0;
}

/* The result of the operator in one check (RP_UNASKED: not used). If one check has an error and
 * another check has a right result, the right result counts, because another operator may have
 * caused the error. */
static enum rp_answer used_in(const struct rp_check *check, const char *name)
{
    static const struct {
        const char *key, *also;
        enum rp_answer answer;
    } places[] = {{"fallback", "also fallback", RP_BY_CPU},
                  {"native", "also native", RP_NATIVE},
                  {"composite", "also composite", RP_COMPOSED}};
    if (check->verdict == HN_BLOCKED && strcmp(check->about, name) == 0)
        return RP_REFUSED;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (has_word(note(check, places[i].key), name) ||
            has_word(note(check, places[i].also), name))
            return check->verdict == HN_FAIL ? RP_WRONG : places[i].answer;
    return RP_UNASKED;
}

static enum rp_answer find_used(const struct rp_run *run, const char *name)
{
    enum rp_answer found = RP_UNASKED;
    for (size_t i = 0; i < run->check_count; i++) {
        const enum rp_answer one =
            is_operator(&run->checks[i]) ? used_in(&run->checks[i], name) : RP_UNASKED;
        if (rp_answer_is_right(one))
            return one;
        found = one < found ? one : found;
    }
    return found;
}

/* "aten::add.Tensor<tab>12<tab>438<tab>which models" */
static int read_used(const struct rp_run *run, const char *line, struct rp_operator_matrix *matrix,
                     struct rp_used_operator *used)
{
    const size_t length = strcspn(line, "\t\n");
    const char *name = hn_arena_copy(matrix->arena, line, length);
    if (!name)
        return HN_ENOMEM;
    *used = (struct rp_used_operator){.name = name};
    if (line[0] == '#' || sscanf(line + length, "%ld %ld", &used->models, &used->calls) != 2)
        return HN_OK;
    used->answer = find_used(run, name);
    matrix->models = used->models > matrix->models ? used->models : matrix->models;
    matrix->calls += used->calls;
    matrix->used_count++;
    return HN_OK;
}

static int make_used(const struct rp_run *run, const char *text, struct rp_operator_matrix *matrix)
{
    size_t lines = 0;
    int status = HN_OK;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    struct rp_used_operator *used = hn_arena_array(matrix->arena, lines + 2, sizeof *used);
    if (!used)
        return HN_ENOMEM;
    matrix->used = used;
    for (const char *line = text; status == HN_OK && *line; line += strspn(line, "\n")) {
        status = read_used(run, line, matrix, &used[matrix->used_count]);
        line += strcspn(line, "\n");
    }
    return status;
}

int rp_operator_matrix_make(const struct rp_run *run, const char *used,
                            struct rp_operator_matrix *matrix, struct hn_error *error)
{
    *matrix = (struct rp_operator_matrix){.arena = hn_arena_create(ARENA_LIMIT)};
    int status = matrix->arena ? make_columns(run, matrix) : HN_ENOMEM;
    if (status == HN_OK)
        status = make_rows(run, matrix);
    if (status == HN_OK && used)
        status = make_used(run, used, matrix);
    if (status != HN_OK)
        return hn_error_nomem(error);
    count_cells(matrix);
    if (!matrix->operator_count)
        return hn_error_set(error, HN_EINPUT,
                            "the run in %s tested no operator: make a run with assay ops",
                            run->folder);
    return HN_OK;
}

void rp_operator_matrix_finish(struct rp_operator_matrix *matrix)
{
    hn_arena_destroy(matrix->arena);
}

struct rp_coverage rp_operator_coverage(const struct rp_operator_matrix *matrix)
{
    struct rp_coverage sum = {.used = matrix->used_count, .calls = matrix->calls};
    for (int i = 0; i < RP_UNASKED; i++) {
        sum.cells += matrix->totals[i];
        sum.right += rp_answer_is_right((enum rp_answer)i) ? matrix->totals[i] : 0;
    }
    for (size_t i = 0; i < matrix->used_count; i++) {
        const int right = rp_answer_is_right(matrix->used[i].answer);
        sum.used_right += (size_t)right;
        sum.calls_right += right ? matrix->used[i].calls : 0;
    }
    return sum;
}
