/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the current device that guard and hooks report, and the device of an address.
 */
#include "expect.h"
#include "sample.h"

/* The base class does not refuse this call: its deviceCount() returns 0. */
static void device_count_agrees_with_the_guard(struct assay_check *check)
{
    int32_t guards = 0, hooks = 0;
    require_ok(check, bridge_guard_count(&guards));
    require_ok(check, bridge_hooks_count(&hooks));
    expect_int(check, hooks, guards, "the hooks count as many devices as the guard");
}

/* Expects that guard and hooks report the same device. */
static void expect_both(struct assay_check *check, int32_t device, const char *what)
{
    int32_t current = -1;
    expect_device(check, bridge_guard_current(), device, what);
    if (expect_ok(check, bridge_hooks_current(&current)))
        expect_int(check, current, device, what);
}

static void current_device_agrees_with_the_guard(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    int32_t previous = -1;
    require_ok(check, bridge_guard_set(second));
    expect_both(check, second, "a device set by the guard is current for guard and hooks");
    require_ok(check, bridge_hooks_set(first));
    expect_both(check, first, "a device set by the hooks is current for guard and hooks");
    require_ok(check, bridge_hooks_exchange(second, &previous));
    expect_int(check, previous, first, "exchangeDevice of the hooks returns the previous device");
    expect_both(check, second, "a device exchanged by the hooks is current for guard and hooks");
    expect_device(check, bridge_guard_exchange(first), second,
                  "the guard's exchangeDevice returns the device set by the hooks");
}

static void exchange_with_a_negative_index_changes_nothing(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    int32_t previous = -1;
    require_ok(check, bridge_guard_set(first));
    require_ok(check, bridge_hooks_maybe_exchange(second, &previous));
    expect_int(check, previous, first, "maybeExchangeDevice returns the previous device");
    expect_device(check, bridge_guard_current(), second,
                  "maybeExchangeDevice switches the current device");
    require_ok(check, bridge_hooks_maybe_exchange(-1, &previous));
    expect_int(check, previous, second, "maybeExchangeDevice(-1) returns the current device");
    expect_device(check, bridge_guard_current(), second,
                  "maybeExchangeDevice(-1) does not change the current device");
    require_ok(check, bridge_hooks_maybe_exchange(first, &previous));
    expect_int(check, previous, second, "maybeExchangeDevice back returns the previous device");
    expect_device(check, bridge_guard_current(), first,
                  "maybeExchangeDevice switches the current device back to the first device");
}

/* Expects this device for an address. If the backend finds the device of no address, it lacks the
 * capability. */
static void expect_owner(struct assay_check *check, const void *address, int32_t owner,
                         const char *what)
{
    struct bridge_device seen = {0};
    require_capability(check, "memory.from_ptr", bridge_hooks_device_of((void *)address, &seen));
    expect_device(check, seen, owner, what);
}

static struct bridge_tensor *new_tensor(struct assay_check *check, int32_t device,
                                        struct bridge_tensor_facts *facts)
{
    struct bridge_tensor *tensor = NULL;
    require_op(check, "aten::empty.memory_format",
               assay_sample_empty(check, BRIDGE_FLOAT, 256, device, &tensor));
    require_ok(check, bridge_tensor_describe(tensor, facts));
    if (!facts->data)
        assay_skip(check, "storage", "a tensor has no address");
    return tensor;
}

static void get_device_from_ptr_finds_the_device(struct assay_check *check)
{
    for (uint32_t i = 0; i < check->device_count; i++) {
        const int32_t device = assay_device(check, i);
        struct bridge_tensor_facts facts = {0};
        struct bridge_tensor *const tensor = new_tensor(check, device, &facts);

        require_ok(check, bridge_guard_set(assay_device(check, 0)));
        expect_owner(check, facts.data, device, "an address is on the device of its tensor");
        expect_owner(check, (const char *)facts.data + facts.bytes / 2, device,
                     "an address inside a tensor is on the tensor's device");
        bridge_tensor_free(tensor);
    }
}

static void get_device_from_ptr_rejects_host_pointers(struct assay_check *check)
{
    struct bridge_device seen = {0};
    struct bridge_tensor_facts facts = {0};
    struct bridge_tensor *const tensor = new_tensor(check, assay_device(check, 0), &facts);
    char here[64];
    expect_owner(check, facts.data, assay_device(check, 0), "an address is on its tensor's device");
    expect_absent(check, bridge_hooks_device_of(here, &seen),
                  "getDeviceFromPtr of an address of the host raises");
    expect_absent(check, bridge_hooks_device_of(NULL, &seen), "getDeviceFromPtr of null raises");
    bridge_tensor_free(tensor);
}

const struct assay_check_row hooks_device_checks[] = {
    {"hooks.device_count_agrees_with_the_guard", device_count_agrees_with_the_guard},
    {"hooks.current_device_agrees_with_the_guard", current_device_agrees_with_the_guard},
    {"hooks.exchange_with_a_negative_index_changes_nothing",
     exchange_with_a_negative_index_changes_nothing},
    {"hooks.get_device_from_ptr_finds_the_device", get_device_from_ptr_finds_the_device},
    {"hooks.get_device_from_ptr_rejects_host_pointers", get_device_from_ptr_rejects_host_pointers},
    {0},
};
