/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the data files of assay: in $ASSAY_DATA, else in share/assay beside the program's
 * folder, else in the source tree of the build. Also reads the catalogue from this folder.
 */
#ifndef HN_DATA_H
#define HN_DATA_H

#include "catalogue.h"
#include "hn_error.h"

/* The folder of the Python package `assay` in hn_data_own(). The package is imported only from this
 * folder. */
#define HN_DATA_PYTHON "harness/python"

/* Writes "<prefix>/<name>", where prefix is the parent of the folder of this program. `path` has
 * HN_PATH_SIZE bytes. */
int hn_data_installed(char *path, const char *name, struct hn_error *error);
/* Finds the folder installed with this program, not $ASSAY_DATA. `path` has HN_PATH_SIZE bytes. */
int hn_data_own(char *path, struct hn_error *error);
/* Finds the folder with conformance.yaml, suites/ and targets. `path` has HN_PATH_SIZE bytes. */
int hn_data_folder(char *path, struct hn_error *error);
/* Writes the path of a file in share/assay, which the build made. The file may not exist. */
int hn_data_built(char *path, const char *name, struct hn_error *error);

/* Finds the list of faults that checks may claim: beside the contract, else the list that the build
 * made. The file may not exist. */
int hn_data_faults(char *path, const char *folder, struct hn_error *error);
/* Like hn_data_faults, for another list, such as "variants.tsv". */
int hn_data_list(char *path, const char *folder, const char *name, struct hn_error *error);

/* Reads the contract, a private suite in the folder `suite`, and the checks of the list `listed`;
 * both may be NULL. On failure `findings` has all errors and *catalogue is NULL. */
int hn_data_catalogue(const char *suite, const char *listed, struct hn_catalogue **catalogue,
                      struct hn_findings *findings);

#endif
