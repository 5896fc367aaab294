/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests how PyTorch finds the kernel of a stub: the last registered kernel is called, and a missing
 * kernel raises an error. The check registers functions of the harness for abs_stub.
 */
#include "sample.h"

#include <string.h>

struct operands {
    struct bridge_tensor *in, *out;
};

static struct operands made(struct assay_check *check)
{
    const int64_t size = 4;
    const int32_t device = assay_device(check, 0);
    struct operands operands = {NULL, NULL};
    require_op(check, "aten::empty.memory_format",
               bridge_tensor_empty(&size, 1, BRIDGE_FLOAT, device, &operands.in));
    require_op(check, "aten::empty.memory_format",
               bridge_tensor_empty(&size, 1, BRIDGE_FLOAT, device, &operands.out));
    return operands;
}

static void finish(const struct operands *operands)
{
    bridge_stubs_put_back();
    bridge_tensor_free(operands->in);
    bridge_tensor_free(operands->out);
}

static void last_registered_kernel_is_called(struct assay_check *check)
{
    assay_need_any_kind(check);
    const struct operands operands = made(check);

    require_ok(check, bridge_stub_fill_abs(1));
    const int32_t status = bridge_stub_abs(operands.in, operands.out);
    expect_works(check, status, "an operator whose stub is set works");
    require_ok(check, bridge_stub_fill_abs(2));
    const int32_t then = bridge_stub_abs(operands.in, operands.out);
    expect_works(check, then, "an operator whose stub is set again works");
    finish(&operands);
    expect_int(check, bridge_stub_abs_calls(1), 1,
               "the last registered kernel of a stub is called");
    expect_int(check, bridge_stub_abs_calls(2), 1, "the kernel that was registered last is called");
}

static void missing_kernel_raises_an_error(struct assay_check *check)
{
    assay_need_any_kind(check);
    const struct operands operands = made(check);

    require_ok(check, bridge_stub_fill_abs(0));
    const int32_t status = bridge_stub_abs(operands.in, operands.out);
    const int said = strstr(bridge_error_text(), "missing kernel") != NULL;
    finish(&operands);
    expect_that(check, status != ASSAY_OK, "an operator whose stub is empty is refused",
                "at::abs raised nothing");
    expect_that(check, said, "the error says that a kernel is missing", "at::abs raised: %s",
                bridge_error_text());
}

const struct assay_check_row stub_table_checks[] = {
    {"stubs.last_registered_kernel_is_called", last_registered_kernel_is_called},
    {"stubs.missing_kernel_raises_an_error", missing_kernel_raises_an_error},
    {0},
};
