/* SPDX-License-Identifier: BSD-3-Clause
 *
 * poisson, binomial, gamma, dirichlet and rrelu: random operators that the CPU computes with
 * numbers from the device's generator.
 *
 * If this file is removed, the CPU fallback draws from the CPU's default generator. Such a draw
 * unexpectedly advances the program's own sequence, seeding the device has no effect, and the
 * device's generator is refused.
 * Implementation: the CPU computes with a temporary generator, whose seed is drawn from the
 * device's generator.
 * Serves: GEN-006, GEN-009, GEN-010, GEN-011, GEN-036.
 */
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/library.h>

#include "cpu_fallback.h"

namespace fakedev
{
namespace
{

c10::IValue &argument(const c10::OperatorHandle &op, torch::jit::Stack *stack, int index)
{
    const size_t count = op.schema().arguments().size();
    return (*stack)[stack->size() - count + static_cast<size_t>(index)];
}

/* rrelu draws only in training mode. */
bool draws(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const auto training = op.schema().argumentIndexWithName("training");
    return !training || argument(op, stack, *training).toBool();
}

at::Generator seeded_by(const std::optional<at::Generator> &generator, c10::Device device)
{
    at::Tensor seed = at::empty({}, at::TensorOptions(device).dtype(at::kLong));
    seed.random_(generator);
    return at::detail::createCPUGenerator(static_cast<uint64_t>(seed.item<int64_t>()));
}

/* Requires a schema that begins with a tensor and has a generator, as the operators here do. */
void draw_on_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const auto position = op.schema().argumentIndexWithName("generator");
    c10::IValue &generator = argument(op, stack, position.value());
    const c10::Device device = argument(op, stack, 0).toTensor().device();
    if (draws(op, stack))
        generator = seeded_by(generator.toOptional<at::Generator>(), device);
    boxed_cpu_fallback(op, stack);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    for (const char *name : {"poisson", "binomial", "_standard_gamma", "_sample_dirichlet",
                             "rrelu_with_noise", "rrelu_with_noise.out", "rrelu_with_noise_"})
        m.impl(name, torch::CppFunction::makeFromBoxedFunction<&draw_on_cpu>());
}

} // namespace fakedev
