/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fault of attention that no dispatched operator can show, because a DispatchStub makes the
 * choice.
 */
#pragma once

#include "spoil.h"

namespace fakedev
{

/* After this call, attention uses the implementation that the CPU would choose. */
void choose_attention_as_the_cpu();

} // namespace fakedev
