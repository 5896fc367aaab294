/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Many threads use one generator. Each draw takes the generator's lock, so the threads together
 * must get the same draws that a single thread would get.
 */
#include "bounded.h"
#include "refused_words.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 25, NUMBERS = 16, DRAWS = THREADS * ROUNDS };

struct draw {
    float numbers[NUMBERS];
};

struct drawer {
    struct assay_check *check;
    const struct bridge_generator *generator;
    int32_t device;
    struct draw *draws;
    uint32_t count;
};

static int draw_one(const struct drawer *drawer, struct draw *draw)
{
    const int64_t size = NUMBERS;
    struct bridge_tensor *tensor = NULL;
    int32_t status = bridge_tensor_empty(&size, 1, BRIDGE_FLOAT, drawer->device, &tensor);
    const struct bridge_value fill[] = {
        {.kind = BRIDGE_TENSOR, .tensor = tensor},
        {.kind = BRIDGE_REAL, .real = 0},
        {.kind = BRIDGE_REAL, .real = 1},
        {.kind = drawer->generator ? BRIDGE_GENERATOR : BRIDGE_NONE,
         .generator = drawer->generator},
    };
    if (status == ASSAY_OK)
        status = bridge_call("aten::uniform_", fill, 4, NULL);
    if (status == ASSAY_OK)
        status = bridge_tensor_read(tensor, draw, sizeof *draw);
    bridge_tensor_free(tensor);
    return status;
}

static void draw_all(void *context)
{
    struct drawer *const drawer = context;
    expect_ok(drawer->check, bridge_guard_set(drawer->device));
    for (uint32_t i = 0; i < drawer->count; i++)
        if (!expect_ok(drawer->check, draw_one(drawer, &drawer->draws[i])))
            return;
}

static int compare(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(struct draw));
}

static void draw_together(struct assay_check *check, const struct drawer *single,
                          struct draw *together)
{
    struct drawer drawers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        drawers[i] = *single;
        drawers[i].draws = together + i * ROUNDS;
        drawers[i].count = ROUNDS;
    }
    assay_on_threads(check, THREADS, draw_all, drawers, sizeof drawers[0],
                     "threads that draw from one generator return");
    qsort(together, DRAWS, sizeof together[0], compare);
}

/* If operators accept no generator of the device, all threads share the default generator, which
 * cannot be passed to them. Then only a repeated draw shows that a lock is missing. */
static void no_draw_comes_twice(struct assay_check *check, const struct drawer *given)
{
    static struct draw together[DRAWS];
    struct drawer shared = *given;
    shared.generator = NULL;
    require_op(check, "aten::uniform_", draw_one(&shared, &together[0]));
    draw_together(check, &shared, together);
    for (uint32_t i = 1; i < DRAWS; i++) {
        if (!expect_that(check, compare(&together[i - 1], &together[i]) != 0,
                         "threads that draw at the same time draw different numbers",
                         "the same numbers were drawn twice")) {
            return;
        }
    }
}

static int takes_generator(const struct drawer *single)
{
    char means[64];
    const int drawn = draw_one(single, &single->draws[0]) == ASSAY_OK;
    return drawn || !assay_refused_means(bridge_error_text(), means, sizeof means) ||
           strcmp(means, "keyword.generator") != 0;
}

static void concurrent_draws_do_not_corrupt_the_state(struct assay_check *check)
{
    static struct draw alone[DRAWS], together[DRAWS];
    const int32_t device = assay_device(check, 0);
    struct bridge_generator *generator = NULL;
    require_capability(check, "rng", bridge_generator_new(device, &generator));
    const struct drawer single = {check, generator, device, alone, DRAWS};
    if (!takes_generator(&single)) {
        no_draw_comes_twice(check, &single);
        bridge_generator_free(generator);
        return;
    }
    require_ok(check, bridge_generator_set_seed(generator, check->seed));
    require_op(check, "aten::uniform_", draw_one(&single, &alone[0]));
    for (uint32_t i = 1; i < DRAWS; i++)
        require_ok(check, draw_one(&single, &alone[i]));
    require_ok(check, bridge_generator_set_seed(generator, check->seed));
    draw_together(check, &single, together);
    qsort(alone, DRAWS, sizeof alone[0], compare);
    expect_bytes(check, together, alone, sizeof alone,
                 "threads that share a generator draw the numbers that one thread would draw");
    bridge_generator_free(generator);
}

const struct assay_check_row generator_threads_checks[] = {
    {"generator.concurrent_draws_do_not_corrupt_the_state",
     concurrent_draws_do_not_corrupt_the_state},
    {0},
};
