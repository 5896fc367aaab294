/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See registration.h. All queries go through the bridge, and no registration is assumed to
 * exist.
 */
#include "registration.h"
#include "bridge.h"

#include <stdio.h>
#include <string.h>

static const char *const keys[HN_REGISTRATION_KEYS] = {
    "PrivateUse1",          "AutogradPrivateUse1",     "AutocastPrivateUse1",  "SparsePrivateUse1",
    "QuantizedPrivateUse1", "NestedTensorPrivateUse1", "SparseCsrPrivateUse1",
};

static const struct {
    const char *name, *words;
    size_t offset;
} facts[] = {
    {"named", "name", offsetof(struct hn_registration, named)},
    {"guard", "guard", offsetof(struct hn_registration, guard)},
    {"hooks", "hooks", offsetof(struct hn_registration, hooks)},
    {"allocator", "allocator", offsetof(struct hn_registration, allocator)},
    {"host_allocator", "host allocator", offsetof(struct hn_registration, host_allocator)},
    {"fallback", "fallback", offsetof(struct hn_registration, fallback)},
};
#define FACTS (sizeof facts / sizeof facts[0])

static int32_t fact(const struct hn_registration *now, size_t index)
{
    int32_t value;
    memcpy(&value, (const char *)now + facts[index].offset, sizeof value);
    return value;
}

const char *hn_registration_key(size_t index)
{
    return index < HN_REGISTRATION_KEYS ? keys[index] : NULL;
}

void hn_registration_take(struct hn_registration *now)
{
    *now = (struct hn_registration){
        .named = bridge_backend_is_named(),
        .guard = bridge_guard_registered(),
        .hooks = bridge_hooks_registered(),
        .allocator = bridge_allocator_identity() != NULL,
        .host_allocator = bridge_host_registered(),
        .fallback = bridge_has_fallback("PrivateUse1"),
    };
    for (size_t i = 0; i < HN_REGISTRATION_KEYS; i++)
        bridge_kernel_count(keys[i], &now->kernels[i]);
}

static void append(char *text, size_t size, const char *words)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", words);
}

void hn_registration_describe(const struct hn_registration *before,
                              const struct hn_registration *after, char *text, size_t size)
{
    char words[80];
    text[0] = '\0';
    for (size_t i = 0; i < FACTS; i++)
        if (fact(after, i) != fact(before, i))
            append(text, size, facts[i].words);
    for (size_t i = 0; i < HN_REGISTRATION_KEYS; i++) {
        const int32_t added = after->kernels[i] - before->kernels[i];
        if (added != 0) {
            snprintf(words, sizeof words, "%d kernel%s for %s", (int)added, added == 1 ? "" : "s",
                     keys[i]);
            append(text, size, words);
        }
    }
    if (text[0] == '\0')
        append(text, size, "nothing");
}
