/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The checks opinfo.<operator>.<dtype> of a run as a matrix, and the operators that real models
 * use (suites/opinfo/models/used_operators.tsv). The notes of the checks are described in
 * suites/opinfo/README.md.
 */
#ifndef RP_OPERATOR_MATRIX_H
#define RP_OPERATOR_MATRIX_H

#include "arena.h"
#include "run_model.h"

/* Results of an operator, worst first. */
enum rp_answer {
    RP_ENDED,     /* the process died, or did not end before its deadline */
    RP_WRONG,     /* different from the CPU */
    RP_UNDECIDED, /* broken, blocked by something else, or not run */
    RP_REFUSED,   /* refused with a clear error, in some or all aspects */
    RP_BY_CPU,    /* right, computed by the CPU fallback */
    RP_COMPOSED,  /* right, composed of other operators by core */
    RP_NATIVE,    /* right, by kernels of the backend */
    RP_UNASKED,   /* the operator does not support the dtype, or no check reached the operator */
    RP_ANSWERS
};
extern const char *const rp_answer_names[RP_ANSWERS];

/* One aspect: "out", "gradients". Texts are untrusted. */
struct rp_aspect {
    const char *name, *verdict; /* "right", "wrong", "noted", "refused", "unasked" */
    const char *counts, *text;  /* "3/12"; the observation */
};

struct rp_operator_cell {
    const struct rp_check *check; /* NULL: not tested */
    enum rp_answer answer;
    const struct rp_aspect *aspects;
    size_t aspect_count;
};

struct rp_operator {
    const char *name;                     /* "nn.functional.conv2d" */
    const struct rp_operator_cell *cells; /* one per dtype */
};

/* An operator below autograd that models use. */
struct rp_used_operator {
    const char *name; /* "aten::add.Tensor" */
    long models, calls;
    enum rp_answer answer;
};

struct rp_operator_matrix {
    struct hn_arena *arena;
    struct hn_texts dtypes;
    const struct rp_operator *operators;
    size_t operator_count;
    size_t totals[RP_ANSWERS]; /* numbers of cells */
    const struct rp_used_operator *used;
    size_t used_count;
    long models, calls; /* sums over all models */
};

/* `used`: the text of the list of used operators, or NULL. Returns HN_EINPUT if the run tested
 * no operator. The run must outlive the matrix. The caller must always finish the matrix. */
int rp_operator_matrix_make(const struct rp_run *run, const char *used,
                            struct rp_operator_matrix *matrix, struct hn_error *error);
void rp_operator_matrix_finish(struct rp_operator_matrix *matrix);

/* Right results, by number of operators and by calls of the models. */
struct rp_coverage {
    size_t cells, right, used, used_right;
    long calls, calls_right;
};
struct rp_coverage rp_operator_coverage(const struct rp_operator_matrix *matrix);

/* 1: the result is right, whether from a kernel, from core or from the fallback. */
static inline int rp_answer_is_right(enum rp_answer answer)
{
    return answer == RP_BY_CPU || answer == RP_COMPOSED || answer == RP_NATIVE;
}

#endif
