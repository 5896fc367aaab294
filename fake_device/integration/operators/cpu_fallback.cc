/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The CPU fallback: one boxed kernel for every operator that has no device kernel.
 *
 * Purpose: about two thousand operators work without a kernel, slowly. The arguments are copied to
 * the CPU, and the result is copied back. Each use is counted, so that a fallback is not mistaken
 * for a device kernel.
 * If this file is removed, these operators raise NotImplementedError "Could not run 'aten::...'
 * with arguments from the backend" (the variant narrow_operators shows this).
 * Traps: a view operator must never reach the fallback, because it would return a copy. Lists that
 * are modified in place must be written back. Convolution and the fused RNN cells must be excluded,
 * because the CPU has no kernel under those names. Core's cpu_fallback passes one contiguous copy
 * of each argument. The copies of two arguments that share memory on the device do not share
 * memory, so the CPU's overlap checks find no overlap. Therefore this file refuses an output that
 * overlaps a part of an input. An output that is also an input becomes one tensor on the CPU, and
 * an expanded output is expanded on the CPU.
 * Serves: OPS-022 to OPS-028, OPS-031, OPS-033, OPS-065, OPS-077, OPS-081, AGRD-021, AGRD-022,
 * OPI-023.
 */
#include "cpu_fallback.h"

#include <ATen/MemoryOverlap.h>
#include <torch/library.h>

#include <map>
#include <mutex>

#include "fakedev.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

struct Counts {
    std::mutex mutex;
    std::map<std::string, uint64_t> of;
};

/* Never destroyed, because a thread may still use the fallback while the process ends. */
Counts &counts()
{
    static Counts *const instance = new Counts;
    return *instance;
}

void count(const c10::OperatorName &name)
{
    Counts &all = counts();
    const std::lock_guard<std::mutex> lock(all.mutex);
    ++all.of[c10::toString(name)];
}

bool is_written(const c10::Argument &argument)
{
    return argument.alias_info() && argument.alias_info()->isWrite();
}

bool is_ours(const c10::IValue &value)
{
    return value.isTensor() && value.toTensor().defined() && value.toTensor().is_privateuseone() &&
           value.toTensor().layout() == at::kStrided;
}

void check_overlap(const c10::FunctionSchema &schema, c10::ArrayRef<c10::IValue> arguments)
{
    for (size_t out = 0; out < arguments.size(); out++)
        for (size_t in = 0; in < arguments.size(); in++)
            if (is_written(schema.arguments()[out]) && is_ours(arguments[out]) && in != out &&
                is_ours(arguments[in]))
                at::assert_no_partial_overlap(arguments[out].toTensor(), arguments[in].toTensor());
}

/* True if the operator returns only written arguments. Then the written arguments determine the
 * device of the result. */
bool returns_arguments(const c10::FunctionSchema &schema)
{
    for (const c10::Argument &result : schema.returns())
        if (!is_written(result))
            return false;
    return true;
}

/* True if both arguments have the same elements. Some operators accept such an output (torch.add(x,
 * y, out=x)), other operators refuse such an output (torch.take(x, i, out=i)). */
bool is_the_same(const at::Tensor &one, const at::Tensor &other)
{
    return at::get_overlap_status(one, other) == at::MemOverlapStatus::Full &&
           one.scalar_type() == other.scalar_type() && one.sizes() == other.sizes() &&
           one.is_conj() == other.is_conj() && one.is_neg() == other.is_neg();
}

/* A device tensor that is written, and its copy on the CPU. */
struct Twins {
    at::Tensor ours, host;
};

/* The copy of an expanded tensor is expanded too. */
std::vector<Twins> twins_of_written(const c10::FunctionSchema &schema,
                                    c10::ArrayRef<c10::IValue> arguments)
{
    std::vector<Twins> written;
    for (size_t i = 0; i < arguments.size(); i++)
        if (is_written(schema.arguments()[i]) && is_ours(arguments[i])) {
            const at::Tensor ours = arguments[i].toTensor();
            written.push_back({ours, without_repeats(ours).cpu().expand(ours.sizes())});
        }
    return written;
}

