/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A collective in progress. The results arrive in host memory and are copied to the device. Called
 * by collectives.cc. Must not depend on the kind of collective.
 */
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <utility>
#include <vector>

namespace fakedev
{

/* A device tensor and its buffer in host memory. */
struct Landing {
    at::Tensor on_device;
    at::Tensor on_host;
};

/* Completes when `inner` has completed and every landing has been copied to the device. The future
 * returns `results`. */
c10::intrusive_ptr<c10d::Work> collective_work(c10::intrusive_ptr<c10d::Work> inner,
                                               std::vector<Landing> landings,
                                               std::vector<at::Tensor> results);

/* Drops the tensors of works that the inner backend has finished. Must be called on a thread of the
 * user. Every collective calls this function for the earlier collectives. */
void release_finished_work();

/* For collectives whose inner work has no future: waits for the inner work immediately. */
c10::intrusive_ptr<c10d::Work> waited_work(c10::intrusive_ptr<c10d::Work> inner,
                                           const std::vector<Landing> &landings,
                                           std::vector<at::Tensor> results);

/* For send and recv, whose inner work has no future: the first wait() copies the landings. */
c10::intrusive_ptr<c10d::Work> point_to_point_work(c10::intrusive_ptr<c10d::Work> inner,
                                                   std::vector<Landing> landings);

} // namespace fakedev
