/* SPDX-License-Identifier: BSD-3-Clause
 *
 * complex128.
 */
#define REAL double
#define CLASS FD_CLASS_COMPLEX128
#define REAL_CLASS FD_CLASS_FLOAT64
#define TABLE fd_arith_complex128
#include "arith_complex.h"
