/* SPDX-License-Identifier: BSD-3-Clause
 *
 * float32 and the 16-bit floats. The 16-bit floats are rounded when they are stored.
 */
#define T float
#define CLASS FD_CLASS_FLOAT32
#define TABLE fd_arith_float32
#include "arith_real.h"
