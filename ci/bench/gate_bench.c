/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cost of the gate on the runs of make_runs.py: reading (head, base and unadapted of each target)
 * and deciding, apart. Started by gate_bench.py; prints a table and judges nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "decision_write.h"
#include "run_intake.h"

#define TARGETS 64
#define ROUNDS 5

static double now_ms(void)
{
    struct timespec time;

    /* Of the processor: another program on the machine is not our cost. */
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void must(int status, const char *what, const struct hn_error *error)
{
    if (!status)
        return;
    fprintf(stderr, "gate_bench: %s: %s\n", what, error->text);
    exit(1);
}

/* Base is what head is, but that most of its failures are news. */
static void improve(const struct rp_run *run)
{
    struct rp_check *checks = (struct rp_check *)(uintptr_t)run->checks;

    for (size_t i = 0; i < run->check_count; i++)
        if (i % 3)
            checks[i].verdict = HN_PASS;
}

static struct ci_policy policy_of(const struct rp_run *run, struct hn_arena *arena)
{
    struct ci_promise *checks = hn_arena_array(arena, run->check_count, sizeof *checks);

    for (size_t i = 0; checks && i < run->check_count; i++)
        checks[i] = (struct ci_promise){run->checks[i].id,
                                        "c10/core/Allocator.h:allocate",
                                        run->checks[i].level,
                                        run->checks[i].subject,
                                        1,
                                        {"", ""},
                                        NULL,
                                        NULL};
    return (struct ci_policy){.contract = run->contract,
                              .checks = checks,
                              .check_count = run->check_count,
                              .label_adaptation = "a",
                              .label_override = "b",
                              .label_hint = "c"};
}

static void read_all(const char *folder, struct hn_arena *arena, struct ci_case *cases,
                     size_t *count)
{
    const char *paths[TARGETS];
    struct hn_error error = {0};

    must(ci_find_runs(folder, arena, paths, TARGETS, count, &error), folder, &error);
    for (size_t i = 0; i < *count; i++) {
        struct ci_side *sides[] = {&cases[i].head, &cases[i].base, &cases[i].unadapted};
        for (size_t j = 0; j < 3; j++) {
            must(ci_side_read(paths[i], arena, sides[j], &error), paths[i], &error);
            must(!sides[j]->run, sides[j]->refusal ? sides[j]->refusal : "", &error);
        }
        improve(cases[i].base.run);
    }
}

static double decide(const struct ci_policy *policy, const struct ci_case *cases, size_t count,
                     double *write, size_t *causes)
{
    struct hn_arena *arena = hn_arena_create((size_t)1 << 30);
    const struct ci_change change = {0};
    struct ci_result result;
    struct hn_buffer out;
    struct hn_error error = {0};
    const double start = now_ms();

    must(ci_gate_decide(policy, &change, cases, count, arena, &result, &error), "decide", &error);
    const double decided = now_ms();
    hn_buffer_init(&out, (size_t)64 << 20);
    must(ci_decision_json(policy, &result, &out), "json", &error);
    hn_buffer_clear(&out);
    must(ci_decision_markdown(policy, &result, &out), "markdown", &error);
    *write = now_ms() - decided;
    *causes = result.cause_count;
    hn_buffer_finish(&out);
    hn_arena_destroy(arena);
    return decided - start;
}

int main(int count, char **words)
{
    struct hn_arena *arena = hn_arena_create((size_t)1 << 30);
    static struct ci_case cases[TARGETS];
    size_t targets = 0, causes = 0;
    double write = 0;

    if (count != 2 || !arena)
        return 64;
    const double start = now_ms();
    read_all(words[1], arena, cases, &targets);
    const double read = now_ms() - start;
    const struct ci_policy policy = policy_of(cases[0].head.run, arena);
    printf("%zu targets x %zu checks, three runs each\n", targets, policy.check_count);
    printf("%-8s%10.1f ms\n", "read", read);
    for (int round = 0; round < ROUNDS; round++) {
        const double decided = decide(&policy, cases, targets, &write, &causes);
        printf("%-8s%10.1f ms   %-6s%8.1f ms   %zu causes\n", "decide", decided, "write", write,
               causes);
    }
    return 0;
}
