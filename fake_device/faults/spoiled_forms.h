/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fault of attention that no dispatched operator shows: the choice is a DispatchStub.
 */
#pragma once

#include "spoil.h"

namespace fakedev
{

/* From now on attention takes the way that the CPU would take. */
void choose_attention_as_the_cpu();

} // namespace fakedev
