/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares one shared object with this machine, the folders of the loader and the installed
 * torch. See preflight.h.
 */
#include "elf_file.h"
#include "library_search.h"
#include "preflight.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function of libstdc++, whose header is C++ only. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

#define SHOWN 3 /* number of missing symbols in the sentence */

struct wanted {
    const char **names;
    unsigned char *found;
    size_t count, capacity;
};

struct library {
    const struct hn_preflight *preflight;
    const char *path;
    const struct hn_elf *elf;
    struct hn_search search;
    int errors;
};

static void complain(const struct hn_preflight *preflight, const char *sentence)
{
    preflight->tell(preflight->context, "error", sentence);
}

static int refuse_file(const struct hn_preflight *preflight, const char *path,
                       enum hn_elf_problem problem)
{
    char sentence[1024];
    switch (problem) {
    case HN_ELF_UNREADABLE:
        snprintf(sentence, sizeof sentence, "%s cannot be read (%s): check the path in the profile",
                 path, strerror(errno));
        break;
    case HN_ELF_OTHER_MACHINE:
        snprintf(sentence, sizeof sentence,
                 "%s is built for another architecture: install the build for this machine", path);
        break;
    case HN_ELF_NOT_SHARED:
        snprintf(
            sentence, sizeof sentence,
            "%s is an ELF file but not a shared object: name the library, not a program or object "
            "file",
            path);
        break;
    default:
        snprintf(sentence, sizeof sentence,
                 "%s is not a shared object: the profile must name an ELF library", path);
    }
    complain(preflight, sentence);
    return 1;
}

static int add_search_path(void *context, const char *text)
{
    struct library *const library = context;
    hn_search_add_list(&library->search, text, library->path);
    return 0;
}

/* A package often loads its own libraries, each library after the libraries that it needs. */
static int is_companion(const struct hn_preflight *preflight, const char *needed)
{
    for (size_t i = 0; i < preflight->companion_count; i++) {
        const char *const slash = strrchr(preflight->companions[i], '/');
        if (strcmp(slash ? slash + 1 : preflight->companions[i], needed) == 0)
            return 1;
    }
    return 0;
}

static int check_needed(void *context, const char *needed)
{
    struct library *const library = context;
    char sentence[1024];
    if (!hn_search_finds(&library->search, needed) && !is_companion(library->preflight, needed)) {
        snprintf(
            sentence, sizeof sentence,
            "%s needs %s, which is in no folder that the loader searches: install what provides "
            "it, or put its folder into LD_LIBRARY_PATH (env: in the profile)",
            library->path, needed);
        complain(library->preflight, sentence);
        library->errors++;
    }
    return 0;
}

/* Returns 1 for a C++ name whose outermost scope is a namespace of torch: _ZN3c10..., _ZNK2at...,
 * _ZTVN5torch... */
static int is_torch_symbol(const char *name)
{
    static const char *const scopes[] = {"N3c10", "N2at", "N5torch", "NK3c10", "NK2at", "NK5torch"};
    if (strncmp(name, "_Z", 2) != 0)
        return 0;
    const char *rest = name + 2;
    if (rest[0] == 'T' && rest[1] != '\0')
        rest += 2; /* vtable, type info and similar */
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++)
        if (strncmp(rest, scopes[i], strlen(scopes[i])) == 0)
            return 1;
    return 0;
}

