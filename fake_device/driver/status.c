/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names and sentences of the status codes, in one table. Called by every part of the driver.
 * Depends on nothing else.
 */
#include "fakedev.h"

struct status_row {
    fd_status status;
    const char *name, *text;
};

static const struct status_row rows[] = {
    {FD_OK, "FD_OK", "success"},
    {FD_ERROR_INVALID_VALUE, "FD_ERROR_INVALID_VALUE",
     "an argument is out of its documented range"},
    {FD_ERROR_INVALID_DEVICE, "FD_ERROR_INVALID_DEVICE", "there is no device with this index"},
    {FD_ERROR_INVALID_HANDLE, "FD_ERROR_INVALID_HANDLE",
     "this is not a live stream, event, gate, graph or block"},
    {FD_ERROR_OUT_OF_MEMORY, "FD_ERROR_OUT_OF_MEMORY", "device or pinned memory is exhausted"},
    {FD_ERROR_NOT_READY, "FD_ERROR_NOT_READY", "work is still pending"},
    {FD_ERROR_NO_DEVICE, "FD_ERROR_NO_DEVICE", "this machine has no device"},
    {FD_ERROR_DEVICE_LOST, "FD_ERROR_DEVICE_LOST", "the device fell off the bus and was not reset"},
    {FD_ERROR_KERNEL, "FD_ERROR_KERNEL", "a kernel failed some time ago"},
    {FD_ERROR_INDEX, "FD_ERROR_INDEX", "a kernel met an index out of bounds some time ago"},
    {FD_ERROR_FORKED, "FD_ERROR_FORKED",
     "the device was started before this process was forked and cannot be used in the child"},
    {FD_ERROR_NOT_SUPPORTED, "FD_ERROR_NOT_SUPPORTED", "this device cannot do that"},
    {FD_ERROR_PEER_DISABLED, "FD_ERROR_PEER_DISABLED",
     "direct access between these two devices is not enabled"},
    {FD_ERROR_SYSTEM, "FD_ERROR_SYSTEM", "the operating system refused"},
    {FD_ERROR_CAPTURING, "FD_ERROR_CAPTURING",
     "this cannot be part of a graph, and the stream captures one"},
};

static const struct status_row *find_row(fd_status status)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].status == status)
            return &rows[i];
    return NULL;
}

const char *fd_status_name(fd_status status)
{
    const struct status_row *row = find_row(status);
    return row ? row->name : "FD_ERROR_UNKNOWN";
}

const char *fd_status_text(fd_status status)
{
    const struct status_row *row = find_row(status);
    return row ? row->text : "a status that this driver does not know";
}
