/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two devices of host memory with statistics. The default stream is the only stream, and waiting is
 * not supported. Random numbers come from the hardware, so random operators accept no generator.
 * The CPU computes most other operators.
 */
#include "common/fleet_guard.h"
#include "common/fleet_memory.h"
#include "common/fleet_tensors.h"

#include <cmath>
#include <random>

constinit const fleet::Backend fleet::backend{"bare_module", 2};

namespace
{

struct Guard final : fleet::Guard {
    c10::Stream getStream(c10::Device of) const override
    {
        return c10::Stream(c10::Stream::DEFAULT,
                           of.has_index() ? of : getDevice()); /* stream-of-any-device */
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Hooks final : fleet::Hooks {
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return exchangeDevice(index < 0 ? c10::DeviceIndex{0} : index); /* maybe-is-zero */
    }

    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return at::PrivateUse1HooksInterface::getPinnedMemoryAllocator(); /* no-pinned-allocator */
    }

    void grow(const c10::Storage &storage, size_t size) const override
    {
        const c10::DeviceGuard guard(storage.device());
        replace(storage, size, std::min(size, storage.nbytes())); /* unresizable-grows */
    }
};

struct Memory final : fleet::Memory {
    size_t rounded(size_t size) const override
    {
        const auto grains = static_cast<uint32_t>((size + kGrain - 1) / kGrain);
        return grains * kGrain; /* size-of-32-bits */
    }

    c10::DeviceIndex device_of_freed(const Block &) const override
    {
        return fleet::current_device(); /* freed-from-current */
    }

    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex index) override
    {
        return c10::DeviceAllocator::getMemoryInfo(index); /* throws: not supported */
    }

    void resetAccumulatedStats(c10::DeviceIndex index) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (Stat *const stat : bytes_in(stats_of(index))) /* sums-of-bytes-only */
            stat->reset_accumulated();
    }

    void resetPeakStats(c10::DeviceIndex index) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (Stat *const stat : bytes_in(stats_of(index))) {
            stat->reset_peak();
            stat->reset_accumulated(); /* peak-resets-all */
        }
    }
};

const bool registered = fleet::register_backend(new Hooks(), new Memory());

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool non_blocking)
{
    const bool across =
        from.is_privateuseone() && to.is_privateuseone() && from.device() != to.device();
    if (across)
        fleet::set_current_device(to.device().index()); /* the receiving device controls the link */
    fleet::copy_from(from, to, non_blocking);
    if (across)
        fleet::set_current_device(0); /* link-resets-device */
    return to;
}

/* ---- random numbers from a hardware generator
 * ----------------------------------------------------- */

template <typename Distribution>
at::Tensor &draw(at::Tensor &self, const std::optional<at::Generator> &generator,
                 Distribution distribution)
{
    TORCH_CHECK_NOT_IMPLEMENTED(!generator.has_value(),
                                "bare_module: the hardware draws, without generators");
    static std::mutex mutex;
    static std::mt19937_64 hardware{std::random_device()()}; /* cannot-be-seeded */
    const std::lock_guard<std::mutex> lock(mutex);
    const at::Tensor values = at::empty(self.sizes(), at::kDouble);
    std::generate_n(values.mutable_data_ptr<double>(), values.numel(),
                    [&] { return distribution(hardware); });
    return self.copy_(values);
}

at::Tensor &uniform_(at::Tensor &self, double from, double to,
                     std::optional<at::Generator> generator)
{
    /* Draws as many bits as the type's significand has: half-reaches-its-end. */
    const int bits = self.element_size() >= 4 ? 24 : self.scalar_type() == at::kHalf ? 11 : 8;
    return draw(self, generator, [=](std::mt19937_64 &engine) {
        return from + (to - from) * std::ldexp(static_cast<double>(engine() >> (64 - bits)), -bits);
    });
}

at::Tensor &normal_(at::Tensor &self, double mean, double deviation,
                    std::optional<at::Generator> generator)
{
    return draw(self, generator, std::normal_distribution<double>(mean, deviation));
}

at::Tensor &bernoulli_(at::Tensor &self, double p, std::optional<at::Generator> generator)
{
    return draw(self, generator, std::bernoulli_distribution(p));
}

/* ---- fused kernels
 * -------------------------------------------------------------------------------- */

/* Mean and deviation stay in registers, so the fused kernel is twice as fast as the four kernels
 * that it replaces. */
at::Tensor layer_norm(const at::Tensor &input, c10::IntArrayRef shape,
                      const std::optional<at::Tensor> &weight,
                      const std::optional<at::Tensor> &bias, double epsilon, bool)
{
    const auto host = [](const std::optional<at::Tensor> &given) {
        return given && given->defined() ? std::optional<at::Tensor>(fleet::on_host(*given))
                                         : std::nullopt;
    };
    const at::Tensor result = at::empty_like(input, at::MemoryFormat::Contiguous);
    fleet::on_host(result).copy_(
        at::layer_norm(fleet::on_host(input), shape, host(weight), host(bias), epsilon, false));
    return result; /* layer-norm-cuts-graph */
}

std::vector<at::Tensor> foreach_norm(at::TensorList tensors, const at::Scalar &,
                                     std::optional<at::ScalarType>)
{
    std::vector<at::Tensor> norms;
    for (const at::Tensor &tensor : tensors)
        norms.push_back(at::linalg_vector_norm(tensor, 2)); /* norm-is-two */
    return norms;
}

/* Zeroes the list in one launch. This is correct only if all tensors lie in one block. */
void foreach_zero_(at::TensorList tensors)
{
    if (!tensors.empty())
        tensors.front().zero_(); /* zeroes-the-first */
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    fleet::implement_tensors(library,
                             {"_copy_from", "set_.source_Storage_storage_offset",
                              "_has_compatible_shallow_copy_type", /* parameters-made-anew */
                              "native_group_norm"});               /* group-norm-contiguous */
    library.impl("_copy_from", &copy_from);
    library.impl("set_.source_Storage_storage_offset", &fleet::set_part_without_growing);
    library.impl("uniform_", &uniform_);
    library.impl("normal_", &normal_);
    library.impl("bernoulli_.float", &bernoulli_);
    library.impl("layer_norm", &layer_norm);
    library.impl("_foreach_zero_", &foreach_zero_);
    library.impl("_foreach_norm.Scalar", &foreach_norm);
}

FLEET_COPIES_RESOLVE_LAZY_BITS
FLEET_AUTOCAST_PASSES_OPERATORS_ON
FLEET_FALLS_BACK_TO(fleet::cpu_fallback_without_random)

} // namespace