static int collect_wanted(void *context, const char *name)
{
    struct wanted *const wanted = context;
    if (!is_torch_symbol(name))
        return 0;
    if (wanted->count == wanted->capacity) {
        const size_t capacity = wanted->capacity > 0 ? 2 * wanted->capacity : 256;
        const char **const names = reallocarray(wanted->names, capacity, sizeof *names);
        if (!names)
            return -1;
        wanted->names = names;
        wanted->capacity = capacity;
    }
    wanted->names[wanted->count++] = name;
    return 0;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int mark_found(void *context, const char *name)
{
    struct wanted *const wanted = context;
    const char **const at =
        bsearch(&name, wanted->names, wanted->count, sizeof *wanted->names, compare_names);
    if (at)
        wanted->found[at - wanted->names] = 1;
    return 0;
}

static void look_into(const char *path, struct wanted *wanted)
{
    struct hn_elf *elf;
    if (hn_elf_open(path, &elf) == HN_ELF_FINE)
        hn_elf_defined(elf, mark_found, wanted);
    hn_elf_close(elf);
}

struct providers {
    const struct library *library;
    struct wanted *wanted;
};

static int look_into_needed(void *context, const char *needed)
{
    const struct providers *const providers = context;
    char path[HN_SEARCH_PATH];
    if (hn_search_resolve(&providers->library->search, needed, path, sizeof path))
        look_into(path, providers->wanted);
    return 0;
}

static void look_into_torch(const struct library *library, struct wanted *wanted)
{
    static const char *const names[] = {"libc10.so", "libtorch_cpu.so", "libtorch.so",
                                        "libtorch_python.so"};
    char path[HN_SEARCH_PATH];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", library->preflight->torch_libraries, names[i]);
        look_into(path, wanted);
    }
}

static void look_into_companions(const struct library *library, struct wanted *wanted)
{
    const struct hn_preflight *const preflight = library->preflight;
    for (size_t i = 0; i < preflight->companion_count; i++)
        if (strcmp(preflight->companions[i], library->path) != 0)
            look_into(preflight->companions[i], wanted);
}

static size_t append_symbol(char *text, size_t used, size_t size, const char *name, int first)
{
    char *const readable = __cxa_demangle(name, NULL, NULL, NULL);
    const int length =
        snprintf(text + used, size - used, "%s%s", first ? "" : "; ", readable ? readable : name);
    free(readable);
    return used + (size_t)length < size ? used + (size_t)length : size - 1;
}

static int tell_missing(const struct library *library, const struct wanted *wanted)
{
    char symbols[2048] = "", sentence[3072];
    size_t missing = 0, used = 0;
    for (size_t i = 0; i < wanted->count; i++)
        if (!wanted->found[i] && missing++ < SHOWN)
            used = append_symbol(symbols, used, sizeof symbols, wanted->names[i], missing == 1);
    if (missing == 0)
        return 0;
    snprintf(sentence, sizeof sentence,
             "%s is built for another torch: it needs %zu symbol%s that torch %s does not define "
             "(%s%s); install a build for this torch, or the torch of this build",
             library->path, missing, missing == 1 ? "" : "s",
             library->preflight->torch_version ? library->preflight->torch_version : "here",
             symbols, missing > SHOWN ? "; ..." : "");
    complain(library->preflight, sentence);
    return 1;
}

static void check_symbols(struct library *library)
{
    struct wanted wanted = {0};
    struct providers providers = {library, &wanted};
    if (hn_elf_undefined(library->elf, collect_wanted, &wanted) != 0 || wanted.count == 0)
        goto done;
    qsort(wanted.names, wanted.count, sizeof *wanted.names, compare_names);
    wanted.found = calloc(wanted.count, 1);
    if (!wanted.found)
        goto done;
    look_into_torch(library, &wanted);
    hn_elf_needed(library->elf, look_into_needed, &providers);
    look_into_companions(library, &wanted);
    library->errors += tell_missing(library, &wanted);
done:
    free(wanted.found);
    free(wanted.names);
}

int hn_preflight_library(const struct hn_preflight *preflight, const char *path)
{
    struct hn_elf *elf;
    const enum hn_elf_problem problem = hn_elf_open(path, &elf);
    if (problem != HN_ELF_FINE)
        return refuse_file(preflight, path, problem);
    struct library library = {.preflight = preflight, .path = path, .elf = elf};
    hn_search_init(&library.search);
    hn_elf_search_path(elf, add_search_path, &library);
    if (preflight->library_path)
        hn_search_add_list(&library.search, preflight->library_path, NULL);
    if (preflight->torch_libraries)
        hn_search_add(&library.search, preflight->torch_libraries);
    hn_elf_needed(elf, check_needed, &library);
    if (preflight->torch_libraries)
        check_symbols(&library);
    hn_search_finish(&library.search);
    hn_elf_close(elf);
    return library.errors;
}
