/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A module for kernel_module_test.c: out[i] = in[i] * factor for `count` elements. The kernel
 * fails if the factor is negative.
 */
#include "fakedev_kernels.h"

#include <stdio.h>

static int scale(void *const *arguments, char *text, size_t size)
{
    float *out = arguments[0];
    const float *in = arguments[1];
    const double factor = *(const double *)arguments[2];
    const int64_t count = *(const int64_t *)arguments[3];
    if (factor < 0) {
        (void)snprintf(text, size, "the factor is %g", factor);
        return 1;
    }
    for (int64_t i = 0; i < count; i++)
        out[i] = (float)(in[i] * factor);
    return 0;
}

FD_API const struct fd_module fakedev_module = {"scale", scale};
