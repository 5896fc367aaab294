/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Booleans: integers of value 0 and 1, so * is and. True and true is true, also where the result is
 * stored as an integer.
 */
#define T uint64_t
#define CLASS FD_CLASS_BOOL
#define WIDE FD_CLASS_BOOL
#define TABLE fd_arith_bool
#define NEGATIVE(x) 0
#define ADD(x, y) ((x) | (y))
#define BITWISE_NOT(x) (!(x))
#include "arith_integer.h"
