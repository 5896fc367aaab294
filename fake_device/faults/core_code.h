/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults of PyTorch itself that Python code cannot cause.
 */
#pragma once

namespace fakedev
{

/* After this call, functions of PyTorch's C interface do nothing. */
void change_core_code();

/* After this call, the function that parses a device string for C extensions does nothing. */
void change_core_parsing();

/* After this call, operators that a C extension calls through the dispatcher are not called. */
void change_core_dispatcher();

} // namespace fakedev
