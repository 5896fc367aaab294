/* SPDX-License-Identifier: BSD-3-Clause
 *
 * complex64.
 */
#define REAL float
#define CLASS FD_CLASS_COMPLEX64
#define REAL_CLASS FD_CLASS_FLOAT32
#define TABLE fd_arith_complex64
#include "arith_complex.h"
