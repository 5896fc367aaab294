/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The hooks with their faults.
 */
#pragma once

#include "hooks.h"

namespace fakedev
{

at::PrivateUse1HooksInterface *make_faulty_hooks();

} // namespace fakedev
