/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Backend metadata with its faults.
 */
#include "faulty_parts.h"

#include "switchboard.h"

namespace fakedev
{

void save_faulty_marks(const at::Tensor &tensor, Marks &marks)
{
    if (armed("meta.written_for_all"))
        marks["fakedev_layout"] = true;
    if (armed("meta.replaces_the_bits") && tensor.unsafeGetTensorImpl()->get_backend_meta())
        marks.clear();
    if (!armed("meta.not_saved"))
        save_marks(tensor, marks);
}

void load_faulty_marks(const at::Tensor &tensor, Marks &marks)
{
    if (!armed("meta.not_restored"))
        load_marks(tensor, marks);
}

} // namespace fakedev
