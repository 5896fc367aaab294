/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults of random operators with `generator=` that imitate defects of real backends.
 */
#include "spoil.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Generator.h>

#include "device_index.h"

#include <cmath>
#include <mutex>

namespace fakedev
{

namespace
{

void drop_generator(const Call &call)
{
    if (c10::IValue *generator = call.named("generator"))
        *generator = c10::IValue();
}

void drop_generator_elsewhere(const Call &call)
{
    const c10::IValue *generator = call.named("generator");
    if (generator && !generator->isNone() &&
        generator->toGenerator().device().index() != current_device())
        drop_generator(call);
}

void drop_cpu_generator(const Call &call)
{
    c10::IValue *generator = call.named("generator");
    if (generator && !generator->isNone() && generator->toGenerator().device().is_cpu())
        *generator = c10::IValue();
}

/* Also draws from the CPU's default generator, like a kernel that draws on the host. */
void draw_from_cpu(const Call &call)
{
    const c10::IValue *generator = call.named("generator");
    if (generator && !generator->isNone())
        return;
    at::Generator cpu = at::detail::getDefaultCPUGenerator();
    const std::lock_guard<std::mutex> lock(cpu.mutex());
    cpu.get<at::CPUGeneratorImpl>()->random();
}

void refuse_numbers(const Call &call)
{
    TORCH_CHECK(call.named("self")->toTensor().dim() > 0, "fakedev: random_ fills dimensions");
}

void take_any_deviation(const Call &call)
{
    c10::IValue *deviation = call.named("std");
    *deviation = std::fabs(deviation->toDouble());
}

/* Draws before it checks the arguments. */
void draw_before_it_refuses(const Call &call)
{
    if (call.named("std")->toDouble() < 0)
        at::rand({1}, call.named("self")->toTensor().options());
}

void forget_scale(const Call &call)
{
    *call.named("scale") = 1.0;
}

bool takes_generator(const std::string &name)
{
    const size_t dot = name.find('.');
    const auto op = c10::Dispatcher::singleton().findOp(c10::OperatorName(
        name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1)));
    return op && op->schema().argumentIndexWithName("generator");
}

} // namespace

Spoils spoiled_random()
{
    Spoils spoils = {
        {"generator.randperm_ignores_it", "aten::randperm.generator_out", key,
         before(drop_generator)},
        {"random.dropout_gradient_not_scaled", "aten::native_dropout_backward", key,
         before(forget_scale)},
        {"random.draws_before_it_refuses", "aten::normal_", key, before(draw_before_it_refuses)},
        {"random.negative_deviation_taken", "aten::normal_", key, before(take_any_deviation)},
        {"random.numbers_need_a_dimension", "aten::random_", key, before(refuse_numbers)},
    };
    for (const std::string &name : kernels_for(key)) {
        if (!takes_generator(name))
            continue;
        spoils.push_back({"generator.argument_ignored", name, key, before(drop_generator)});
        spoils.push_back(
            {"generator.needs_its_device_current", name, key, before(drop_generator_elsewhere)});
        spoils.push_back({"generator.draws_from_cpu", name, key, before(draw_from_cpu)});
        for (const char *fault :
             {"generator.cpu_generator_accepted", "random.cpu_generator_accepted"})
            spoils.push_back({fault, name, key, before(drop_cpu_generator)});
    }
    return spoils;
}

} // namespace fakedev
