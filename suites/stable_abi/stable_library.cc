// SPDX-License-Identifier: BSD-3-Clause
//
// An extension as a vendor ships it: compiled once against the stable headers, for the oldest
// release that assay supports. compiled_library.py compiles it, test_stable_library.py loads it.
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#ifdef ASSAY_NEEDS_LATER_RELEASE
extern "C" int32_t torch_function_of_a_later_release();
#endif

namespace
{

namespace stable = torch::stable;
using stable::Tensor;

Tensor copied(const Tensor &x)
{
    Tensor y = stable::empty_like(x);
    return stable::copy_(y, x);
}

Tensor cloned(const Tensor &x)
{
    return stable::clone(x);
}

Tensor emptied(const Tensor &x)
{
    Tensor y = stable::clone(x);
    return stable::zero_(y);
}

Tensor row(const Tensor &x)
{
    return stable::unsqueeze(x, 0);
}

// Chooses between two tensors, so that an absent and a present optional are seen.
Tensor chosen(const std::optional<Tensor> &first, const Tensor &otherwise)
{
    return first.has_value() ? *first : otherwise;
}

std::tuple<int64_t, int64_t, int64_t, bool> described(const Tensor &x)
{
    return {x.dim(), x.numel(), x.storage_offset(), x.is_contiguous()};
}

std::tuple<int64_t, bool> placed(const Tensor &x)
{
    const bool is_own = x.device().type() == torch::headeronly::DeviceType::PrivateUse1;
    return {x.get_device_index(), is_own};
}

// The current device inside a device guard and after it.
std::tuple<int64_t, int64_t> guarded(const Tensor & /*x*/, int64_t index)
{
    int64_t inside = 0;
    {
        const stable::accelerator::DeviceGuard guard(static_cast<int32_t>(index));
        inside = stable::accelerator::getCurrentDeviceIndex();
    }
    return {inside, stable::accelerator::getCurrentDeviceIndex()};
}

int64_t stream(const Tensor &x)
{
    return stable::accelerator::getCurrentStream(x.get_device_index()).id();
}

Tensor checked(const Tensor &x)
{
    STD_TORCH_CHECK(x.dim() > 64, "assay_stable: the tensor has too few dims");
    return x;
}

Tensor failed(const Tensor &x)
{
    return stable::select(x, 64, 0);
}

} // namespace

STABLE_TORCH_LIBRARY(assay_stable, library)
{
    library.def("copied(Tensor x) -> Tensor");
    library.def("cloned(Tensor x) -> Tensor");
    library.def("emptied(Tensor x) -> Tensor");
    library.def("row(Tensor x) -> Tensor");
    library.def("chosen(Tensor? first, Tensor otherwise) -> Tensor");
    library.def("described(Tensor x) -> (int, int, int, bool)");
    library.def("placed(Tensor x) -> (int, bool)");
    library.def("guarded(Tensor x, int index) -> (int, int)");
    library.def("stream(Tensor x) -> int");
    library.def("checked(Tensor x) -> Tensor");
    library.def("failed(Tensor x) -> Tensor");
#ifdef ASSAY_NEEDS_LATER_RELEASE
    torch_function_of_a_later_release();
#endif
}

STABLE_TORCH_LIBRARY_IMPL(assay_stable, PrivateUse1, library)
{
    library.impl("copied", TORCH_BOX(&copied));
    library.impl("cloned", TORCH_BOX(&cloned));
    library.impl("emptied", TORCH_BOX(&emptied));
    library.impl("row", TORCH_BOX(&row));
    library.impl("chosen", TORCH_BOX(&chosen));
    library.impl("described", TORCH_BOX(&described));
    library.impl("placed", TORCH_BOX(&placed));
    library.impl("guarded", TORCH_BOX(&guarded));
    library.impl("stream", TORCH_BOX(&stream));
    library.impl("checked", TORCH_BOX(&checked));
    library.impl("failed", TORCH_BOX(&failed));
}
