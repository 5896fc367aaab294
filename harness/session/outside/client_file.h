/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the file that describes how the tests of a library are run, and how they get a device
 * (ci/clients). The file is compared with a table of members and passed on as JSON; only
 * assay.clients interprets the members. Called by assay clients.
 */
#ifndef HN_CLIENT_FILE_H
#define HN_CLIENT_FILE_H

#include "findings.h"
#include "hn_error.h"
#include "json_write.h"

/* Finds the file for a name or a path: "tensordict" means ci/clients/tensordict.yaml of the data.
 * `path` has HN_PATH_SIZE bytes. */
int hn_client_path(char *path, const char *client, struct hn_error *error);

/* Adds each error with its place to `findings`. If there is no error, writes the file as the member
 * "client" of the open object. */
int hn_client_write(const char *path, struct hn_json_writer *writer, struct hn_findings *findings);

#endif
