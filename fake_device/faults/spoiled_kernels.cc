/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults of steps that many kernels share: device, queue, operands, fallback to the CPU. These
 * faults imitate defects of real backends.
 */
#include "spoil.h"

#include <ATen/ATen.h>
#include <ATen/ops/native_group_norm_native.h>

#include "device_index.h"
#include "status.h"
#include "streams.h"

namespace fakedev
{

namespace
{

bool ends_with(const std::string &text, const std::string &end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/* The operators that compute on the device. Views and factories are not included. */
std::vector<std::string> computing()
{
    std::vector<std::string> names = {"aten::_copy_from", "aten::fill_.Scalar"};
    for (const std::string &name : kernels_for(key))
        if (ends_with(name, "out"))
            names.push_back(name);
    return names;
}

std::vector<at::Tensor> tensors(const Call &call)
{
    std::vector<at::Tensor> all;
    for (size_t i = 0; i < call.argument_count(); i++) {
        if (call.argument(i).isTensor() && call.argument(i).toTensor().defined())
            all.push_back(call.argument(i).toTensor());
        else if (call.argument(i).isTensorList())
            for (const at::Tensor &tensor : call.argument(i).toTensorVector())
                all.push_back(tensor);
    }
    return all;
}

/* Returns the device of the kernel, which is the device of its first device tensor. */
std::optional<c10::Device> device_of(const Call &call)
{
    for (const at::Tensor &tensor : tensors(call))
        if (tensor.is_privateuseone())
            return tensor.device();
    return std::nullopt;
}

void need_current_device(const Call &call)
{
    const auto device = device_of(call);
    TORCH_CHECK(!device || device->index() == current_device(), "fakedev: the tensor is on ",
                *device, ", not on the current device");
}

/* Makes the kernel wait for a stream of the current device, not of the kernel's device. */
void queue_on_current_device(const Call &call)
{
    const auto device = device_of(call);
    fd_event *event = nullptr;
    if (!device || device->index() == current_device())
        return;
    check(fd_event_create(0, &event), "create event");
    check(fd_event_record(event, current_stream(current_device())), "record event");
    check(fd_stream_wait_event(current_stream(device->index()), event), "wait for event");
    (void)fd_event_destroy(event);
}

/* Waits for the operands, as if the host had to inspect their values before the product. */
void wait_for_operands(const Call &call)
{
    const auto device = device_of(call);
    if (device)
        check(fd_stream_synchronize(current_stream(device->index())), "wait for operands");
}

void refuse_empty(const Call &call)
{
    for (const at::Tensor &tensor : tensors(call))
        TORCH_CHECK(tensor.numel() > 0, "buffer length 0");
}

void refuse_host_scalars(const Call &call)
{
    for (const at::Tensor &tensor : tensors(call))
        TORCH_CHECK(!tensor.is_cpu(), "fakedev: operands must be on the device");
}

void leave_out_lone_factor(const Call &call)
{
    const at::Tensor other = call.named("other")->toTensor();
    if (other.dim() == 0 && !other.is_cpu())
        *call.named("other") = at::ones_like(other);
}

/* Silently moves tensors of other devices and of the host to the kernel's device. */
void bring_together(const Call &call)
{
    const auto device = device_of(call);
    for (size_t i = 0; device && i < call.argument_count(); i++) {
        c10::IValue &value = call.argument(i);
        if (value.isTensor())
            value = value.toTensor().to(*device);
    }
}

void do_nothing(const Call &call)
{
    const c10::IValue self = call.argument(0);
    torch::jit::drop(*call.stack, call.argument_count());
    call.stack->push_back(self);
}

/* Leaves the tensor's device current after the kernel. */
void stay_with_self(const Call &call)
{
    const c10::DeviceIndex device = call.argument(0).toTensor().device().index();
    call.clean();
    check(fd_device_set(device), "set device");
}

/* Clones the lists, so that in-place writes are lost. */
void clone_lists(const Call &call)
{
    for (size_t i = 0; i < call.argument_count(); i++) {
        if (!call.argument(i).isTensorList())
            continue;
        std::vector<at::Tensor> clones;
        for (const at::Tensor &tensor : call.argument(i).toTensorVector())
            clones.push_back(tensor.defined() ? tensor.clone() : tensor);
        call.argument(i) = clones;
    }
}

/* Divides a fully masked row by its sum 0, so that the row becomes NaN. Other rows are correct. */
void divide_hidden_rows(const Call &call)
{
    at::Tensor output =
        (*call.stack)[call.stack->size() - call.op.schema().returns().size()].toTensor();
    output.div_(output.ne(0).any(-1, true));
}

/* Treats a mask with the lowest finite number like a mask with minus infinity. */
void hide_for_good(const Call &call)
{
    c10::IValue &bias = call.argument(3);
    if (!bias.isTensor() || !bias.toTensor().is_floating_point())
        return;
    const double lowest = bias.toTensor().scalar_type() == at::kDouble
                              ? std::numeric_limits<double>::lowest()
                              : std::numeric_limits<float>::lowest();
    bias = bias.toTensor().masked_fill(bias.toTensor().le(lowest / 2),
                                       -std::numeric_limits<double>::infinity());
}

} // namespace

Spoils spoiled_kernels()
{
    Spoils spoils = {
        {"ops.hidden_row_is_nan", "aten::_scaled_dot_product_fused_attention_overrideable", key,
         after(divide_hidden_rows)},
        {"ops.lowest_mask_hides_all", "aten::_scaled_dot_product_fused_attention_overrideable", key,
         before(hide_for_good)},
        {"ops.group_norm_takes_contiguous_only", "aten::native_group_norm", key,
         instead(at::native::math_group_norm)},
        {"ops.fill_switches_device", "aten::fill_.Scalar", key, stay_with_self},
        {"ops.zero_does_nothing", "aten::zero_", key, do_nothing},
        {"ops.lone_factor_left_out", "aten::mul.out", key, before(leave_out_lone_factor)},
    };
    for (const std::string &name : computing()) {
        spoils.push_back({"ops.needs_its_device_current", name, key, before(need_current_device)});
        spoils.push_back(
            {"ops.kernel_runs_on_current_device", name, key, before(queue_on_current_device)});
        spoils.push_back({"ops.empty_tensor_crashes", name, key, before(refuse_empty)});
    }
    for (const char *name : {"aten::add.out", "aten::sub.out", "aten::mul.out", "aten::div.out"})
        spoils.push_back({"ops.scalar_operand_refused", name, key, before(refuse_host_scalars)});
    for (const char *name :
         {"aten::mm.out", "aten::bmm.out", "aten::addmm.out", "aten::baddbmm.out"})
        spoils.push_back(
            {"graph.products_wait_for_the_host", name, key, before(wait_for_operands)});
    for (const char *name : {"aten::mm.out", "aten::bmm.out", "aten::addmm.out"})
        spoils.push_back({"ops.mixed_devices_accepted", name, key, before(bring_together)});
    for (const char *name : {"aten::_fused_sgd_", "aten::_fused_adam_", "aten::_fused_adamw_"})
        spoils.push_back({"ops.foreach_fallback_not_written_back", name, key, before(clone_lists)});
    return spoils;
}

} // namespace fakedev
