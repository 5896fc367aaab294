// SPDX-License-Identifier: BSD-3-Clause
//
// The public headers as C++17, with all warnings: compiling is the test.
#include "abi_layout.h"

extern const unsigned abi_headers_cxx17;
const unsigned abi_headers_cxx17 = ASSAY_ABI_MAJOR;
