/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A C program that loads libtorch and the fake device at run time, and adds two tensors on the
 * device. The program does not use Python. Arguments: libtorch_cpu.so, libtorch_fakedev.so, and the
 * helper library (C++, depends on torch and not on the device). Exit status 0, or 1 with a message.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct helper {
    int32_t (*is_registered)(const char **missing);
    int32_t (*add)(int32_t device, float left, float right, float *sum, const char **error);
};

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "load_from_c: %s: %s\n", what, why ? why : "no reason given");
    return 1;
}

static void *load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        fail(path, dlerror());
    return library;
}

/* ISO C has no conversion from object pointer to function pointer. */
static void find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
}

static int add_on(const struct helper *helper, int32_t device)
{
    const char *error = NULL;
    float sum = 0;
    if (helper->add(device, 1.5F, 2.25F, &sum, &error) != 0)
        return fail("add", error);
    if (sum < 3.75F || sum > 3.75F)
        return fail("add", "1.5 + 2.25 is not 3.75 on the device");
    return 0;
}

int main(int count, char **arguments)
{
    struct helper helper = {NULL, NULL};
    const char *missing = NULL;
    if (count != 4)
        return fail("usage", "load_from_c libtorch_cpu.so libtorch_fakedev.so helper.so");
    if (!load(arguments[1]))
        return 1;
    void *library = load(arguments[3]);
    if (!library)
        return 1;
    find(library, "helper_is_registered", &helper.is_registered);
    find(library, "helper_add", &helper.add);
    if (!helper.is_registered || !helper.add)
        return fail("helper", "a function is missing");
    if (helper.is_registered(&missing))
        return fail("before loading", "the backend is registered already");
    if (!load(arguments[2]))
        return 1;
    if (!helper.is_registered(&missing))
        return fail("after loading, not registered", missing);
    return add_on(&helper, 0) || add_on(&helper, 1);
}
