/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Backend metadata: properties that a backend stores with a tensor (for example a layout) and needs
 * again after torch.save and torch.load.
 *
 * Purpose: TensorImpl has one c10::BackendMeta. torch.save calls the first function registered
 * here, which fills a map<string,bool>, and stores this map. When a tensor is loaded to this
 * device, torch.load passes the map to the second function. If this file is removed, every pickle
 * loses the metadata without an error.
 * Traps: registering twice raises. A tensor that is loaded to the CPU does not receive the map.
 * Core stores the conj and neg bits in the same map, but does not pass them to these functions. The
 * fake device stores all keys it receives: torch._utils.set_tensor_metadata(x, {"nz": True}).
 * Serves: SER-012 to SER-015.
 */
#include "backend_meta.h"

#include <c10/core/TensorImpl.h>

#include <utility>

namespace fakedev
{

namespace
{

struct BackendMeta final : c10::BackendMeta {
    explicit BackendMeta(Marks given) : marks(std::move(given))
    {
    }

    c10::intrusive_ptr<c10::BackendMeta>
    clone(const c10::intrusive_ptr<c10::BackendMeta> &) const override
    {
        return c10::make_intrusive<BackendMeta>(marks);
    }

    Marks marks;
};

} // namespace

void save_marks(const at::Tensor &tensor, Marks &marks)
{
    const auto *meta =
        dynamic_cast<BackendMeta *>(tensor.unsafeGetTensorImpl()->get_backend_meta());
    if (meta)
        marks.insert(meta->marks.begin(), meta->marks.end());
}

void load_marks(const at::Tensor &tensor, Marks &marks)
{
    if (!marks.empty())
        tensor.unsafeGetTensorImpl()->set_backend_meta(c10::make_intrusive<BackendMeta>(marks));
}

} // namespace fakedev
