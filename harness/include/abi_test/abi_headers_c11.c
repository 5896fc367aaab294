/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The public headers as C11, with all warnings: compiling is the test.
 */
#include "abi_layout.h"

extern const unsigned abi_headers_c11;
const unsigned abi_headers_c11 = ASSAY_ABI_MAJOR;
