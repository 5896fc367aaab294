/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is the description that a target gives of itself in its warm-up. The
 * record of the description must survive writing and reading a journal, and every claim must have a
 * name.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "description.h"
#include "fuzz_folder.h"
#include "journal.h"

#define ARENA_LIMIT ((size_t)16 << 20)

static int see(void *context, const struct hn_record *record, struct hn_error *error)
{
    (void)error;
    *(int *)context += record->event == HN_EVENT_TARGET;
    return HN_OK;
}

static void check_record(const struct hn_description *description)
{
    const struct hn_record run = {.event = HN_EVENT_RUN},
                           target = {.event = HN_EVENT_TARGET, .target = description->target};
    struct hn_journal journal;
    int seen = 0;
    unlink(fuzz_path(HN_JOURNAL_FILE));
    if (hn_journal_create(&journal, fuzz_path(HN_JOURNAL_FILE), NULL) != HN_OK ||
        hn_journal_write(&journal, &run, NULL) != HN_OK ||
        hn_journal_write(&journal, &target, NULL) != HN_OK)
        abort();
    hn_journal_close(&journal);
    if (hn_journal_read(fuzz_path(HN_JOURNAL_FILE), see, &seen, NULL, NULL) != HN_OK || seen != 1)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const keys[] = {"device", "devices", "adapter offers", "adapter claims yes",
                                       "adapter claims no"};
    struct hn_description description;
    struct hn_notes notes = {0};
    struct hn_error error;
    struct hn_arena *arena = hn_arena_create(ARENA_LIMIT);
    const char *text = hn_arena_copy(arena, (const char *)data, size);
    for (size_t i = 0; text && i < sizeof keys / sizeof *keys; i++)
        hn_notes_add(&notes, keys[i], text + (size * i) / 5);
    if (text && hn_description_read(&notes, arena, &description, &error) == HN_OK) {
        for (size_t i = 0; i < description.claim_count; i++)
            if (!*description.claims[i].capability)
                abort();
        check_record(&description);
    }
    hn_arena_destroy(arena);
    return 0;
}
