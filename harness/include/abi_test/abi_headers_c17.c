/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiles the public headers as C17 with all warnings; the test is that this succeeds.
 */
#include "abi_layout.h"

extern const unsigned abi_headers_c17;
const unsigned abi_headers_c17 = ASSAY_ABI_MAJOR;
