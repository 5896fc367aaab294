/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as the file of a history: opened, read and shown as the page and as JSON.
 */
#include <stdlib.h>

#include "dashboard.h"
#include "fuzz_folder.h"
#include "json_read.h"

#define OUT_LIMIT ((size_t)64 << 20)

static void show_page(const struct rp_past *past)
{
    struct hn_buffer out;
    hn_buffer_init(&out, OUT_LIMIT);
    rp_dashboard_html(past, &out);
    hn_buffer_finish(&out);
}

static void show_json(const struct rp_past *past)
{
    static const struct hn_json_limits limits = {OUT_LIMIT, 32};
    struct hn_json_document *document = NULL;
    struct hn_buffer out;
    hn_buffer_init(&out, OUT_LIMIT);
    if (rp_dashboard_json(past, &out) == HN_OK &&
        hn_json_parse(out.text, out.length, &limits, "history", 0, &document, NULL) != HN_OK)
        abort();
    hn_json_destroy(document);
    hn_buffer_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rp_history *history = NULL;
    struct rp_past *past = NULL;
    struct hn_error error;

    fuzz_write("history.db", data, size);
    if (rp_history_open(fuzz_path("history.db"), RP_THERE, &history, &error) != HN_OK)
        return 0;
    if (rp_history_read(history, &past, &error) == HN_OK) {
        show_page(past);
        show_json(past);
    }
    rp_past_destroy(past);
    rp_history_close(history);
    return 0;
}
