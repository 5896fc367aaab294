/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is the folder of a run: the journal and, after the line "@@", the plan.
 * The run is written in every format; a format for several runs gets it twice. Every output must be
 * valid in its format.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz_folder.h"
#include "json_read.h"
#include "render.h"
#include "terminal.h"

#define OUT_LIMIT ((size_t)64 << 20)
#define MARKDOWN_MOST ((size_t)1 << 20)

static int is_json(const char *text)
{
    return text[0] == '{' || text[0] == '[';
}

/* The output must have no control character, and must be valid UTF-8 and, for JSON, valid JSON. */
static void examine(const struct rp_format *format, const struct hn_buffer *out)
{
    static const struct hn_json_limits limits = {OUT_LIMIT, 32};
    struct hn_json_document *document = NULL;
    struct hn_error error;
    for (size_t i = 0; i < out->length;) {
        unsigned character = 0;
        const size_t size = hn_utf8_decode(out->text + i, out->length - i, &character);
        if (!size || (character < ' ' && character != '\n' && character != '\t'))
            abort();
        i += size;
    }
    if (strcmp(format->name, "markdown") == 0 && out->length > MARKDOWN_MOST)
        abort();
    if (is_json(out->text) &&
        hn_json_parse(out->text, out->length, &limits, format->name, 0, &document, &error))
        abort();
    hn_json_destroy(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"run/journal.jsonl", "run/plan.json"};
    static const struct rp_options plain = {0};
    struct rp_run *run;
    struct hn_error error;
    fuzz_write_parts(names, 2, data, size);
    if (rp_run_read(fuzz_path("run"), &run, &error))
        return 0;
    const struct rp_run *const runs[] = {run, run};
    for (size_t i = 0; i < rp_format_count; i++) {
        for (size_t count = 1; count <= (rp_formats[i].several ? 2 : 1); count++) {
            struct hn_buffer out;
            hn_buffer_init(&out, OUT_LIMIT);
            if (rp_formats[i].render(runs, count, &plain, &out) == HN_OK)
                examine(&rp_formats[i], &out);
            hn_buffer_finish(&out);
        }
    }
    rp_run_destroy(run);
    return 0;
}
