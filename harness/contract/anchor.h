/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which file of PyTorch an anchor points at. Called by plan (selection by file) and by explain.
 */
#ifndef HN_ANCHOR_H
#define HN_ANCHOR_H

/* 1 if the anchor names the file. The file may be written as in a checkout
 * ("aten/src/ATen/Context.h", "torch/accelerator/memory.py"), as in an installation
 * ("torch/include/ATen/Context.h") or as it is included ("ATen/Context.h"). */
int hn_anchor_names(const char *anchor, const char *file);

#endif
