#include "core/analysis/traces/TraceSelection.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/DeviceAccount.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/SumColumns.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/model/Try.h"

#include <algorithm>
#include <map>
#include <utility>

namespace trainscope::analysis {

namespace {

bool holds(const TimeRange& window, const TimeRange& extent) {
    return window.begin <= extent.begin && extent.end <= window.end;
}

// Progress of reading a stretch, over all tracks.
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
    std::uint64_t m_total = 0;
    std::uint64_t m_done = 0;
    std::uint64_t m_current = 0;
    std::uint64_t m_most = 0;
    TimeNs m_begin;
    const Progress& m_progress;
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
        const auto shown = traceWindow(device, window);
        if (shown && !shown->captures.empty())
            result.push_back({std::move(device), *shown});
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

Result<DeviceAccount> walked(
    const store::Store& store, const ChosenDevice& device, ReadingProgress& reading) {
    AccountMeter meter(store, device.tracks, device.shown);
    PlaceVisitor place(reading);
    RETURN_IF_ERROR(DeviceReading{store, device.tracks, reading.asked()}.walkLaunches(
        device.shown.range, meter, place));
    return meter.finish();
}

// From what was kept of the run, else from its spans.
Status readDevices(const store::Store& store, const std::optional<TraceSums>& kept,
    const std::vector<ChosenDevice>& devices, const KernelCategories& categories,
    const Progress& progress, TraceSelection& result) {
    KernelNames names(store, categories);
    ReadingProgress reading("Reading kernels", progress);
    for (const ChosenDevice& device : devices)
        reading.expect(device.read());
    for (const ChosenDevice& device : devices) {
        reading.begin(device.read());
        ASSIGN_OR_RETURN(const auto account,
            kept ? kept->device(device.tracks, device.shown, progress)
                 : walked(store, device, reading));
        ASSIGN_OR_RETURN(auto breakdown, breakdownOf(account, device.tracks, device.shown, names));
        const DurationNs traced = breakdown.traced;
        result.devices.push_back(std::move(breakdown));
        result.launches.push_back({device.tracks.rank, device.tracks.device, traced,
            launchesOf(account, device.tracks, traced), copiesOf(account.sums)});
    }
    return {};
}

Result<std::vector<OperatorRow>> operatorRowsOf(
    const store::Store& store, const OperatorSums& sums) {
    std::vector<OperatorRow> rows;
    for (const OperatorSum& sum : sums) {
        ASSIGN_OR_RETURN(auto name, store.name(sum.name));
        rows.push_back({std::move(name), sum.count + sum.carried, sum.time, sum.self});
    }
    std::sort(rows.begin(), rows.end(), [](const OperatorRow& a, const OperatorRow& b) {
        return a.time != b.time ? a.time > b.time : a.name < b.name;
    });
    return rows;
}

// The operators of one thread in the stretch, by parts, so that memory stays bounded.
Status addOperators(const store::Store& store, const Track& thread, const TimeRange& window,
    ReadingProgress& reading, OperatorSums& sums) {
    constexpr std::size_t most = 32'768; // in a part
    OperatorMeter meter(window.begin);
    bool isFirst = true;
    bool isStopped = false;
    RETURN_IF_ERROR(store.forEachSpan(thread.id, window, [&](std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (meter.begun() >= most && meter.lastStart() < span.start)
                addSums(sums, meter.close(span.start), std::exchange(isFirst, false));
            meter.add(span);
        }
        if (!spans.empty())
            reading.at(spans.back().start);
        isStopped = !reading.goesOn();
        return !isStopped;
    }));
    if (isStopped)
        return cancelled();
    addSums(sums, meter.close(window.end), isFirst);
    return {};
}

Result<std::vector<OperatorRow>> readOperators(const store::Store& store,
    const std::optional<TraceSums>& kept, const std::vector<Track>& tracks,
    const RankWindow& windowOf, const Progress& progress) {
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
        reading.begin(shared(track.range, window));
        if (!kept) {
            RETURN_IF_ERROR(addOperators(store, track, window, reading, sums));
            continue;
        }
        ASSIGN_OR_RETURN(const auto ofThread, kept->operators(track, window));
        addSums(sums, ofThread, true);
        if (!reading.goesOn())
            return cancelled();
    }
    return operatorRowsOf(store, sums);
}

