/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The backend's name.
 *
 * For: PyTorch knows out-of-tree devices as "privateuseone" until a backend gives it a name. Once
 * per process, lower case, letters and underscores only. The rename is also what makes the backend
 * "the current accelerator" and what opens the C shims of device guard and stream. Without:
 * torch.device("fakedev") does not parse; current_accelerator() is None. Here and in Python: a
 * process without Python needs it at load; the Python package calls
 * torch.utils.rename_privateuse1_backend with the same name, which only then updates Python's own
 * global and the DeviceType alias.
 * Serves: NAME-001 to NAME-005, NAME-026, NAME-028, HOOK-016.
 */
#include <c10/core/DeviceType.h>

namespace
{

const bool renamed = [] {
    c10::register_privateuse1_backend("fakedev");
    return true;
}();

} // namespace
