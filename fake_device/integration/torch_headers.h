/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The precompiled header of libtorch_fakedev: what most files here include anyway. It is never
 * included by name; each file still names the headers it needs.
 */
#pragma once

#include <ATen/ATen.h>
#include <ATen/native/Resize.h>
#include <torch/library.h>
