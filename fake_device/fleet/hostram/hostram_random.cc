/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generators: the engine of the CPU under the device's name. No kernel draws from them: random
 * operators run by CPU fallback.
 */
#include "hostram.h"

#include <vector>

namespace hostram
{

namespace
{

struct Generator final : at::CPUGeneratorImpl {
    explicit Generator(c10::DeviceIndex index)
    {
        device_ = device_of(index);
        key_set_ = c10::DispatchKeySet(c10::DispatchKey::PrivateUse1);
    }
};

std::vector<at::Generator> make_defaults()
{
    std::vector<at::Generator> made;

    for (c10::DeviceIndex index = 0; index < kDevices; index++)
        made.push_back(at::make_generator<Generator>(index));
    return made;
}

int64_t initial_seed(int64_t index)
{
    return static_cast<int64_t>(
        default_generator(static_cast<c10::DeviceIndex>(index)).current_seed());
}

void manual_seed(int64_t index, int64_t seed)
{
    at::Generator generator = default_generator(static_cast<c10::DeviceIndex>(index));
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(static_cast<uint64_t>(seed));
}

at::Tensor get_state(int64_t index)
{
    return default_generator(static_cast<c10::DeviceIndex>(index)).get_state();
}

void set_state(int64_t index, const at::Tensor &state)
{
    at::Generator generator = default_generator(static_cast<c10::DeviceIndex>(index));
    generator.set_state(state);
}

TORCH_LIBRARY(hostram, library)
{
    library.def("initial_seed(int device) -> int", &initial_seed);
    library.def("manual_seed(int device, int seed) -> ()", &manual_seed);
    library.def("get_state(int device) -> Tensor", &get_state);
    library.def("set_state(int device, Tensor state) -> ()", &set_state);
}

} // namespace

const at::Generator &default_generator(c10::DeviceIndex index)
{
    static const auto *const defaults = new std::vector<at::Generator>(make_defaults());
    const c10::DeviceIndex which = index == -1 ? current_device() : index;

    check_index(which);
    return (*defaults)[static_cast<size_t>(which)];
}

at::Generator new_generator(c10::DeviceIndex index)
{
    if (index != -1)
        check_index(index);
    return at::make_generator<Generator>(index); /* generator-without-index */
}

} // namespace hostram
