/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graphs: work that is captured once and replayed many times.
 *
 * Purpose: torch.accelerator.Graph.
 * If this file is removed, its constructor raises "Graph is not supported on device type: fakedev".
 * Traps: the registry's key is not PrivateUse1 but the upper-case name, DeviceTypeName(type,
 * false). The context manager first empties both caches, so a DeviceAllocator and a host allocator
 * are required. The program may drop tensors to which the graph writes, so the graph must keep the
 * memory of these tensors. Waiting for a capturing stream is refused, because the wait would never
 * end. All capture modes are accepted and have the same effect, because no other thread can
 * invalidate a capture. Random numbers are drawn at capture, so each replay uses the same numbers.
 * Serves: GRPH-001 to GRPH-012, STRM-028.
 */
#include "graphs.h"

#if FAKEDEV_HAS_GRAPHS

#include "device_index.h"
#include "status.h"
#include "streams.h"

#include <c10/util/Exception.h>

#include <atomic>
#include <fstream>

namespace fakedev
{

namespace
{

/* As in other backends, the first number of the id is 0 for pools that the user creates. */
at::MempoolId_t new_pool()
{
    static std::atomic<c10::CaptureId_t> last{0};
    return {0, ++last};
}

} // namespace

Graph::Graph(const at::GraphImplArgs &arguments) : keep_(arguments.keep_graph)
{
}

Graph::~Graph()
{
    (void)fd_graph_destroy(graph_);
}

void Graph::capture_begin(at::MempoolId_t pool, at::GraphCaptureMode /*mode*/)
{
    const c10::DeviceIndex device = current_device();
    TORCH_CHECK(state_ == State::empty, "fakedev: this graph has been captured; reset() it first");
    check(fd_graph_begin(current_stream(device), &graph_), "begin capture");
    device_ = device;
    pool_ = pool.first != 0 || pool.second != 0 ? pool : new_pool();
    state_ = State::capturing;
}

void Graph::capture_end()
{
    TORCH_CHECK(state_ == State::capturing, "fakedev: this graph is not being captured");
    check(fd_graph_end(graph_), "end capture");
    state_ = State::captured;
    if (!keep_)
        instantiate();
}

void Graph::instantiate()
{
    TORCH_CHECK(state_ == State::captured || state_ == State::ready,
                "fakedev: there is no captured graph to instantiate");
    state_ = State::ready;
}

void Graph::replay()
{
    if (state_ != State::ready)
        instantiate();
    check(fd_graph_launch(graph_, current_stream(device_)), "replay");
}

void Graph::reset()
{
    check(fd_graph_destroy(graph_), "reset");
    graph_ = nullptr;
    state_ = State::empty;
}

at::MempoolId_t Graph::pool() const
{
    TORCH_CHECK(state_ != State::empty, "fakedev: the graph has no memory pool before its capture");
    return pool_;
}

void Graph::enable_debug_mode()
{
    debug_ = true;
}

/* Writes one line for each task. */
void Graph::debug_dump(const std::string &path)
{
    TORCH_CHECK(debug_ && graph_, "fakedev: enable_debug_mode() and capture before debug_dump()");
    std::ofstream file(path);

    for (size_t i = 0; const char *name = fd_graph_task_name(graph_, i); i++)
        file << i << ' ' << name << '\n';
    TORCH_CHECK(file.flush(), "fakedev: cannot write ", path);
}

} // namespace fakedev

#endif
