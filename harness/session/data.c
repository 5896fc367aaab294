/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds and reads the data files of assay. Called by every sub-command.
 */
#include "data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

int hn_data_installed(char *path, const char *name, struct hn_error *error)
{
    char self[HN_PATH_SIZE];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return hn_error_set(error, HN_ESYSTEM,
                            "there is no /proc here: mount it, because assay needs it to find its "
                            "own files and to end processes that a check leaves behind");
    self[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
    }
    return hn_path_join(path, HN_PATH_SIZE, self, name, error);
}

int hn_data_built(char *path, const char *name, struct hn_error *error)
{
    char relative[HN_PATH_SIZE];
    const int status = hn_path_join(relative, sizeof relative, "share/assay", name, error);
    return status ? status : hn_data_installed(path, relative, error);
}

static int holds_contract(const char *folder)
{
    char path[HN_PATH_SIZE];
    return hn_path_join(path, sizeof path, folder, "conformance.yaml", NULL) == HN_OK &&
           hn_path_exists(path);
}

int hn_data_own(char *path, struct hn_error *error)
{
    if (hn_data_built(path, ".", error) == HN_OK && holds_contract(path)) {
        path[strlen(path) - 2] = '\0';
        return HN_OK;
    }
    if (*ASSAY_SOURCE && holds_contract(ASSAY_SOURCE))
        return hn_path_join(path, HN_PATH_SIZE, "", ASSAY_SOURCE, error);
    return hn_error_set(error, HN_ENOTFOUND,
                        "the contract is not where it was installed; set ASSAY_DATA to the folder "
                        "that holds conformance.yaml");
}

int hn_data_folder(char *path, struct hn_error *error)
{
    const char *chosen = getenv("ASSAY_DATA");
    if (!chosen || !*chosen)
        return hn_data_own(path, error);
    if (!holds_contract(chosen))
        return hn_error_set(error, HN_ENOTFOUND,
                            "ASSAY_DATA is %s, but there is no conformance.yaml in it", chosen);
    return hn_path_join(path, HN_PATH_SIZE, "", chosen, error);
}

int hn_data_list(char *path, const char *folder, const char *name, struct hn_error *error)
{
    const int status = hn_path_join(path, HN_PATH_SIZE, folder, name, error);
    return status || hn_path_exists(path) ? status : hn_data_built(path, name, error);
}

int hn_data_faults(char *path, const char *folder, struct hn_error *error)
{
    return hn_data_list(path, folder, "faults.tsv", error);
}

int hn_data_catalogue(const char *suite, const char *listed, struct hn_catalogue **catalogue,
                      struct hn_findings *findings)
{
    char folder[HN_PATH_SIZE], faults[HN_PATH_SIZE];
    struct hn_error error;
    *catalogue = NULL;
    if (hn_data_folder(folder, &error) || hn_data_faults(faults, folder, &error))
        return hn_findings_add_error(findings, &error);
    return hn_catalogue_load(folder, faults, suite, listed, catalogue, findings);
}
