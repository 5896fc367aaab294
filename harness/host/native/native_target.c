/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See native_target.h. ASSAY_LIBPYTHON names libpython; the supervisor sets it from the
 * profile's interpreter. If it is not set, the usual names are tried.
 */
#include "native_target.h"
#include "bridge.h"
#include "registration.h"
#include "shared_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const usual_libpythons[] = {
    "libpython3.14.so.1.0", "libpython3.13.so.1.0", "libpython3.12.so.1.0",
    "libpython3.11.so.1.0", "libpython3.10.so.1.0", "libpython3.so",
};

/* Returns 1 if the error message of the loader names a symbol of Python. */
static int wants_python(const char *loader_text)
{
    const char *const symbol = strstr(loader_text, "undefined symbol: ");
    if (!symbol)
        return 0;
    const char *const name = symbol + strlen("undefined symbol: ");
    return strncmp(name, "Py", 2) == 0 || strncmp(name, "_Py", 3) == 0;
}

static const char *open_libpython(char *text, size_t size)
{
    const char *const named = getenv("ASSAY_LIBPYTHON");
    const unsigned flags = HN_LIBRARY_GLOBAL | HN_LIBRARY_LAZY;
    if (named && named[0] != '\0')
        return hn_library_open(named, flags, text, size) ? named : NULL;
    for (size_t i = 0; i < sizeof usual_libpythons / sizeof usual_libpythons[0]; i++)
        if (hn_library_open(usual_libpythons[i], flags, text, size))
            return usual_libpythons[i];
    return NULL;
}

static int32_t open_step(const struct hn_host_step *step, char *text, size_t size)
{
    const unsigned flags = (strstr(step->extra, "global") ? HN_LIBRARY_GLOBAL : 0) |
                           (strstr(step->extra, "now") ? 0 : HN_LIBRARY_LAZY);
    char reason[1024], python_reason[512];
    if (hn_library_open(step->argument, flags, reason, sizeof reason))
        return ASSAY_OK;
    if (wants_python(reason) && !hn_library_is_global("Py_IsInitialized")) {
        const char *const libpython = open_libpython(python_reason, sizeof python_reason);
        if (!libpython) {
            snprintf(text, size, "%s needs Python's symbols, and no libpython could be opened: %s",
                     step->argument, python_reason);
            return ASSAY_EFAILED;
        }
        hn_host_fact("libpython opened first, never started", libpython);
        if (hn_library_open(step->argument, flags, reason, sizeof reason))
            return ASSAY_OK;
    }
    snprintf(text, size, "dlopen: %s", reason);
    return ASSAY_EFAILED;
}

int32_t hn_native_load(const struct hn_host_step *steps, size_t count, char *text, size_t size)
{
    struct hn_registration before, after;
    char key[512], added[512];
    hn_registration_take(&before);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(steps[i].kind, "dlopen") != 0) {
            snprintf(text, size, "load step %zu (%s) needs Python: use the python host", i + 1,
                     steps[i].kind);
            return ASSAY_EUNSUPPORTED;
        }
        const int32_t status = open_step(&steps[i], text, size);
        if (status != ASSAY_OK)
            return status;
        hn_registration_take(&after);
        hn_registration_describe(&before, &after, added, sizeof added);
        snprintf(key, sizeof key, "step %zu dlopen %s", i + 1, steps[i].argument);
        hn_host_fact(key, added);
        before = after;
    }
    return ASSAY_OK;
}

/* A registered guard is queried first, because the hooks may be missing or wrong. */
static int32_t count_devices(int32_t *count)
{
    if (bridge_guard_registered())
        return bridge_guard_count(count);
    return bridge_hooks_count(count);
}

int32_t hn_native_describe(const struct hn_host_setup *setup, struct hn_host_target *target,
                           char *text, size_t size)
{
    int32_t status = bridge_backend_name(target->device_name, sizeof target->device_name);
    if (status == ASSAY_OK && setup->device_name)
        snprintf(target->device_name, sizeof target->device_name, "%s", setup->device_name);
    int32_t count = 0;
    if (status == ASSAY_OK && setup->device_count == 0 && count_devices(&count) != ASSAY_OK)
        count = 0; /* without guard and hooks, the checks that report this must still run */
    if (status != ASSAY_OK) {
        snprintf(text, size, "%s", bridge_error_text());
        return status;
    }
    for (size_t i = 0; i < setup->device_count && i < HN_HOST_DEVICES; i++)
        target->devices[target->device_count++] = setup->devices[i];
    for (int32_t i = 0; i < count && i < HN_HOST_DEVICES; i++)
        target->devices[target->device_count++] = i;
    return ASSAY_OK;
}
