/* SPDX-License-Identifier: BSD-3-Clause
 *
 * torch_fakedev._C: what the Python package needs and PyTorch's Python does not already offer. The
 * only part of the fake device that links Python. Each file of this folder adds its functions.
 */
#include "module.h"

PYBIND11_MODULE(_C, module)
{
    module.doc() = "Native half of torch_fakedev";
    fakedev::bind_collectives(module);
    fakedev::bind_device(module);
    fakedev::bind_random(module);
    fakedev::bind_sharing(module);
}
