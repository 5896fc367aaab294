/* SPDX-License-Identifier: BSD-3-Clause
 *
 * _C: the c10d backend of the device around one for the CPU. Both are the Backend objects that
 * torch.distributed knows; no class of our own appears in Python.
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
