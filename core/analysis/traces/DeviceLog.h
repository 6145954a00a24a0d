#pragma once
// Log of each rank's device, so that intervals of several ranks can be compared: the stretches of
// time in which one kind of work ran, and the kernels of compute. One thread.

#include "core/analysis/RunStudy.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/model/ByEnum.h"
#include "core/store/Store.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace trainscope::analysis {

// At each moment exactly one holds.
enum class DeviceState : std::uint8_t {
    Compute, // a kernel runs that is no communication
    Communication, // nothing but kernels of communication runs
    Copy, // nothing but copies and memsets runs
    HostLate, // nothing runs, and what runs next has not been launched yet
    Stalled, // nothing runs, though what runs next has been launched
    Idle, // nothing runs, and the trace does not say when what runs next was launched
};
inline constexpr std::size_t kDeviceStates = 6;

struct DeviceTimes : ByEnum<DeviceState, kDeviceStates, std::int64_t> { // ns
    // Nothing runs.
    [[nodiscard]] std::int64_t idle() const {
        return (*this)[DeviceState::HostLate] + (*this)[DeviceState::Stalled]
            + (*this)[DeviceState::Idle];
    }
};

// Log of one rank, in order of time, on its own clock.
class DeviceLog : public DeviceVisitor {
public:
    // Nothing is known of the time before.
    void beginAt(TimeNs begin) {
        m_from = begin;
        m_now = begin;
    }
    // Work that starts before it has been told already.
    void continueAt(TimeNs begin) { m_from = begin; }
    Status work(const DeviceWork& work) override;
    // Running work goes on until then at most; the next work tells whether the host is late.
    void runUntil(TimeNs until);
    void forgetBefore(TimeNs begin);

    [[nodiscard]] DeviceTimes timesIn(TimeRange range) const;
    // visit(name, time inside): of the kernels of compute that start in the range.
    template <typename Visit>
    void forEachKernel(TimeRange range, Visit&& visit) const {
        auto at = std::ranges::lower_bound(m_kernels, range.begin, {}, &Kernel::start);
        for (; at != m_kernels.end() && at->start < range.end; ++at)
            visit(at->name, std::min(at->duration, range.end - at->start));
    }

private:
    struct Stretch {
        TimeNs begin; // until the next one's
        DeviceState state;
    };
    struct Kernel {
        TimeNs start;
        DurationNs duration;
        NameId name;
    };
    void mark(DeviceState state, TimeNs until);

    TimeNs m_from;
    TimeNs m_now; // all before it is marked
    TimeNs m_computeUntil = kAllTime.begin;
    TimeNs m_communicationUntil = kAllTime.begin;
    TimeNs m_copyUntil = kAllTime.begin;
    std::vector<Stretch> m_stretches;
    std::vector<Kernel> m_kernels;
};

inline constexpr std::int64_t kLoggedSpans = 2'000'000; // on all streams together, in one window

// The logs of all ranks whose clocks are known. Reads the traces once, in windows of the common
// clock so short that what two of them hold fits into memory: of the past it knows one window. The
// ranks of a window are read on the pool of workers.
class DeviceLogs {
public:
    // Refers to the study and the clocks.
    static Result<DeviceLogs> open(const RunStudy& study, const RankClocks& clocks,
        std::int64_t spansPerWindow = kLoggedSpans);

    // Times of the common clock until then can be asked for.
    Status readTo(TimeNs time);
    // nullptr: nothing was recorded of that rank.
    [[nodiscard]] const DeviceLog* find(int rank) const;
    // Begin of the rank's recording, its host threads included, on the common clock.
    [[nodiscard]] TimeNs recordedFrom(int rank) const;
    // A range of the common clock on that rank's own.
    [[nodiscard]] TimeRange local(int rank, TimeRange range) const;

private:
    struct Rank {
        DeviceTracks tracks; // all its devices
        const RankClock* clock = nullptr;
        TimeNs recordedFrom; // own clock
        DeviceLog log;
    };
    explicit DeviceLogs(const RunStudy& study)
        : m_study(&study) { }
    void addRank(const DeviceTracks& device, const RankClocks& clocks);
    void chooseWindows(std::int64_t spansPerWindow);
    Status readNext();

    const RunStudy* m_study;
    std::map<int, Rank> m_ranks;
    std::vector<TimeRange> m_windows; // common clock
    std::size_t m_read = 0; // windows read so far
};

} // namespace trainscope::analysis
