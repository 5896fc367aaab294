/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The matrix of operators as a page without a script: totals, what is wrong, what models use, all.
 */
#include <string.h>

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
    hn_buffer_puts(out, "</p>\n<dl class=\"facts\"><div><dt>Target</dt><dd>");
    rp_html_text(out, run->target);
    hn_buffer_puts(out, "</dd></div><div><dt>torch</dt><dd>");
    rp_html_text(out, run->torch_version);
    hn_buffer_printf(out,
                     "</dd></div><div><dt>Right</dt><dd>%zu of %zu pairs of %zu operators and %zu "
                     "dtypes</dd></div>",
                     sum.right, sum.cells, matrix->operator_count, matrix->dtypes.count);
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
    if (cell->answer == RP_ENDED || !cell->aspect_count)
        rp_html_text(out, cell->check->reason);
    for (size_t i = 0; i < cell->aspect_count; i++) {
        const struct rp_aspect *aspect = &cell->aspects[i];
        if (strcmp(aspect->verdict, "right") == 0)
            continue;
        hn_buffer_puts(out, "<div><b>");
        rp_html_text(out, aspect->name);
        hn_buffer_printf(out, "</b> %s %s ", aspect->verdict, aspect->counts);
        rp_html_text(out, aspect->text);
        hn_buffer_puts(out, "</div>");
    }
}

static void put_trouble(struct hn_buffer *out, const struct rp_operator *row, const char *dtype,
                        const struct rp_operator_cell *cell)
{
    hn_buffer_puts(out, "<tr><th scope=\"row\" class=\"id\">");
    rp_html_text(out, row->name);
    hn_buffer_puts(out, "</th><td>");
    rp_html_text(out, dtype);
    hn_buffer_puts(out, "</td><td>");
    put_answer(out, cell->answer);
    hn_buffer_puts(out, "</td><td>");
    put_aspects(out, cell);
    hn_buffer_puts(out, "</td></tr>\n");
}

static void put_troubles(struct hn_buffer *out, const struct rp_operator_matrix *matrix)
{
    static const char *const columns[] = {"Operator", "dtype", "Answer", "How it was asked", NULL};
    size_t count = 0;
    rp_plain_table_open(out, "troubles", "Not right",
                        "Worst first. A way of asking says how many samples of how many.", columns);
    for (int answer = RP_ENDED; answer <= RP_REFUSED; answer++)
        for (size_t i = 0; i < matrix->operator_count; i++)
            for (size_t j = 0; j < matrix->dtypes.count; j++) {
                const struct rp_operator_cell *cell = &matrix->operators[i].cells[j];
                if ((int)cell->answer != answer)
                    continue;
                put_trouble(out, &matrix->operators[i], matrix->dtypes.items[j], cell);
                count++;
            }
    if (!count)
        hn_buffer_puts(out, "<tr><td>nothing</td><td></td><td></td><td></td></tr>\n");
    rp_plain_table_close(out);
}

/* ---- what models use ---- */

static void put_used(struct hn_buffer *out, const struct rp_operator_matrix *matrix)
{
    static const char *const columns[] = {"To do", "Answer", "Models", "Calls", NULL};
    size_t count = 0;
    rp_plain_table_open(out, "used", "To do, in the order of use",
                        "Operators that public models call in a training step, and that neither a "
                        "kernel of the backend nor core makes of others.",
                        columns);
    for (size_t i = 0; i < matrix->used_count; i++) {
        const struct rp_used_operator *used = &matrix->used[i];
        if (used->answer == RP_NATIVE || used->answer == RP_COMPOSED)
            continue;
        hn_buffer_puts(out, "<tr><th scope=\"row\" class=\"id\">");
        rp_html_text(out, used->name);
        hn_buffer_puts(out, "</th><td>");
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
    hn_buffer_puts(out, "<tr><th scope=\"row\" class=\"id\">");
    rp_html_text(out, row->name);
    hn_buffer_puts(out, "</th>");
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
    if (matrix->used_count)
        put_used(&page.body, matrix);
    int status = put_all(&page.body, matrix);
    if (status == HN_OK)
        status = rp_plain_page_write(&page, out);
    rp_plain_page_finish(&page);
    return status;
}
