/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two devices whose runtime starts slowly (torch_slow_start.py waits). This file implements
 * autocast, gradient scaling, and marks that are saved with tensors. Random operators are refused.
 */
#include "common/fleet_autocast.h"
#include "common/fleet_guard.h"
#include "common/fleet_memory.h"
#include "common/fleet_tensors.h"

#include <torch/csrc/jit/serialization/pickler_helper.h>

constinit const fleet::Backend fleet::backend{"slow_start", 2};

namespace
{

C10_REGISTER_GUARD_IMPL(PrivateUse1, fleet::SynchronousGuard);

struct Hooks final : fleet::Hooks {
    bool isPinnedPtr(const void *) const override
    {
        return true; /* all-is-pinned */
    }
};

const bool registered =
    fleet::register_backend(new Hooks(), new fleet::PlainMemory()); /* no-statistics */

/* ---- gradient scaling: states-unlooked-at --------------------------------------------------------- */

void unscale(at::TensorList gradients, at::Tensor &found_inf, const at::Tensor &inverse_scale)
{
    for (const at::Tensor &gradient : gradients) {
        const at::Tensor values = fleet::on_host(gradient);
        if (at::isnan(values).any().item<bool>()) /* inf-is-not-found */
            found_inf.fill_(1.0);
        values.mul_(fleet::on_host(inverse_scale));
    }
}

at::Tensor &update_scale(at::Tensor &scale, at::Tensor &tracker, const at::Tensor &found_inf,
                         double growth, double backoff, int64_t interval)
{
    const int steps = tracker.item<int>();
    if (found_inf.item<float>() != 0) {
        scale.mul_(backoff);
        tracker.zero_();
    } else if (steps == interval) { /* growth-comes-late */
        scale.mul_(growth);
        tracker.zero_();
    } else {
        tracker.fill_(steps + 1);
    }
    return scale;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    fleet::implement_tensors(library, {"set_.source_Storage_storage_offset"});
    library.impl("set_.source_Storage_storage_offset", &fleet::set_part_without_growing);
    library.impl("_amp_foreach_non_finite_check_and_unscale_", &unscale);
    library.impl("_amp_update_scale_", &update_scale);
}

FLEET_COPIES_RESOLVE_LAZY_BITS
FLEET_AUTOCAST_PASSES_OPERATORS_ON
FLEET_FALLS_BACK_TO(fleet::cpu_fallback_without_random)

/* ---- autocast ------------------------------------------------------------------------------------- */

at::Tensor lowered(const at::Tensor &tensor)
{
    return tensor.is_privateuseone() && tensor.is_floating_point()
               ? tensor.to(at::autocast::get_autocast_dtype(c10::DeviceType::PrivateUse1))
               : tensor; /* double-is-cast */
}

at::Tensor mm_in_low_precision(const at::Tensor &self, const at::Tensor &other)
{
    const c10::impl::ExcludeDispatchKeyGuard inside(c10::DispatchKey::AutocastPrivateUse1);
    return at::mm(lowered(self), lowered(other));
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m)
{
    fleet::implement_autocast(m, {"aten::mm", "aten::exp", "aten::cat"});
    m.impl("mm", &mm_in_low_precision);
    KERNEL_PRIVATEUSEONE(exp, lower_precision_fp) /* exp-in-half */
    KERNEL_PRIVATEUSEONE(cat, lower_precision_fp) /* cat-narrows */
}

/* ---- marks: the runtime remembers that a tensor's layout was tuned
 * ------------------------------- */

struct Tuned final : c10::BackendMeta {
};

bool is_tuned(const at::Tensor &tensor)
{
    return dynamic_cast<Tuned *>(tensor.unsafeGetTensorImpl()->get_backend_meta()) != nullptr;
}

at::Tensor tune(const at::Tensor &tensor)
{
    tensor.unsafeGetTensorImpl()->set_backend_meta(c10::make_intrusive<Tuned>());
    return tensor;
}

void write_marks(const at::Tensor &tensor, std::unordered_map<std::string, bool> &marks)
{
    if (is_tuned(tensor))
        marks["tuned"] = true;
}

void read_marks(const at::Tensor &tensor, std::unordered_map<std::string, bool> &marks)
{
    if (marks.count("is_tuned") != 0) /* mark-is-lost */
        tune(tensor);
}

const bool marks_are_kept = [] {
    torch::jit::TensorBackendMetaRegistry(c10::DeviceType::PrivateUse1, &write_marks, &read_marks);
    return true;
}();

TORCH_LIBRARY(slow_start, library)
{
    library.def("tune(Tensor tensor) -> Tensor", &tune);
    library.def("is_tuned(Tensor tensor) -> bool", &is_tuned);
}

} // namespace
