/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The remote backend's devices, as this side of the connection knows them, and their generators.
 */
#pragma once

#include "remote_link.h"

#include <ATen/core/Generator.h>

#include <memory>

namespace remote
{

c10::DeviceIndex current_device() noexcept;
/* -1 is the current device; raises for an index that is no device. */
c10::DeviceIndex resolved(c10::DeviceIndex index);

struct Randomness {
    uint64_t seed = c10::default_rng_seed_val;
    uint64_t offset = 0; /* how often it was drawn from */
};

class Generator final : public c10::GeneratorImpl
{
  public:
    Generator(c10::DeviceIndex device, std::shared_ptr<Randomness> randomness);

    void set_current_seed(uint64_t seed) override;
    uint64_t current_seed() const override;
    uint64_t seed() override;
    void set_offset(uint64_t offset) override;
    uint64_t get_offset() const override;
    c10::intrusive_ptr<c10::TensorImpl> get_state() const override;
    void set_state(const c10::TensorImpl &state) override;

    /* A seed for the next operator; another one each time. */
    uint64_t next();

  private:
    Generator *clone_impl() const override;

    std::shared_ptr<Randomness> randomness_;
};

const at::Generator &default_generator(c10::DeviceIndex device);

} // namespace remote
