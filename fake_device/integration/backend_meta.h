/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions for a tensor's backend metadata in torch.save and torch.load; see backend_meta.cc.
 */
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <unordered_map>

namespace fakedev
{

using Marks = std::unordered_map<std::string, bool>;

void save_marks(const at::Tensor &tensor, Marks &marks);
void load_marks(const at::Tensor &tensor, Marks &marks);

} // namespace fakedev
