/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generators without a defect.
 */
#include "fleet_generator.h"

#include <cmath>
#include <cstring>
#include <numbers>

namespace fleet
{

Generator::Generator(c10::DeviceIndex index, std::shared_ptr<Counter> counter)
    : c10::GeneratorImpl(fleet::device(index), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
      counter_(std::move(counter))
{
}

void Generator::set_current_seed(uint64_t seed)
{
    *counter_ = {seed, 0};
}

uint64_t Generator::current_seed() const
{
    return counter_->seed;
}

uint64_t Generator::seed()
{
    set_current_seed(c10::detail::getNonDeterministicRandom());
    return counter_->seed;
}

void Generator::set_offset(uint64_t offset)
{
    counter_->offset = offset;
}

uint64_t Generator::get_offset() const
{
    return counter_->offset;
}

c10::intrusive_ptr<c10::TensorImpl> Generator::get_state() const
{
    const at::Tensor state = at::empty({static_cast<int64_t>(sizeof(Counter))}, at::kByte);
    std::memcpy(state.mutable_data_ptr(), counter_.get(), sizeof(Counter));
    return state.getIntrusivePtr();
}

void Generator::set_state(const c10::TensorImpl &state)
{
    at::detail::check_rng_state(state);
    TORCH_CHECK(state.numel() == sizeof(Counter), backend.name, ": a state has ", sizeof(Counter),
                " bytes, not ", state.numel());
    std::memcpy(counter_.get(), state.data(), sizeof(Counter));
}

uint64_t Generator::next_bits()
{
    uint64_t mixed = counter_->seed + 0x9e3779b97f4a7c15u * ++counter_->offset;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

double Generator::next_uniform()
{
    return static_cast<double>(next_bits() >> 11) * 0x1p-53;
}

std::pair<double, double> Generator::next_normals()
{
    const double radius = std::sqrt(-2 * std::log1p(-next_uniform()));
    const double angle = 2 * std::numbers::pi * next_uniform();
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

double Generator::next_normal()
{
    return next_normals().first;
}

Generator *Generator::clone_impl() const
{
    return new Generator(device().index(), std::make_shared<Counter>(*counter_));
}

const at::Generator &default_generator(c10::DeviceIndex index)
{
    return at::detail::getPrivateUse1Hooks().getDefaultGenerator(index);
}

namespace
{

at::Generator default_generator_for_python(int64_t index)
{
    return default_generator(static_cast<c10::DeviceIndex>(index));
}

} // namespace

void offer_generators_to_python()
{
    static auto *const library =
        new torch::Library(torch::Library::DEF, "fleet", std::nullopt, __FILE__, __LINE__);
    library->def("default_generator(int index) -> Generator?", &default_generator_for_python);
}

} // namespace fleet
