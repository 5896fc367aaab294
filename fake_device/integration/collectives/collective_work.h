/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A collective in flight whose results arrive in host memory and belong on the device. Called by
 * collectives.cc; knows nothing of which collective it is.
 */
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <utility>
#include <vector>

namespace fakedev
{

/* A tensor of the device and its stand-in in host memory. */
struct Landing {
    at::Tensor on_device;
    at::Tensor on_host;
};

/* Completes when `inner` has and every landing was copied; its future carries `results`. */
c10::intrusive_ptr<c10d::Work> collective_work(c10::intrusive_ptr<c10d::Work> inner,
                                               std::vector<Landing> landings,
                                               std::vector<at::Tensor> results);

/* For collectives whose inner work has no future: waits for it now. */
c10::intrusive_ptr<c10d::Work> waited_work(c10::intrusive_ptr<c10d::Work> inner,
                                           const std::vector<Landing> &landings,
                                           std::vector<at::Tensor> results);

/* For send and recv, which have no future: the landings are copied by the first wait(). */
c10::intrusive_ptr<c10d::Work> point_to_point_work(c10::intrusive_ptr<c10d::Work> inner,
                                                   std::vector<Landing> landings);

} // namespace fakedev
