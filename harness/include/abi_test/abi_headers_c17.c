/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that the public headers compile as C17 with all warnings.
 */
#include "abi_layout.h"

extern const unsigned abi_headers_c17;
const unsigned abi_headers_c17 = ASSAY_ABI_MAJOR;
