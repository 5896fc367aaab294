/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The CPU fallback: every operator of PyTorch works from the start, slowly.
 *
 * PyTorch's cpu_fallback passes a CPU copy of each argument. A copy no longer shows the argument's
 * device or the memory it shares. Therefore this file refuses tensors of two devices, and outputs
 * that overlap a part of an input. An output that is also an input becomes one tensor on the CPU,
 * where the kernel may refuse the call. Values written into an expanded or conjugated tensor are
 * copied back. If the first argument is a number on the CPU, it is moved to the device, because the
 * result is created on the device of the first argument.
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

/* The device tensors in one argument, which may be a list: torch.cat([x, y], out=z). */
std::vector<at::Tensor> tensors_in(const c10::IValue &value)
{
    std::vector<at::Tensor> found;
    if (is_ours(value))
        found.push_back(value.toTensor());
    if (value.isTensorList())
        for (const at::Tensor &tensor : value.toTensorVector())
            if (is_ours(tensor))
                found.push_back(tensor);
    return found;
}

void refuse_overlap(const c10::FunctionSchema &schema, c10::ArrayRef<c10::IValue> arguments)
{
    for (size_t out = 0; out < arguments.size(); out++) {
        if (!is_written(schema.arguments()[out]) || !is_ours(arguments[out]))
            continue;
        for (size_t in = 0; in < arguments.size(); in++)
            if (in != out)
                for (const at::Tensor &tensor : tensors_in(arguments[in]))
                    at::assert_no_partial_overlap(arguments[out].toTensor(), tensor);
    }
}

/* Operators that accept lengths or probabilities on the CPU. Lists of optional tensors (indices)
 * are not checked. */
bool takes_tensors_of_the_cpu(const std::string &name)
{
    return name == "aten::_pack_padded_sequence" || name == "aten::_ctc_loss" ||
           name == "aten::bernoulli_";
}

bool is_number_on_the_cpu(const at::Tensor &tensor)
{
    return tensor.is_cpu() && tensor.dim() == 0;
}

void expect_device(const at::Tensor &tensor, std::optional<at::Device> &common)
{
    if (!tensor.defined() || is_number_on_the_cpu(tensor))
        return;
    TORCH_CHECK(!common || *common == tensor.device(),
                "Expected all tensors to be on the same device, but found at least two devices, ",
                *common, " and ", tensor.device(), "!");
    common = tensor.device();
}

/* A number on the CPU is accepted; all other tensors must be on one device. Returns that device. */
std::optional<at::Device> expect_one_device(const c10::FunctionSchema &schema,
                                            c10::ArrayRef<c10::IValue> arguments)
{
    std::optional<at::Device> common;
    if (takes_tensors_of_the_cpu(schema.name()))
        return common;
    for (const c10::IValue &value : arguments)
        if (value.isTensor())
            expect_device(value.toTensor(), common);
        else if (value.isTensorList())
            for (const at::Tensor &tensor : value.toTensorVector())
                expect_device(tensor, common);
    return common;
}

/* PyTorch creates the result on the device of the first tensor: torch.where(number, x, y). */
void move_first_number(const c10::FunctionSchema &schema, torch::jit::Stack *stack,
                       at::Device device)
{
    const size_t first = stack->size() - schema.arguments().size();
    for (size_t i = 0; i < schema.arguments().size(); i++) {
        c10::IValue &value = (*stack)[first + i];
        if (!value.isTensor() || !value.toTensor().defined())
            continue;
        if (is_number_on_the_cpu(value.toTensor()) && !is_written(schema.arguments()[i]))
            value = value.toTensor().to(device);
        return;
    }
}

/* An argument with the same elements as another: torch.add(x, y, out=x). */
bool is_the_same(const at::Tensor &one, const at::Tensor &other)
{
    return at::get_overlap_status(one, other) == at::MemOverlapStatus::Full &&
           one.scalar_type() == other.scalar_type() && one.sizes() == other.sizes() &&
           one.is_conj() == other.is_conj() && one.is_neg() == other.is_neg();
}

/* True if the tensor has a conj or neg bit, or if several positions share one element. */
bool is_other_than_its_memory(const at::Tensor &tensor)
{
    return tensor.is_conj() || tensor.is_neg() ||
           at::has_internal_overlap(tensor) == at::MemOverlap::Yes;
}

/* A tensor that the operator writes, and its CPU copy, which is expanded as well. */
struct Twins {
    at::Tensor ours, host;
};

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

at::Tensor to_host(const at::Tensor &tensor, const std::vector<Twins> &written)
{
    for (const Twins &twins : written)
        if (is_the_same(tensor, twins.ours))
            return twins.host;
    return tensor.defined() ? tensor.cpu() : tensor;
}

