/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a macro: its parameters and its text. A long text is written as a hash.
 */
#include <string.h>

#include "fact.h"
#include "hash.h"

#define TEXT_MAX 200

static void write_parameters(struct drift_facts *facts, struct drift_scan *scan)
{
    struct drift_token token = drift_scan_next(scan); /* the bracket */
    hn_write_array(&facts->json, "parameters");
    while ((token = drift_scan_next(scan)).length && !drift_token_is(token, ")"))
        if (!drift_token_is(token, ","))
            hn_write_bytes(&facts->json, NULL, token.text, token.length);
    hn_write_array_end(&facts->json);
}

static void write_text(struct drift_facts *facts, struct drift_scan scan)
{
    char hash[24];
    hn_buffer_clear(&facts->text);
    drift_scan_normal(scan, &facts->text);
    snprintf(hash, sizeof hash, "#%016llx",
             (unsigned long long)hn_hash_text(HN_HASH_START, facts->text.text));
    hn_write_text(&facts->json, "body", facts->text.length > TEXT_MAX ? hash : facts->text.text);
}

void drift_fact_macro(struct drift_facts *facts, CXCursor cursor, const struct drift_place *place)
{
    struct drift_scan scan = drift_tree_text(&facts->tree, cursor);
    if (!drift_fact_begin(facts, cursor, "macro:", "macro", place))
        return;
    drift_scan_next(&scan); /* its name */
    if (clang_Cursor_isMacroFunctionLike(cursor))
        write_parameters(facts, &scan);
    write_text(facts, scan);
    drift_fact_end(facts);
}
