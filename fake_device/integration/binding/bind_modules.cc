/* SPDX-License-Identifier: BSD-3-Clause
 *
 * _C: launches a kernel that the code generator of torch_fakedev compiled.
 */
#include "module.h"

#include "compiled_kernel.h"

#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>

namespace fakedev
{

namespace
{

c10::IValue value_of(pybind11::handle value)
{
    if (THPVariable_Check(value.ptr()))
        return THPVariable_Unpack(value.ptr());
    if (PyFloat_Check(value.ptr()))
        return value.cast<double>();
    return value.cast<int64_t>();
}

} // namespace

void bind_modules(pybind11::module &module)
{
    module.def("launch_compiled", [](const std::string &path, const std::vector<bool> &written,
                                     const pybind11::args &arguments) {
        HANDLE_TH_ERRORS
        std::vector<c10::IValue> values;
        for (const auto argument : arguments)
            values.push_back(value_of(argument));
        launch_compiled(path, written, values);
        END_HANDLE_TH_ERRORS_PYBIND
    });
}

} // namespace fakedev
