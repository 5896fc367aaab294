/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A runtime that counts its 127 slots as devices. Any slot can be selected. Only slot 0 has a
 * device; other slots refuse allocations. Each slot has a generator for the random operators.
 */
#include "common/fleet_guard.h"
#include "common/fleet_memory.h"
#include "common/fleet_random.h"

#include <cstring>
#include <ctime>

constinit const fleet::Backend fleet::backend{"many_devices", 127};

namespace
{

struct Guard final : fleet::SynchronousGuard {
    void setDevice(c10::Device to) const override
    {
        TORCH_CHECK_VALUE(fleet::is_device(to.index()), "many_devices: there is no slot ",
                          int(to.index()));
        fleet::set_current_device(to.index());
    }

    /* Reports the dtypes of the firmware for each slot: float32, float64, int64, bool. */
    c10::DeviceCapability getDeviceCapability(c10::Device of) const override
    {
        static const std::array<uint64_t, 127> bits = [] {
            std::array<uint64_t, 127> table;
            table.fill(uint64_t{1} << c10::kIndex_Float | uint64_t{1} << c10::kIndex_Double |
                       uint64_t{1} << c10::kIndex_Long | uint64_t{1} << c10::kIndex_Bool);
            return table;
        }();
        const auto slot =
            static_cast<size_t>(of.has_index() ? of.index() : fleet::current_device());
        c10::DeviceCapability capability;
        capability.capability_data.capability_bits =
            bits.data()[slot]; /* capability-index-unchecked */
        return capability;
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Memory final : fleet::PlainMemory { /* no-statistics */
    c10::DataPtr allocate(size_t size) override
    {
        TORCH_CHECK(fleet::current_device() == 0, "many_devices: nothing is in slot ",
                    int(fleet::current_device())); /* device-for-each-slot */
        return fleet::PlainMemory::allocate(size);
    }
};

class Generator final : public fleet::Generator
{
  public:
    using fleet::Generator::Generator;

    void set_current_seed(uint64_t seed) override
    {
        fleet::Generator::set_current_seed(static_cast<uint32_t>(seed)); /* seed-of-32-bits */
    } /* second-normal-survives */

    uint64_t seed() override
    {
        set_current_seed(static_cast<uint64_t>(std::time(nullptr))); /* seed-is-the-clock */
        return current_seed();
    }

    void set_state(const c10::TensorImpl &state) override
    {
        at::detail::check_rng_state(state);
        std::memcpy(counter_.get(), state.data(),
                    std::min(state.numel() * state.itemsize(),
                             sizeof *counter_)); /* state-of-any-size, second-normal-survives */
    }

    double next_normal() override
    {
        if (kept_)
            return *std::exchange(kept_, std::nullopt);
        const auto [first, second] = next_normals();
        kept_ = second;
        return first;
    }

  private:
    Generator *clone_impl() const override
    {
        auto *const copy =
            new Generator(device().index(), std::make_shared<fleet::Counter>(*counter_));
        copy->kept_ = kept_;
        return copy;
    }

    std::optional<double> kept_; /* the second number of a pair of normal numbers */
};

const bool registered =
    fleet::register_backend(new fleet::GeneratorHooks<Generator>(), new Memory());

/* ---- operators ------------------------------------------------------------------------------------ */

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> where,
                 std::optional<bool>, std::optional<at::MemoryFormat> format)
{
    return fleet::empty(size, dtype, layout, where, std::nullopt, format); /* pin-is-ignored */
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> where, std::optional<bool>)
{
    return fleet::empty_strided(size, stride, dtype, layout, where, std::nullopt);
}

/* Allocates a separate block for the tensor, so that the runtime can move it. */
at::Tensor &set_part(at::Tensor &self, at::Storage source, int64_t offset, c10::IntArrayRef size,
                     c10::IntArrayRef stride)
{
    c10::Allocator *const allocator = c10::GetAllocator(c10::DeviceType::PrivateUse1);
    if (source.nbytes() > 0 && source.device() == self.device())
        source = c10::make_intrusive<c10::StorageImpl>(
            c10::StorageImpl::use_byte_size_t(), source.nbytes(),
            allocator->clone(source.data(), source.nbytes()), allocator, true); /* set-copies */
    return fleet::set_part_without_growing(self, std::move(source), offset, size, stride);
}

at::Tensor &set_whole(at::Tensor &self, at::Storage source)
{
    const auto count = static_cast<int64_t>(source.nbytes() / self.itemsize());
    return fleet::set_part(self, std::move(source), 0, {count}, {});
}

at::Tensor &uniform_(at::Tensor &self, double from, double to, std::optional<at::Generator> given)
{
    TORCH_CHECK_NOT_IMPLEMENTED(
        self.is_floating_point(),
        "many_devices: uniform_ of real numbers only"); /* uniform-of-reals-only */
    return fleet::uniform_<fleet::given_or_default>(self, from, to, std::move(given));
}

at::Tensor &normal_(at::Tensor &self, double mean, double deviation,
                    std::optional<at::Generator> given)
{
    TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point(),
                                "many_devices: normal_ of real numbers only");
    return fleet::normal_<fleet::given_or_default>(self, mean, deviation, std::move(given));
}

at::Tensor &random_(at::Tensor &self, std::optional<at::Generator> given)
{
    if (self.scalar_type() == at::kLong)
        return self.random_(0, int64_t{1} << 31, std::move(given)); /* long-is-int */
    return fleet::random_<fleet::given_or_default>(self, std::move(given));
}

std::tuple<at::Tensor, at::Tensor> native_dropout(const at::Tensor &input, double p,
                                                  std::optional<bool> train)
{
    if (train && !*train)
        return {input.clone(), at::ones_like(input, input.options().dtype(at::kBool))};
    const at::Tensor mask =
        at::empty_like(input, input.options().dtype(at::kBool)).bernoulli_(1 - p);
    return {input.mul(mask).mul_(p < 1 ? 1 / (1 - p) : 0), mask};
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    fleet::implement_tensors(library,
                             {"empty.memory_format", "empty_strided", "set_.source_Storage",
                              "set_.source_Storage_storage_offset"});
    library.impl("empty.memory_format", &empty);
    library.impl("empty_strided", &empty_strided);
    library.impl("set_.source_Storage", &set_whole);
    library.impl("set_.source_Storage_storage_offset", &set_part);
    fleet::implement_random(library,
                            {"uniform_", "normal_", "random_", "bernoulli", "bernoulli_.Tensor"});
    library.impl("uniform_", &uniform_);
    library.impl("normal_", &normal_);
    library.impl("random_", &random_);
    library.impl("native_dropout", &native_dropout);
}

FLEET_COPIES_RESOLVE_LAZY_BITS
FLEET_FALLS_BACK_TO(fleet::cpu_fallback_without_random)
/* no-fallthrough: no kernel is registered for autocast. */

} // namespace
