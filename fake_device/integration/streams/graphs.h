/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The class behind torch.accelerator.Graph. graphs.cc describes its purpose, and register.cc
 * registers it.
 */
#pragma once

#include "which_torch.h"

#if FAKEDEV_HAS_GRAPHS

#include <ATen/core/GraphImplInterface.h>
#include <fakedev.h>

namespace fakedev
{

class Graph : public at::GraphImplInterface
{
  public:
    explicit Graph(const at::GraphImplArgs &arguments);
    ~Graph() override;
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;

    void capture_begin(at::MempoolId_t pool, at::GraphCaptureMode mode) override;
    void capture_end() override;
    void instantiate() override;
    void replay() override;
    void reset() override;
    at::MempoolId_t pool() const override;
    void enable_debug_mode() override;
    void debug_dump(const std::string &path) override;

  private:
    enum class State { empty, capturing, captured, ready };

    const bool keep_;
    bool debug_ = false;
    State state_ = State::empty;
    c10::DeviceIndex device_ = -1;
    at::MempoolId_t pool_{0, 0};
    fd_graph *graph_ = nullptr;
};

} // namespace fakedev

#endif
