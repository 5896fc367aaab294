/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The profiler stubs and the activity profiler with their faults. Each method queries its own
 * faults. If none of these faults is on, the method calls the correct method.
 */
#include "activity_profiler.h"
#include "faulty_parts.h"

#include "device_index.h"
#include "status.h"
#include "switchboard.h"

#include <time_since_epoch.h>
#include <torch/csrc/profiler/stubs/base.h>

#include <chrono>

namespace fakedev
{

namespace
{

using torch::profiler::impl::ProfilerVoidEventStub;

bool is_complete(const ProfilerVoidEventStub *event)
{
    return fd_event_query(static_cast<fd_event *>(event->get())) == FD_OK;
}

struct FaultyStubs final : torch::profiler::impl::ProfilerStubs {
    explicit FaultyStubs(const torch::profiler::impl::ProfilerStubs &correct) : correct_(correct)
    {
    }

    bool enabled() const override
    {
        return !armed("profiler.stubs_not_enabled") && correct_.enabled();
    }

    void record(c10::DeviceIndex *device, ProfilerVoidEventStub *event,
                int64_t *cpu_ns) const override
    {
        TORCH_CHECK((device && cpu_ns) || !armed("profiler.record_needs_all_pointers"),
                    "fakedev: record profiler event: null pointer");
        correct_.record(device, event, cpu_ns);
        if (device && armed("profiler.record_names_device_0"))
            *device = 0;
    }

    float elapsed(const ProfilerVoidEventStub *start,
                  const ProfilerVoidEventStub *end) const override
    {
        constexpr float microseconds_per_millisecond = 1000;
        TORCH_CHECK(!armed("profiler.elapsed_raises"), "fakedev: elapsed time: invalid event");
        if (armed("profiler.elapsed_does_not_wait") && !(is_complete(start) && is_complete(end)))
            return 0;
        const float elapsed = correct_.elapsed(start, end);
        return armed("profiler.elapsed_in_milliseconds") ? elapsed / microseconds_per_millisecond
                                                         : elapsed;
    }

    void onEachDevice(std::function<void(int)> operation) const override
    {
        correct_.onEachDevice(operation);
        if (armed("profiler.each_device_keeps_the_last"))
            check(fd_device_set(device_count() - 1), "set device");
    }

    void synchronize() const override
    {
        if (!armed("profiler.synchronize_does_nothing"))
            correct_.synchronize();
    }

    void mark(const char *name) const override
    {
        TORCH_CHECK(!armed("profiler.marks_raise"), "fakedev: mark: there is no tracing tool");
        correct_.mark(name);
    }

    void rangePush(const char *name) const override
    {
        TORCH_CHECK(!armed("profiler.marks_raise"), "fakedev: push: there is no tracing tool");
        correct_.rangePush(name);
    }

    void rangePop() const override
    {
        correct_.rangePop();
    }

  private:
    const torch::profiler::impl::ProfilerStubs &correct_;
};

#if FAKEDEV_HAS_ACTIVITY_PROFILER

using libkineto::ActivityType;

class FaultySession final : public ActivitySession
{
  public:
    using ActivitySession::ActivitySession;

    void stop() override
    {
        if (armed("profiler.pending_work_is_lost"))
            fd_trace_listen(nullptr);
        ActivitySession::stop();
        stopped_ns_ = libkineto::timeSinceEpoch(std::chrono::system_clock::now());
        if (!armed("profiler.session_repeats_the_last"))
            return;
        static auto *const last = new std::vector<fd_trace_record>();
        const std::vector<fd_trace_record> mine = records_;
        records_.insert(records_.begin(), last->begin(), last->end());
        *last = mine;
    }

  protected:
    bool belongs(const fd_trace_record &record) const override
    {
        return armed("profiler.session_repeats_the_last") || ActivitySession::belongs(record);
    }

    void finish(Activity &activity, const fd_trace_record &record) override
    {
        if (record.executed)
            spoil(activity);
        else if (armed("profiler.arrows_without_start"))
            activity.flow.id = 0;
        if (armed("profiler.metadata_breaks_the_trace"))
            activity.addMetadata("name", "a \"kernel\"");
    }

    void name_rows(libkineto::ActivityLogger &logger, int64_t time_ns) const override
    {
        if (!armed("profiler.rows_without_names"))
            ActivitySession::name_rows(logger, time_ns);
    }

  private:
    void spoil(Activity &activity)
    {
        if (armed("profiler.activities_on_device_0"))
            activity.device = 0;
        if (armed("profiler.activities_on_one_row"))
            activity.row = 0;
        if (armed("profiler.activities_end_with_the_session"))
            activity.endTime = stopped_ns_;
        if (armed("profiler.activities_in_the_drivers_clock")) {
            const int64_t length = activity.endTime - activity.startTime;
            activity.startTime = std::chrono::steady_clock::now().time_since_epoch().count();
            activity.endTime = activity.startTime + length;
        }
        if (armed("profiler.activities_not_linked"))
            activity.linked = nullptr;
        if (armed("profiler.linked_to_the_operator_before"))
            std::swap(activity.linked, before_);
    }

    int64_t stopped_ns_ = 0;
    const libkineto::ITraceActivity *before_ = nullptr;
};

class FaultyProfiler final : public ActivityProfiler
{
  protected:
    std::unique_ptr<ActivitySession> make_session(std::set<ActivityType> wanted) const override
    {
        static int sessions;
        TORCH_CHECK(sessions++ == 0 || !armed("profiler.second_session_fails"),
                    "fakedev: configure profiler: a session has already been used");
        if (armed("profiler.device_in_every_profile"))
            wanted = availableActivities();
        return std::make_unique<FaultySession>(std::move(wanted));
    }

    bool is_wanted(const std::set<ActivityType> &wanted) const override
    {
        return armed("profiler.device_in_every_profile") || ActivityProfiler::is_wanted(wanted);
    }
};

REGISTER_PRIVATEUSE1_PROFILER(FaultyProfiler);

#endif

} // namespace

void register_faulty_profiler()
{
    static const auto *const correct = torch::profiler::impl::privateuse1Stubs();
    torch::profiler::impl::registerPrivateUse1Methods(new FaultyStubs(*correct));
}

} // namespace fakedev
