/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a shared object without loading it. Used by the preflight and by the code that names the
 * frames of a stack. elf_file.c is the only file that includes libelf. The file is untrusted:
 * libelf verifies sizes and offsets, and a missing string is ignored.
 */
#ifndef HN_ELF_FILE_H
#define HN_ELF_FILE_H

#include <stddef.h>
#include <stdint.h>

struct hn_elf;

/* Reasons why a file could not be opened as a shared object of this machine. */
enum hn_elf_problem {
    HN_ELF_FINE,
    HN_ELF_UNREADABLE,    /* see errno */
    HN_ELF_NOT_ELF,       /* not an ELF file, or truncated */
    HN_ELF_NOT_SHARED,    /* an executable, an object file or a core dump */
    HN_ELF_OTHER_MACHINE, /* another architecture or word size */
};

/* *elf is NULL unless HN_ELF_FINE. */
enum hn_elf_problem hn_elf_open(const char *path, struct hn_elf **elf);
void hn_elf_close(struct hn_elf *elf); /* NULL is a no-op */

/* Each function calls `visit` until `visit` returns non-zero, and returns the last result of
 * `visit`. The strings live until hn_elf_close. */
typedef int (*hn_elf_visit)(void *context, const char *text);
int hn_elf_needed(const struct hn_elf *elf, hn_elf_visit visit, void *context);
/* Visits DT_RUNPATH and DT_RPATH as they are, not split into folders. */
int hn_elf_search_path(const struct hn_elf *elf, hn_elf_visit visit, void *context);
/* Visit the undefined dynamic symbols that are not weak, and the defined dynamic symbols. */
int hn_elf_undefined(const struct hn_elf *elf, hn_elf_visit visit, void *context);
int hn_elf_defined(const struct hn_elf *elf, hn_elf_visit visit, void *context);

/* Finds the linker name of the function at this offset, exported or not. Returns 0, or -1 if the
 * file has no symbol table or no function at this offset. */
int hn_elf_function_at(const char *path, uint64_t offset, char *name, size_t size);

#endif
