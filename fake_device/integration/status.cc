/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The only place that decides which exception is thrown for a driver status. See status.h.
 */
#include "status.h"

#include <c10/util/Exception.h>

#include <string>

namespace fakedev
{

namespace
{

std::string describe(fd_status status, const char *what)
{
    std::string text = std::string("fakedev: ") + what + ": " + fd_status_text(status);
    const char *detail = fd_last_error_text();
    if (detail[0] != '\0')
        text += std::string(" (") + detail + ")";
    return text + " [" + fd_status_name(status) + "]";
}

} // namespace

void throw_status(fd_status status, const char *what)
{
    const c10::SourceLocation here = {what, "fakedev", 0};
    switch (status) {
    case FD_ERROR_OUT_OF_MEMORY:
        throw c10::OutOfMemoryError(here, describe(status, what));
    case FD_ERROR_NOT_SUPPORTED:
        throw c10::NotImplementedError(here, describe(status, what));
    case FD_ERROR_KERNEL:
    case FD_ERROR_INDEX:
    case FD_ERROR_DEVICE_LOST:
        throw c10::AcceleratorError(here, status, describe(status, what));
    default:
        throw c10::Error(here, describe(status, what));
    }
}

} // namespace fakedev
