/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fault of PyTorch itself that Python cannot make.
 */
#pragma once

namespace fakedev
{

/* From now on functions of PyTorch's C interface do nothing. */
void change_core_code();

} // namespace fakedev
