/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See description.h. The notes come from a process that runs the target's code, so notes that
 * cannot be parsed are ignored.
 */
#include "description.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Finds the first note of a kind, because a check in this process may write any note later. */
static const char *find(const struct hn_note *notes, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(notes[i].key, key) == 0)
            return notes[i].text;
    return "";
}

/* Returns the words of a text, in order; NULL if out of memory. */
static const char **split(const char *text, struct hn_arena *arena, size_t *count)
{
    char *copy = hn_arena_copy(arena, text, strlen(text)), *rest = NULL;
    const char **words = hn_arena_array(arena, strlen(text) / 2 + 1, sizeof *words);
    *count = 0;
    if (!copy || !words)
        return NULL;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[(*count)++] = word;
    return words;
}

static int take_texts(const char *text, struct hn_arena *arena, struct hn_texts *texts)
{
    texts->items = split(text, arena, &texts->count);
    return texts->items ? HN_OK : HN_ENOMEM;
}

static int take_devices(const char *text, struct hn_arena *arena, struct hn_target_record *target)
{
    size_t count;
    const char **words = split(text, arena, &count);
    int *devices = hn_arena_array(arena, count + 1, sizeof *devices);
    if (!words || !devices)
        return HN_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const long index = strtol(words[i], NULL, 10);
        if (index >= 0 && index <= INT_MAX)
            devices[target->device_count++] = (int)index;
    }
    target->devices = devices;
    return HN_OK;
}

static void add_claims(struct hn_description *description, const struct hn_texts *capabilities,
                       enum hn_claim claim)
{
    for (size_t i = 0; i < capabilities->count; i++)
        description->claims[description->claim_count++] =
            (struct hn_plan_claim){capabilities->items[i], claim, "adapter"};
}

/* Returns the devices to which a tensor could be copied and back. If there is none, returns all
 * counted devices, so that checks can report the error. */
static const char *usable_devices(const struct hn_note *list, size_t count)
{
    const char *usable = find(list, count, "usable devices");
    return *usable ? usable : find(list, count, "devices");
}

/* Reads "NAME SETTING". */
static int take_load_switch(const char *text, struct hn_arena *arena,
                            struct hn_description *description)
{
    char *copy = hn_arena_copy(arena, text, strlen(text));
    if (!copy)
        return HN_ENOMEM;
    const char *name = strsep(&copy, " ");
    if (copy && strchr(copy, '='))
        description->load_switches[description->load_switch_count++] =
            (struct hn_load_switch){name, copy};
    return HN_OK;
}

static int take_load_switches(const struct hn_note *notes, size_t count, struct hn_arena *arena,
                              struct hn_description *description)
{
    int status = HN_OK;
    description->load_switches = hn_arena_array(arena, count + 1, sizeof(struct hn_load_switch));
    if (!description->load_switches)
        return HN_ENOMEM;
    for (size_t i = 0; status == HN_OK && i < count; i++)
        if (strcmp(notes[i].key, "switch at load") == 0)
            status = take_load_switch(notes[i].text, arena, description);
    return status;
}

const char *hn_description_setting(const struct hn_description *description, const char *name)
{
    for (size_t i = 0; i < description->load_switch_count; i++)
        if (strcmp(description->load_switches[i].name, name) == 0)
            return description->load_switches[i].setting;
    return NULL;
}

int hn_description_read(const struct hn_notes *notes, struct hn_arena *arena,
                        struct hn_description *description, struct hn_error *error)
{
    struct hn_note list[HN_NOTES_MOST];
    const size_t count = hn_notes_list(notes, list);
    struct hn_target_record *target = &description->target;
    *description = (struct hn_description){.known = count > 0};
    description->uncounted = *find(list, count, "usable devices") && !*find(list, count, "devices");
    description->may_ask = (int)strtol(find(list, count, "state can be asked"), NULL, 10);
    const char *device = find(list, count, "device"), *takes = find(list, count, "takes");
    target->device = hn_arena_copy(arena, device, strlen(device));
    target->takes = hn_arena_copy(arena, takes, strlen(takes));
    if (!target->device || !target->takes ||
        take_devices(usable_devices(list, count), arena, target) ||
        take_texts(find(list, count, "adapter offers"), arena, &target->offers) ||
        take_texts(find(list, count, "adapter claims yes"), arena, &target->claims_yes) ||
        take_texts(find(list, count, "adapter claims no"), arena, &target->claims_no) ||
        take_load_switches(list, count, arena, description))
        return hn_error_nomem(error);
    description->claims = hn_arena_array(
        arena, target->claims_yes.count + target->claims_no.count + 1, sizeof *description->claims);
    if (!description->claims)
        return hn_error_nomem(error);
    add_claims(description, &target->claims_yes, HN_CLAIM_YES);
    add_claims(description, &target->claims_no, HN_CLAIM_NO);
    return HN_OK;
}
