/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See refused_words.h. Messages of the base classes in c10 and ATen, as of torch 2.11 to 2.13.
 */
#include "refused_words.h"

#include <stdio.h>
#include <string.h>

/* Complete messages. If several methods have the same message, the row names the method that a
 * program calls first. */
static const struct {
    const char *words, *means;
} sentences[] = {
    {"Backend doesn't support acquiring a default stream", "guard.getDefaultStream"},
    {"Backend doesn't support acquiring a stream from pool", "guard.getStreamFromGlobalPool"},
    {"Backend doesn't support create a new Stream", "guard.getNewStream"},
    {"Backend doesn't support getting stream native handle", "guard.getStreamNativeHandle"},
    {"Backend doesn't support events", "guard.record"},
    {"Backend doesn't support getting device capabilities", "guard.getDeviceCapability"},
    {"Backend doesn't support querying streams", "guard.queryStream"},
    {"Backend doesn't support synchronizing streams", "guard.synchronizeStream"},
    {"Backend doesn't support synchronizing events", "guard.synchronizeEvent"},
    {"Backend doesn't support synchronizing all streams on device", "guard.synchronizeDevice"},
    {"Backend doesn't support elapsedTime", "guard.elapsedTime"},
    {"getMemoryInfo is not implemented for this allocator", "allocator.getMemoryInfo"},
    {"Expected a 'cpu' device type for generator but found", "keyword.generator"},
    {"Expected a 'cpu' generator device but found", "keyword.generator"},
};

/* The rows of ../absences.tsv: asserts of PyTorch that only say that something legally absent is
 * missing. Any other assert is a defect. */
static const struct {
    const char *fragment, *means;
} absences[] = {
    {" is not a DeviceAllocator", "allocator.getDeviceAllocator"},
};

/* Text before and after a name. */
static const struct {
    const char *before, *after, *kind;
} patterns[] = {
    {"Could not run '", "'", ""},
    {"by `RegisterPrivateUse1HooksInterface` and implement `", "`", "hooks."},
    {"Backend doesn't support ", "()", "hooks."},
    {"Backend doesn`t support ", "()", "hooks."},
};

static int matches(const char *text, size_t row, char *name, size_t size)
{
    const char *const found = strstr(text, patterns[row].before);
    if (!found)
        return 0;
    const char *const begin = found + strlen(patterns[row].before);
    const char *const end = strstr(begin, patterns[row].after);
    if (!end || memchr(begin, ' ', (size_t)(end - begin)))
        return 0;
    snprintf(name, size, "%s%.*s", patterns[row].kind, (int)(end - begin), begin);
    return 1;
}

static int is_legal_absence(const char *text, char *name, size_t size)
{
    for (size_t i = 0; i < sizeof absences / sizeof *absences; i++)
        if (strstr(text, absences[i].fragment)) {
            snprintf(name, size, "%s", absences[i].means);
            return 1;
        }
    return 0;
}

int assay_refused_means(const char *text, char *name, size_t size)
{
    if (strstr(text, "INTERNAL ASSERT FAILED"))
        return is_legal_absence(text, name, size);
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++) {
        if (strstr(text, sentences[i].words)) {
            snprintf(name, size, "%s", sentences[i].means);
            return 1;
        }
    }
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (matches(text, i, name, size))
            return 1;
    return 0;
}
