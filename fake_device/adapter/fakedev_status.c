/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Translates the driver's status codes and error texts to assay's.
 */
#include "fakedev_adapter.h"

static const struct assay_plugin_host *plugin_host;

void fakedev_report_to(const struct assay_plugin_host *host)
{
    plugin_host = host;
}

static const struct {
    fd_status driver;
    int32_t status;
} statuses[] = {
    {FD_OK, ASSAY_OK},
    {FD_ERROR_NOT_SUPPORTED, ASSAY_EUNSUPPORTED},
    {FD_ERROR_OUT_OF_MEMORY, ASSAY_ENOMEM},
    {FD_ERROR_DEVICE_LOST, ASSAY_ELOST},
    {FD_ERROR_INVALID_VALUE, ASSAY_EINVALID},
    {FD_ERROR_INVALID_DEVICE, ASSAY_EINVALID},
    {FD_ERROR_INVALID_HANDLE, ASSAY_EINVALID},
};

int32_t fakedev_translate(fd_status driver)
{
    int32_t status = ASSAY_EFAILED;
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i].driver == driver)
            status = statuses[i].status;
    if (status != ASSAY_OK)
        plugin_host->report(plugin_host->context, status, fd_last_error_text());
    return status;
}
