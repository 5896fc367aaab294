/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two threads draw from one generator at the same time, each into its own memory. The numbers are
 * read after all draws.
 */
#include "race.h"
#include "sample.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 10000, NUMBERS = 8, ALL = 2 * ROUNDS * NUMBERS };

struct pot {
    struct assay_check *check;
    struct bridge_tensor *all, *parts[2 * ROUNDS];
    int32_t device;
};

static struct bridge_tensor *part_of(struct assay_check *check, const struct bridge_tensor *all,
                                     int64_t first)
{
    const int64_t sizes[] = {NUMBERS}, strides[] = {1};
    const struct bridge_value values[] = {{.kind = BRIDGE_TENSOR, .tensor = all},
                                          {.kind = BRIDGE_INTS, .ints = sizes, .count = 1},
                                          {.kind = BRIDGE_INTS, .ints = strides, .count = 1},
                                          {.kind = BRIDGE_INT, .integer = first}};
    struct bridge_tensor *part = NULL;
    require_op(check, "aten::as_strided", bridge_call("aten::as_strided", values, 4, &part));
    return part;
}

static int32_t draw_into(const struct bridge_tensor *tensor)
{
    const struct bridge_value values[] = {{.kind = BRIDGE_TENSOR, .tensor = tensor},
                                          {.kind = BRIDGE_REAL, .real = 0},
                                          {.kind = BRIDGE_REAL, .real = 1}};
    return bridge_call("aten::uniform_", values, 3, NULL);
}

static void draw(void *context, uint32_t rival, uint32_t round)
{
    const struct pot *const pot = context;
    expect_ok_in_race(pot->check, draw_into(pot->parts[2 * round + rival]));
}

static void cut(struct pot *pot)
{
    for (int64_t i = 0; i < (int64_t)2 * ROUNDS; i++)
        pot->parts[i] = part_of(pot->check, pot->all, i * NUMBERS);
}

static void give_back(struct pot *pot)
{
    for (size_t i = 0; i < (size_t)2 * ROUNDS; i++)
        bridge_tensor_free(pot->parts[i]);
    bridge_tensor_free(pot->all);
}

static int compare(const void *left, const void *right)
{
    return memcmp(left, right, NUMBERS * sizeof(float));
}

static void expect_all_different(struct assay_check *check, float *numbers, size_t draws)
{
    size_t twice = 0;
    qsort(numbers, draws, NUMBERS * sizeof(float), compare);
    for (size_t i = 1; i < draws; i++)
        twice += compare(numbers + (i - 1) * NUMBERS, numbers + i * NUMBERS) == 0;
    expect_int(check, (int64_t)twice, 0,
               "two threads that draw at the same time get different numbers");
}

static void racing_threads_draw_different_numbers(struct assay_check *check)
{
    static float numbers[ALL];
    static struct pot pot;
    const int64_t size = ALL;
    assay_need_any_kind(check);
    pot = (struct pot){.check = check, .device = assay_device(check, 0)};
    require_ok(check, bridge_guard_set(pot.device));
    require_op(check, "aten::empty.memory_format",
               bridge_tensor_empty(&size, 1, BRIDGE_FLOAT, pot.device, &pot.all));
    cut(&pot);
    require_op(check, "aten::uniform_", draw_into(pot.parts[0]));
    const uint32_t rounds =
        assay_race(check, ROUNDS, draw, &pot, "threads that draw at the same time return");
    assay_note_int(check, "rounds", rounds);
    require_ok(check, bridge_tensor_read(pot.all, numbers, sizeof numbers));
    give_back(&pot);
    expect_all_different(check, numbers, 2 * (size_t)rounds);
}

const struct assay_check_row generator_race_checks[] = {
    {"generator.racing_threads_draw_different_numbers", racing_threads_draw_different_numbers},
    {0},
};
