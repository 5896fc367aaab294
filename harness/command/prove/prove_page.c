/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See prove_page.h. Faults and checks link to each other; the page needs no script.
 */
#include "prove_page.h"

#include <stdio.h>
#include <string.h>

#include "file.h"
#include "plain_page.h"

#define PAGE_LIMIT ((size_t)128 << 20)

static void put_link(struct hn_buffer *out, const char *kind, const char *name)
{
    hn_buffer_printf(out, "<a class=\"id\" href=\"#%s:", kind);
    rp_html_put(out, "", name, "\">");
    rp_html_put(out, "", name, "</a> ");
}

/* The first cell of a row, which others link to. */
static void put_row_head(struct hn_buffer *out, const char *kind, const char *name)
{
    hn_buffer_printf(out, "<tr id=\"%s:", kind);
    rp_html_put(out, "", name, "\"><th scope=\"row\" class=\"id\">");
    rp_html_put(out, "", name, "</th>");
}

static size_t put_checks(struct hn_buffer *out, const struct hn_proof *proof,
                         const struct hn_case *one, hn_prove_filter filter)
{
    size_t count = 0;

    for (size_t i = 0; i < proof->catalogue->check_count; i++) {
        if (!filter(proof, one, i))
            continue;
        put_link(out, "check", proof->catalogue->checks[i].id);
        count++;
    }
    return count;
}

/* ---- head and holes ---- */

static void put_number(struct hn_buffer *out, const char *words, size_t number, size_t of)
{
    hn_buffer_printf(out, "<span class=\"level-sum\">%s <b>%zu</b>", words, number);
    if (of)
        hn_buffer_printf(out, " of %zu", of);
    hn_buffer_puts(out, "</span>\n");
}

static void put_head(struct hn_buffer *out, const struct hn_proof *proof,
                     const struct hn_prove_summary *summary)
{
    hn_buffer_puts(out, "<p class=\"verdict-line\">\n");
    put_number(out, "faults killed", summary->killed, summary->faults);
    put_number(out, "await checks of modules that have none or of another torch", summary->awaiting,
               0);
    put_number(out, "claimed by no check", summary->unclaimed, 0);
    put_number(out, "legal variants", summary->variants, 0);
    put_number(out, "over-specified checks", summary->over_specified, 0);
    put_number(out, "undecided", summary->undecided, 0);
    hn_buffer_puts(out, "</p>\n<dl class=\"facts\"><div><dt>Contract</dt><dd>version ");
    hn_buffer_printf(out, "%d <code>", proof->catalogue->version);
    rp_html_put(out, "", proof->catalogue->digest, "</code></dd></div><div><dt>Target</dt><dd>");
    rp_html_text(out, proof->options->target);
    hn_buffer_printf(out, "</dd></div><div><dt>Pairs</dt><dd>%s: %zu of %zu</dd></div></dl>\n",
                     proof->options->full ? "fault and check that can meet" : "those claimed",
                     summary->pairs_run, summary->pairs);
}

static int is_hole(const struct hn_proof *proof, const struct hn_case *one)
{
    return one->kind == HN_CASE_FAULT && !hn_proof_is_killed(proof, one) &&
           !hn_proof_is_awaiting(proof, one, NULL);
}

static void put_holes(struct hn_buffer *out, const struct hn_proof *proof)
{
    static const char *const columns[] = {"Hole", "What", NULL};
    size_t holes = 0;

    rp_plain_table_open(out, "holes", "Holes",
                        "Faults that nothing kills, and checks that no fault can make fail.",
                        columns);
    for (size_t i = 0; i < proof->count; i++) {
        if (!is_hole(proof, &proof->cases[i]))
            continue;
        holes++;
        hn_buffer_puts(out, "<tr><th scope=\"row\">");
        put_link(out, "fault", proof->cases[i].name);
        hn_buffer_printf(out, "</th><td>%s</td></tr>\n",
                         proof->cases[i].unclaimed ? "claimed by no check" : "survived");
    }
    for (size_t i = 0; i < proof->catalogue->check_count; i++) {
        if (!hn_proof_is_without_fault(proof, NULL, i))
            continue;
        holes++;
        hn_buffer_puts(out, "<tr><th scope=\"row\">");
        put_link(out, "check", proof->catalogue->checks[i].id);
        hn_buffer_puts(out, "</th><td>no fault of this proof was killed by it</td></tr>\n");
    }
    if (!holes)
        hn_buffer_puts(out, "<tr><td>none</td><td></td></tr>\n");
    rp_plain_table_close(out);
}

/* ---- faults x checks ---- */

/* "DEV-001,DEV-002": a line may end between two ids, never inside one. */
static void put_requirements(struct hn_buffer *out, const char *ids)
{
    for (const char *at = ids; *at; at += strspn(at, ",")) {
        char id[64];
        const size_t length = strcspn(at, ",");

        snprintf(id, sizeof id, "%.*s", (int)length, at);
        rp_html_put(out, "<code class=\"whole\">", id, "</code> ");
        at += length;
    }
}

