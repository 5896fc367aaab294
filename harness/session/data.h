/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The folders of the files of assay: $ASSAY_DATA, else share/assay beside the program's folder,
 * else the source tree it was built from. Also reads the catalogue from there.
 */
#ifndef HN_DATA_H
#define HN_DATA_H

#include "catalogue.h"
#include "hn_error.h"

/* The folder of the Python package `assay` in hn_data_own(). No other folder is ever added to a
 * path for it. */
#define HN_DATA_PYTHON "harness/python"

/* "<prefix>/<name>", where prefix is the parent of the folder of this program. HN_PATH_SIZE
 * bytes. */
int hn_data_installed(char *path, const char *name, struct hn_error *error);
/* The folder that was installed with this program, regardless of ASSAY_DATA. HN_PATH_SIZE bytes. */
int hn_data_own(char *path, struct hn_error *error);
/* The folder with conformance.yaml, suites/ and targets. `path` has HN_PATH_SIZE bytes. */
int hn_data_folder(char *path, struct hn_error *error);
/* share/assay beside the program's folder: files that the build made. It may not exist. */
int hn_data_built(char *path, const char *name, struct hn_error *error);

/* The list of faults that checks may claim: the file beside the contract, else the one that the
 * build made. It may not exist. */
int hn_data_faults(char *path, const char *folder, struct hn_error *error);
/* The same for another list: "variants.tsv". */
int hn_data_list(char *path, const char *folder, const char *name, struct hn_error *error);

/* Reads the contract. `suite`: also a private suite in this folder, or NULL; `listed`: also the
 * checks of this list, or NULL. On failure `findings` has all errors and *catalogue is NULL. */
int hn_data_catalogue(const char *suite, const char *listed, struct hn_catalogue **catalogue,
                      struct hn_findings *findings);

#endif
