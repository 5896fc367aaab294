/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The matrix of operators as a page without a script: totals, what is wrong, what models use, all.
 */
#include <string.h>

#include "operators_alike.h"
#include "plain_page.h"
#include "render_operators.h"

/* The colour of a verdict stands for an answer. */
static const char *const colours[RP_ANSWERS] = {"crash", "fail",         "broken", "blocked",
                                                "noted", "unobservable", "pass",   "nothing"};

static void put_answer(struct hn_buffer *out, enum rp_answer answer)
{
    hn_buffer_printf(out, "<span class=\"v %s\">%s</span>", colours[answer],
                     rp_answer_names[answer]);
}

static void put_head(struct hn_buffer *out, const struct rp_run *run,
                     const struct rp_operator_matrix *matrix)
{
    const struct rp_coverage sum = rp_operator_coverage(matrix);
    hn_buffer_puts(out, "<p class=\"verdict-line\">\n");
    for (int i = 0; i < RP_UNASKED; i++)
        if (matrix->totals[i])
            hn_buffer_printf(out, "<span class=\"level-sum\">%s <b>%zu</b></span>\n",
                             rp_answer_names[i], matrix->totals[i]);
    rp_html_put(out, "</p>\n<dl class=\"facts\"><div><dt>Target</dt><dd>", run->target,
                "</dd></div><div><dt>torch</dt><dd>");
    rp_html_text(out, run->torch_version);
    hn_buffer_printf(out,
                     "</dd></div><div><dt>Right</dt><dd>%zu of %zu pairs of %zu operators and %zu "
                     "dtype%s</dd></div>",
                     sum.right, sum.cells, matrix->operator_count, matrix->dtypes.count,
                     matrix->dtypes.count == 1 ? "" : "s");
    if (sum.used)
        hn_buffer_printf(out,
                         "<div><dt>Of what models use</dt><dd>%zu of %zu operators, %ld of %ld "
                         "calls in a training step of %ld models</dd></div>",
                         sum.used_right, sum.used, sum.calls_right, sum.calls, matrix->models);
    hn_buffer_puts(out, "</dl>\n");
}

/* ---- what is not right ---- */

static void put_aspects(struct hn_buffer *out, const struct rp_operator_cell *cell)
{
    if (!cell->aspect_count)
        rp_html_text(out, cell->check->reason);
    for (size_t i = 0; i < cell->aspect_count; i++) {
        const struct rp_aspect *aspect = &cell->aspects[i];
        struct hn_buffer names;
        hn_buffer_init(&names, out->limit);
        if (rp_operator_aspects_together(cell, i, &names)) {
            rp_html_put(out, "<div><b>", names.text, "");
            hn_buffer_printf(out, "</b> %s %s ", aspect->verdict, aspect->counts);
            rp_html_put(out, "", aspect->text, "</div>");
        }
        hn_buffer_finish(&names);
    }
}

/* One row for all that ended the same way, which is often one defect. */
static void put_end(struct hn_buffer *out, const struct rp_operator_matrix *matrix, size_t row,
                    size_t column)
{
    struct hn_buffer names;
    hn_buffer_init(&names, out->limit);
    const size_t count =
        rp_operators_ended_alike(matrix, row, column, matrix->operator_count * 9, &names);
    if (count) {
        hn_buffer_printf(out, "<tr><th scope=\"row\">%zu %s</th><td></td><td>", count,
                         count == 1 ? "pair" : "pairs");
        put_answer(out, RP_ENDED);
        rp_html_put(out, "</td><td>", matrix->operators[row].cells[column].check->reason,
                    "<details><summary>which</summary>");
        rp_html_put(out, "", names.text, "</details></td></tr>\n");
    }
    hn_buffer_finish(&names);
}

static void put_trouble(struct hn_buffer *out, const struct rp_operator *row, const char *dtype,
                        const struct rp_operator_cell *cell)
{
    rp_html_put(out, "<tr><th scope=\"row\" class=\"id\">", row->name, "</th><td>");
    rp_html_put(out, "", dtype, "</td><td>");
    put_answer(out, cell->answer);
    hn_buffer_puts(out, "</td><td>");
    put_aspects(out, cell);
    hn_buffer_puts(out, "</td></tr>\n");
}

static void put_troubles(struct hn_buffer *out, const struct rp_operator_matrix *matrix)
{
    static const char *const columns[] = {"Operator", "dtype", "Answer", "How it was asked", NULL};
    size_t count = 0;
    rp_plain_table_open(
        out, "troubles", "Not right",
        "Worst first. A way of asking says how many samples of how many; what each asks "
        "is in suites/opinfo/README.md.",
        columns);
    for (int answer = RP_ENDED; answer <= RP_REFUSED; answer++)
        for (size_t i = 0; i < matrix->operator_count; i++)
            for (size_t j = 0; j < matrix->dtypes.count; j++) {
                const struct rp_operator_cell *cell = &matrix->operators[i].cells[j];
                if ((int)cell->answer != answer)
                    continue;
                count++;
                if (answer == RP_ENDED)
                    put_end(out, matrix, i, j);
                if (answer == RP_ENDED && !rp_operator_has_told(cell))
                    continue;
                put_trouble(out, &matrix->operators[i], matrix->dtypes.items[j], cell);
            }
    if (!count)
        hn_buffer_puts(out, "<tr><td>nothing</td><td></td><td></td><td></td></tr>\n");
    rp_plain_table_close(out);
}

