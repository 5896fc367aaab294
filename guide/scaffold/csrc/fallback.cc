/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The CPU fallback: every operator of PyTorch works on the first day, slowly.
 *
 * PyTorch's cpu_fallback gives the CPU a copy of each argument, and so loses where they were and what
 * they share. Here tensors of two devices are refused, and outputs that overlap inputs; what is written
 * into an expanded or conjugated tensor is brought back.
 */
#include "foo.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/native/CPUFallback.h>
#include <torch/library.h>

namespace foo
{

namespace
{

bool is_written(const c10::Argument &argument)
{
    return argument.alias_info() && argument.alias_info()->isWrite();
}

bool is_ours(const c10::IValue &value)
{
    return value.isTensor() && value.toTensor().defined() && value.toTensor().is_privateuseone();
}

void refuse_overlap(const c10::FunctionSchema &schema, c10::ArrayRef<c10::IValue> arguments)
{
    for (size_t out = 0; out < arguments.size(); out++)
        for (size_t in = 0; in < arguments.size(); in++)
            if (is_written(schema.arguments()[out]) && is_ours(arguments[out]) && in != out &&
                is_ours(arguments[in]))
                at::assert_no_partial_overlap(arguments[out].toTensor(), arguments[in].toTensor());
}

/* Operators that take lengths from the CPU. Indices come in lists of optional tensors, which may mix. */
bool takes_lengths_from_the_cpu(const std::string &name)
{
    return name == "aten::_pack_padded_sequence" || name == "aten::_ctc_loss";
}

void expect_device(const at::Tensor &tensor, std::optional<at::Device> &common)
{
    if (!tensor.defined() || (tensor.is_cpu() && tensor.dim() == 0))
        return;
    TORCH_CHECK(!common || *common == tensor.device(),
                "Expected all tensors to be on the same device, but found at least two devices, ",
                *common, " and ", tensor.device(), "!");
    common = tensor.device();
}

/* A number on the CPU may join; everything else must be where the others are. */
void refuse_other_devices(const c10::FunctionSchema &schema, c10::ArrayRef<c10::IValue> arguments)
{
    std::optional<at::Device> common;

    if (takes_lengths_from_the_cpu(schema.name()))
        return;
    for (const c10::IValue &value : arguments)
        if (value.isTensor())
            expect_device(value.toTensor(), common);
        else if (value.isTensorList())
            for (const at::Tensor &tensor : value.toTensorVector())
                expect_device(tensor, common);
}

/* Whether writing the tensor whole would write an element twice, or not what its memory holds. */
bool is_other_than_its_memory(const at::Tensor &tensor)
{
    return tensor.is_conj() || tensor.is_neg() ||
           at::has_internal_overlap(tensor) == at::MemOverlap::Yes;
}

/* A written tensor, and its like on the CPU that is expanded as well. */
struct Twins {
    at::Tensor ours, host;
};

std::vector<Twins> to_host(const c10::FunctionSchema &schema, torch::jit::Stack *stack)
{
    const size_t first = stack->size() - schema.arguments().size();
    std::vector<Twins> written;

    for (size_t i = 0; i < schema.arguments().size(); i++) {
        c10::IValue &value = (*stack)[first + i];
        if (!is_ours(value))
            continue;
        const at::Tensor ours = value.toTensor();
        if (is_written(schema.arguments()[i]))
            written.push_back({ours, without_repeats(ours).cpu().expand(ours.sizes())});
        value = is_written(schema.arguments()[i]) ? written.back().host : ours.cpu();
    }
    return written;
}

/* For operators that return what they were given: x.expand(2, 3).add_(1), x.conj().mul_(2). */
void call_with_twins(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const std::vector<Twins> written = to_host(op.schema(), stack);

    op.callBoxed(*stack);
    for (const Twins &twins : written) {
        without_repeats(twins.ours).copy_(without_repeats(twins.host));
        for (c10::IValue &value : *stack)
            if (value.isTensor() && value.toTensor().is_same(twins.host))
                value = twins.ours;
    }
}

bool needs_twins(const c10::FunctionSchema &schema, c10::ArrayRef<c10::IValue> arguments)
{
    bool needed = false;

    for (const c10::Argument &result : schema.returns())
        if (!is_written(result))
            return false;
    for (size_t i = 0; i < arguments.size(); i++)
        needed = needed || (is_written(schema.arguments()[i]) && is_ours(arguments[i]) &&
                            is_other_than_its_memory(arguments[i].toTensor()));
    return needed;
}

/* @with generator */
bool wants_generator(const c10::Argument &argument)
{
    return argument.type()->str() == "Generator?" || argument.type()->str() == "Generator";
}

/* The CPU's kernels draw from the engine inside the device's generator. */
void hand_over_generator(const c10::FunctionSchema &schema, torch::jit::Stack *stack)
{
    const size_t first = stack->size() - schema.arguments().size();
    c10::DeviceIndex device = current_device();

    for (size_t i = 0; i < schema.arguments().size(); i++) {
        c10::IValue &value = (*stack)[first + i];
        if (is_ours(value))
            device = value.toTensor().device().index();
        else if (value.isDevice() && value.toDevice().is_privateuseone())
            device = resolve(value.toDevice().index(), "random");
        if (wants_generator(schema.arguments()[i]))
            value =
                draw_on_host(value.isGenerator() ? value.toGenerator() : default_generator(device));
    }
}
/* @end */

} // namespace

at::Tensor without_repeats(const at::Tensor &tensor)
{
    at::Tensor result = tensor;

    for (int64_t dim = 0; dim < tensor.dim(); dim++)
        if (tensor.stride(dim) == 0 && tensor.size(dim) > 1)
            result = result.narrow(dim, 0, 1);
    return result;
}

void cpu_fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const auto arguments = torch::jit::last(*stack, op.schema().arguments().size());

    refuse_other_devices(op.schema(), arguments);
    refuse_overlap(op.schema(), arguments);
    hand_over_generator(op.schema(), stack); /* @with generator */
    if (needs_twins(op.schema(), arguments))
        call_with_twins(op, stack);
    else
        at::native::cpu_fallback(op, stack);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m)
{
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
}

/* PyTorch has forms of its own for these, which win over the fallback and take less than the CPU. */
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    for (const char *name : {"native_group_norm", "native_layer_norm", "conj_physical_"})
        m.impl(name, torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
}

} // namespace foo
