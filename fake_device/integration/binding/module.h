/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declares the functions with which the files of this folder add their parts to torch_fakedev._C,
 * and the check of their driver calls.
 */
#pragma once

#include <fakedev.h>
#include <pybind11/pybind11.h>

#include <stdexcept>
#include <string>

namespace fakedev
{

inline void check_call(fd_status status)
{
    if (status != FD_OK)
        throw std::runtime_error(std::string("fakedev: ") + fd_status_text(status) + " (" +
                                 fd_last_error_text() + ") [" + fd_status_name(status) + "]");
}

void bind_collectives(pybind11::module &module);
void bind_device(pybind11::module &module);
void bind_modules(pybind11::module &module);
void bind_random(pybind11::module &module);
void bind_sharing(pybind11::module &module);

} // namespace fakedev
