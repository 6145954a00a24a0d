#include "core/analysis/traces/TraceSelection.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/SpanMerge.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

namespace trainscope::analysis {

namespace {

TimeRange clippedTo(const TimeRange& window, const Span& span) {
    const TimeNs begin = std::max(span.start, window.begin);
    return {begin, std::max(begin, std::min(span.start + span.duration, window.end))};
}

bool holds(const TimeRange& window, const TimeRange& extent) {
    return window.begin <= extent.begin && extent.end <= window.end;
}

// How much of the stretch has been read, over all tracks.
class ReadingProgress {
public:
    ReadingProgress(std::string_view phase, const Progress& progress)
        : m_phase(phase)
        , m_progress(progress) { }

    void expect(const TimeRange& range) { m_total += lengthOf(range); }
    void begin(const TimeRange& range) {
        m_done += m_current;
        m_begin = range.begin;
        m_current = 0;
        m_most = lengthOf(range);
    }
    void at(TimeNs now) { m_current = std::min(lengthOf({m_begin, now}), m_most); }
    // For a reader that asks whether to go on.
    [[nodiscard]] Progress asked() const {
        return [this](const ProgressState&) { return goesOn(); };
    }
    [[nodiscard]] bool goesOn() const {
        return !m_progress || m_progress({m_phase, m_done + m_current, m_total});
    }

private:
    static std::uint64_t lengthOf(const TimeRange& range) {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(range.length().ns, 0));
    }

    std::string_view m_phase;
    const Progress& m_progress;
    std::uint64_t m_total = 0;
    std::uint64_t m_done = 0;
    std::uint64_t m_current = 0;
    std::uint64_t m_most = 0;
    TimeNs m_begin;
};

// A device that recorded in the stretch.
struct ChosenDevice {
    DeviceTracks tracks;
    TraceWindow shown;
    [[nodiscard]] TimeRange read() const { return shared(tracks.extent, shown.range); }
};

std::vector<ChosenDevice> chosenDevices(
    std::vector<DeviceTracks> devices, const RankWindow& windowOf) {
    std::vector<ChosenDevice> result;
    for (DeviceTracks& device : devices) {
        TimeRange window = windowOf(device.rank);
        if (!window.overlaps(device.extent))
            continue;
        if (holds(window, device.extent))
            window = kAllTime;
        const auto shown = traceWindow(device.rank, device.extent, window, {});
        if (shown)
            result.push_back({std::move(device), *shown});
    }
    return result;
}

Result<std::vector<DeviceBreakdown>> readKernels(const store::Store& store,
    const std::vector<ChosenDevice>& devices, const KernelCategories& categories,
    const Progress& progress) {
    KernelNames names(store, categories);
    ReadingProgress reading("Reading kernels", progress);
    for (const ChosenDevice& device : devices)
        reading.expect(device.read());
    std::vector<DeviceBreakdown> result;
    for (const ChosenDevice& device : devices) {
        SpanMerge merge;
        for (const Track& stream : device.tracks.streams)
            merge.add(SpanCursor(store, stream.id, device.shown.range));
        BreakdownMeter meter(device.shown, names);
        reading.begin(device.read());
        RETURN_IF_ERROR(merge.forEach(
            [&](std::size_t, const Span& span) {
                reading.at(span.start);
                return meter.add(span);
            },
            "", reading.asked()));
        result.push_back(meter.finish());
        result.back().rank = device.tracks.rank;
        result.back().device = device.tracks.device;
    }
    return result;
}

// Tells a walk's reader where it is.
class PlaceVisitor : public DeviceVisitor {
public:
    explicit PlaceVisitor(ReadingProgress& reading)
        : m_reading(reading) { }
    Status work(const DeviceWork& work) override {
        m_reading.at(work.span.start);
        return {};
    }

private:
    ReadingProgress& m_reading;
};

Result<std::vector<DeviceLaunches>> readLaunches(const store::Store& store,
    const std::vector<ChosenDevice>& devices, const std::vector<DeviceBreakdown>& breakdowns,
    const Progress& progress) {
    ReadingProgress reading("Following launches", progress);
    for (const ChosenDevice& device : devices)
        reading.expect(device.read());
    std::vector<DeviceLaunches> result;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const auto& [tracks, shown] = devices[i];
        LaunchMeter launches(tracks, shown);
        CopyMeter copies(store, shown);
        PlaceVisitor place(reading);
        const std::array<DeviceVisitor*, 3> visitors{&launches, &copies, &place};
        reading.begin(devices[i].read());
        ASSIGN_OR_RETURN(
            const auto evidence, walkDevice(store, tracks, shown.range, visitors, reading.asked()));
        static_cast<void>(evidence); // of phases, which nobody asks for here
        const TimeRange window = breakdowns[i].window;
        result.push_back(
            {tracks.rank, tracks.device, window, launches.result(window), copies.result()});
    }
    return result;
}

