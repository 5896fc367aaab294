/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table of dtypes from before #107586 and #116594, which asserts its length.
 */
#include <c10/core/ScalarType.h>

static_assert(static_cast<int>(c10::ScalarType::NumOptions) == 26, "c10::ScalarType has new members");
