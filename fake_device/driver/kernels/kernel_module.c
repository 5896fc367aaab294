/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads kernels that were compiled outside the driver, and launches them. Called by the code
 * generator of torch_fakedev.
 */
#include "error.h"
#include "kernel.h"
#include "task_queue.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* One launch, as the worker receives it. A slot contains the alias of a tensor, or a value. */
struct launch {
    const struct fd_module *module;
    int32_t count;
    uint8_t is_value[(FD_MODULE_ARGUMENTS + 7) / 8];
    uint64_t slot[FD_MODULE_ARGUMENTS];
};

_Static_assert(sizeof(struct launch) <= FD_TASK_ARGUMENTS_MAX, "fd_stream_launch copies that much");
_Static_assert(sizeof(((struct fd_argument *)0)->value) == sizeof(uint64_t),
               "a value fills a slot");

/* The module stays loaded after dlclose, because the trace and pending launches refer to the
 * module. */
static fd_status load(const char *path, const struct fd_module **module)
{
    void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!file)
        return fd_fail(FD_ERROR_INVALID_VALUE, "the module cannot be loaded: %s", dlerror());
    *module = dlsym(file, FD_MODULE_SYMBOL);
    (void)dlclose(file);
    if (!*module || !(*module)->name || !(*module)->run)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%s is no module: it does not export %s", path,
                       FD_MODULE_SYMBOL);
    return FD_OK;
}

static fd_status map_tensor(struct launch *launch, int32_t index, const struct fd_tensor *tensor,
                            int32_t device)
{
    char name[96];
    struct fd_kernel kernel;
    (void)snprintf(name, sizeof name, "%s: argument %d", launch->module->name, index);
    fd_status status = fd_kernel_begin(&kernel, name, NULL, 1, &tensor);
    if (status == FD_OK)
        status = fd_kernel_map(&kernel, device);
    if (status == FD_OK)
        launch->slot[index] = (uintptr_t)kernel.tensor[0].data;
    return status;
}

static void put_value(struct launch *launch, int32_t index, const unsigned char *value)
{
    memcpy(&launch->slot[index], value, sizeof launch->slot[index]);
    launch->is_value[index / 8] |= (uint8_t)(1u << index % 8);
}

static fd_status run(void *arguments)
{
    struct launch *launch = arguments;
    void *pointer[FD_MODULE_ARGUMENTS];
    char text[256] = "no reason is given";
    for (int32_t index = 0; index < launch->count; index++)
        pointer[index] = launch->is_value[index / 8] >> index % 8 & 1
                             ? (void *)&launch->slot[index]
                             : (void *)(uintptr_t)launch->slot[index];
    if (launch->module->run(pointer, text, sizeof text) == 0)
        return FD_OK;
    return fd_fail(FD_ERROR_KERNEL, "%s", text);
}

fd_status fd_module_launch(fd_stream *stream, const char *path, const struct fd_argument *arguments,
                           int32_t count)
{
    struct launch launch = {.count = count};
    if (!stream)
        return fd_fail(FD_ERROR_INVALID_HANDLE, "the stream of a module's launch is NULL");
    if (!path || count < 0 || count > FD_MODULE_ARGUMENTS || (count && !arguments))
        return fd_fail(FD_ERROR_INVALID_VALUE,
                       "a module's launch needs a path and at most %d arguments",
                       FD_MODULE_ARGUMENTS);
    fd_status status = load(path, &launch.module);
    for (int32_t index = 0; index < count && status == FD_OK; index++)
        if (arguments[index].tensor)
            status = map_tensor(&launch, index, arguments[index].tensor, fd_stream_device(stream));
        else
            put_value(&launch, index, arguments[index].value);
    if (status != FD_OK)
        return status;
    return fd_stream_launch(stream, launch.module->name, run, &launch,
                            offsetof(struct launch, slot) + (size_t)count * sizeof launch.slot[0]);
}
