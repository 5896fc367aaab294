/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The class of the generator, and functions that return generators, for the hooks and for random
 * kernels.
 */
#pragma once

#include "which_torch.h"

#include <ATen/core/Generator.h>
#include <c10/core/GeneratorImpl.h>
#include <fakedev.h>

#include <memory>
#include <optional>

namespace fakedev
{

struct GeneratorImpl : c10::GeneratorImpl {
    GeneratorImpl(c10::DeviceIndex index, std::shared_ptr<fd_random> state);
    static std::shared_ptr<fd_random> fresh_state();

    void set_current_seed(uint64_t seed) override;
    uint64_t current_seed() const override;
    uint64_t seed() override;
    void set_offset(uint64_t offset) override;
    uint64_t get_offset() const override;
    c10::intrusive_ptr<c10::TensorImpl> get_state() const override;
    void set_state(const c10::TensorImpl &state) override;
    c10::intrusive_ptr<c10::GeneratorImpl> graphsafe_get_state() const override;
    void graphsafe_set_state(const c10::intrusive_ptr<c10::GeneratorImpl> &other) override;
#if FAKEDEV_HAS_PHILOX_STATE
    void philox_state(uint64_t increment, at::Tensor &seed, at::Tensor &offset,
                      at::Tensor &intragraph_offset) override;
#endif

    /* Reserves `blocks` blocks of four numbers and returns their start position. The caller holds
     * the lock. */
    virtual fd_random take(uint64_t blocks);

  protected:
    c10::GeneratorImpl *clone_impl() const override;

    std::shared_ptr<fd_random> state_; /* shared by the two graph-safe functions */
};

/* The default generator of a device; -1 means the current device. The object lives until the
 * process ends. */
const at::Generator &default_generator(c10::DeviceIndex index);

/* An independent generator with the default seed. */
at::Generator new_generator(c10::DeviceIndex index);

/* For a kernel that draws `blocks` blocks of four numbers on device `index`: returns the start
 * position and advances the generator, under the generator's lock. Without a generator, uses the
 * device's default generator. Throws for a generator of another device type or index. */
fd_random take_random(const std::optional<at::Generator> &generator, c10::DeviceIndex index,
                      uint64_t blocks);

} // namespace fakedev
