/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is a JSON document. The document is read, visited, written again, and read
 * once more.
 */
#include <stdlib.h>

#include "fuzz_folder.h"
#include "json_copy.h"
#include "json_read.h"
#include "json_write.h"

static const struct hn_json_limits limits = {1u << 16, 32};

static void ask_everything(const struct hn_json *root)
{
    const char *text;
    int64_t integer;
    double number;
    int boolean;
    struct hn_json part;
    struct hn_error error;
    hn_json_text(root, "id", &text, &error);
    hn_json_integer(root, "attempt", 0, 100, &integer, &error);
    hn_json_number(root, "duration_ms", &number, &error);
    hn_json_boolean(root, "final", &boolean, &error);
    if (hn_json_object(root, "target", &part, &error) == HN_OK)
        hn_json_text(&part, "name", &text, &error);
    if (hn_json_array(root, "checks", &part, &error) == HN_OK)
        for (size_t i = 0; i < hn_json_count(&part); i++) {
            struct hn_json item;
            hn_json_item(&part, i, &item);
            if (hn_json_must_be_object(&item, &error) == HN_OK)
                hn_json_text(&item, "id", &text, &error);
        }
}

/* Writes the document again and reads the result, which must be valid. */
static void copy(const struct hn_json *root)
{
    struct hn_buffer buffer;
    struct hn_json_writer writer;
    struct hn_json_document *again = NULL;
    struct hn_error error;
    const struct hn_json_limits larger = {1u << 20, 32};
    hn_buffer_init(&buffer, larger.bytes);
    hn_write_begin(&writer, &buffer, 0);
    hn_json_copy(root, NULL, &writer);
    if (hn_write_end(&writer) == HN_OK &&
        hn_json_parse(buffer.text, buffer.length, &larger, "copy", 0, &again, &error) != HN_OK)
        abort();
    hn_json_destroy(again);
    hn_buffer_finish(&buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hn_json_document *document = NULL;
    struct hn_json root;
    struct hn_error error;
    if (hn_json_parse((const char *)data, size, &limits, "input", 1, &document, &error) != HN_OK)
        return 0;
    hn_json_root(document, &root);
    if (hn_json_must_be_object(&root, &error) == HN_OK)
        ask_everything(&root);
    copy(&root);
    hn_json_destroy(document);
    return 0;
}
