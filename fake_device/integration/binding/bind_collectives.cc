/* SPDX-License-Identifier: BSD-3-Clause
 *
 * _C: creates the device's c10d backend from a backend for the CPU. Both backends are Backend
 * objects of torch.distributed, so Python needs no additional class.
 */
#include "module.h"

#include "collectives.h"

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>

namespace fakedev
{

void bind_collectives(pybind11::module &module)
{
    module.def("collective_backend", &collective_backend);
}

} // namespace fakedev
