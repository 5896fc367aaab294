/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Booleans are integers with value 0 or 1, so that `*` is logical and. If the result is stored as
 * an integer, true & true is still 1.
 */
#define T uint64_t
#define CLASS FD_CLASS_BOOL
#define WIDE FD_CLASS_BOOL
#define TABLE fd_arith_bool
#define NEGATIVE(x) 0
#define ADD(x, y) ((x) | (y))
#define BITWISE_NOT(x) (!(x))
#include "arith_integer.h"
