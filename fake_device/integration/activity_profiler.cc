/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Activity profiler: the device's kernels and copies on rows of their own in torch.profiler.
 *
 * Purpose: Kineto starts a session of each registered IActivityProfiler, gives the session the
 * number of the operator that each thread runs, and collects the activities of the session at its
 * end. The driver passes that number on from a launch to the record of its execution. If this file
 * is removed, torch.profiler shows only the host's side.
 * Traps: Kineto uses the system's clock in nanoseconds, and a driver usually uses another clock. A
 * session is also configured for a profile of the CPU alone, with PRIVATEUSE1_RUNTIME as its only
 * type. Work that is pending when a session stops must not appear in a later session. A thread may
 * enter an operator in one session and leave this operator after that session. The activities must
 * outlive the session: getTraceBuffer gives their ownership to Kineto.
 * Serves: PROF-016 to PROF-018, PROF-026, PROF-029 to PROF-034.
 */
#include "activity_profiler.h"

#if FAKEDEV_HAS_ACTIVITY_PROFILER

#include "device_index.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

namespace fakedev
{

namespace
{

using libkineto::ActivityType;

/* While a session runs, the driver adds records here, under the lock of the driver's trace. */
std::vector<fd_trace_record> collected;

void collect(const fd_trace_record *record)
{
    if (record->launch != 0)
        collected.push_back(*record);
}

uint64_t driver_now()
{
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

int64_t kineto_now()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

/* Returns the difference of both clocks, from the attempt that was interrupted for the shortest
 * time. */
int64_t distance_of_clocks()
{
    uint64_t shortest = UINT64_MAX;
    int64_t distance = 0;
    for (int attempt = 0; attempt < 5; attempt++) {
        const uint64_t before = driver_now();
        const int64_t now = kineto_now();
        const uint64_t after = driver_now();
        if (after - before >= shortest)
            continue;
        shortest = after - before;
        distance = now - static_cast<int64_t>(before + shortest / 2);
    }
    return distance;
}

ActivityType type_of(const fd_trace_record &record)
{
    if (!record.executed)
        return ActivityType::PRIVATEUSE1_RUNTIME;
    if (std::strcmp(record.what, "copy") == 0)
        return ActivityType::GPU_MEMCPY;
    if (std::strcmp(record.what, "set") == 0)
        return ActivityType::GPU_MEMSET;
    return ActivityType::CONCURRENT_KERNEL;
}

bool is_of_device(ActivityType type)
{
    return type == ActivityType::GPU_MEMCPY || type == ActivityType::GPU_MEMSET ||
           type == ActivityType::CONCURRENT_KERNEL;
}

libkineto::DeviceInfo info_of(int64_t device)
{
    const std::string name = "fakedev " + std::to_string(device);
    return {device, device + libkineto::kExceedMaxPid, name, name};
}

uint64_t next_session()
{
    static std::atomic<uint64_t> number{0};
    return ++number;
}

/* The operators that this thread is executing. Entries of an older session are removed. */
struct Operators {
    uint64_t session = 0;
    std::vector<uint64_t> ids;
};
thread_local Operators operators;

} // namespace

ActivitySession::ActivitySession(std::set<ActivityType> wanted)
    : wanted_(std::move(wanted)), number_(next_session())
{
}

ActivitySession::~ActivitySession()
{
    if (is_listening_)
        fd_trace_listen(nullptr);
}

void ActivitySession::start()
{
    collected.clear();
    to_epoch_ns_ = distance_of_clocks();
    started_ns_ = driver_now();
    is_listening_ = true;
    fd_trace_listen(&collect);
    status_ = libkineto::TraceStatus::RECORDING;
}

/* Waits for the work of every device, so that the session contains all work that was launched
 * during the session. If work has failed, the next wait of the program itself reports the error. */
void ActivitySession::stop()
{
    for (c10::DeviceIndex i = 0; i < device_count(); i++)
        if (device_was_used(i))
            (void)fd_device_synchronize(i);
    fd_trace_listen(nullptr);
    is_listening_ = false;
    records_.swap(collected);
    status_ = libkineto::TraceStatus::PROCESSING;
}

std::vector<std::string> ActivitySession::errors()
{
    return {};
}

bool ActivitySession::belongs(const fd_trace_record &record) const
{
    return record.launched_ns >= started_ns_;
}

std::unique_ptr<Activity>
ActivitySession::activity_of(const fd_trace_record &record,
                             const libkineto::getLinkedActivityCallback &linked) const
{
    auto made = std::make_unique<Activity>(buffer_->span, type_of(record), record.what);
    const uint64_t begin_ns = record.executed ? record.begin_ns : record.launched_ns;
    made->startTime = static_cast<int64_t>(begin_ns) + to_epoch_ns_;
    made->endTime = static_cast<int64_t>(record.end_ns) + to_epoch_ns_;
    made->device = record.executed ? record.device : libkineto::processId();
    made->row = record.executed ? record.stream : static_cast<int64_t>(record.thread);
    made->threadId = static_cast<int32_t>(record.thread);
    made->id = static_cast<int32_t>(record.launch);
    made->linked = linked ? linked(static_cast<int32_t>(record.correlation)) : nullptr;
    made->flow.id = static_cast<uint32_t>(record.launch);
    made->flow.type = libkineto::kLinkAsyncCpuGpu;
    made->flow.start = !record.executed;
    made->addMetadata("correlation", record.launch);
    if (record.executed) {
        made->addMetadata("device", record.device);
        made->addMetadata("stream", record.stream);
    }
    if (record.bytes > 0)
        made->addMetadata("bytes", record.bytes);
    return made;
}

void ActivitySession::finish(Activity & /*activity*/, const fd_trace_record & /*record*/)
{
}

void ActivitySession::name_rows(libkineto::ActivityLogger &logger, int64_t time_ns) const
{
    std::set<std::pair<int64_t, int64_t>> rows;
    std::set<int64_t> devices;
    for (const auto &activity : buffer_->activities)
        if (is_of_device(activity->type()))
            rows.emplace(activity->deviceId(), activity->resourceId());
    for (const auto &[device, stream] : rows) {
        if (devices.insert(device).second)
            logger.handleDeviceInfo(info_of(device), time_ns);
        logger.handleResourceInfo({stream, stream, device, "stream " + std::to_string(stream)},
                                  time_ns);
    }
}

void ActivitySession::processTrace(libkineto::ActivityLogger &logger)
{
    processTrace(logger, nullptr, 0, 0);
}

void ActivitySession::processTrace(libkineto::ActivityLogger &logger,
                                   libkineto::getLinkedActivityCallback linked, int64_t begin_ns,
                                   int64_t end_ns)
{
    buffer_ = std::make_unique<libkineto::CpuTraceBuffer>();
    buffer_->span = libkineto::TraceSpan(begin_ns, end_ns, "fakedev");
    buffer_->gpuOpCount = 0;
    for (const fd_trace_record &record : records_) {
        if (!belongs(record) || wanted_.count(type_of(record)) == 0)
            continue;
        auto activity = activity_of(record, linked);
        finish(*activity, record);
        logger.handleActivity(*activity);
        buffer_->activities.push_back(std::move(activity));
    }
    name_rows(logger, begin_ns);
}

/* A session has one DeviceInfo, and a process may use several devices: name_rows names the rows of
 * all of them. If a session has no DeviceInfo, Kineto names rows of sixteen GPUs. */
std::unique_ptr<libkineto::DeviceInfo> ActivitySession::getDeviceInfo()
{
    for (const auto &activity : buffer_->activities)
        if (is_of_device(activity->type()))
            return std::make_unique<libkineto::DeviceInfo>(info_of(activity->deviceId()));
    return nullptr;
}

std::vector<libkineto::ResourceInfo> ActivitySession::getResourceInfos()
{
    return {};
}

std::unique_ptr<libkineto::CpuTraceBuffer> ActivitySession::getTraceBuffer()
{
    return std::move(buffer_);
}

void ActivitySession::pushCorrelationId(uint64_t id)
{
    if (operators.session != number_)
        operators = {number_, {}};
    operators.ids.push_back(id);
    (void)fd_trace_correlate(id);
}

void ActivitySession::popCorrelationId()
{
    if (operators.session != number_ || operators.ids.empty())
        return;
    operators.ids.pop_back();
    (void)fd_trace_correlate(operators.ids.empty() ? 0 : operators.ids.back());
}

const std::string &ActivityProfiler::name() const
{
    static const std::string name = "fakedev";
    return name;
}

const std::set<ActivityType> &ActivityProfiler::availableActivities() const
{
    static const std::set<ActivityType> types = {ActivityType::GPU_MEMCPY, ActivityType::GPU_MEMSET,
                                                 ActivityType::CONCURRENT_KERNEL,
                                                 ActivityType::PRIVATEUSE1_RUNTIME};
    return types;
}

bool ActivityProfiler::is_wanted(const std::set<ActivityType> &wanted) const
{
    return std::any_of(wanted.begin(), wanted.end(), is_of_device);
}

std::unique_ptr<ActivitySession> ActivityProfiler::make_session(std::set<ActivityType> wanted) const
{
    return std::make_unique<ActivitySession>(std::move(wanted));
}

std::unique_ptr<libkineto::IActivityProfilerSession>
ActivityProfiler::configure(const std::set<ActivityType> &wanted, const libkineto::Config &)
{
    return is_wanted(wanted) ? make_session(wanted) : nullptr;
}

std::unique_ptr<libkineto::IActivityProfilerSession>
ActivityProfiler::configure(int64_t /*start_ms*/, int64_t /*duration_ms*/,
                            const std::set<ActivityType> &wanted, const libkineto::Config &config)
{
    return configure(wanted, config);
}

} // namespace fakedev

#endif
