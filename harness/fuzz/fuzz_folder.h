/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A folder of this process with the files that a fuzzed reader wants. Called by the targets beside
 * it; removed at exit. One input can be several files: a line "@@" begins the next one.
 */
#ifndef HN_FUZZ_FOLDER_H
#define HN_FUZZ_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer calls it once per input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The folder. It is made at the first call. */
const char *fuzz_folder(void);
/* "<folder>/<name>"; valid until the next call but three. */
const char *fuzz_path(const char *name);
/* Writes a file in the folder. Subfolders are made. */
void fuzz_write(const char *name, const uint8_t *data, size_t size);
/* Splits the input into parts for the named files, in order. If there are fewer parts, the
 * remaining files are empty. */
void fuzz_write_parts(const char *const *names, size_t count, const uint8_t *data, size_t size);

#endif