class OperatorSums {
public:
    // The spans of a thread come in order of their start.
    void beginThread(const TimeRange& window) {
        m_window = window;
        m_open.clear();
    }
    void add(const Span& span) {
        if (span.kind != SpanKind::CpuOp)
            return;
        while (!m_open.empty() && m_open.back().end <= span.start)
            m_open.pop_back();
        const TimeRange inside = clippedTo(m_window, span);
        Sums& sums = m_sums[span.name];
        ++sums.count;
        sums.time = sums.time + inside.length();
        sums.self = sums.self + inside.length();
        if (!m_open.empty()) {
            const TimeNs end = std::min(inside.end, m_open.back().end);
            Sums& caller = *m_open.back().sums;
            caller.self
                = caller.self - DurationNs{std::max<std::int64_t>((end - inside.begin).ns, 0)};
        }
        m_open.push_back({span.start + span.duration, &sums});
    }
    Result<std::vector<OperatorRow>> finish(const store::Store& store) const {
        std::vector<OperatorRow> rows;
        for (const auto& [id, sums] : m_sums) {
            ASSIGN_OR_RETURN(auto name, store.name(id));
            rows.push_back({std::move(name), sums.count, sums.time, sums.self});
        }
        std::sort(rows.begin(), rows.end(), [](const OperatorRow& a, const OperatorRow& b) {
            return a.time != b.time ? a.time > b.time : a.name < b.name;
        });
        return rows;
    }

private:
    struct Sums {
        std::int64_t count = 0;
        DurationNs time;
        DurationNs self;
    };
    struct Open {
        TimeNs end;
        Sums* sums; // maps keep their elements where they are
    };

    std::unordered_map<NameId, Sums> m_sums;
    std::vector<Open> m_open; // outermost first
    TimeRange m_window;
};

Result<std::vector<OperatorRow>> readOperators(const store::Store& store,
    const std::vector<Track>& tracks, const RankWindow& windowOf, const Progress& progress) {
    ReadingProgress reading("Reading operators", progress);
    for (const Track& track : tracks) {
        if (track.description.kind == TrackKind::Thread)
            reading.expect(shared(track.range, windowOf(track.description.rank)));
    }
    OperatorSums sums;
    for (const Track& track : tracks) {
        const TimeRange window = windowOf(track.description.rank);
        if (track.description.kind != TrackKind::Thread || !window.overlaps(track.range))
            continue;
        sums.beginThread(window);
        reading.begin(shared(track.range, window));
        bool isStopped = false;
        RETURN_IF_ERROR(store.forEachSpan(track.id, window, [&](std::span<const Span> spans) {
            for (const Span& span : spans)
                sums.add(span);
            if (!spans.empty())
                reading.at(spans.back().start);
            isStopped = !reading.goesOn();
            return !isStopped;
        }));
        if (isStopped)
            return cancelled();
    }
    return sums.finish(store);
}

// The calls of a run by kind and purpose of their communicators.
class CallSums {
public:
    CallSums(const store::Store& store, const Run& run, const RankWindow& windowOf,
        const Progress& progress)
        : m_store(store)
        , m_run(run)
        , m_windowOf(windowOf)
        , m_progress(progress) { }

    Result<std::vector<CallRow>> read() {
        RETURN_IF_ERROR(readCalls());
        if (!m_rows.empty())
            RETURN_IF_ERROR(readWaits());
        std::vector<CallRow> rows;
        for (auto& [key, sums] : m_rows) {
            const double transferS = sums.sizedS - sums.sizedWaitS;
            if (sums.row.bytes && transferS > 0.0)
                sums.row.bandwidth = *sums.row.bytes / transferS;
            rows.push_back(std::move(sums.row));
        }
        std::stable_sort(rows.begin(), rows.end(),
            [](const CallRow& a, const CallRow& b) { return a.time > b.time; });
        return rows;
    }

private:
    struct Sums {
        CallRow row;
        double sizedS = 0.0; // of those that say their bytes
        double sizedWaitS = 0.0;
    };

