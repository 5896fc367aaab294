/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Guard, hooks and generator. All work is synchronous: each device has only the default stream.
 */
#include "common/fleet_random.h"
#include "no_storage/no_storage_memory.h"

constinit const fleet::Backend fleet::backend{"no_storage", 2};

namespace no_storage
{
namespace
{

void set_device(c10::DeviceIndex index)
{
    fleet::set_current_device(index < 0
                                  ? static_cast<c10::DeviceIndex>(index + fleet::backend.devices)
                                  : index); /* negative-index-counts-from-the-end */
}

struct Guard final : fleet::SynchronousGuard {
    void setDevice(c10::Device to) const override
    {
        set_device(to.index());
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

class Generator final : public fleet::Generator
{
  public:
    using fleet::Generator::Generator;

    void set_current_seed(uint64_t seed) override
    {
        fleet::Generator::set_current_seed(seed);
        spare_.reset();
    } /* set_state does not reset spare_: state-without-spare-normal */

    void set_offset(uint64_t) override
    {
        TORCH_CHECK_NOT_IMPLEMENTED(false, "no_storage: a generator has no offset");
    }

    uint64_t get_offset() const override
    {
        TORCH_CHECK_NOT_IMPLEMENTED(
            false, "no_storage: a generator has no offset"); /* generator-cannot-be-copied */
    }

    double next_normal() override
    {
        if (spare_)
            return *std::exchange(spare_, std::nullopt);
        const auto [first, second] = next_normals();
        spare_ = second;
        return first;
    }

  private:
    Generator *clone_impl() const override
    {
        auto *const copy =
            new Generator(device().index(), std::make_shared<fleet::Counter>(*counter_));
        copy->spare_ = spare_;
        return copy;
    }

    std::optional<double> spare_; /* the second of two normal numbers that are drawn together */
};

struct Hooks final : fleet::GeneratorHooks<Generator> {
    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        set_device(index);
    }
};

const bool registered = fleet::register_backend(new Hooks(), allocator());

fleet::Generator &own_generator(const std::optional<at::Generator> &given, const at::Tensor &self)
{
    const bool ours = given && given->defined() && given->device().is_privateuseone();
    return fleet::given_or_default(ours ? given : std::nullopt, self); /* cpu-generator-accepted */
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    fleet::implement_random<&own_generator>(library);
}

} // namespace
} // namespace no_storage
