/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Anchors: the places in PyTorch that a clause describes, separated by semicolons, each of the form
 *     [derived] FILE[:NAME] [(note)]    or    [derived] NAME [(note)]    or    derived
 * where FILE is a path as in an #include or below torch/, and NAME includes its class:
 * Allocator::copy_data, Graph.replay. Called by contract (to verify anchors), plan (selection by
 * file) and explain.
 */
#ifndef HN_ANCHOR_H
#define HN_ANCHOR_H

#include <stddef.h>

struct hn_anchor_place {
    const char *file, *name; /* parts of the anchor; a missing part has length 0 */
    size_t file_length, name_length;
};

/* Parses the place at the beginning of `anchor`; both lengths are 0 for "derived" alone. Returns
 * the text after the place, or NULL at the end. *right is 0 if the form of the place is invalid. */
const char *hn_anchor_next(const char *anchor, struct hn_anchor_place *place, int *right);

/* Returns 1 if the form of each place is valid. */
int hn_anchor_is_right(const char *anchor);

/* Returns 1 if the anchor is about `what`, which is a file or FILE:NAME. An anchor of a class is
 * also about the members of the class. An anchor of a member is also about the class. An anchor of
 * a whole file is about everything in the file. The file may be written as in a checkout
 * ("aten/src/ATen/Context.h", "torch/accelerator/memory.py"), as in an installation
 * ("torch/include/ATen/Context.h") or as it is included ("ATen/Context.h"). */
int hn_anchor_names(const char *anchor, const char *what);

#endif
