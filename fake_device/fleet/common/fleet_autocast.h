/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators that change dtype inside of torch.autocast. PyTorch's macros define the lists.
 */
#ifndef FLEET_AUTOCAST_H
#define FLEET_AUTOCAST_H

#include "fleet_tensors.h"

namespace fleet
{

/* Registers PyTorch's lists; `left_out` has names such as "aten::exp". */
void implement_autocast(torch::Library &library, const Names &left_out);

} // namespace fleet

#endif
