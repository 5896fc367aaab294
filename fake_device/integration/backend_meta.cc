/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Backend metadata: facts a backend keeps beside a tensor (a layout, say) and wants to find again
 * after torch.save and torch.load.
 *
 * For: TensorImpl carries one c10::BackendMeta; saving asks the first function registered here for
 * a map<string,bool>, loading to this device hands that map to the second. Without: metadata is
 * dropped by every pickle, without an error. Traps: registering twice raises; a tensor loaded to
 * the CPU never sees the map; the conj and neg bits are core's own keys of the same map and do not
 * arrive here. The fake device keeps whatever keys it is given: torch._utils.set_tensor_metadata(x,
 * {"nz": True}). Serves: SER-012 to SER-015.
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
