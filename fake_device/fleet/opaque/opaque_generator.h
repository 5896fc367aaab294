/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers of the opaque backend: one generator per device and as many more as users make.
 */
#pragma once

#include <ATen/core/Generator.h>

#include <optional>
#include <random>

namespace opaque
{

class Generator final : public c10::GeneratorImpl
{
  public:
    explicit Generator(c10::DeviceIndex device);

    void set_current_seed(uint64_t seed) override;
    uint64_t current_seed() const override;
    uint64_t seed() override;
    void set_offset(uint64_t offset) override;
    uint64_t get_offset() const override;
    c10::intrusive_ptr<c10::TensorImpl> get_state() const override;
    void set_state(const c10::TensorImpl &state) override;

    /* The caller holds mutex_. */
    uint64_t bits();
    double uniform();
    double normal();

  private:
    Generator *clone_impl() const override;

    uint64_t seed_ = c10::detail::getNonDeterministicRandom();
    std::mt19937_64 engine_;
    std::optional<double> spare_; /* the polar method makes two normal numbers at a time */
};

const at::Generator &default_generator(c10::DeviceIndex device);
at::Generator new_generator(c10::DeviceIndex device);

} // namespace opaque
