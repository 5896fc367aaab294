/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The classes of the activity profiler. activity_profiler.cc describes their purpose, and
 * register.cc registers them.
 */
#pragma once

#include "which_torch.h"

#if FAKEDEV_HAS_ACTIVITY_PROFILER

/* Without USE_KINETO the header of the registry is empty. Kineto's headers use fmt, whose functions
 * no library of torch exports. */
#ifndef USE_KINETO
#define USE_KINETO
#endif
#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY 1
#endif

#include <fakedev.h>
#include <libkineto.h>
#include <output_base.h>
#include <torch/csrc/profiler/standalone/privateuse1_profiler.h>

namespace fakedev
{

/* One row of the timeline is one stream. Kineto's own activity has only 32 bits for its number. */
struct Activity final : libkineto::GenericTraceActivity {
    using GenericTraceActivity::GenericTraceActivity;

    int64_t resourceId() const override
    {
        return row;
    }

    int64_t row = 0;
};

class ActivitySession : public libkineto::IActivityProfilerSession
{
  public:
    explicit ActivitySession(std::set<libkineto::ActivityType> wanted);
    ~ActivitySession() override;
    ActivitySession(const ActivitySession &) = delete;
    ActivitySession &operator=(const ActivitySession &) = delete;

    void start() override;
    void stop() override;
    std::vector<std::string> errors() override;
    void processTrace(libkineto::ActivityLogger &logger) override;
    void processTrace(libkineto::ActivityLogger &logger,
                      libkineto::getLinkedActivityCallback linked, int64_t begin_ns,
                      int64_t end_ns) override;
    std::unique_ptr<libkineto::DeviceInfo> getDeviceInfo() override;
    std::vector<libkineto::ResourceInfo> getResourceInfos() override;
    std::unique_ptr<libkineto::CpuTraceBuffer> getTraceBuffer() override;
    void pushCorrelationId(uint64_t id) override;
    void popCorrelationId() override;

  protected:
    /* Called for each activity before Kineto gets it. */
    virtual void finish(Activity &activity, const fd_trace_record &record);
    virtual bool belongs(const fd_trace_record &record) const;
    virtual void name_rows(libkineto::ActivityLogger &logger, int64_t time_ns) const;

    std::vector<fd_trace_record> records_;

  private:
    std::unique_ptr<Activity> activity_of(const fd_trace_record &record,
                                          const libkineto::getLinkedActivityCallback &linked) const;

    const std::set<libkineto::ActivityType> wanted_;
    const uint64_t number_;
    uint64_t started_ns_ = 0; /* on the driver's clock */
    int64_t to_epoch_ns_ = 0; /* Kineto's clock minus the driver's clock */
    bool is_listening_ = false;
    std::unique_ptr<libkineto::CpuTraceBuffer> buffer_;
};

class ActivityProfiler : public libkineto::IActivityProfiler
{
  public:
    const std::string &name() const override;
    const std::set<libkineto::ActivityType> &availableActivities() const override;
    std::unique_ptr<libkineto::IActivityProfilerSession>
    configure(const std::set<libkineto::ActivityType> &wanted,
              const libkineto::Config &config) override;
    std::unique_ptr<libkineto::IActivityProfilerSession>
    configure(int64_t start_ms, int64_t duration_ms,
              const std::set<libkineto::ActivityType> &wanted,
              const libkineto::Config &config) override;

  protected:
    virtual bool is_wanted(const std::set<libkineto::ActivityType> &wanted) const;
    virtual std::unique_ptr<ActivitySession>
    make_session(std::set<libkineto::ActivityType> wanted) const;
};

} // namespace fakedev

#endif
