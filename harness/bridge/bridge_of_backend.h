// SPDX-License-Identifier: BSD-3-Clause
//
// Whether an argument of an operator is of the backend, for those who look at its calls: bridge_means.cc and
// bridge_calls.cc.
#pragma once

namespace c10
{
struct IValue;
}

namespace bridge
{

// A tensor, a device, or a list that has one of them.
bool is_of_backend(const c10::IValue &value);

} // namespace bridge
