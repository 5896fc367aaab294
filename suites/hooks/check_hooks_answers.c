/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests whether hooks are registered, and whether they report the device as built, available, in
 * use.
 */
#include "expect.h"
#include "sample.h"

/* If no hooks are registered, PyTorch raises the same message in all checks that need hooks, so the
 * report shows their failures under one cause. */
static void are_registered(struct assay_check *check)
{
    int32_t built = 0;
    if (!bridge_hooks_registered())
        require_ok(check, bridge_hooks_is_built(&built));
}

/* expect_ok is not used: it accepts a refusal by the base class, which here is the violation. */
static void is_built_returns_true(struct assay_check *check)
{
    int32_t built = 0;
    if (expect_works(check, bridge_hooks_is_built(&built), "isBuilt never raises"))
        expect_int(check, built, 1, "isBuilt is true for registered hooks");
}

static void is_available_returns_true(struct assay_check *check)
{
    int32_t available = 0;
    if (expect_works(check, bridge_hooks_is_available(&available), "isAvailable never raises"))
        expect_int(check, available, 1, "isAvailable is true if a device can be used");
}

/* Returns hasPrimaryContext. If the backend refuses the call, the check ends. */
static int has_context(struct assay_check *check, int32_t device)
{
    int32_t has_primary = 0;
    require_ok(check, bridge_hooks_has_context(device, &has_primary));
    return has_primary;
}

static void is_available_creates_no_context(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const int before = has_context(check, device);
    int32_t available = 0;
    require_ok(check, bridge_hooks_is_available(&available));
    expect_int(check, has_context(check, device), before,
               "isAvailable does not change hasPrimaryContext");
}

static void use(struct assay_check *check, int32_t device)
{
    struct bridge_tensor *here = NULL, *there = NULL, *back = NULL;
    require_ok(check, assay_sample_made(check, BRIDGE_FLOAT, 3, &here));
    require_op(check, "aten::_copy_from", bridge_tensor_to(here, device, &there));
    require_op(check, "aten::_copy_from", bridge_tensor_to(there, BRIDGE_CPU, &back));
    bridge_tensor_free(back);
    bridge_tensor_free(there);
    bridge_tensor_free(here);
}

static void primary_context_exists_after_first_use(struct assay_check *check)
{
    for (uint32_t i = 0; i < check->device_count; i++) {
        const int32_t device = assay_device(check, i);
        int32_t has_primary = 0;

        use(check, device);
        if (expect_works(check, bridge_hooks_has_context(device, &has_primary),
                         "hasPrimaryContext works for a device in use")) {
            expect_int(check, has_primary, 1, "hasPrimaryContext is true for a device in use");
        }
    }
}

static void missing_device_has_no_primary_context(struct assay_check *check)
{
    int32_t count = 0, has_primary = 0;
    (void)has_context(check, assay_device(check, 0));
    require_ok(check, bridge_guard_count(&count));
    if (count > INT8_MAX)
        assay_skip(check, "multi_device", "every index belongs to a device");
    if (bridge_hooks_has_context(count, &has_primary) == ASSAY_OK)
        expect_int(check, has_primary, 0, "a device that does not exist has no context");
}

/* PyTorch calls init() before pinned memory and generators, also while tensors are in use. */
static void init_does_not_raise_after_the_first_tensor(struct assay_check *check)
{
    use(check, assay_device(check, 0));
    expect_ok(check, bridge_hooks_init());
}

const struct assay_check_row hooks_answers_checks[] = {
    {"hooks.are_registered", are_registered},
    {"hooks.is_built_returns_true", is_built_returns_true},
    {"hooks.is_available_returns_true", is_available_returns_true},
    {"hooks.is_available_creates_no_context", is_available_creates_no_context},
    {"hooks.primary_context_exists_after_first_use", primary_context_exists_after_first_use},
    {"hooks.missing_device_has_no_primary_context", missing_device_has_no_primary_context},
    {"hooks.init_does_not_raise_after_the_first_tensor",
     init_does_not_raise_after_the_first_tensor},
    {0},
};
