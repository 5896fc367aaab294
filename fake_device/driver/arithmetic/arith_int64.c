/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All signed integers, computed in 64 bits.
 */
#define T int64_t
#define CLASS FD_CLASS_INT64
#define WIDE FD_CLASS_INT64
#define TABLE fd_arith_int64
#define NEGATIVE(x) ((x) < 0)
#define BITWISE_NOT(x) (~(x))
#include "arith_integer.h"
