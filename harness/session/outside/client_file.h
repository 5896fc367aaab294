/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file that says how the tests of a library are run and how a device gets into them (ci/clients). It is held
 * against a table here and handed on as JSON; what its members mean only assay.clients knows. Called by assay
 * clients.
 */
#ifndef HN_CLIENT_FILE_H
#define HN_CLIENT_FILE_H

#include "findings.h"
#include "hn_error.h"
#include "json_write.h"

/* The file that a name or a path means: "tensordict" is ci/clients/tensordict.yaml of the data. `path` has
 * HN_PATH_SIZE bytes. */
int hn_client_path(char *path, const char *client, struct hn_error *error);

/* Everything that is wrong goes into `findings`, each with its place; else its members are written as the member
 * "client" of an object that is open. */
int hn_client_write(const char *path, struct hn_json_writer *writer, struct hn_findings *findings);

#endif