// The calls of a run by kind and purpose of their communicators.
class CallReader {
public:
    CallReader(const RunStudy& study, const RankWindow& windowOf)
        : m_study(study)
        , m_windowOf(windowOf) { }

    Result<std::vector<CallRow>> read(const std::optional<TraceSums>& kept) {
        ASSIGN_OR_RETURN(auto calls, Calls::open(m_study));
        m_groups = CallGroups(calls.ranks());
        for (const int rank : calls.ranks()) {
            const auto extent = calls.rangeOf(rank);
            TimeRange window = m_windowOf(rank);
            if (!extent || !window.overlaps(*extent))
                continue;
            m_windows[rank] = shared(window, *extent);
            const bool isWhole = holds(window, *extent);
            m_isWhole = m_isWhole && isWhole;
            if (isWhole)
                m_windows[rank].end = extent->end + DurationNs{1}; // with what begins there
        }
        if (kept)
            RETURN_IF_ERROR(readKept(*kept));
        else
            RETURN_IF_ERROR(readCalls(calls));
        return rows(kept ? kept->groups() : m_groups.list());
    }

private:
    [[nodiscard]] bool goesOn() const {
        return !m_study.progress || m_study.progress({"Reading collectives", 0, 0});
    }

    Status readKept(const TraceSums& kept) {
        for (const auto& [rank, window] : m_windows) {
            if (!goesOn())
                return cancelled();
            RETURN_IF_ERROR(kept.addCalls(rank, window, m_windows.size() > 1, m_sums));
        }
        return {};
    }

    Status readCalls(Calls& calls) {
        for (const auto& [rank, window] : m_windows) {
            if (!goesOn())
                return cancelled();
            const auto extent = calls.rangeOf(rank);
            ASSIGN_OR_RETURN(const auto made,
                calls.read(rank, extent && window.end > extent->end ? kAllTime : window,
                    static_cast<std::size_t>(-1)));
            for (const Call& call : made) {
                if (!window.contains(call.start))
                    continue;
                add(m_sums, entryOf(call, calls, m_groups));
                m_hasOrderedMessages = m_hasOrderedMessages
                    || (calls.specs()[call.spec].source >= 0 && call.sequence < 0);
            }
        }
        return m_sums.empty() || m_windows.size() < 2 ? Status() : readWaits(calls);
    }

    Status readWaits(const Calls& calls) {
        ASSIGN_OR_RETURN(const auto clocks, alignRanks(m_study));
        ASSIGN_OR_RETURN(const auto reach, partsOf(calls, clocks));
        const auto take = [&](const Collective& one) {
            forEachWait(one, clocks, m_groups, [&](int rank, const WaitEntry& wait) {
                const auto window = m_windows.find(rank);
                if (window != m_windows.end() && window->second.contains({wait.start}))
                    add(m_sums, wait);
            });
            return true;
        };
        const auto scan = forEachCollective(m_study, clocks, take, true, kAllTime, reach);
        return scan.hasValue() ? Status() : scan.error();
    }

    // The common time in which all parts of the collectives of the stretch begin. Messages without
    // numbers go in order, which is told from the first on.
    Result<TimeRange> partsOf(const Calls& calls, const RankClocks& clocks) const {
        if (m_isWhole)
            return kAllTime;
        TimeRange reach = kNoTime;
        const auto add = [&](const RankClock& clock, TimeRange range) -> Status {
            ASSIGN_OR_RETURN(const auto own, calls.extentOf(clock.rank, range));
            if (own != kNoTime)
                reach = spanned(reach, {clock.onReference(own.begin), clock.onReference(own.end)});
            return {};
        };
        for (const auto& [rank, window] : m_windows) {
            if (const RankClock* const clock = clocks.find(rank))
                RETURN_IF_ERROR(add(*clock, window));
        }
        if (reach == kNoTime)
            return reach;
        const TimeRange around{reach.begin - kLongestApart, reach.end + kLongestApart};
        for (const RankClock& clock : clocks.ranks)
            RETURN_IF_ERROR(add(clock, {clock.toLocal(around.begin), clock.toLocal(around.end)}));
        return TimeRange{m_hasOrderedMessages ? kAllTime.begin : reach.begin, around.end};
    }