static void put_fault(struct hn_buffer *out, const struct hn_proof *proof,
                      const struct hn_case *one)
{
    const int killed = hn_proof_is_killed(proof, one);

    put_row_head(out, "fault", one->name);
    rp_html_put(out, "<td>", one->fault->summary, "</td><td>");
    put_requirements(out, one->fault->violates);
    hn_buffer_printf(out, "</td><td><span class=\"v %s\">%s</span></td><td>",
                     killed           ? "pass"
                     : one->unclaimed ? "skip"
                                      : "fail",
                     killed                                   ? "killed"
                     : hn_proof_is_awaiting(proof, one, NULL) ? "awaiting"
                     : one->unclaimed                         ? "unclaimed"
                                                              : "survived");
    put_checks(out, proof, one, hn_proof_kills);
    hn_buffer_puts(out, "</td><td>");
    put_checks(out, proof, one, hn_prove_is_collateral);
    hn_buffer_puts(out, "</td></tr>\n");
}

static void put_faults(struct hn_buffer *out, const struct hn_proof *proof)
{
    static const char *const columns[] = {"Fault",     "What is broken", "Violates", "Outcome",
                                          "Killed by", "Also fails",     NULL};

    rp_plain_table_open(out, "faults", "Faults x checks",
                        "A check kills a fault when it covers a requirement that the fault "
                        "violates, fails with it, and does not fail on the clean device.",
                        columns);
    for (size_t i = 0; i < proof->count; i++)
        if (proof->cases[i].kind == HN_CASE_FAULT)
            put_fault(out, proof, &proof->cases[i]);
    rp_plain_table_close(out);
}

/* ---- checks x variants ---- */

static void put_verdict_of(struct hn_buffer *out, const struct hn_case *one, size_t check)
{
    const enum hn_verdict verdict =
        one->verdicts ? (enum hn_verdict)one->verdicts[check] : HN_NOTRUN;

    if (one->wanted && !one->wanted[check] && verdict == HN_NOTRUN)
        hn_buffer_puts(out, "<td class=\"cell nothing\">-</td>");
    else
        hn_buffer_printf(out, "<td class=\"cell %s\">%s</td>", hn_verdict_table[verdict].name,
                         hn_verdict_table[verdict].name);
}

static void put_check(struct hn_buffer *out, const struct hn_proof *proof, size_t check)
{
    put_row_head(out, "check", proof->catalogue->checks[check].id);
    hn_buffer_puts(out, "<td>");
    for (size_t i = 0; i < proof->count; i++)
        if (proof->cases[i].kind == HN_CASE_FAULT && hn_proof_kills(proof, &proof->cases[i], check))
            put_link(out, "fault", proof->cases[i].name);
    hn_buffer_puts(out, "</td>");
    for (size_t i = 0; i < proof->count; i++)
        if (proof->cases[i].kind != HN_CASE_FAULT)
            put_verdict_of(out, &proof->cases[i], check);
    hn_buffer_puts(out, "</tr>\n");
}

static void put_variants(struct hn_buffer *out, const struct hn_proof *proof)
{
    const char **columns = hn_arena_array(proof->arena, proof->count + 3, sizeof *columns);
    size_t count = 0;

    if (!columns) {
        out->status = HN_ENOMEM;
        return;
    }
    columns[count++] = "Check";
    columns[count++] = "Kills";
    for (size_t i = 0; i < proof->count; i++)
        if (proof->cases[i].kind != HN_CASE_FAULT)
            columns[count++] = proof->cases[i].name;
    rp_plain_table_open(out, "checks", "Checks x variants",
                        "Every device here is legal: a check that fails on one demands too much.",
                        columns);
    for (size_t i = 0; i < proof->catalogue->check_count; i++)
        if (proof->selected[i])
            put_check(out, proof, i);
    rp_plain_table_close(out);
}

int hn_prove_page(const struct hn_proof *proof, const struct hn_prove_summary *summary,
                  const char *path, struct hn_error *error)
{
    struct rp_plain_page page;
    struct hn_buffer out;

    rp_plain_page_init(&page, "Kill matrix");
    hn_buffer_init(&out, PAGE_LIMIT);
    put_head(&page.head, proof, summary);
    put_holes(&page.body, proof);
    put_faults(&page.body, proof);
    put_variants(&page.body, proof);
    int status = rp_plain_page_write(&page, &out);
    status = status ? hn_buffer_complain(status, "the page of the kill matrix", error)
                    : hn_file_write(path, out.text, out.length, error);
    hn_buffer_finish(&out);
    rp_plain_page_finish(&page);
    return status;
}
