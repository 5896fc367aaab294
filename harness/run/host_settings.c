/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See host_settings.h.
 */
#include "host_settings.h"

/* A host runs no operator and starts no thread of a numeric library before it forks. */
const char *const hn_host_settings[HN_HOST_SETTINGS] = {
    "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1",          "MKL_NUM_THREADS=1",
    "PYTHONUNBUFFERED=", "TORCH_DEVICE_BACKEND_AUTOLOAD=0", "PYTHONFAULTHANDLER=",
};
