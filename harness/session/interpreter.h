/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the torch that the target's interpreter would import, and our products that are compiled
 * for that torch. assay/builds/torch_builds.py finds them in a process of its own. Called by the
 * commands that load a target, by doctor and by bridge.
 */
#ifndef HN_INTERPRETER_H
#define HN_INTERPRETER_H

#include "file.h"
#include "profile.h"

#define HN_TORCH_TEXT 128
#define HN_TORCH_REMARK 512

/* State of a product for one torch: beside this program ("built"), in the cache ("cached"), not
 * compiled yet ("missing"), or "absent" if there is no torch. */
struct hn_torch_product {
    char path[HN_PATH_SIZE], state[16];
};

struct hn_torch_version {
    char version[HN_TORCH_TEXT], git[HN_TORCH_TEXT], path[HN_PATH_SIZE]; /* "" without torch */
    char libpython[HN_PATH_SIZE]; /* "" if the interpreter has no shared library */
    char remark[HN_TORCH_REMARK]; /* "" if the contract is verified for this release */
    struct hn_torch_product bridge, fake_device;
};

/* Paths for loading a target: data of the contract, our own data, the target's interpreter. */
struct hn_places {
    char data[HN_PATH_SIZE], own[HN_PATH_SIZE], python[HN_PATH_SIZE];
    struct hn_torch_version torch;
};

/* Queries the interpreter without importing torch. */
int hn_interpreter_ask(const char *python, struct hn_torch_version *torch, struct hn_error *error);
/* Compiles "bridge" or "fake-device" for the interpreter's torch into the cache; its progress and
 * errors go to stderr. If the product exists, this is a no-op, unless `force` is set. */
int hn_interpreter_build(const char *python, const char *product, int force,
                         struct hn_error *error);
/* Finds all folders of a profile, and builds at first use the products that its target needs. */
int hn_interpreter_places(const struct hn_profile *profile, struct hn_places *places,
                          struct hn_error *error);
/* Returns 1 if the profile imports the package of our fake device. */
int hn_wants_fake_device(const struct hn_profile *profile);

#endif