    // Communicators of one purpose are one row, whatever their size.
    [[nodiscard]] std::vector<CallRow> rows(const std::vector<CallGroup>& groups) const {
        std::map<std::pair<CollectiveKind, std::string>, Row> byPurpose;
        for (const auto& [number, sum] : m_sums) {
            const CallGroup& group = groups[static_cast<std::size_t>(number)];
            Row& row = byPurpose[{group.kind, group.group}];
            row.shown.kind = group.kind;
            row.shown.group = group.group;
            row.shown.ranks = std::max(row.shown.ranks, group.ranks);
            addSum(row, sum, group.isWhole);
        }
        std::vector<CallRow> made;
        for (auto& [purpose, row] : byPurpose) {
            row.shown.isLowerBound = row.whole.ns <= 0;
            const Transfers& told = row.shown.isLowerBound ? row.partial : row.whole;
            if (told.ns > 0)
                row.shown.bandwidth = told.bytes / DurationNs{told.ns}.seconds();
            if (row.shown.count > 0)
                made.push_back(std::move(row.shown));
        }
        std::stable_sort(made.begin(), made.end(),
            [](const CallRow& a, const CallRow& b) { return a.time > b.time; });
        return made;
    }

    struct Transfers { // calls that say their bytes
        double bytes = 0.0;
        std::int64_t ns = 0;
    };
    struct Row {
        CallRow shown;
        Transfers whole; // in communicators all of whose ranks were traced
        Transfers partial;
    };
    static void addSum(Row& row, const CallSum& sum, bool isWhole) {
        row.shown.count = boundedSum(row.shown.count, sum.count);
        row.shown.time = boundedSum(row.shown.time, DurationNs{sum.time});
        if (sum.sized > 0)
            row.shown.bytes = row.shown.bytes.value_or(0.0) + static_cast<double>(sum.bytes);
        row.shown.matched = boundedSum(row.shown.matched, sum.matched);
        row.shown.waitS += DurationNs{sum.wait}.seconds();
        Transfers& transfers = isWhole ? row.whole : row.partial;
        transfers.bytes += static_cast<double>(sum.bytes);
        transfers.ns = boundedSum(transfers.ns, sum.sizedTime - sum.sizedWait);
    }

    const RunStudy& m_study;
    const RankWindow& m_windowOf;
    std::map<int, TimeRange> m_windows; // read range by rank
    CallGroups m_groups;
    CallSums m_sums;
    bool m_isWhole = true; // the stretch holds all of each rank
    bool m_hasOrderedMessages = false; // in the stretch
};

} // namespace

Result<TraceSelection> selectionOf(const RunStudy& study, const RankWindow& window,
    const KernelCategories& categories, const TellSelection& tell) {
    TraceSelection result;
    result.run = study.run.name;
    const auto told = [&] {
        if (tell)
            tell(result);
    };
    ASSIGN_OR_RETURN(const auto kept, TraceSums::open(study));
    ASSIGN_OR_RETURN(auto traced, tracedDevices(study));
    const auto devices = chosenDevices(std::move(traced), window);
    RETURN_IF_ERROR(readDevices(study.store, kept, devices, categories, study.progress, result));
    told();
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    ASSIGN_OR_RETURN(
        result.operators, readOperators(study.store, kept, tracks, window, study.progress));
    told();
    ASSIGN_OR_RETURN(result.calls, CallReader(study, window).read(kept));
    return result;
}

} // namespace trainscope::analysis
