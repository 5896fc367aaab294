/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels whose output size depends on the data: positions and values of the elements that a bool
 * mask selects, in row-major order. The caller counts these elements first (FD_SUM of the mask to
 * int64), and the size of `out` in dim 0 is this number.
 */
#ifndef FAKEDEV_SELECT_H
#define FAKEDEV_SELECT_H

#include "fakedev_kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `out` is int64 and has one column per dim of the mask. */
FD_API fd_status fd_kernel_nonzero(fd_stream *stream, const struct fd_tensor *out,
                                   const struct fd_tensor *mask);
/* `out` has one dim. `in` broadcasts to the mask. */
FD_API fd_status fd_kernel_masked_select(fd_stream *stream, const struct fd_tensor *out,
                                         const struct fd_tensor *mask, const struct fd_tensor *in);

#ifdef __cplusplus
}
#endif

#endif
