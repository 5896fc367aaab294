/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults of a CPU fallback: wrong arguments and results, as in the fallbacks of real backends.
 */
#include "spoil.h"

#include <ATen/ATen.h>

#include "device_index.h"

namespace fakedev
{

namespace
{

void stay_on_the_host(const Call &call)
{
    call.result() = call.result().toTensor().cpu();
}

void go_to_the_current_device(const Call &call)
{
    call.result() =
        call.result().toTensor().to(c10::Device(c10::DeviceType::PrivateUse1, current_device()));
}

/* The CPU writes into a copy of the tensor, and the tensor itself is returned unchanged. */
void lose_what_was_written(const Call &call)
{
    const at::Tensor self = call.argument(0).toTensor();
    call.argument(0) = self.clone();
    call.clean();
    call.result() = self;
}

void give_output_new_memory(const Call &call)
{
    const at::Tensor out = call.named("out")->toTensor();
    call.clean();
    out.unsafeGetTensorImpl()->shallow_copy_from(out.clone().getIntrusivePtr());
}

void want_every_tensor(const Call &call)
{
    TORCH_CHECK(call.named("weights")->isTensor(), "fakedev: argument 1 is no tensor");
}

void fail_in_its_own_words(const Call &call)
{
    try {
        call.clean();
    } catch (const c10::Error &) {
        TORCH_CHECK(false, "fakedev: error 7");
    }
}

void leave_other_sizes(const Call &call)
{
    const at::Tensor dst = call.named("dst")->toTensor();
    if (dst.sizes() == call.named("self")->toTensor().sizes())
        return call.clean();
    torch::jit::drop(*call.stack, call.argument_count());
    call.stack->emplace_back(dst);
}

} // namespace

Spoils spoiled_fallback()
{
    return {
        {"fallback.absent_tensor_refused", "aten::bincount", key, before(want_every_tensor)},
        {"fallback.in_place_is_lost", "aten::masked_scatter_", key, lose_what_was_written},
        {"fallback.in_place_is_lost", "aten::put_", key, lose_what_was_written},
        {"fallback.output_gets_new_memory", "aten::lgamma.out", key, give_output_new_memory},
        {"fallback.result_stays_on_the_host", "aten::histc", key, after(stay_on_the_host)},
        {"fallback.results_on_the_current_device", "aten::histc", key,
         after(go_to_the_current_device)},
        {"fallback.unserved_in_its_own_words", "aten::cudnn_affine_grid_generator", key,
         fail_in_its_own_words},
        {"ops.copy_back_keeps_sizes", "aten::_copy_from_and_resize", key, leave_other_sizes},
    };
}

} // namespace fakedev
