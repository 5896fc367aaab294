// SPDX-License-Identifier: BSD-3-Clause
//
// Precompiled once for all areas of the bridge, because torch's tensor header takes most of their
// build time.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
