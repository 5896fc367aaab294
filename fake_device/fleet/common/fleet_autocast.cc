/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators that change dtype inside of torch.autocast.
 */
#include "fleet_autocast.h"

namespace fleet
{

namespace
{

/* Replaces the library in PyTorch's macros, so that operators can be left out. */
struct Chosen {
    torch::Library &library;
    const Names &left_out;

    template <typename Name, typename Kernel>
    void impl(Name name, Kernel &&kernel) const
    {
        const char *const text = name;
        if (left_out.count(text) == 0)
            library.impl(text, std::forward<Kernel>(kernel));
    }
};

#define FLEET_LOWER(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define FLEET_FLOAT32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define FLEET_FLOAT32_UNLESS_GIVEN(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define FLEET_WIDEST(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)

} // namespace

void implement_autocast(torch::Library &library, const Names &left_out)
{
    using namespace at; // NOLINT: the macros name types without their namespace
    const Chosen m{library, left_out};
    AT_FORALL_LOWER_PRECISION_FP(FLEET_LOWER)
    AT_FORALL_FP32(FLEET_FLOAT32)
    AT_FORALL_FP32_SET_OPT_DTYPE(FLEET_FLOAT32_UNLESS_GIVEN)
    AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
    AT_FORALL_PROMOTE(FLEET_WIDEST)
    FLEET_WIDEST(cat)
    FLEET_WIDEST(stack)
}

} // namespace fleet
