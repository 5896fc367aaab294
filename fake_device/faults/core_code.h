/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults of PyTorch itself that Python cannot make.
 */
#pragma once

namespace fakedev
{

/* From now on functions of PyTorch's C interface do nothing. */
void change_core_code();

/* From now on what parses a device string for extensions in C does nothing. */
void change_core_parsing();

/* From now on operators that an extension in C calls are not called. */
void change_core_dispatcher();

} // namespace fakedev
