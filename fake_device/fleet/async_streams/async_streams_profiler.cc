/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The activity profiler: a session of torch.profiler gets the launch and the execution of each task.
 */
#include "async_streams/async_streams.h"

#if __has_include(<torch/csrc/profiler/standalone/privateuse1_profiler.h>)

/* Without USE_KINETO, the header of the registry is empty. No library of torch exports fmt. */
#ifndef USE_KINETO
#define USE_KINETO
#endif
#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY 1
#endif
#include <libkineto.h>
#include <output_base.h>
#include <torch/csrc/profiler/standalone/privateuse1_profiler.h>

#include <atomic>
#include <chrono>
#include <mutex>

namespace async_streams
{

namespace
{

using libkineto::ActivityType, libkineto::GenericTraceActivity;

struct Task {
    int32_t number, operator_number, thread;
    c10::DeviceIndex device;
    c10::StreamId stream;
    int64_t given_ns, begin_ns, end_ns;
};

struct Trace {
    std::mutex mutex;
    std::vector<Task> tasks;
};

/* The trace of the running session. A task keeps the trace of the session in which it was given. */
std::mutex running_mutex;
std::shared_ptr<Trace> running;

std::shared_ptr<Trace> exchange_running(std::shared_ptr<Trace> next)
{
    const std::lock_guard<std::mutex> lock(running_mutex);
    return std::exchange(running, std::move(next));
}

std::shared_ptr<Trace> current_trace()
{
    const std::lock_guard<std::mutex> lock(running_mutex);
    return running;
}

/* The operators that this thread is in, which are of the session with this trace. */
struct Operators {
    std::weak_ptr<Trace> trace;
    std::vector<uint64_t> numbers;
};
thread_local Operators operators;

int64_t now_ns()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

libkineto::DeviceInfo info_of(int64_t device)
{
    const std::string name = "async_streams " + std::to_string(device);
    return {device, device + libkineto::kExceedMaxPid, name, name};
}

class Session final : public libkineto::IActivityProfilerSession
{
  public:
    ~Session() override
    {
        if (current_trace() == trace_)
            exchange_running(nullptr);
    }

    void start() override
    {
        exchange_running(trace_);
        status_ = libkineto::TraceStatus::RECORDING;
    }

    void stop() override
    {
        exchange_running(nullptr);
        settle_all();
        status_ = libkineto::TraceStatus::PROCESSING;
    }

    std::vector<std::string> errors() override
    {
        return {};
    }

    void processTrace(libkineto::ActivityLogger &logger) override
    {
        processTrace(logger, nullptr, 0, 0);
    }

    void processTrace(libkineto::ActivityLogger &logger,
                      libkineto::getLinkedActivityCallback linked, int64_t begin_ns,
                      int64_t end_ns) override
    {
        buffer_ = std::make_unique<libkineto::CpuTraceBuffer>();
        buffer_->span = libkineto::TraceSpan(begin_ns, end_ns, "async_streams");
        const std::lock_guard<std::mutex> lock(trace_->mutex);
        for (const Task &task : trace_->tasks)
            for (const bool is_launch : {true, false})
                add(task, is_launch, linked, logger);
        name_rows(logger, begin_ns);
    }

    std::unique_ptr<libkineto::DeviceInfo> getDeviceInfo() override
    {
        return trace_->tasks.empty()
                   ? nullptr
                   : std::make_unique<libkineto::DeviceInfo>(info_of(trace_->tasks[0].device));
    }

    std::vector<libkineto::ResourceInfo> getResourceInfos() override
    {
        return {};
    }

    std::unique_ptr<libkineto::CpuTraceBuffer> getTraceBuffer() override
    {
        return std::move(buffer_);
    }

    void pushCorrelationId(uint64_t number) override
    {
        if (operators.trace.lock() != trace_)
            operators = {trace_, {}};
        operators.numbers.push_back(number);
    }

    void popCorrelationId() override
    {
        if (operators.trace.lock() == trace_ && !operators.numbers.empty())
            operators.numbers.pop_back();
    }

