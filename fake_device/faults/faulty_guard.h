/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The device guard with its faults.
 */
#pragma once

#include "device_guard.h"

namespace fakedev
{

c10::impl::DeviceGuardImplInterface *make_faulty_guard();

} // namespace fakedev
