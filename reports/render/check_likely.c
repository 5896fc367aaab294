/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A likely cause of a failure, if the facts about the failure suggest a cause. If the program
 * was run again under a watch, the observation of the watch takes precedence.
 */
#include "check_likely.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cause_words.h"
#include "check_notes.h"

static int was_seen(const struct rp_check *check, const char *signature)
{
    const char *const texts[] = {check->seen, check->expected, check->reason, check->frames,
                                 check->said};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strstr(texts[i], signature))
            return 1;
    for (size_t i = 0; i < check->notes.count; i++)
        if (strstr(check->notes.items[i], signature))
            return 1;
    return 0;
}

/* Texts of core or of judge.py, and stack frames, that show the same cause in every check. */
static const struct {
    const char *seen, *unless, *likely;
} known[] = {
    {"PyTorch is not linked with support for", "support for cuda",
     "Core finds no DeviceGuardImpl of the device type: register one with "
     "C10_REGISTER_GUARD_IMPL."},
    {"at::native::resize_bytes_cpu", NULL,
     "The CPU's resize_ got memory of the device: the backend's resize_ calls "
     "at::native::resize_, which copies on the host. Copy on the device, as in "
     "resizePrivateUse1Bytes of the hooks."},
    {"as if computed in float32", NULL, "A float64 value is computed or stored in float32."},
};

static const char *known_cause(const struct rp_check *check)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (was_seen(check, known[i].seen) &&
            !(known[i].unless && was_seen(check, known[i].unless)))
            return known[i].likely;
    return "";
}

/* An exception has its own message, and a hint for a wrong value would contradict it. */
static int is_wrong_value(const struct rp_check *check)
{
    return check->verdict == HN_FAIL && check->seen[0] && !hn_cause_exception(check->seen);
}

/* Returns 1 if the note of a watch explains the failure. A guess beside this note would mislead the
 * reader. A note that begins with "the" or "unknown" says why there is no observation. */
static int is_explained(const struct rp_check *check)
{
    const char *const watched = rp_check_watched(check);
    return watched[0] && strncmp(watched, "the ", 4) != 0 && strncmp(watched, "unknown: ", 9) != 0;
}

static int is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* "sum of many" is about the operator "sum", and about "sum_", but not about "su". */
static int is_about(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; length && (at = strstr(at, name)) != NULL; at++)
        if ((at == text || !is_letter(at[-1])) && (!is_letter(at[length]) || at[length] == '_'))
            return 1;
    return 0;
}

/* 1 if the fallback computed the operator in the title of the reported case. */
static int is_of_fallback(const struct rp_check *check)
{
    const char *at = rp_check_noted(check, RP_OF_CASE);
    char name[80];
    while ((at = strstr(at, "::")) != NULL) {
        at += 2;
        at += strspn(at, "_");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "., "), at);
        if (is_about(check->expected, name))
            return 1;
    }
    return 0;
}

/* Returns the hint for a wrong value. If the fallback computed the operator, a hint about
 * kernels of the backend would mislead. */
static const char *hint_for_a_value(const struct rp_check *check)
{
    if (strstr(check->seen, "device is cpu") && is_of_fallback(check))
        return "The fallback leaves the result on the CPU: at::native::cpu_fallback moves results "
               "to "
               "the device of the first tensor argument. Move them to the device of the first "
               "argument that is on your device.";
    if (strstr(check->words.hint, "kernel") && is_of_fallback(check))
        return "The fallback computed the result on the CPU. Check the copies to the CPU and back, "
               "and the writes into the output (_copy_from, _copy_from_and_resize, resize_).";
    return check->words.hint;
}

const char *rp_check_likely(const struct rp_check *check)
{
    if (!hn_verdict_table[check->verdict].fails || strcmp(check->stage, "load") == 0 ||
        is_explained(check))
        return "";
    if (*known_cause(check))
        return known_cause(check);
    if (check->words.other_hint_when[0] && was_seen(check, check->words.other_hint_when))
        return check->words.other_hint;
    if (check->words.hint_when[0])
        return was_seen(check, check->words.hint_when) ? check->words.hint : "";
    return is_wrong_value(check) ? hint_for_a_value(check) : "";
}
