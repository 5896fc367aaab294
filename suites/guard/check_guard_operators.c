/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests operators and the current device. PyTorch generates no device guard for kernels of a
 * library outside PyTorch. Such a kernel runs while any device is current, and must not change the
 * current device.
 */
#include "refusal.h"
#include "sample.h"
#include "tensor_device.h"

#include <stdio.h>
#include <string.h>

enum { SIZE = 24 };

static const int64_t size = SIZE;

/* Returns a device tensor with the numbers first, first + 1, ... Even small backends compute in the
 * dtype of this tensor. */
static struct bridge_tensor *counting(struct assay_check *check, int32_t device, int first)
{
    float numbers[SIZE];
    struct bridge_tensor *here = NULL, *there = NULL;
    for (int i = 0; i < SIZE; i++)
        numbers[i] = (float)(first + i);
    require_ok(check,
               bridge_tensor_from_bytes(numbers, sizeof numbers, &size, 1, BRIDGE_FLOAT, &here));
    require_op(check, "aten::_copy_from", bridge_tensor_to(here, device, &there));
    bridge_tensor_free(here);
    return there;
}

/* Runs the operators of these checks while the tensor's own device is current. If the operators
 * work then, an exception while another device is current is no refusal. */
static void see_them_work(struct assay_check *check, int32_t device)
{
    float back[SIZE];
    require_ok(check, bridge_guard_set(device));
    struct bridge_tensor *const tensor = counting(check, device, 1);
    const struct bridge_value fill[] = {{.kind = BRIDGE_TENSOR, .tensor = tensor},
                                        {.kind = BRIDGE_INT, .integer = 7}};
    require_op(check, "aten::fill_.Scalar", bridge_call("aten::fill_.Scalar", fill, 2, NULL));
    require_op(check, "aten::_copy_from", bridge_tensor_read(tensor, back, sizeof back));
    bridge_tensor_free(tensor);
    assay_ask_special_case(check);
}

/* Copies between the devices twice: once while the source device is current, and once while the
 * destination device is current. */
static void link_leaves_current(struct assay_check *check, int32_t source, int32_t target)
{
    struct bridge_tensor *const here = counting(check, source, 1);
    const int32_t currents[] = {source, target};
    for (size_t i = 0; i < 2; i++) {
        struct bridge_tensor *there = NULL;
        require_ok(check, bridge_guard_set(currents[i]));
        require_op(check, "aten::_copy_from", bridge_tensor_to(here, target, &there));
        expect_device(check, bridge_guard_current(), currents[i],
                      "a copy between devices leaves the current device unchanged");
        bridge_tensor_free(there);
    }
    bridge_tensor_free(here);
}

static void copies_between_devices_keep_the_current_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    link_leaves_current(check, first, second);
    link_leaves_current(check, second, first);
}

static void operators_keep_the_current_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    float back[SIZE];
    see_them_work(check, second);
    require_ok(check, bridge_guard_set(first));
    struct bridge_tensor *const tensor = counting(check, second, 1);
    expect_device(check, bridge_guard_current(), first,
                  "a copy to a device leaves the current device unchanged");
    require_op(check, "aten::_copy_from", bridge_tensor_read(tensor, back, sizeof back));
    expect_device(check, bridge_guard_current(), first,
                  "a copy from a device leaves the current device unchanged");
    const struct bridge_value fill[] = {{.kind = BRIDGE_TENSOR, .tensor = tensor},
                                        {.kind = BRIDGE_INT, .integer = 7}};
    require_op(check, "aten::fill_.Scalar", bridge_call("aten::fill_.Scalar", fill, 2, NULL));
    expect_device(check, bridge_guard_current(), first,
                  "an operator leaves the current device unchanged");
    bridge_tensor_free(tensor);
    expect_device(check, bridge_guard_current(), first,
                  "freeing a tensor leaves the current device unchanged, too");
}

/* Reads a tensor of the second device while the first device is current. */
static void copies_are_exact_while_another_device_is_current(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    float back[SIZE] = {0}, expected[SIZE];
    see_them_work(check, second);
    require_ok(check, bridge_guard_set(first));
    struct bridge_tensor *const tensor = counting(check, second, 1);
    for (int i = 0; i < SIZE; i++)
        expected[i] = (float)(1 + i);
    require_op(check, "aten::_copy_from", bridge_tensor_read(tensor, back, sizeof back));
    expect_bytes(check, back, expected, sizeof back, "copies work with another device current");
    bridge_tensor_free(tensor);
}