c10::IValue to_host(const c10::IValue &value, const std::vector<Twins> &written)
{
    if (is_ours(value))
        return to_host(value.toTensor(), written);
    if (value.isTensorList()) {
        c10::List<at::Tensor> tensors;
        for (const at::Tensor &tensor : value.toTensorVector())
            tensors.push_back(to_host(tensor, written));
        return tensors;
    }
    if (!value.isOptionalTensorList())
        return value;
    c10::List<std::optional<at::Tensor>> indices;
    for (const std::optional<at::Tensor> &index : value.toOptionalTensorVector())
        indices.push_back(index ? std::optional(to_host(*index, written)) : index);
    return indices;
}

void bring_back(const Twins &twins)
{
    if (twins.host.sizes() == twins.ours.sizes())
        without_repeats(twins.ours).copy_(without_repeats(twins.host));
    else /* the operator has resized its output */
        at::_copy_from_and_resize(twins.host, twins.ours);
}

/* For operators that return their argument: x.expand(2, 3).add_(1), x.conj().mul_(2). */
void call_with_twins(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const size_t count = op.schema().arguments().size();
    const std::vector<Twins> written =
        twins_of_written(op.schema(), torch::jit::last(*stack, count));
    for (size_t i = stack->size() - count; i < stack->size(); i++)
        (*stack)[i] = to_host((*stack)[i], written);
    op.callBoxed(*stack);
    for (const Twins &twins : written) {
        bring_back(twins);
        for (c10::IValue &value : *stack)
            if (value.isTensor() && value.toTensor().is_same(twins.host))
                value = twins.ours;
    }
}

bool is_given_twice(size_t written, c10::ArrayRef<c10::IValue> arguments)
{
    for (size_t i = 0; i < arguments.size(); i++)
        if (i != written)
            for (const at::Tensor &tensor : tensors_in(arguments[i]))
                if (is_the_same(tensor, arguments[written].toTensor()))
                    return true;
    return false;
}

bool needs_twins(const c10::FunctionSchema &schema, c10::ArrayRef<c10::IValue> arguments)
{
    bool needed = false;
    for (const c10::Argument &result : schema.returns())
        if (!is_written(result))
            return false;
    for (size_t i = 0; i < arguments.size(); i++)
        needed =
            needed ||
            (is_written(schema.arguments()[i]) && is_ours(arguments[i]) &&
             (is_other_than_its_memory(arguments[i].toTensor()) || is_given_twice(i, arguments)));
    return needed;
}

void call_on_host(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    if (needs_twins(op.schema(), torch::jit::last(*stack, op.schema().arguments().size())))
        call_with_twins(op, stack);
    else
        at::native::cpu_fallback(op, stack);
}

/* @with generator */
bool wants_generator(const c10::Argument &argument)
{
    return argument.type()->str() == "Generator?" || argument.type()->str() == "Generator";
}

/* If the operator takes a generator, gives its CPU kernel numbers of the device's generator. */
std::optional<Draw> hand_over_generator(const c10::FunctionSchema &schema, torch::jit::Stack *stack)
{
    const size_t first = stack->size() - schema.arguments().size();
    c10::DeviceIndex device = current_device();
    std::optional<Draw> draw;
    for (size_t i = 0; i < schema.arguments().size(); i++) {
        c10::IValue &value = (*stack)[first + i];
        if (is_ours(value))
            device = value.toTensor().device().index();
        else if (value.isDevice() && value.toDevice().is_privateuseone())
            device = resolve(value.toDevice().index(), "random");
        if (wants_generator(schema.arguments()[i])) {
            draw.emplace(value.isGenerator() ? value.toGenerator() : default_generator(device));
            value = draw->on_host();
        }
    }
    return draw;
}

void call_with_generator(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    std::optional<Draw> draw = hand_over_generator(op.schema(), stack);
    try {
        call_on_host(op, stack);
    } catch (...) {
        if (draw)
            draw->give_back();
        throw;
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
    const std::optional<at::Device> device = expect_one_device(op.schema(), arguments);
    refuse_overlap(op.schema(), arguments);
    if (device)
        move_first_number(op.schema(), stack, *device);
    call_with_generator(op, stack); /* @with generator */
    call_on_host(op, stack);        /* @without generator */
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m)
{
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
}

/* PyTorch has forms of its own for these, which replace the fallback and support fewer inputs. */
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    for (const char *name : {"native_group_norm", "native_layer_norm", "conj_physical_"})
        m.impl(name, torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
}

} // namespace foo
