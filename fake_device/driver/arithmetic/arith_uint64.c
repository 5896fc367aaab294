/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All unsigned integers, computed in 64 bits.
 */
#define T uint64_t
#define CLASS FD_CLASS_UINT64
#define WIDE FD_CLASS_UINT64
#define TABLE fd_arith_uint64
#define NEGATIVE(x) 0
#define BITWISE_NOT(x) (~(x))
#include "arith_integer.h"