static void fill_sets_values_while_another_device_is_current(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    float back[SIZE] = {0}, expected[SIZE];
    see_them_work(check, second);
    require_ok(check, bridge_guard_set(first));
    struct bridge_tensor *const tensor = counting(check, second, 1);
    const struct bridge_value fill[] = {{.kind = BRIDGE_TENSOR, .tensor = tensor},
                                        {.kind = BRIDGE_INT, .integer = 7}};
    require_op(check, "aten::fill_.Scalar", bridge_call("aten::fill_.Scalar", fill, 2, NULL));
    require_op(check, "aten::_copy_from", bridge_tensor_read(tensor, back, sizeof back));
    for (int i = 0; i < SIZE; i++)
        expected[i] = 7;
    expect_bytes(check, back, expected, sizeof back, "fill_ works with another device current");
    bridge_tensor_free(tensor);
}

/* Grows an empty tensor. Other checks test that contents survive. */
static void resize_keeps_its_device_while_another_is_current(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    const int64_t none = 0, larger = 4096;
    struct bridge_tensor *tensor = NULL;
    assay_need_any_kind(check);
    require_ok(check, bridge_guard_set(first));
    require_ok(check, bridge_tensor_empty(&none, 1, BRIDGE_UINT8, second, &tensor));
    const struct bridge_value resize[] = {{.kind = BRIDGE_TENSOR, .tensor = tensor},
                                          {.kind = BRIDGE_INTS, .ints = &larger, .count = 1}};
    require_op(check, "aten::resize_", bridge_call("aten::resize_", resize, 2, NULL));
    expect_on_device(check, tensor, second,
                     "resize_ keeps a tensor and its new elements on its device");
    expect_device(check, bridge_guard_current(), first,
                  "resize_ leaves the current device unchanged");
    bridge_tensor_free(tensor);
}

/* Calls of factories that must raise an exception. Other checks test whether these calls raise. */
static void make_negative(int32_t device, struct bridge_tensor **tensor)
{
    const int64_t negative = -1;
    (void)bridge_tensor_empty(&negative, 1, BRIDGE_UINT8, device, tensor);
}

static void make_strided_backwards(int32_t device, struct bridge_tensor **tensor)
{
    const int64_t sizes[] = {3}, strides[] = {-1};
    const struct bridge_value strided[] = {{.kind = BRIDGE_INTS, .ints = sizes, .count = 1},
                                           {.kind = BRIDGE_INTS, .ints = strides, .count = 1},
                                           {.kind = BRIDGE_INT, .integer = BRIDGE_UINT8},
                                           {.kind = BRIDGE_NONE},
                                           {.kind = BRIDGE_DEVICE, .integer = device}};
    (void)bridge_call("aten::empty_strided", strided, 5, tensor);
}

static void make_too_large(int32_t device, struct bridge_tensor **tensor)
{
    const int64_t beyond = (INT64_C(1) << 46) + 4096;
    (void)bridge_tensor_empty(&beyond, 1, BRIDGE_UINT8, device, tensor);
}

/* The last factory may leak memory (ALLOC-018), so the device is not used after it. */
static void failing_operator_keeps_the_current_device(struct assay_check *check)
{
    static const struct {
        const char *name;
        void (*make)(int32_t device, struct bridge_tensor **tensor);
    } makers[] = {{"empty of -1 elements", make_negative},
                  {"empty_strided with a stride of -1", make_strided_backwards},
                  {"empty of more memory than the device has", make_too_large}};
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    require_ok(check, bridge_guard_set(first));
    const struct bridge_stream before = bridge_stream_current(first);
    require_ok(check, before.status);
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        struct bridge_tensor *tensor = NULL;
        char device[160], stream[160];
        makers[i].make(second, &tensor);
        bridge_tensor_free(tensor);
        snprintf(device, sizeof device, "%s on device %d does not change the current device %d",
                 makers[i].name, second, first);
        snprintf(stream, sizeof stream,
                 "%s on device %d does not change the current stream of device %d", makers[i].name,
                 second, first);
        expect_device(check, bridge_guard_current(), first, device);
        expect_int(check, bridge_stream_current(first).id, before.id, stream);
    }
}

const struct assay_check_row guard_operators_checks[] = {
    {"guard.operators_keep_the_current_device", operators_keep_the_current_device},
    {"guard.copies_between_devices_keep_the_current_device",
     copies_between_devices_keep_the_current_device},
    {"guard.copies_are_exact_while_another_device_is_current",
     copies_are_exact_while_another_device_is_current},
    {"guard.fill_sets_values_while_another_device_is_current",
     fill_sets_values_while_another_device_is_current},
    {"guard.resize_keeps_its_device_while_another_is_current",
     resize_keeps_its_device_while_another_is_current},
    {"guard.failing_operator_keeps_the_current_device", failing_operator_keeps_the_current_device},
    {0},
};
