/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The precompiled header of libtorch_fakedev: headers that most files here include. No file
 * includes this header by name, and each file still includes the headers that it needs.
 */
#pragma once

#include <ATen/ATen.h>
#include <ATen/native/Resize.h>
#include <torch/library.h>
