/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The jit backend's one device: its random numbers, and whether it was used.
 */
#pragma once

#include <ATen/core/Generator.h>

#include <memory>

namespace jit
{

struct Counter {
    uint64_t seed = c10::default_rng_seed_val;
    uint64_t offset = 0; /* numbers drawn since the seed was set */
};

class Generator final : public c10::GeneratorImpl
{
  public:
    Generator();

    void set_current_seed(uint64_t seed) override;
    uint64_t current_seed() const override;
    uint64_t seed() override;
    void set_offset(uint64_t offset) override;
    uint64_t get_offset() const override;
    c10::intrusive_ptr<c10::TensorImpl> get_state() const override;
    void set_state(const c10::TensorImpl &state) override;

    /* Where a kernel that draws `count` numbers begins. */
    Counter advance(uint64_t count);

  private:
    Generator *clone_impl() const override;

    Counter counter_;
};

const at::Generator &default_generator();

} // namespace jit
