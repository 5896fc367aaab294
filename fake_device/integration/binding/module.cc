/* SPDX-License-Identifier: BSD-3-Clause
 *
 * torch_fakedev._C: functions that the Python package needs and that PyTorch's Python API lacks. No
 * other part of the fake device links Python. Each file of this folder adds its functions.
 */
#include "module.h"

PYBIND11_MODULE(_C, module)
{
    module.doc() = "Native half of torch_fakedev";
    fakedev::bind_collectives(module);
    fakedev::bind_device(module);
    fakedev::bind_modules(module);
    fakedev::bind_random(module);
    fakedev::bind_sharing(module);
}
