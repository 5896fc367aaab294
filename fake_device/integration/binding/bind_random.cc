/* SPDX-License-Identifier: BSD-3-Clause
 *
 * _C: the default generator of a device, as a torch.Generator.
 */
#include "module.h"

#include <ATen/Context.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/Generator.h>

namespace fakedev
{

namespace
{

PyObject *default_generator(int index)
{
    HANDLE_TH_ERRORS
    TORCH_CHECK(index >= 0 && index <= INT8_MAX, "fakedev: invalid device index ", index);
    const c10::Device device(c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(index));
    return THPGenerator_Wrap(at::globalContext().defaultGenerator(device));
    END_HANDLE_TH_ERRORS
}

} // namespace

void bind_random(pybind11::module &module)
{
    module.def("default_generator", [](int index) {
        PyObject *generator = default_generator(index);
        if (!generator)
            throw pybind11::error_already_set();
        return pybind11::reinterpret_steal<pybind11::object>(generator);
    });
}

} // namespace fakedev
