/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See dispute.h.
 */
#include "dispute.h"

#include <string.h>

int hn_dispute_is_open(const struct hn_dispute *dispute)
{
    return dispute->by && dispute->by[0];
}

int hn_dispute_meets(const struct hn_dispute *dispute, const char *check)
{
    return hn_dispute_is_open(dispute) &&
           (!dispute->check[0] || strcmp(dispute->check, check) == 0);
}

void hn_dispute_write(const struct hn_dispute *dispute, const char *key,
                      struct hn_json_writer *writer)
{
    if (!hn_dispute_is_open(dispute))
        return;
    hn_write_object(writer, key);
    hn_write_text(writer, "by", dispute->by);
    hn_write_text(writer, "since", dispute->since);
    hn_write_text(writer, "issue", dispute->issue);
    hn_write_text(writer, "check", dispute->check);
    hn_write_text(writer, "against", dispute->against);
    hn_write_text(writer, "for", dispute->kept);
    hn_write_object_end(writer);
}

void hn_dispute_words(const struct hn_dispute *dispute, struct hn_buffer *out)
{
    hn_buffer_puts(out, "disputed by ");
    hn_buffer_puts(out, dispute->by);
    hn_buffer_puts(out, " since ");
    hn_buffer_puts(out, dispute->since);
    if (dispute->check[0]) {
        hn_buffer_puts(out, ", of ");
        hn_buffer_puts(out, dispute->check);
        hn_buffer_puts(out, " alone");
    }
    hn_buffer_puts(out, ": ");
    hn_buffer_puts(out, dispute->against);
    hn_buffer_puts(out, " The other side: ");
    hn_buffer_puts(out, dispute->kept);
    hn_buffer_puts(out, " ");
    hn_buffer_puts(out, dispute->issue);
}
