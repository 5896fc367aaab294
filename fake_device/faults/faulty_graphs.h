/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graphs with their faults.
 */
#pragma once

namespace fakedev
{

void register_faulty_graphs();

} // namespace fakedev
