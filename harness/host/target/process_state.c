/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See process_state.h. This file uses the bridge and must not depend on evidence.
 */
#include "process_state.h"
#include "bridge.h"
#include "clock.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define ANSWERS 96 /* a dozen values of PyTorch, and some for each device */
#define DEVICES 64
#define TEXT 120
/* long enough for a busy machine; starting a device usually takes longer */
#define QUICK_NS 250000000

static const char current_device[] = "the current device";

struct answer {
    char question[TEXT], text[TEXT];
};

struct state {
    struct answer answers[ANSWERS];
    size_t count;
};

static struct state before;
static int was_in_use[DEVICES];

static void add(void *context, const char *question, const char *text)
{
    struct state *const state = context;
    if (state->count == ANSWERS)
        return;
    struct answer *const answer = &state->answers[state->count++];
    snprintf(answer->question, sizeof answer->question, "%s", question);
    snprintf(answer->text, sizeof answer->text, "%s", text);
}

static void add_device(struct state *state)
{
    char text[24];
    const struct bridge_device current = bridge_guard_current();
    if (current.status == ASSAY_OK) {
        snprintf(text, sizeof text, "%d", (int)current.index);
        add(state, current_device, text);
    }
}

static int is_in_use(int32_t device)
{
    int32_t has = 0;
    return bridge_hooks_has_context(device, &has) == ASSAY_OK && has != 0;
}

/* A backend without streams returns its only stream, or fails. */
static void add_stream(struct state *state, int32_t device, struct bridge_stream stream)
{
    char question[64], text[32];
    if (stream.status == ASSAY_OK) {
        snprintf(question, sizeof question, "the current stream of device %d", (int)device);
        snprintf(text, sizeof text, "%lld", (long long)stream.id);
        add(state, question, text);
    }
}

static void ask(struct state *state, int may, const int32_t *devices, uint32_t count)
{
    state->count = 0;
    bridge_state_visit(add, state);
    if ((may & HN_MAY_DEVICE) != 0)
        add_device(state);
    for (uint32_t i = 0; i < count; i++) {
        if ((may & HN_MAY_STREAMS) != 0 ||
            ((may & HN_MAY_USED_STREAMS) != 0 && is_in_use(devices[i]))) {
            add_stream(state, devices[i], bridge_stream_current(devices[i]));
        }
    }
}

void hn_state_take(int may, const int32_t *devices, uint32_t count)
{
    bridge_switched_forget();
    ask(&before, may, devices, count);
    for (uint32_t i = 0; i < count && (may & HN_MAY_USED_STREAMS) != 0; i++)
        was_in_use[i % DEVICES] = is_in_use(devices[i]);
}

static const char *answer_to(const struct state *state, const char *question)
{
    for (size_t i = 0; i < state->count; i++)
        if (strcmp(state->answers[i].question, question) == 0)
            return state->answers[i].text;
    return NULL;
}

static size_t add_sentence(char *text, size_t size, const struct answer *now, const char *was,
                           const char *when)
{
    const int length =
        snprintf(text, size, "%s is %s; %s %s\n", now->question, now->text, when, was);
    return length > 0 && (size_t)length < size ? (size_t)length : 0;
}

/* Writes a sentence if a value changed. If a C check switched the device itself, the new device is
 * expected. */
static size_t compare(char *text, size_t size, const struct answer *now)
{
    const int32_t own = bridge_switched_to();
    const int is_device = strcmp(now->question, current_device) == 0;
    const char *was = answer_to(&before, now->question);
    char number[24];
    if (is_device && own == BRIDGE_SWITCHED)
        return 0;
    if (is_device && own != BRIDGE_KEPT) {
        snprintf(number, sizeof number, "%d", (int)own);
        return strcmp(number, now->text) == 0
                   ? 0
                   : add_sentence(text, size, now, number, "the check itself had set");
    }
    if (!was || strcmp(was, now->text) == 0)
        return 0;
    return add_sentence(text, size, now, was, "before the check it was");
}

/* For a device that the check used first, adds the default stream as the stream before the
 * check. */
static void add_beginnings(const int32_t *devices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!was_in_use[i % DEVICES] && is_in_use(devices[i]))
            add_stream(&before, devices[i], bridge_stream_default(devices[i]));
}

void hn_state_compare(int may, const int32_t *devices, uint32_t count, char *text, size_t size)
{
    static struct state after;
    size_t used = 0;
    ask(&after, may, devices, count);
    if ((may & HN_MAY_USED_STREAMS) != 0)
        add_beginnings(devices, count);
    for (size_t i = 0; i < after.count; i++)
        used += compare(text + used, size - used, &after.answers[i]);
    text[used > 0 ? used - 1 : 0] = '\0';
}

/* ---- queries that the backend supports */

/* Returns -1 if the folder cannot be read. */
static int64_t count_entries(const char *folder)
{
    int64_t count = -1;
    DIR *const entries = opendir(folder);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL)
        count += entry->d_name[0] != '.';
    if (entries) {
        closedir(entries);
        count++;
    }
    return count;
}

struct look {
    int64_t threads, files, begin_ns;
    uint32_t contexts;
};

static uint32_t count_in_use(const int32_t *devices, uint32_t count)
{
    uint32_t in_use = 0;
    for (uint32_t i = 0; i < count; i++)
        in_use += is_in_use(devices[i]) != 0;
    return in_use;
}

static struct look look(const int32_t *devices, uint32_t count)
{
    return (struct look){count_entries("/proc/self/task"), count_entries("/proc/self/fd"),
                         hn_clock_now_ns(), count_in_use(devices, count)};
}

static int has_started_nothing(const struct look *before_it, const int32_t *devices, uint32_t count)
{
    const struct look now = look(devices, count);
    return now.begin_ns - before_it->begin_ns < QUICK_NS && now.threads == before_it->threads &&
           now.files == before_it->files && now.contexts == before_it->contexts;
}

int hn_state_try_device(const int32_t *devices, uint32_t count)
{
    look(devices, count); /* the first query for contexts may start something itself */
    const struct look before_it = look(devices, count);

    if (!bridge_guard_registered() || bridge_guard_current().status != ASSAY_OK)
        return 0;
    return has_started_nothing(&before_it, devices, count) ? HN_MAY_DEVICE : 0;
}

static int begins_with_default(int32_t device)
{
    const struct bridge_stream current = bridge_stream_current(device),
                               usual = bridge_stream_default(device);
    return current.status == ASSAY_OK && usual.status == ASSAY_OK && current.id == usual.id;
}

int hn_state_try_streams(const int32_t *devices, uint32_t count)
{
    const struct look before_it = look(devices, count);
    uint32_t begin_so = 0;
    if (!bridge_guard_registered() || count == 0)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        bridge_stream_current(devices[i]);
    if (has_started_nothing(&before_it, devices, count))
        return HN_MAY_STREAMS;
    for (uint32_t i = 0; i < count; i++)
        begin_so += begins_with_default(devices[i]) != 0;
    return begin_so == count && before_it.contexts == 0 ? HN_MAY_USED_STREAMS : 0;
}
