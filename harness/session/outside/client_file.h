/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file that describes how the tests of a library are run and how they get a device
 * (ci/clients). It is verified against a table here and passed on as JSON; only assay.clients
 * interprets its members. Called by assay clients.
 */
#ifndef HN_CLIENT_FILE_H
#define HN_CLIENT_FILE_H

#include "findings.h"
#include "hn_error.h"
#include "json_write.h"

/* The path of the file for a name or a path: "tensordict" is ci/clients/tensordict.yaml of the
 * data. `path` has HN_PATH_SIZE bytes. */
int hn_client_path(char *path, const char *client, struct hn_error *error);

/* All errors go into `findings`, each with its place. Without errors, the members are written as
 * the member "client" of the open object. */
int hn_client_write(const char *path, struct hn_json_writer *writer, struct hn_findings *findings);

#endif
