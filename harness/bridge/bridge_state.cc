// SPDX-License-Identifier: BSD-3-Clause
//
// State of PyTorch in the calling thread or the whole process, and the parts that code must restore
// when it is done. All values come from PyTorch; nothing here may call the backend.
#include "bridge_internal.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/DeviceType.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/ScalarType.h>

namespace
{

struct Visit {
    bridge_state_seen see;
    void *context;

    void operator()(const std::string &question, const std::string &answer) const
    {
        see(context, question.c_str(), answer.c_str());
    }
    void operator()(const std::string &question, bool answer) const
    {
        see(context, question.c_str(), answer ? "True" : "False");
    }
};

std::string name_of(at::ScalarType dtype)
{
    return "torch." + std::string(c10::getDtypeNames(dtype).first);
}

void visit_autocast(const Visit &visit, c10::DeviceType type, const std::string &name)
{
    visit("torch.is_autocast_enabled('" + name + "')", at::autocast::is_autocast_enabled(type));
    visit("torch.get_autocast_dtype('" + name + "')",
          name_of(at::autocast::get_autocast_dtype(type)));
}

thread_local int32_t switched_to = BRIDGE_KEPT;

} // namespace

void bridge::remember_switch(int32_t device) noexcept
{
    switched_to = device >= 0 || device == BRIDGE_SWITCHED ? device : switched_to;
}

int32_t bridge_switched_to(void)
{
    return switched_to;
}

void bridge_switched_forget(void)
{
    switched_to = BRIDGE_KEPT;
}

int32_t bridge_state_visit(bridge_state_seen see, void *context)
{
    return bridge::guarded([&] {
        const Visit visit = {see, context};
        const at::Context &process = at::globalContext();
        visit("torch.get_default_dtype()", name_of(c10::get_default_dtype_as_scalartype()));
        visit("torch.is_grad_enabled()", c10::GradMode::is_enabled());
        visit("torch.is_inference_mode_enabled()", c10::InferenceMode::is_enabled());
        visit_autocast(visit, c10::kPrivateUse1, c10::get_privateuse1_backend());
        visit_autocast(visit, c10::kCPU, "cpu");
        visit("torch.is_autocast_cache_enabled()", at::autocast::is_autocast_cache_enabled());
        visit("torch.are_deterministic_algorithms_enabled()", process.deterministicAlgorithms());
        visit("torch.is_deterministic_algorithms_warn_only_enabled()",
              process.deterministicAlgorithmsWarnOnly());
    });
}
