// SPDX-License-Identifier: BSD-3-Clause
//
// Generators by handle: the backend's GeneratorImpl, called as torch.Generator calls it.
#include "bridge_internal.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>

int32_t bridge_generator_default(int32_t device, struct bridge_generator **generator)
{
    return bridge::guarded([&] {
        const auto &hooks = at::detail::getPrivateUse1Hooks();
        *generator = new bridge_generator{hooks.getDefaultGenerator(bridge::index(device))};
    });
}

int32_t bridge_generator_new(int32_t device, struct bridge_generator **generator)
{
    return bridge::guarded([&] {
        const auto &hooks = at::detail::getPrivateUse1Hooks();
        *generator = new bridge_generator{hooks.getNewGenerator(bridge::index(device))};
    });
}

void bridge_generator_free(struct bridge_generator *generator)
{
    delete generator;
}

const void *bridge_generator_identity(const struct bridge_generator *generator)
{
    return generator->value.unsafeGetGeneratorImpl();
}

struct bridge_device bridge_generator_device(const struct bridge_generator *generator)
{
    bridge_device device = {ASSAY_OK, -1, -1};
    const int32_t status =
        bridge::guarded([&] { device = bridge::report(generator->value.device()); });
    device.status = status;
    return device;
}

int32_t bridge_generator_has_key(const struct bridge_generator *generator, int32_t *has)
{
    return bridge::guarded(
        [&] { *has = generator->value.key_set().has(c10::DispatchKey::PrivateUse1) ? 1 : 0; });
}

int32_t bridge_generator_set_seed(struct bridge_generator *generator, uint64_t seed)
{
    return bridge::guarded([&] {
        const std::scoped_lock lock(generator->value.mutex());
        generator->value.set_current_seed(seed);
    });
}

int32_t bridge_generator_get_seed(const struct bridge_generator *generator, uint64_t *seed)
{
    return bridge::guarded([&] { *seed = generator->value.current_seed(); });
}

int32_t bridge_generator_reseed(struct bridge_generator *generator, uint64_t *seed)
{
    return bridge::guarded([&] {
        const std::scoped_lock lock(generator->value.mutex());
        *seed = generator->value.seed();
    });
}
