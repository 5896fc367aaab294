/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fakedev kernels: arithmetic on device memory. Every launch is asynchronous on `stream`, copies
 * its descriptors, and checks shapes, types and block bounds before it returns. A tensor must be in
 * device memory of the stream's device (or of a peer with access) or in pinned host memory.
 */
#ifndef FAKEDEV_KERNELS_H
#define FAKEDEV_KERNELS_H

#include "fakedev.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FD_MAX_DIMS 8

typedef int32_t fd_dtype;
#define FD_UINT8 0
#define FD_INT8 1
#define FD_INT16 2
#define FD_INT32 3
#define FD_INT64 4
#define FD_FLOAT16 5
#define FD_FLOAT32 6
#define FD_FLOAT64 7
#define FD_COMPLEX64 8
#define FD_COMPLEX128 9
#define FD_BOOL 10
#define FD_BFLOAT16 11
#define FD_UINT16 12
#define FD_UINT32 13
#define FD_UINT64 14
#define FD_DTYPE_COUNT 15

FD_API size_t fd_dtype_size(fd_dtype dtype); /* 0 for an unknown dtype */

/* A strided view. Strides count elements. Strides of inputs may be 0 (broadcast) or negative. */
struct fd_tensor {
    void *data;
    fd_dtype dtype;
    int32_t dims; /* 0 to FD_MAX_DIMS */
    int64_t sizes[FD_MAX_DIMS];
    int64_t strides[FD_MAX_DIMS];
};

/* A complex scalar uses both floating-point fields. An integer beyond 2^53 is stored in `integer`,
 * with is_integer set. */
struct fd_scalar {
    double real, imaginary;
    int64_t integer;
    int32_t is_integer;
};

/* Inputs broadcast against `out` (missing leading dims, size 1). `out` has the shape of the
 * result. Only fill accepts an `out` that overlaps itself (stride 0). */
FD_API fd_status fd_kernel_fill(fd_stream *stream, const struct fd_tensor *out,
                                struct fd_scalar value);
/* Copies from any dtype to any other. Conversions follow C where C defines them, otherwise
 * PyTorch's CPU kernels. */
FD_API fd_status fd_kernel_copy(fd_stream *stream, const struct fd_tensor *out,
                                const struct fd_tensor *in);

typedef int32_t fd_unary_op;
#define FD_NEG 0
#define FD_ABS 1 /* complex input with real output is allowed */
#define FD_EXP 2
#define FD_LOG 3
#define FD_SQRT 4
#define FD_RSQRT 5
#define FD_SIN 6
#define FD_COS 7
#define FD_TANH 8
#define FD_SIGMOID 9
#define FD_RELU 10
#define FD_RECIPROCAL 11
#define FD_FLOOR 12
#define FD_CEIL 13
#define FD_TRUNC 14
#define FD_ROUND 15 /* half to even */
#define FD_SIGN 16
#define FD_LOGICAL_NOT 17 /* out is bool */
#define FD_BITWISE_NOT 18
#define FD_IS_FINITE 19 /* out is bool */
#define FD_CONJ 20
#define FD_ERF 21
#define FD_UNARY_COUNT 22
FD_API fd_status fd_kernel_unary(fd_stream *stream, fd_unary_op op, const struct fd_tensor *out,
                                 const struct fd_tensor *in);

typedef int32_t fd_binary_op;
#define FD_ADD 0
#define FD_SUB 1
#define FD_MUL 2
#define FD_DIV 3 /* true division, floating or complex only */
#define FD_DIV_TRUNC 4
#define FD_DIV_FLOOR 5
#define FD_REMAINDER 6 /* result has the sign of the divisor, as in Python */
#define FD_FMOD 7      /* result has the sign of the dividend, as in C */
#define FD_POW 8       /* floating only */
#define FD_MAXIMUM 9   /* NaN propagates */
#define FD_MINIMUM 10
#define FD_ATAN2 11
#define FD_BITWISE_AND 12
#define FD_BITWISE_OR 13
#define FD_BITWISE_XOR 14
#define FD_EQ 15 /* comparisons and logic: out is bool */
#define FD_NE 16
#define FD_LT 17
#define FD_LE 18
#define FD_GT 19
#define FD_GE 20
#define FD_LOGICAL_AND 21
#define FD_LOGICAL_OR 22
#define FD_LOGICAL_XOR 23
#define FD_BINARY_COUNT 24
/* a and b must have the same dtype. The operation is computed in this dtype (16-bit floats: in
 * float32), and the result is cast to out's dtype. Operations that do not exist for integers
 * (FD_DIV, FD_ATAN2, and unary operations such as FD_EXP) are computed in out's dtype, which must
 * be floating. An integer division by zero is reported asynchronously as FD_ERROR_KERNEL. */
