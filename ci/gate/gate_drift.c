/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Judges the comparison of two PyTorch versions, before anything is built, as one cause that names
 * the interfaces. The cause belongs to no single target, so it is judged once. Called by
 * gate_decide.c.
 */
#include "gate_internal.h"

static int tell_items(const struct ci_drift *drift, struct hn_buffer *text)
{
    const size_t shown = drift->count < CI_SHOWN ? drift->count : CI_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        const struct ci_drift_item *item = &drift->items[i];
        hn_buffer_printf(text, "%s%s", i ? " " : "", item->title);
        if (*item->backends)
            hn_buffer_printf(text, " (breaks %s)", item->backends);
        hn_buffer_printf(text, ". %s", item->advice);
    }
    if (drift->count > shown)
        hn_buffer_printf(text, " And %zu more.", drift->count - shown);
    return text->status;
}

int ci_judge_drift(struct ci_judge *judge)
{
    struct ci_target_decision none = {.target = NULL};
    const struct ci_drift *drift = &judge->change->drift;
    struct hn_buffer text;
    if (!drift->count)
        return HN_OK;
    judge->target = &none;
    hn_buffer_init(&text, CI_TEXT_LIMIT);
    int status = tell_items(drift, &text);
    if (status == HN_OK || status == HN_ELIMIT)
        status = ci_add_cause(judge, CI_ADAPT_DRIFT, drift->items[0].title, text.text);
    hn_buffer_finish(&text);
    return status;
}
