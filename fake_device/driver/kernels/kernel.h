/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One launch of one kernel: what the launching thread fills in and the stream's worker gets a copy
 * of. A kernel's file has a public function that checks the shapes and a static one that computes.
 */
#ifndef FD_KERNEL_H
#define FD_KERNEL_H

#include "dtype.h"
#include "tensor_walk.h"

struct fd_kernel {
    const char *name;                                 /* for the trace and for messages */
    fd_status (*run)(const struct fd_kernel *kernel); /* on the worker */
    int32_t tensors;
    struct fd_tensor tensor[FD_MAX_OPERANDS]; /* tensor[0] is written; data are aliases in `run` */
    int64_t count; /* elements of work; of tensor[0] unless a kernel says otherwise */
    int32_t op, dim, flag;
    int32_t may_overlap_itself; /* the output may have stride 0: all its elements are equal */
    enum fd_class class;        /* in which it is computed */
    struct fd_scalar scalar[2];
    struct fd_random random;
};

/* Fills in name, run and tensors; each must be there and be well-formed: dtype and dims known, no
 * negative size, no overflow of the number of elements. The rest is zero. */
fd_status fd_kernel_begin(struct fd_kernel *kernel, const char *name,
                          fd_status (*run)(const struct fd_kernel *kernel), int32_t tensors,
                          const struct fd_tensor *const *tensor);
/* All tensors but the first broadcast against the first. */
fd_status fd_kernel_check_broadcast(const struct fd_kernel *kernel);
/* Tensor `index` has exactly this dtype. */
fd_status fd_kernel_check_dtype(const struct fd_kernel *kernel, int32_t index, fd_dtype dtype);
/* Checks that every byte lies in a live block that the stream's device may touch and that the
 * output does not overlap itself; enqueues. With no work it only succeeds. */
fd_status fd_kernel_launch(fd_stream *stream, struct fd_kernel *kernel);

#endif
