/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graphs with their faults. Each method queries its own faults, and calls the correct method if
 * none of these faults is on.
 */
#include "faulty_parts.h"

#include "device_index.h"
#include "graphs.h"
#include "status.h"
#include "streams.h"
#include "switchboard.h"

#include <ATen/ops/empty.h>
#include <c10/core/StreamGuard.h>
#include <c10/util/Exception.h>

#include <cstdlib>
#include <vector>

namespace fakedev
{

namespace
{

at::GraphImplArgs spoiled(const at::GraphImplArgs &arguments)
{
    if (armed("graph.construction_ends_process"))
        std::abort();
    return arguments;
}

void refuse_pool(const at::MempoolId_t &pool)
{
    TORCH_CHECK((pool.first == 0 && pool.second == 0) || !armed("graph.pool_is_refused"),
                "fakedev: begin capture: there are no other pools");
}

/* Allocates memory that the graph does not need, and never frees it. */
void keep_memory()
{
    static auto *const kept = new std::vector<at::Tensor>();
    const c10::Device device(c10::DeviceType::PrivateUse1, current_device());
    kept->push_back(at::empty({64 << 20}, at::device(device).dtype(at::kByte)));
}

class FaultyGraph final : public Graph
{
  public:
    explicit FaultyGraph(const at::GraphImplArgs &arguments)
        : Graph(spoiled(arguments)), is_plain_(!arguments.keep_graph)
    {
    }

    void capture_begin(at::MempoolId_t pool, at::GraphCaptureMode mode) override
    {
        if (mode != at::GraphCaptureMode::Default && armed("graph.mode_ends_process"))
            std::abort();
        refuse_pool(pool);
        TORCH_CHECK(!was_reset_ || !armed("graph.reset_is_final"),
                    "fakedev: begin capture: this graph was reset");
        if (armed("graph.capture_replaces_the_last"))
            Graph::reset();
        if (armed("graph.memory_stays_for_good"))
            keep_memory();
        const at::MempoolId_t wanted = armed("graph.first_pool_stays") ? first_pool_ : pool;
        if (armed("graph.captures_the_default_stream")) {
            const c10::StreamGuard scope(get_default_stream(current_device()));
            Graph::capture_begin(wanted, mode);
        } else {
            Graph::capture_begin(wanted, mode);
        }
        first_pool_ = Graph::pool();
        device_ = current_device();
        replays_ = 0;
    }

    void capture_end() override
    {
        if (!armed("graph.capture_never_ends"))
            Graph::capture_end();
    }

    void instantiate() override
    {
        Graph::instantiate();
        instantiated_ = true;
    }

    void replay() override
    {
        TORCH_CHECK(instantiated_ || !armed("graph.kept_graph_is_not_instantiated"),
                    "fakedev: replay: instantiate() the graph first");
        TORCH_CHECK(!is_plain_ || !armed("graph.plain_graph_is_not_ready"),
                    "fakedev: replay: there is nothing that can be run");
        TORCH_CHECK(device_ == current_device() || !armed("graph.replay_needs_its_device"),
                    "fakedev: replay: the graph is of another device");
        if (replays_++ == 0 || !armed("graph.replays_once"))
            Graph::replay();
    }

    void reset() override
    {
        Graph::reset();
        was_reset_ = true;
        instantiated_ = false;
    }

    void debug_dump(const std::string &path) override
    {
        if (!armed("graph.dump_is_lost"))
            Graph::debug_dump(path);
    }

  private:
    const bool is_plain_;
    bool was_reset_ = false, instantiated_ = false;
    int replays_ = 0;
    c10::DeviceIndex device_ = 0;
    at::MempoolId_t first_pool_{0, 0};
};

} // namespace

void register_faulty_graphs()
{
    const char *const type = armed("graph.registered_as_privateuse1") ? "PrivateUse1" : "FAKEDEV";
    at::GraphImplRegistry()->Register(
        type, [](const at::GraphImplArgs &arguments) -> std::unique_ptr<at::GraphImplInterface> {
            return std::make_unique<FaultyGraph>(arguments);
        });
}

} // namespace fakedev
