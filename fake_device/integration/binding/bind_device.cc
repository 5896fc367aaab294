/* SPDX-License-Identifier: BSD-3-Clause
 *
 * _C: device count, current device, properties, start and fork. These functions call the driver
 * directly. Only start() starts the driver: torch.fakedev.is_available() must not create a context.
 */
#include "module.h"

#include <c10/core/DeviceType.h>
#include <fakedev.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/device_lazy_init.h>

#include <stdexcept>

namespace fakedev
{

namespace
{

int32_t device_count()
{
    int32_t count = 0;
    return fd_device_count(&count) == FD_OK ? count : 0;
}

int32_t current_device()
{
    int32_t device = 0;
    check_call(fd_device_get(&device));
    return device;
}

void set_device(int32_t device)
{
    check_call(fd_device_set(device));
}

/* The cheapest call that starts the driver. */
void start()
{
    uint64_t free_bytes = 0, total_bytes = 0;
    if (device_count() == 0)
        throw std::runtime_error("fakedev: there is no device [FD_ERROR_NO_DEVICE]");
    check_call(fd_memory_info(current_device(), &free_bytes, &total_bytes));
}

pybind11::tuple device_properties(int32_t device)
{
    struct fd_properties properties;
    check_call(fd_device_properties(device, &properties));
    return pybind11::make_tuple(properties.name, properties.total_memory, properties.alignment,
                                properties.compute_units, properties.has_fp64 != 0);
}

bool can_access_peer(int32_t device, int32_t peer)
{
    int32_t can = 0;
    check_call(fd_device_can_access_peer(device, peer, &can));
    return can != 0;
}

} // namespace

void bind_device(pybind11::module &module)
{
    module.def("device_count", &device_count);
    module.def("current_device", &current_device);
    module.def("set_device", &set_device);
    module.def("start", &start);
    module.def("initialize", [] {
        HANDLE_TH_ERRORS
        torch::utils::device_lazy_init(c10::DeviceType::PrivateUse1);
        END_HANDLE_TH_ERRORS_PYBIND
    });
    module.def("is_in_bad_fork", [] { return fd_forked_after_start() == 1; });
    module.def("device_properties", &device_properties);
    module.def("can_access_peer", &can_access_peer);
    module.def("register_fork_handler", [] {
        torch::utils::register_fork_handler_for_device_init(c10::DeviceType::PrivateUse1);
    });
}

} // namespace fakedev
