/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program assay-host-native loads torch's libraries and the bridge that is built for them, then
 * calls libassay_native.so. The program is therefore the same for every torch.
 *
 * The program reads environment variables that the supervisor sets: ASSAY_TORCH_LIBRARIES,
 * ASSAY_BRIDGE, ASSAY_LIBRARIES. If they are not set, as in a build folder, all libraries are in
 * the folder of this program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared_library.h"

#define EXIT_UNLOADABLE 70
#define PATH_SIZE 4096

static int folder_beside(char *path, size_t size)
{
    char self[PATH_SIZE];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return -1;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    const int written = snprintf(path, size, "%s/../lib", self);
    return written < 0 || (size_t)written >= size ? -1 : 0;
}

/* Opens `name` in the folder that the variable names, or else in `otherwise`. */
static void *open_in(const char *variable, const char *otherwise, const char *name)
{
    char path[PATH_SIZE + 64], text[1024];
    const char *const chosen = getenv(variable);
    snprintf(path, sizeof path, "%s/%s", chosen ? chosen : otherwise, name);
    void *const library =
        hn_library_open(path, HN_LIBRARY_GLOBAL | HN_LIBRARY_LAZY, text, sizeof text);
    if (!library)
        fprintf(stderr, "assay: %s\n", text);
    return library;
}

static void *open_bridge(const char *beside)
{
    char text[1024];
    const char *const chosen = getenv("ASSAY_BRIDGE");
    if (!chosen)
        return open_in("ASSAY_LIBRARIES", beside, "libassay_bridge.so");
    /* The bridge names torch's libraries without a folder, so the process uses the libraries of
     * torch that are loaded first. */
    if (getenv("ASSAY_TORCH_LIBRARIES") && !open_in("ASSAY_TORCH_LIBRARIES", "", "libtorch_cpu.so"))
        return NULL;
    void *const bridge = hn_library_open(chosen, HN_LIBRARY_GLOBAL, text, sizeof text);
    if (!bridge)
        fprintf(stderr, "assay: the bridge cannot be opened: %s\n", text);
    return bridge;
}

int main(int count, char **arguments)
{
    char beside[PATH_SIZE];
    int (*entry)(int count, char **arguments);
    if (folder_beside(beside, sizeof beside) != 0 || !open_bridge(beside))
        return EXIT_UNLOADABLE;
    void *const native = open_in("ASSAY_LIBRARIES", beside, "libassay_native.so");
    void *const symbol = native ? hn_library_symbol(native, "hn_host_native_main") : NULL;
    if (!symbol)
        return EXIT_UNLOADABLE;
    memcpy(&entry, &symbol, sizeof entry);
    return entry(count, arguments);
}
