/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the files of assay are: $ASSAY_DATA, else share/assay beside the program's folder, else the
 * source tree it was built from. And the catalogue read from there.
 */
#ifndef HN_DATA_H
#define HN_DATA_H

#include "catalogue.h"
#include "hn_error.h"

/* The folder of the Python package `assay` in hn_data_own(): the only one that is ever put on a path for it. */
#define HN_DATA_PYTHON "harness/python"

/* "<prefix>/<name>"; prefix is the folder above the one this program is in. HN_PATH_SIZE bytes. */
int hn_data_installed(char *path, const char *name, struct hn_error *error);
/* The folder that came with this program, whatever ASSAY_DATA says. HN_PATH_SIZE bytes. */
int hn_data_own(char *path, struct hn_error *error);
/* The folder that holds conformance.yaml, suites/ and targets. `path` has HN_PATH_SIZE bytes. */
int hn_data_folder(char *path, struct hn_error *error);
/* share/assay beside the program's folder: what the build made. Need not exist. */
int hn_data_built(char *path, const char *name, struct hn_error *error);

/* The list of faults that checks may claim: beside the contract if it is there, else what the build
 * made. Need not exist. */
int hn_data_faults(char *path, const char *folder, struct hn_error *error);
/* The same for any such list: "variants.tsv". */
int hn_data_list(char *path, const char *folder, const char *name, struct hn_error *error);

/* Reads the contract; `suite`: with a private suite in this folder, or NULL; `listed`:
 * with the checks of this list, or NULL. On failure `findings` has everything that is wrong and
 * *catalogue is NULL. */
int hn_data_catalogue(const char *suite, const char *listed, struct hn_catalogue **catalogue,
                      struct hn_findings *findings);

#endif
