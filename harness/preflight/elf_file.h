/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions to a shared object, without loading it: of the preflight, and of who names a stack. elf_file.c is the only file
 * that includes libelf. Nothing in a file is believed: sizes and offsets are libelf's to check, and
 * a string that is not there is an absent answer.
 */
#ifndef HN_ELF_FILE_H
#define HN_ELF_FILE_H

#include <stddef.h>
#include <stdint.h>

struct hn_elf;

/* Why a file could not be opened as a shared object of this machine. */
enum hn_elf_problem {
    HN_ELF_FINE,
    HN_ELF_UNREADABLE,    /* errno says why */
    HN_ELF_NOT_ELF,       /* not an ELF file, or cut short */
    HN_ELF_NOT_SHARED,    /* an executable, an object file, a core */
    HN_ELF_OTHER_MACHINE, /* another architecture or word size */
};

/* *elf is NULL unless HN_ELF_FINE. */
enum hn_elf_problem hn_elf_open(const char *path, struct hn_elf **elf);
void hn_elf_close(struct hn_elf *elf); /* takes NULL */

/* Each calls `visit` until it returns non-zero, and returns what it returned last. Strings live
 * until hn_elf_close. */
typedef int (*hn_elf_visit)(void *context, const char *text);
int hn_elf_needed(const struct hn_elf *elf, hn_elf_visit visit, void *context);
/* DT_RUNPATH and DT_RPATH, unsplit. */
int hn_elf_search_path(const struct hn_elf *elf, hn_elf_visit visit, void *context);
/* Names of dynamic symbols: needed and not weak, or offered. */
int hn_elf_undefined(const struct hn_elf *elf, hn_elf_visit visit, void *context);
int hn_elf_defined(const struct hn_elf *elf, hn_elf_visit visit, void *context);

/* The name of the function that lies at this offset, exported or not, as the linker knows it. -1: the
 * file has no table of its functions, or none lies there. */
int hn_elf_function_at(const char *path, uint64_t offset, char *name, size_t size);

#endif
