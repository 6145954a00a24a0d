// The longest span of a row of a selection.

#include "core/analysis/traces/TraceSelection.h"

#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/SpanMerge.h"
#include "core/analysis/traces/SumColumns.h"
#include "core/analysis/traces/TraceSums.h"

namespace trainscope::analysis {

namespace {

bool holds(const TimeRange& window, const TimeRange& extent) {
    return window.begin <= extent.begin && extent.end <= window.end;
}

// The stretch on a device; absent where it recorded nothing in it.
std::optional<TraceWindow> shownOn(const DeviceTracks& device, TimeRange window) {
    if (!window.overlaps(device.extent))
        return std::nullopt;
    auto shown = traceWindow(device, holds(window, device.extent) ? kAllTime : window);
    return shown && !shown->captures.empty() ? std::move(shown) : std::nullopt;
}

Result<DeviceAccount> walked(const DeviceReading& reading, const TraceWindow& shown) {
    AccountMeter meter(reading.store, reading.device, shown);
    RETURN_IF_ERROR(reading.walkLaunches(shown.range, meter));
    return meter.finish();
}

// From what was kept of the run, else from its spans.
Status readDevices(const RunStudy& study, const std::optional<TraceSums>& kept,
    const RankWindow& windowOf, const KernelCategories& categories, TraceSelection& result) {
    using Selected = std::optional<std::pair<DeviceBreakdown, DeviceLaunches>>;
    const auto measure = [&](const DeviceReading& reading) -> Result<Selected> {
        const DeviceTracks& device = reading.device;
        const auto shown = shownOn(device, windowOf(device.rank));
        if (!shown)
            return Selected();
        ASSIGN_OR_RETURN(
            const auto account, kept ? kept->device(reading, *shown) : walked(reading, *shown));
        KernelNames names(reading.store, categories);
        ASSIGN_OR_RETURN(auto breakdown, breakdownOf(account, device, *shown, names));
        const DurationNs traced = breakdown.traced;
        return Selected(std::in_place, std::move(breakdown),
            DeviceLaunches{device.rank, device.device, traced, launchesOf(account, device, traced),
                copiesOf(account.sums)});
    };
    const auto take = [&result](const DeviceTracks&, Selected&& selected) {
        if (selected) {
            result.devices.push_back(std::move(selected->first));
            result.launches.push_back(std::move(selected->second));
        }
        return Status();
    };
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    return forEachDevice(study, devices, measure, take);
}

Result<std::vector<OperatorRow>> operatorRowsOf(
    const store::Store& store, const OperatorSums& sums) {
    std::vector<OperatorRow> rows;
    for (const OperatorSum& sum : sums) {
        ASSIGN_OR_RETURN(auto name, store.name(sum.name));
        rows.push_back({std::move(name), sum.count + sum.carried, sum.time, sum.self});
    }
    std::ranges::sort(rows, [](const OperatorRow& a, const OperatorRow& b) {
        return a.time != b.time ? a.time > b.time : a.name < b.name;
    });
    return rows;
}

Result<std::vector<OperatorRow>> readOperators(
    const RunStudy& study, const std::optional<TraceSums>& kept, const RankWindow& windowOf) {
    ASSIGN_OR_RETURN(auto threads, study.store.tracks(study.run.id));
    std::erase_if(threads, [&windowOf](const Track& track) {
        return track.description.kind != TrackKind::Thread
            || !windowOf(track.description.rank).overlaps(track.range);
    });
    const auto read
        = [&](const store::Store& store, const Track& thread, const Progress& progress) {
              const TimeRange window = windowOf(thread.description.rank);
              return kept ? kept->operators(store, thread, window)
                          : operatorSums(store, thread, window, progress);
          };
    OperatorSums sums;
    const auto take = [&sums](const Track&, const OperatorSums& ofThread) {
        addSums(sums, ofThread, true);
        return Status();
    };
    RETURN_IF_ERROR(forEachPart(study, "Reading operators", threads, read, take));
    return operatorRowsOf(study.store, sums);
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
            RETURN_IF_ERROR(
                kept.addCalls(m_study.store, rank, window, m_windows.size() > 1, m_sums));
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
                reach = spanned(reach, clock.onReference(own));
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
            RETURN_IF_ERROR(add(clock, clock.toLocal(around)));
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
        std::ranges::stable_sort(made, std::greater<>(), &CallRow::time);
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
    RETURN_IF_ERROR(readDevices(study, kept, window, categories, result));
    told();
    ASSIGN_OR_RETURN(result.operators, readOperators(study, kept, window));
    told();
    ASSIGN_OR_RETURN(result.calls, CallReader(study, window).read(kept));
    return result;
}

Result<std::optional<store::FoundSpan>> longestSpan(const RunStudy& study, const RankWindow& window,
    SpanGroup group, const std::string& name, const KernelCategories& categories) {
    const bool isOperator = group == SpanGroup::OperatorName;
    const SpanKind kind = isOperator ? SpanKind::CpuOp : SpanKind::Kernel;
    const TrackKind place = isOperator ? TrackKind::Thread : TrackKind::Stream;
    KernelNames names(study.store, categories);
    std::unordered_map<NameId, bool> isNamed;
    const auto isWanted = [&](const Span& span) -> Result<bool> {
        if (span.kind != kind)
            return false;
        if (group == SpanGroup::KernelCategory) {
            ASSIGN_OR_RETURN(const auto kernel, names.kernel(span.name));
            ASSIGN_OR_RETURN(const auto category, names.category(*kernel, span));
            return *category == name;
        }
        const auto known = isNamed.find(span.name);
        if (known != isNamed.end())
            return known->second;
        ASSIGN_OR_RETURN(const auto text, study.store.name(span.name));
        return isNamed[span.name] = text == name;
    };
    std::optional<store::FoundSpan> longest;
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    for (const Track& track : tracks) {
        const TimeRange shown = window(track.description.rank);
        if (track.description.kind != place || !shown.overlaps(track.range))
            continue;
        const auto take = [&](std::size_t, const Span& span) -> Status {
            if (longest && span.duration <= longest->span.duration)
                return {};
            ASSIGN_OR_RETURN(const bool wanted, isWanted(span));
            if (wanted)
                longest = store::FoundSpan{track.id, span};
            return {};
        };
        SpanMerge spans;
        spans.add(SpanCursor(study.store, track.id, shown));
        RETURN_IF_ERROR(spans.forEach(take, "Looking for the longest", study.progress));
    }
    return longest;
}

} // namespace trainscope::analysis