FD_API fd_status fd_kernel_binary(fd_stream *stream, fd_binary_op op, const struct fd_tensor *out,
                                  const struct fd_tensor *a, const struct fd_tensor *b);
/* out = a + alpha * (b * c): addcmul and fused updates. Each step is rounded, as on the CPU. */
FD_API fd_status fd_kernel_addcmul(fd_stream *stream, const struct fd_tensor *out,
                                   const struct fd_tensor *a, const struct fd_tensor *b,
                                   const struct fd_tensor *c, struct fd_scalar alpha);
/* out = a + alpha * (b / c). Complex numbers are not supported. */
FD_API fd_status fd_kernel_addcdiv(fd_stream *stream, const struct fd_tensor *out,
                                   const struct fd_tensor *a, const struct fd_tensor *b,
                                   const struct fd_tensor *c, struct fd_scalar alpha);
/* condition is bool */
FD_API fd_status fd_kernel_where(fd_stream *stream, const struct fd_tensor *out,
                                 const struct fd_tensor *condition, const struct fd_tensor *a,
                                 const struct fd_tensor *b);

typedef int32_t fd_reduce_op;
#define FD_SUM 0
#define FD_PROD 1
#define FD_MEAN 2
#define FD_MAX 3 /* NaN propagates */
#define FD_MIN 4
#define FD_ALL 5 /* 0 or 1 in out's dtype. PyTorch uses uint8 for a uint8 input, else bool */
#define FD_ANY 6 /* result as for FD_ALL */
#define FD_ARGMAX                                                                                  \
    7 /* out is int64: index along the single reduced dim, or flat if all are reduced */
#define FD_ARGMIN 8
#define FD_REDUCE_COUNT 9
/* `out` keeps the reduced dims with size 1. Sum and mean are computed pairwise in double. An
 * empty max, min, argmax or argmin returns FD_ERROR_INVALID_VALUE. */
FD_API fd_status fd_kernel_reduce(fd_stream *stream, fd_reduce_op op, const struct fd_tensor *out,
                                  const struct fd_tensor *in);
/* Inclusive sum along dim. */
FD_API fd_status fd_kernel_cumsum(fd_stream *stream, const struct fd_tensor *out,
                                  const struct fd_tensor *in, int32_t dim);

/* out[b] = beta * out[b] + alpha * a[b] @ b[b], for 2 dims, or for 3 dims with equal batch sizes.
 * Computed in tiles. If beta is 0, the old contents of `out` are not read, so that a NaN in `out`
 * does not propagate. */
FD_API fd_status fd_kernel_matmul(fd_stream *stream, const struct fd_tensor *out,
                                  const struct fd_tensor *a, const struct fd_tensor *b,
                                  struct fd_scalar alpha, struct fd_scalar beta);

/* Index tensors are int32 or int64. An index out of bounds is reported as FD_ERROR_INDEX at the
 * next synchronising call, and the affected elements are not written. In fd_kernel_index and
 * fd_kernel_index_put, negative indices count from the end. In the other kernels, negative indices
 * are out of bounds, as in PyTorch. */
/* out[..., i, ...] = in[..., index[i], ...] along dim */
FD_API fd_status fd_kernel_index_select(fd_stream *stream, const struct fd_tensor *out,
                                        const struct fd_tensor *in, int32_t dim,
                                        const struct fd_tensor *index);
