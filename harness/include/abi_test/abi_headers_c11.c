/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiles the public headers as C11 with all warnings; the test is that this succeeds.
 */
#include "abi_layout.h"

extern const unsigned abi_headers_c11;
const unsigned abi_headers_c11 = ASSAY_ABI_MAJOR;