static size_t put_note(struct hn_buffer *out, const struct rp_operator_matrix *matrix, size_t row,
                       size_t column, size_t which)
{
    const struct rp_aspect *aspect = &matrix->operators[row].cells[column].aspects[which];
    struct hn_buffer names;
    hn_buffer_init(&names, out->limit);
    const size_t count =
        rp_operators_noted_alike(matrix, row, column, which, matrix->operator_count * 9, &names);
    if (count) {
        rp_html_put(out, "<tr><th scope=\"row\" class=\"id\">", aspect->name, "</th><td>");
        rp_html_text(out, aspect->text);
        hn_buffer_printf(out, "</td><td><details><summary>%zu</summary>", count);
        rp_html_put(out, "", names.text, "</details></td></tr>\n");
    }
    hn_buffer_finish(&names);
    return count;
}

static void put_notes(struct hn_buffer *out, const struct rp_operator_matrix *matrix)
{
    static const char *const columns[] = {"Way of asking", "Seen", "Operators and dtypes", NULL};
    size_t count = 0;
    rp_plain_table_open(out, "noted", "Noted", "Different from the CPU, where no must applies.",
                        columns);
    for (size_t i = 0; i < matrix->operator_count; i++)
        for (size_t j = 0; j < matrix->dtypes.count; j++)
            for (size_t k = 0; k < matrix->operators[i].cells[j].aspect_count; k++)
                count += put_note(out, matrix, i, j, k);
    if (!count)
        hn_buffer_puts(out, "<tr><td>nothing</td><td></td><td></td></tr>\n");
    rp_plain_table_close(out);
}

/* ---- what models use ---- */

static void put_used(struct hn_buffer *out, const struct rp_operator_matrix *matrix)
{
    static const char *const columns[] = {"To do", "Answer", "Models", "Calls", NULL};
    size_t count = 0;
    rp_plain_table_open(
        out, "used", "To do, in the order of use",
        "Operators that public models call in a training step, and that neither a "
        "kernel of the backend nor core makes of others. What no check of this run came to "
        "is left out.",
        columns);
    for (size_t i = 0; i < matrix->used_count; i++) {
        const struct rp_used_operator *used = &matrix->used[i];
        if (!rp_operator_is_to_do(used))
            continue;
        rp_html_put(out, "<tr><th scope=\"row\" class=\"id\">", used->name, "</th><td>");
        put_answer(out, used->answer);
        hn_buffer_printf(out, "</td><td>%ld of %ld</td><td>%ld</td></tr>\n", used->models,
                         matrix->models, used->calls);
        count++;
    }
    if (!count)
        hn_buffer_puts(out, "<tr><td>nothing</td><td></td><td></td><td></td></tr>\n");
    rp_plain_table_close(out);
}

/* ---- all ---- */

static void put_row(struct hn_buffer *out, const struct rp_operator_matrix *matrix,
                    const struct rp_operator *row)
{
    rp_html_put(out, "<tr><th scope=\"row\" class=\"id\">", row->name, "</th>");
    for (size_t j = 0; j < matrix->dtypes.count; j++) {
        const enum rp_answer answer = row->cells[j].answer;
        hn_buffer_printf(out, "<td class=\"cell %s\">%s</td>", colours[answer],
                         answer == RP_UNASKED ? "-" : rp_answer_names[answer]);
    }
    hn_buffer_puts(out, "</tr>\n");
}

static int put_all(struct hn_buffer *out, const struct rp_operator_matrix *matrix)
{
    const char **columns = hn_arena_array(matrix->arena, matrix->dtypes.count + 2, sizeof *columns);
    if (!columns)
        return HN_ENOMEM;
    columns[0] = "Operator";
    for (size_t j = 0; j < matrix->dtypes.count; j++)
        columns[j + 1] = matrix->dtypes.items[j];
    rp_plain_table_open(out, "operators", "Operators x dtypes",
                        "native: a kernel of the backend; composite: made of other operators by "
                        "core; fallback: right, but computed on the CPU; -: not for this dtype.",
                        columns);
    for (size_t i = 0; i < matrix->operator_count; i++)
        put_row(out, matrix, &matrix->operators[i]);
    rp_plain_table_close(out);
    return HN_OK;
}

int rp_operators_html(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                      struct hn_buffer *out)
{
    struct rp_plain_page page;
    rp_plain_page_init(&page, "Operators");
    put_head(&page.head, run, matrix);
    put_troubles(&page.body, matrix);
    put_notes(&page.body, matrix);
    if (matrix->used_count)
        put_used(&page.body, matrix);
    int status = put_all(&page.body, matrix);
    if (status == HN_OK)
        status = rp_plain_page_write(&page, out);
    rp_plain_page_finish(&page);
    return status;
}