/* torch.gather: out[i][j] = in[index[i][j]][j] for dim 0 */
FD_API fd_status fd_kernel_gather(fd_stream *stream, const struct fd_tensor *out,
                                  const struct fd_tensor *in, int32_t dim,
                                  const struct fd_tensor *index);
/* out[index[i][j]][j] = in[i][j], or += if `accumulate` is set. `out` is updated in place. */
FD_API fd_status fd_kernel_scatter(fd_stream *stream, const struct fd_tensor *out, int32_t dim,
                                   const struct fd_tensor *index, const struct fd_tensor *in,
                                   int32_t accumulate);
/* Advanced indexing: `count` index tensors address the leading dims of `in`; NULL selects a whole
 * dim. All non-NULL indices broadcast to one shape. Computes out = in[indices]. The caller permutes
 * the tensor so that the non-NULL indices are adjacent and come first. */
FD_API fd_status fd_kernel_index(fd_stream *stream, const struct fd_tensor *out,
                                 const struct fd_tensor *in, const struct fd_tensor *const *indices,
                                 int32_t count);
/* out[indices] = in, or += if `accumulate` is set */
FD_API fd_status fd_kernel_index_put(fd_stream *stream, const struct fd_tensor *out,
                                     const struct fd_tensor *const *indices, int32_t count,
                                     const struct fd_tensor *in, int32_t accumulate);
/* out[i] = start + i * step; `out` has one dim */
FD_API fd_status fd_kernel_arange(fd_stream *stream, const struct fd_tensor *out,
                                  struct fd_scalar start, struct fd_scalar step);

/* Random fills. Element i (in row-major order of out) depends only on (random, i), so the result
 * is independent of strides and threads. Each launch consumes fd_kernel_random_blocks(elements)
 * blocks, and the caller advances its generator by that number. */
typedef int32_t fd_random_op;
#define FD_UNIFORM 0   /* [low, high) */
#define FD_NORMAL 1    /* mean `low`, standard deviation `high` */
#define FD_BERNOULLI 2 /* 1 with probability `low` */
/* integers in [low, high), modulo 2^64; equal bounds mean the full range of 2^64 */
#define FD_INTEGER 3
#define FD_EXPONENTIAL 4 /* rate `low` */
#define FD_RANDOM_COUNT 5
FD_API uint64_t fd_kernel_random_blocks(int64_t elements);
FD_API fd_status fd_kernel_random(fd_stream *stream, fd_random_op op, const struct fd_tensor *out,
                                  struct fd_random random, struct fd_scalar low,
                                  struct fd_scalar high);
/* Writes a random permutation of 0..n-1 into a one-dim int64 tensor. */
FD_API fd_status fd_kernel_randperm(fd_stream *stream, const struct fd_tensor *out,
                                    struct fd_random random);

/* ---- modules: kernels that a compiler made outside the driver --------------------------------- */

#define FD_MODULE_ARGUMENTS 500
#define FD_MODULE_SYMBOL "fakedev_module"

/* A module is a shared object that exports one structure of this type as FD_MODULE_SYMBOL. */
struct fd_module {
    const char *name; /* of the kernel; used in the trace and in messages */
    /* Runs on the stream's worker. arguments[i] points to the memory of a tensor, as kernels see
     * it, or to a copy of a value. Returns 0, or another number after it has written the reason
     * to `text` (`size` bytes). */
    int (*run)(void *const *arguments, char *text, size_t size);
};

struct fd_argument {
    const struct fd_tensor *tensor; /* NULL: the argument is the value */
    unsigned char value[8];
};

/* Loads the module from the file `path` and launches its kernel. Tensors are checked as for the
 * driver's own kernels. A module is never unloaded. A kernel that does not return 0 is reported
 * asynchronously as FD_ERROR_KERNEL. Returns FD_ERROR_INVALID_VALUE if the file is no module. */
FD_API fd_status fd_module_launch(fd_stream *stream, const char *path,
                                  const struct fd_argument *arguments, int32_t count);

#ifdef __cplusplus
}
#endif
#endif
