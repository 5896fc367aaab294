/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests generators through their C++ interface: identity, device, seed, state, clone.
 */
#include "expect.h"
#include "refusal.h"

#include <inttypes.h>

static void default_generator_exists(struct assay_check *check)
{
    struct bridge_generator *generator = NULL;
    require_capability(check, "rng", bridge_generator_default(assay_device(check, 0), &generator));
    bridge_generator_free(generator);
}

static void default_generator_is_one_object_per_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    struct bridge_generator *one = NULL, *again = NULL, *other = NULL;
    require_capability(check, "rng", bridge_generator_default(first, &one));
    assay_ask_special_case(check);
    require_capability(check, "rng", bridge_generator_default(first, &again));
    require_capability(check, "rng", bridge_generator_default(second, &other));
    expect_pointer(check, bridge_generator_identity(again), bridge_generator_identity(one),
                   "the default generator of a device is always the same object");
    expect_that(check, bridge_generator_identity(other) != bridge_generator_identity(one),
                "two devices have two default generators", "both devices have the generator at %p",
                bridge_generator_identity(one));
    expect_device(check, bridge_generator_device(other), second,
                  "a default generator is on its device");
    bridge_generator_free(one);
    bridge_generator_free(again);
    bridge_generator_free(other);
}

static void new_generator_is_on_the_requested_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    struct bridge_generator *generator = NULL;
    int32_t has_key = 0;
    require_ok(check, bridge_guard_set(first));
    assay_is_about_clause(check, "GEN-002");
    require_capability(check, "rng", bridge_generator_new(second, &generator));
    const struct bridge_device device = bridge_generator_device(generator);
    assay_is_about_clause(check, "GEN-005");
    if (expect_that(check, device.status != ASSAY_OK || device.index >= 0,
                    "the device of a generator has an index", "its index is %d", device.index)) {
        assay_is_about_clause(check, "GEN-002");
        expect_device(check, device, second, "a new generator is on the requested device");
        assay_is_about_clause(check, "GEN-005");
    }
    require_ok(check, bridge_generator_has_key(generator, &has_key));
    expect_int(check, has_key, 1, "its key set contains PrivateUse1");
    bridge_generator_free(generator);
}

static void initial_seed_is_the_seed_that_was_set(struct assay_check *check)
{
    const uint64_t seeds[] = {0, 1, UINT64_C(1) << 63, UINT64_MAX};
    struct bridge_generator *generator = NULL;
    uint64_t initial_seed = 0;
    require_capability(check, "rng", bridge_generator_new(assay_device(check, 0), &generator));
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        require_ok(check, bridge_generator_set_seed(generator, seeds[i]));
        require_ok(check, bridge_generator_get_seed(generator, &initial_seed));
        expect_int(check, initial_seed, seeds[i],
                   "initial_seed is the seed that was set, all 64 bits");
    }
    bridge_generator_free(generator);
}

static void seed_returns_a_new_seed_each_time(struct assay_check *check)
{
    struct bridge_generator *generator = NULL;
    uint64_t first = 0, second = 0, initial_seed = 0;
    require_capability(check, "rng", bridge_generator_new(assay_device(check, 0), &generator));
    require_ok(check, bridge_generator_reseed(generator, &first));
    require_ok(check, bridge_generator_get_seed(generator, &initial_seed));
    expect_int(check, initial_seed, first, "seed() returns the seed it has set");
    require_ok(check, bridge_generator_reseed(generator, &second));
    expect_that(check, first != second, "two calls of seed() give different seeds",
                "both returned %" PRIu64, first);
    bridge_generator_free(generator);
}

const struct assay_check_row generator_object_checks[] = {
    {"generator.default_generator_exists", default_generator_exists},
    {"generator.default_generator_is_one_object_per_device",
     default_generator_is_one_object_per_device},
    {"generator.new_generator_is_on_the_requested_device",
     new_generator_is_on_the_requested_device},
    {"generator.initial_seed_is_the_seed_that_was_set", initial_seed_is_the_seed_that_was_set},
    {"generator.seed_returns_a_new_seed_each_time", seed_returns_a_new_seed_each_time},
    {0},
};
