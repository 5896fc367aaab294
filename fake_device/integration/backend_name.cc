/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The backend's name.
 *
 * Purpose: PyTorch knows out-of-tree devices as "privateuseone" until a backend renames them. The
 * rename is possible once per process, to a name of lower-case letters and underscores. The rename
 * also makes the backend the current accelerator, and enables the C shims of device guard and
 * stream. If this file is removed, torch.device("fakedev") raises and current_accelerator() is
 * None. The name is set in C++ and in Python: a process without Python needs the name at load. The
 * Python package calls torch.utils.rename_privateuse1_backend with the same name, because only that
 * call updates Python's own global and the DeviceType alias.
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