  private:
    void add(const Task &task, bool is_launch, const libkineto::getLinkedActivityCallback &linked,
             libkineto::ActivityLogger &logger)
    {
        auto made = std::make_unique<GenericTraceActivity>(
            buffer_->span,
            is_launch ? ActivityType::PRIVATEUSE1_RUNTIME : ActivityType::CONCURRENT_KERNEL,
            is_launch ? "give" : "task");
        made->startTime = is_launch ? task.given_ns : task.begin_ns;
        made->endTime = is_launch ? task.given_ns : task.end_ns;
        made->device = is_launch ? libkineto::processId() : task.device;
        made->resource = is_launch ? task.thread : static_cast<int32_t>(task.stream);
        made->threadId = task.thread;
        made->id = task.number;
        made->linked = linked ? linked(task.operator_number) : nullptr;
        made->flow.id = static_cast<uint32_t>(task.number);
        made->flow.type = libkineto::kLinkAsyncCpuGpu;
        made->flow.start = is_launch;
        logger.handleActivity(*made);
        buffer_->activities.push_back(std::move(made));
    }

    void name_rows(libkineto::ActivityLogger &logger, int64_t time_ns) const
    {
        std::set<std::pair<int64_t, int64_t>> rows;
        std::set<int64_t> devices;
        for (const Task &task : trace_->tasks)
            rows.emplace(task.device, task.stream);
        for (const auto &[device, stream] : rows) {
            if (devices.insert(device).second)
                logger.handleDeviceInfo(info_of(device), time_ns);
            logger.handleResourceInfo({stream, stream, device, "stream " + std::to_string(stream)},
                                      time_ns);
        }
    }

    const std::shared_ptr<Trace> trace_ = std::make_shared<Trace>();
    std::unique_ptr<libkineto::CpuTraceBuffer> buffer_;
};

class Profiler final : public libkineto::IActivityProfiler
{
  public:
    const std::string &name() const override
    {
        static const std::string name = "async_streams";
        return name;
    }

    const std::set<ActivityType> &availableActivities() const override
    {
        static const std::set<ActivityType> types = {ActivityType::CONCURRENT_KERNEL,
                                                     ActivityType::PRIVATEUSE1_RUNTIME};
        return types;
    }

    std::unique_ptr<libkineto::IActivityProfilerSession>
    configure(const std::set<ActivityType> &wanted, const libkineto::Config &) override
    {
        return wanted.count(ActivityType::CONCURRENT_KERNEL) ? std::make_unique<Session>()
                                                             : nullptr;
    }

    std::unique_ptr<libkineto::IActivityProfilerSession>
    configure(int64_t, int64_t, const std::set<ActivityType> &wanted,
              const libkineto::Config &config) override
    {
        return configure(wanted, config);
    }
};

REGISTER_PRIVATEUSE1_PROFILER(Profiler);

} // namespace

Order profiled(Order order, c10::DeviceIndex device)
{
    static std::atomic<int32_t> last{0};
    const std::shared_ptr<Trace> trace = current_trace();
    if (!trace)
        return order;
    const bool is_known = operators.trace.lock() == trace && !operators.numbers.empty();
    Task task{};
    task.number = ++last;
    task.operator_number = is_known ? static_cast<int32_t>(operators.numbers.back()) : 0;
    task.thread = libkineto::systemThreadId();
    task.device = device;
    task.given_ns = now_ns();
    return [order = std::move(order), trace, task]() mutable {
        task.begin_ns = now_ns();
        order();
        task.end_ns = now_ns();
        /* Asks for the current stream of the stream's own thread: row-of-the-default-stream. */
        task.stream = fleet::current_stream(task.device).id();
        const std::lock_guard<std::mutex> lock(trace->mutex);
        trace->tasks.push_back(task);
    };
}

} // namespace async_streams

#else

namespace async_streams
{

Order profiled(Order order, c10::DeviceIndex)
{
    return order;
}

} // namespace async_streams

#endif
