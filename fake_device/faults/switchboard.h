/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queries whether a fault is on. Used by every class and function in this folder.
 */
#pragma once

#include <fakedev_faults.h>

namespace fakedev
{

inline bool armed(const char *name)
{
    return fd_fault(name);
}

/* True after the static objects of this library are destroyed. */
bool statics_are_gone() noexcept;

} // namespace fakedev
