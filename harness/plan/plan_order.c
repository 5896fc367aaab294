/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orders the needed checks. A check comes after the checks that it waits for. Of the checks that
 * are ready, the check with the lowest priority value comes next. This is the second step of making
 * a plan.
 */
#include "failed_checks.h"
#include "plan_internal.h"

/* A heap of checks that are ready. */
struct heap {
    const struct hn_draft *drafts;
    uint32_t *items;
    size_t count;
};

static int is_before(const struct heap *heap, uint32_t a, uint32_t b)
{
    const uint64_t first = heap->drafts[a].priority, second = heap->drafts[b].priority;
    if (heap->drafts[a].hurried != heap->drafts[b].hurried)
        return heap->drafts[a].hurried;
    return first != second ? first < second : a < b;
}

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void push(struct heap *heap, uint32_t item)
{
    size_t at = heap->count++;
    heap->items[at] = item;
    for (; at > 0 && is_before(heap, heap->items[at], heap->items[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap->items[at], &heap->items[(at - 1) / 2]);
}

static uint32_t pop(struct heap *heap)
{
    const uint32_t top = heap->items[0];
    size_t at = 0;
    heap->items[0] = heap->items[--heap->count];
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < heap->count; child++)
            if (is_before(heap, heap->items[child], heap->items[least]))
                least = child;
        if (least == at)
            return top;
        swap(&heap->items[at], &heap->items[least]);
        at = least;
    }
}

/* For each check, the checks that wait for it: one array with a section per check. */
struct waiters {
    uint32_t *starts, *items, *left; /* left: number of checks that a check still waits for */
};

static int collect_waiters(struct hn_maker *maker, struct waiters *waiters)
{
    const size_t count = maker->catalogue->check_count;
    size_t edges = 0;
    for (size_t i = 0; i < count; i++)
        edges += maker->drafts[i].after.count;
    waiters->starts = hn_arena_array(maker->scratch, count + 2, sizeof(uint32_t));
    waiters->left = hn_arena_array(maker->scratch, count + 1, sizeof(uint32_t));
    waiters->items = hn_arena_array(maker->scratch, edges + 1, sizeof(uint32_t));
    if (!waiters->starts || !waiters->left || !waiters->items)
        return hn_error_nomem(maker->error);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; maker->drafts[i].needed && j < maker->drafts[i].after.count; j++)
            waiters->starts[maker->drafts[i].after.items[j] + 2]++;
    for (size_t i = 2; i < count + 2; i++)
        waiters->starts[i] += waiters->starts[i - 1];
    for (uint32_t i = 0; i < count; i++)
        for (size_t j = 0; maker->drafts[i].needed && j < maker->drafts[i].after.count; j++) {
            if (!maker->drafts[maker->drafts[i].after.items[j]].needed)
                continue; /* the plan leaves this check out, so no check waits for it */
            waiters->items[waiters->starts[maker->drafts[i].after.items[j] + 1]++] = i;
            waiters->left[i]++;
        }
    return HN_OK;
}

static int complain_circle(struct hn_maker *maker, const struct waiters *waiters)
{
    for (size_t i = 0; i < maker->catalogue->check_count; i++)
        if (maker->drafts[i].needed && waiters->left[i])
            return hn_error_set(
                maker->error, HN_EINPUT,
                "probes and refusals of capabilities wait for each other; %s is in "
                "the cycle: give this check fewer capabilities in its contract.yaml",
                maker->catalogue->checks[i].id);
    return HN_OK;
}

static void hurry(struct hn_maker *maker, size_t check)
{
    struct hn_draft *draft = &maker->drafts[check];
    if (draft->hurried)
        return;
    draft->hurried = 1;
    for (size_t i = 0; i < draft->after.count; i++)
        hurry(maker, draft->after.items[i]);
}

/* Puts failed checks first. If no check failed in that run, the order stays. */
static int hurry_failed(struct hn_maker *maker)
{
    const char *const run = maker->request->failed_first;
    unsigned char *failed =
        run ? hn_arena_array(maker->scratch, maker->catalogue->check_count + 1, 1) : NULL;
    if (!run)
        return HN_OK;
    if (!failed)
        return hn_error_nomem(maker->error);
    const int status = hn_failed_checks(maker->catalogue, run, failed, maker->error);
    for (uint32_t i = 0; status == HN_OK && i < maker->catalogue->check_count; i++)
        if (failed[i])
            hurry(maker, i);
    return status == HN_EUSAGE ? HN_OK : status;
}

int hn_plan_order(struct hn_maker *maker)
{
    const size_t count = maker->catalogue->check_count;
    struct heap ready = {.drafts = maker->drafts};
    struct waiters waiters;
    size_t needed = 0;
    ready.items = hn_arena_array(maker->scratch, count + 1, sizeof *ready.items);
    maker->order = hn_arena_array(maker->scratch, count + 1, sizeof *maker->order);
    if (!ready.items || !maker->order || collect_waiters(maker, &waiters))
        return hn_error_nomem(maker->error);
    const int status = hurry_failed(maker);
    if (status != HN_OK)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        needed += maker->drafts[i].needed;
        if (maker->drafts[i].needed && waiters.left[i] == 0)
            push(&ready, i);
    }
    while (ready.count) {
        const uint32_t check = pop(&ready);
        maker->drafts[check].task = (uint32_t)maker->order_count;
        maker->order[maker->order_count++] = check;
        for (uint32_t i = waiters.starts[check]; i < waiters.starts[check + 1]; i++)
            if (--waiters.left[waiters.items[i]] == 0)
                push(&ready, waiters.items[i]);
    }
    return maker->order_count == needed ? HN_OK : complain_circle(maker, &waiters);
}
