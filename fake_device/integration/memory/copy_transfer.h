/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The four kinds of transfer. copy_from.cc guarantees equal sizes, no conj or neg bit, no overlap,
 * and at least one element. Strides and dtypes may differ.
 */
#pragma once

#include <ATen/core/Tensor.h>

namespace fakedev
{

void upload(const at::Tensor &host, const at::Tensor &device, bool non_blocking);
void download(const at::Tensor &device, const at::Tensor &host, bool non_blocking);
void copy_within(const at::Tensor &source, const at::Tensor &destination);
/* The copy runs in order with other work on the source's stream. */
void copy_across(const at::Tensor &source, const at::Tensor &destination);

} // namespace fakedev
