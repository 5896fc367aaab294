/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Backend metadata with its faults.
 */
#pragma once

#include "backend_meta.h"

namespace fakedev
{

void save_faulty_marks(const at::Tensor &tensor, Marks &marks);
void load_faulty_marks(const at::Tensor &tensor, Marks &marks);

} // namespace fakedev
