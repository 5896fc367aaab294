/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generators without a defect: the hash of a seed and an offset is the next number. A backend
 * derives its own generator from Generator and its hooks from GeneratorHooks.
 */
#ifndef FLEET_GENERATOR_H
#define FLEET_GENERATOR_H

#include "fleet_guard.h"

#include <memory>
#include <utility>
#include <vector>

namespace fleet
{

/* The state of a generator. */
struct Counter {
    uint64_t seed = c10::default_rng_seed_val;
    uint64_t offset = 0; /* numbers drawn since the seed was set */
};

class Generator : public c10::GeneratorImpl
{
  public:
    explicit Generator(c10::DeviceIndex index,
                       std::shared_ptr<Counter> counter = std::make_shared<Counter>());

    void set_current_seed(uint64_t seed) override;
    uint64_t current_seed() const override;
    uint64_t seed() override;
    void set_offset(uint64_t offset) override;
    uint64_t get_offset() const override;
    c10::intrusive_ptr<c10::TensorImpl> get_state() const override;
    void set_state(const c10::TensorImpl &state) override;

    /* The caller holds mutex_. */
    uint64_t next_bits();
    double next_uniform(); /* [0, 1) with the 53 bits of a double */
    std::pair<double, double> next_normals();
    virtual double next_normal();

    static c10::DeviceType device_type()
    {
        return c10::DeviceType::PrivateUse1;
    }

  protected:
    /* A derived class that has more state must override clone_impl. */
    Generator *clone_impl() const override;

    std::shared_ptr<Counter> counter_;
};

/* The default generator of a device, as the hooks return it; -1 is the current device. */
const at::Generator &default_generator(c10::DeviceIndex index);
/* Defines torch.ops.fleet.default_generator, which fleet_module.py calls. */
void offer_generators_to_python();

template <typename Kind>
struct GeneratorHooks : Hooks {
    GeneratorHooks()
    {
        offer_generators_to_python();
    }

    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
    {
        static const auto *const defaults = [] {
            auto *const made = new std::vector<at::Generator>();
            for (c10::DeviceIndex one = 0; one < backend.devices; one++)
                made->push_back(at::make_generator<Kind>(one));
            return made;
        }();
        return (*defaults)[static_cast<size_t>(resolved(index))];
    }

    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        return at::make_generator<Kind>(resolved(index));
    }
};

} // namespace fleet

#endif
