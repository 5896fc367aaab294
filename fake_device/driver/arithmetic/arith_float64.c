/* SPDX-License-Identifier: BSD-3-Clause
 *
 * float64.
 */
#define T double
#define CLASS FD_CLASS_FLOAT64
#define TABLE fd_arith_float64
#include "arith_real.h"