    // PyTorch calls groups that nobody described "undefined".
    static const std::string& purposeOf(const Communicator& group) {
        const bool isDescribed = !group.description.empty() && group.description != "undefined";
        return isDescribed ? group.description : group.name;
    }

    Status readCalls() {
        ASSIGN_OR_RETURN(auto calls, Calls::open(m_store, m_run));
        for (const int rank : calls.ranks()) {
            if (m_progress && !m_progress({"Reading collectives", 0, 0}))
                return cancelled();
            const auto extent = calls.rangeOf(rank);
            TimeRange window = m_windowOf(rank);
            if (!extent || !window.overlaps(*extent))
                continue;
            m_windows[rank] = shared(window, *extent);
            if (holds(window, *extent))
                window = kAllTime;
            ASSIGN_OR_RETURN(
                const auto made, calls.read(rank, window, static_cast<std::size_t>(-1)));
            for (const Call& call : made)
                add(call, calls);
        }
        return {};
    }

    void add(const Call& call, const Calls& calls) {
        const CallSpec& spec = calls.specs()[call.spec];
        const Communicator& group = calls.communicators()[spec.communicator];
        Sums& sums = m_rows[{spec.kind, purposeOf(group)}];
        const DurationNs time = call.end - call.start;
        sums.row.kind = spec.kind;
        sums.row.group = purposeOf(group);
        sums.row.ranks = std::max(sums.row.ranks, group.size);
        ++sums.row.count;
        sums.row.time = sums.row.time + time;
        if (spec.bytes) {
            sums.row.bytes = sums.row.bytes.value_or(0.0) + *spec.bytes;
            sums.sizedS += time.seconds();
        }
    }

    Status readWaits() {
        if (m_windows.size() < 2)
            return {};
        ASSIGN_OR_RETURN(const auto clocks, alignRanks(m_store, m_run, m_progress));
        const auto scan = forEachCollective(
            m_store, m_run, clocks,
            [&](const Collective& one) {
                addWaits(one, clocks);
                return true;
            },
            m_progress);
        return scan.hasValue() ? Status() : scan.error();
    }

    void addWaits(const Collective& one, const RankClocks& clocks) {
        const auto found = m_rows.find({one.kind, purposeOf(*one.group)});
        if (found == m_rows.end())
            return;
        Sums& sums = found->second;
        for (const CollectiveRank& part : one.ranks) {
            const auto window = m_windows.find(part.rank);
            const RankClock* const clock = clocks.find(part.rank);
            if (window == m_windows.end() || clock == nullptr
                || !window->second.contains(clock->toLocal(part.start)))
                continue;
            ++sums.row.matched;
            sums.row.waitS += part.wait.seconds();
            if (one.bytes)
                sums.sizedWaitS += std::min(part.wait, part.end - part.start).seconds();
        }
    }

    const store::Store& m_store;
    const Run& m_run;
    const RankWindow& m_windowOf;
    const Progress& m_progress;
    std::map<int, TimeRange> m_windows; // that were read, by rank
    std::map<std::pair<CollectiveKind, std::string>, Sums> m_rows;
};

} // namespace

Result<TraceSelection> selectionOf(const store::Store& store, const Run& run,
    const RankWindow& window, const KernelCategories& categories, const Progress& progress,
    const TellSelection& tell) {
    TraceSelection result;
    result.run = run.name;
    const auto told = [&] {
        if (tell)
            tell(result);
    };
    ASSIGN_OR_RETURN(auto traced, tracedDevices(store, run));
    const auto devices = chosenDevices(std::move(traced), window);
    ASSIGN_OR_RETURN(result.devices, readKernels(store, devices, categories, progress));
    told();
    ASSIGN_OR_RETURN(result.launches, readLaunches(store, devices, result.devices, progress));
    told();
    ASSIGN_OR_RETURN(const auto tracks, store.tracks(run.id));
    ASSIGN_OR_RETURN(result.operators, readOperators(store, tracks, window, progress));
    told();
    ASSIGN_OR_RETURN(result.calls, CallSums(store, run, window, progress).read());
    return result;
}

} // namespace trainscope::analysis
