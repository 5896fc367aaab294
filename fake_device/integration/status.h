/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Driver status -> C++ exception. Every file here that calls the driver uses check().
 *
 * For: a vendor's error codes must reach the user as the exceptions PyTorch documents: out of
 * memory as c10::OutOfMemoryError (torch.OutOfMemoryError), what the device reports late as
 * c10::AcceleratorError (torch.AcceleratorError), a bad argument as c10::Error (RuntimeError).
 * Without: integer codes are dropped and the program goes on with garbage.
 * Serves: ALLOC-017, DEV-009, DEV-029, DEV-031, HOOK-025.
 */
#pragma once

#include <fakedev.h>

namespace fakedev
{

/* Throws for a negative status. `what` names the operation for the message; static storage. */
[[noreturn]] void throw_status(fd_status status, const char *what);

inline void check(fd_status status, const char *what)
{
    if (status != FD_OK)
        throw_status(status, what);
}

} // namespace fakedev
