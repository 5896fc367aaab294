/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One launch of one kernel. The launching thread fills in the structure, and the stream's worker
 * receives a copy. Each kernel file has a public function that checks the shapes and a static
 * function that computes.
 */
#ifndef FD_KERNEL_H
#define FD_KERNEL_H

#include "dtype.h"
#include "tensor_walk.h"

struct fd_kernel {
    const char *name;                                 /* used in the trace and in messages */
    fd_status (*run)(const struct fd_kernel *kernel); /* called on the worker */
    int32_t tensors;
    /* tensor[0] is the output. In `run`, the data pointers are aliases */
    struct fd_tensor tensor[FD_MAX_OPERANDS];
    int64_t count; /* elements to compute: by default the number of elements of tensor[0] */
    int32_t op, dim, flag;
    /* the output may have stride 0, because all its elements are equal */
    int32_t may_overlap_itself;
    enum fd_class class; /* class in which the kernel computes */
    struct fd_scalar scalar[2];
    struct fd_random random;
};

/* Fills in name, run and tensors, and sets all other fields to zero. Fails unless each tensor is
 * present and well-formed: known dtype and dims, no negative size, no overflow of the number of
 * elements. */
fd_status fd_kernel_begin(struct fd_kernel *kernel, const char *name,
                          fd_status (*run)(const struct fd_kernel *kernel), int32_t tensors,
                          const struct fd_tensor *const *tensor);
/* Checks that all other tensors broadcast to the first. */
fd_status fd_kernel_check_broadcast(const struct fd_kernel *kernel);
/* Checks that tensor `index` has exactly this dtype. */
fd_status fd_kernel_check_dtype(const struct fd_kernel *kernel, int32_t index, fd_dtype dtype);
/* Checks that the device supports the dtypes, and that every byte lies in a live block that the
 * device may access. Replaces the data pointers by aliases. */
fd_status fd_kernel_map(struct fd_kernel *kernel, int32_t device);
/* Checks that every byte lies in a live block that the stream's device may access, and that the
 * output does not overlap itself. Then enqueues the kernel. If there are no elements, the call
 * succeeds and enqueues nothing. */
fd_status fd_kernel_launch(fd_stream *stream, struct fd_kernel *kernel);

#endif
