/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Booleans: integers of value 0 and 1, so + is or, * is and; only "not" differs.
 */
#define T uint64_t
#define CLASS FD_CLASS_BOOL
#define WIDE FD_CLASS_BOOL
#define TABLE fd_arith_bool
#define NEGATIVE(x) 0
#define BITWISE_NOT(x) (!(x))
#include "arith_integer.h"
