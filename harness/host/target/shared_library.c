/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wraps dlopen and dlsym in three functions, see shared_library.h. Called by the plugin loader and
 * by target loading. This file must not depend on the contents of a library.
 */
#include "shared_library.h"

#include <dlfcn.h>
#include <stdio.h>

void *hn_library_open(const char *path, unsigned flags, char *text, size_t size)
{
    const int scope = flags & HN_LIBRARY_GLOBAL ? RTLD_GLOBAL : RTLD_LOCAL;
    const int binding = flags & HN_LIBRARY_LAZY ? RTLD_LAZY : RTLD_NOW;
    dlerror();
    void *const library = dlopen(path, scope | binding);
    if (!library) {
        const char *const reason = dlerror();
        snprintf(text, size, "%s", reason ? reason : "dlopen failed without a reason");
    }
    return library;
}

void *hn_library_symbol(void *library, const char *symbol)
{
    return dlsym(library, symbol);
}

int hn_library_is_global(const char *symbol)
{
    return dlsym(RTLD_DEFAULT, symbol) != NULL;
}
