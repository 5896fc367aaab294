/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that the public headers compile as C11 with all warnings.
 */
#include "abi_layout.h"

extern const unsigned abi_headers_c11;
const unsigned abi_headers_c11 = ASSAY_ABI_MAJOR;
