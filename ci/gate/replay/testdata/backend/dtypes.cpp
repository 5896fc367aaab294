/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fake backend's table of dtypes, which was complete when it was written.
 */
#include <c10/core/ScalarType.h>

static const int sizes[64] = {1, 1, 2, 4, 8, 2, 4, 8, 1, 2};

extern "C" int backend_dtype_size(int type)
{
    return sizes[type];
}
