// SPDX-License-Identifier: BSD-3-Clause
//
// Tells whether an argument of an operator belongs to the backend. Used by the code that observes
// operator calls: bridge_means.cc and bridge_calls.cc.
#pragma once

namespace c10
{
struct IValue;
}

namespace bridge
{

// Returns true for a tensor or device of the backend, and for a list that contains one.
bool is_of_backend(const c10::IValue &value);

} // namespace bridge
