/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as what a target said of itself in its warm-up: what becomes of it must be whole
 * members of a JSON object, and no claim without a name.
 */
#include <stdlib.h>
#include <string.h>

#include "description.h"
#include "fuzz_folder.h"
#include "json_read.h"

#define ARENA_LIMIT ((size_t)16 << 20)

static const struct hn_json_limits limits = {.bytes = (size_t)1 << 20, .depth = 8};

static void check_members(const char *members, struct hn_arena *arena)
{
    struct hn_json_document *document = NULL;
    const char *record = hn_arena_text(arena, "{\"event\":\"target\"%s}", members);
    if (!record)
        return;
    if (hn_json_parse(record, strlen(record), &limits, "record", 0, &document, NULL) != HN_OK)
        abort();
    hn_json_destroy(document);
}

static void check_claims(const struct hn_description *description)
{
    for (size_t i = 0; i < description->claim_count; i++)
        if (!*description->claims[i].capability)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hn_description description;
    struct hn_error error;
    struct hn_arena *arena = hn_arena_create(ARENA_LIMIT);
    const char *notes = hn_arena_copy(arena, (const char *)data, size);
    if (notes && hn_description_read(notes, arena, &description, &error) == HN_OK) {
        check_claims(&description);
        if (description.members)
            check_members(description.members, arena);
    }
    hn_arena_destroy(arena);
    return 0;
}