c10::IValue on_host(const c10::IValue &value, const std::vector<Twins> &written)
{
    if (is_ours(value)) {
        for (const Twins &twins : written)
            if (is_the_same(value.toTensor(), twins.ours))
                return twins.host;
        return value.toTensor().cpu();
    }
    if (!value.isOptionalTensorList())
        return value;
    c10::List<std::optional<at::Tensor>> list;
    for (const std::optional<at::Tensor> &tensor : value.toOptionalTensorVector())
        list.push_back(tensor && tensor->defined() ? std::optional(tensor->cpu()) : tensor);
    return list;
}

/* Copies all arguments to the CPU. */
std::vector<Twins> move_to_host(const c10::FunctionSchema &schema, torch::jit::Stack *stack)
{
    const size_t count = schema.arguments().size();
    const std::vector<Twins> written = twins_of_written(schema, torch::jit::last(*stack, count));
    for (size_t i = stack->size() - count; i < stack->size(); i++)
        (*stack)[i] = on_host((*stack)[i], written);
    return written;
}

bool is_other_than_its_memory(const at::Tensor &tensor)
{
    return tensor.is_conj() || tensor.is_neg() ||
           at::has_internal_overlap(tensor) == at::MemOverlap::Yes;
}

bool is_given_twice(size_t written, c10::ArrayRef<c10::IValue> arguments)
{
    for (size_t i = 0; i < arguments.size(); i++)
        if (i != written && is_ours(arguments[i]) &&
            is_the_same(arguments[i].toTensor(), arguments[written].toTensor()))
            return true;
    return false;
}

bool writes_such(const c10::FunctionSchema &schema, c10::ArrayRef<c10::IValue> arguments)
{
    for (size_t i = 0; i < arguments.size(); i++)
        if (is_written(schema.arguments()[i]) && is_ours(arguments[i]) &&
            (is_other_than_its_memory(arguments[i].toTensor()) || is_given_twice(i, arguments)))
            return returns_arguments(schema);
    return false;
}

void bring_back(const Twins &twins)
{
    if (twins.host.sizes() == twins.ours.sizes())
        without_repeats(twins.ours).copy_(without_repeats(twins.host));
    else /* the operator has resized its output */
        at::_copy_from_and_resize(twins.host, twins.ours);
}

/* Used if a written tensor is expanded, has a conj or neg bit, or is also an input. The CPU must
 * decide whether x.expand(2, 3)[0] = 1 is allowed, and core's fallback does not write back into a
 * conjugated view. */
void call_with_twins(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const std::vector<Twins> written = move_to_host(op.schema(), stack);
    op.callBoxed(*stack);
    for (const Twins &twins : written) {
        bring_back(twins);
        for (c10::IValue &value : *stack)
            if (value.isTensor() && value.toTensor().is_same(twins.host))
                value = twins.ours;
    }
}

} // namespace

void boxed_cpu_fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    TORCH_CHECK_NOT_IMPLEMENTED(!fd_variant_is_on("narrow_operators"), "Could not run '",
                                op.operator_name(),
                                "' with arguments from the 'fakedev' backend: this combination has "
                                "no device kernel and the CPU fallback is switched off.");
    count(op.operator_name());
    const auto arguments = torch::jit::last(*stack, op.schema().arguments().size());
    check_overlap(op.schema(), arguments);
    if (writes_such(op.schema(), arguments))
        call_with_twins(op, stack);
    else
        at::native::cpu_fallback(op, stack);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m)
{
    if (!fd_variant_is_on("narrow_operators"))
        m.fallback(torch::CppFunction::makeFromBoxedFunction<&boxed_cpu_fallback>());
}

} // namespace fakedev

int fakedev_fallback_get(size_t index, const char **name, uint64_t *count)
{
    fakedev::Counts &all = fakedev::counts();
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (const auto &[key, value] : all.of) {
        if (index-- > 0)
            continue;
        *name = key.c_str();
        *count = value;
        return 1;
    }
    return 0;
}

void fakedev_fallback_clear(void)
{
    fakedev::Counts &all = fakedev::counts();
    const std::lock_guard<std::mutex> lock(all.mutex);
    for (auto &[key, value] : all.of)
        value = 0;
}
