/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See elf_file.h.
 */
#include "elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined __x86_64__
#define MACHINE EM_X86_64
#elif defined __aarch64__
#define MACHINE EM_AARCH64
#else
#error "assay runs on x86-64 and aarch64"
#endif

struct hn_elf {
    int descriptor;
    Elf *elf;
};

static enum hn_elf_problem inspect(Elf *elf)
{
    GElf_Ehdr header;
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return HN_ELF_NOT_ELF;
    if (header.e_machine != MACHINE || gelf_getclass(elf) != ELFCLASS64)
        return HN_ELF_OTHER_MACHINE;
    return header.e_type == ET_DYN ? HN_ELF_FINE : HN_ELF_NOT_SHARED;
}

enum hn_elf_problem hn_elf_open(const char *path, struct hn_elf **elf)
{
    enum hn_elf_problem problem = HN_ELF_UNREADABLE;
    *elf = NULL;
    struct hn_elf *const made = calloc(1, sizeof *made);
    if (!made)
        return problem;
    made->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (made->descriptor < 0) {
        free(made);
        return problem;
    }
    elf_version(EV_CURRENT);
    made->elf = elf_begin(made->descriptor, ELF_C_READ_MMAP, NULL);
    problem = made->elf ? inspect(made->elf) : HN_ELF_NOT_ELF;
    if (problem != HN_ELF_FINE) {
        hn_elf_close(made);
        return problem;
    }
    *elf = made;
    return HN_ELF_FINE;
}

void hn_elf_close(struct hn_elf *elf)
{
    if (elf) {
        elf_end(elf->elf);
        close(elf->descriptor);
        free(elf);
    }
}

/* Returns the first section of a type, and its header; NULL if there is none. */
static Elf_Data *section(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
    Elf_Scn *found = NULL;
    while ((found = elf_nextscn(elf, found)) != NULL)
        if (gelf_getshdr(found, header) && header->sh_type == type && header->sh_entsize > 0)
            return elf_getdata(found, NULL);
    return NULL;
}

static int visit_dynamic(const struct hn_elf *elf, GElf_Sxword first, GElf_Sxword second,
                         hn_elf_visit visit, void *context)
{
    GElf_Shdr header;
    GElf_Dyn entry;
    Elf_Data *const data = section(elf->elf, SHT_DYNAMIC, &header);
    int answer = 0;
    for (int i = 0; data && answer == 0 && gelf_getdyn(data, i, &entry); i++) {
        if (entry.d_tag != first && entry.d_tag != second)
            continue;
        const char *const text = elf_strptr(elf->elf, header.sh_link, entry.d_un.d_val);
        answer = text ? visit(context, text) : 0;
    }
    return answer;
}

int hn_elf_needed(const struct hn_elf *elf, hn_elf_visit visit, void *context)
{
    return visit_dynamic(elf, DT_NEEDED, DT_NEEDED, visit, context);
}

int hn_elf_search_path(const struct hn_elf *elf, hn_elf_visit visit, void *context)
{
    return visit_dynamic(elf, DT_RUNPATH, DT_RPATH, visit, context);
}

static int visit_symbols(const struct hn_elf *elf, int defined, hn_elf_visit visit, void *context)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Data *const data = section(elf->elf, SHT_DYNSYM, &header);
    int answer = 0;
    for (int i = 1; data && answer == 0 && gelf_getsym(data, i, &symbol); i++) {
        const int weak = GELF_ST_BIND(symbol.st_info) == STB_WEAK;
        if ((symbol.st_shndx != SHN_UNDEF) != defined || (weak && !defined))
            continue;
        const char *const name = elf_strptr(elf->elf, header.sh_link, symbol.st_name);
        answer = name && name[0] != '\0' ? visit(context, name) : 0;
    }
    return answer;
}

int hn_elf_undefined(const struct hn_elf *elf, hn_elf_visit visit, void *context)
{
    return visit_symbols(elf, 0, visit, context);
}

int hn_elf_defined(const struct hn_elf *elf, hn_elf_visit visit, void *context)
{
    return visit_symbols(elf, 1, visit, context);
}

static const char *function_at(Elf *elf, uint64_t offset)
{
    GElf_Shdr header;
    GElf_Sym symbol;
    Elf_Data *const data = section(elf, SHT_SYMTAB, &header);
    for (int i = 1; data && gelf_getsym(data, i, &symbol); i++)
        if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && offset >= symbol.st_value &&
            offset - symbol.st_value < symbol.st_size)
            return elf_strptr(elf, header.sh_link, symbol.st_name);
    return NULL;
}

int hn_elf_function_at(const char *path, uint64_t offset, char *name, size_t size)
{
    struct hn_elf *elf;
    if (hn_elf_open(path, &elf) != HN_ELF_FINE)
        return -1;
    const char *const found = function_at(elf->elf, offset);
    if (found)
        snprintf(name, size, "%s", found);
    hn_elf_close(elf);
    return found ? 0 : -1;
}
