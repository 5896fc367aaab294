/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A folder of this process for the files that a fuzzed function reads. The folder is removed at
 * exit. Called by the fuzz targets beside it. One input can hold several files, separated by lines
 * "@@".
 */
#ifndef HN_FUZZ_FOLDER_H
#define HN_FUZZ_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer calls it once per input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns the path of the folder, which the first call creates. */
const char *fuzz_folder(void);
/* Returns "<folder>/<name>"; the text is valid for the next three calls. */
const char *fuzz_path(const char *name);
/* Writes a file in the folder, and creates the subfolders that it needs. */
void fuzz_write(const char *name, const uint8_t *data, size_t size);
/* Splits the input into parts for the named files, in order. If there are fewer parts, the
 * remaining files are empty. */
void fuzz_write_parts(const char *const *names, size_t count, const uint8_t *data, size_t size);

#endif
