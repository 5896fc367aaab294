// SPDX-License-Identifier: BSD-3-Clause
//
// Calls a function at the end of the process, when the static objects of every library that was
// loaded later than the bridge are destroyed. The hosts load the bridge before the target.
#include "bridge_internal.h"

namespace
{

struct late_work {
    void (*work)(void *context) = nullptr;
    void *context = nullptr;

    ~late_work()
    {
        if (work != nullptr)
            work(context);
    }
} late;

} // namespace

int32_t bridge_at_end(void (*work)(void *context), void *context)
{
    if (late.work != nullptr)
        return bridge::refuse(ASSAY_EINVALID, "there is work for the end of the process already");
    late.work = work;
    late.context = context;
    return ASSAY_OK;
}
