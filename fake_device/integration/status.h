/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts a driver status to a C++ exception. Every file here that calls the driver uses check().
 *
 * Purpose: a vendor's error codes must reach the user as the exceptions that PyTorch documents. Out
 * of memory is c10::OutOfMemoryError (torch.OutOfMemoryError), an error that the device reports
 * asynchronously is c10::AcceleratorError (torch.AcceleratorError), and an invalid argument is
 * c10::Error (RuntimeError).
 * If this file is removed, error codes are ignored and the program continues with invalid data.
 * Serves: ALLOC-017, DEV-009, DEV-029, DEV-031, HOOK-025.
 */
#pragma once

#include <fakedev.h>

namespace fakedev
{

/* Throws for a negative status. `what` names the operation in the message and has static
 * storage. */
[[noreturn]] void throw_status(fd_status status, const char *what);

inline void check(fd_status status, const char *what)
{
    if (status != FD_OK)
        throw_status(status, what);
}

} // namespace fakedev
