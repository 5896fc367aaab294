/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each file of this folder adds to torch_fakedev._C.
 */
#pragma once

#include <pybind11/pybind11.h>

namespace fakedev
{

void bind_collectives(pybind11::module &module);
void bind_device(pybind11::module &module);
void bind_random(pybind11::module &module);

} // namespace fakedev
