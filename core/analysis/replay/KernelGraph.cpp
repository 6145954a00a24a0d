#include "core/analysis/replay/KernelGraph.h"

#include "core/analysis/StudyPass.h"
#include "core/analysis/replay/RankTrace.h"
#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/Pipeline.h"

#include <fmt/format.h>

#include <cstdlib>

namespace trainscope::analysis {

namespace {

constexpr DurationNs kSameMoment{2}; // after a change of clocks

// The graphs of ranks on one clock, and between them the collectives.
class GraphJoin {
public:
    GraphJoin(const RunStudy& study, const ChosenSteps& chosen, const RankClocksPtr& clocks,
        const std::optional<StageMap>& stages)
        : m_study(study)
        , m_chosen(chosen)
        , m_clocks(clocks)
        , m_stages(stages) {
        m_graph.iterations = chosen.iterations;
        m_graph.notes = chosen.notes;
        for (const UnalignedRank& one : clocks ? clocks->unaligned : std::vector<UnalignedRank>())
            m_graph.notes.push_back(one.reason);
    }

    Status add(RankTrace&& trace) {
        const auto first = static_cast<std::uint32_t>(m_graph.operations.size());
        if (first + trace.operations.size() > kMostOperations)
            return Error{ErrorCode::Refused,
                fmt::format("The iteration has more than {} operations, which are too many to "
                            "replay.",
                    kMostOperations),
                m_study.run.name};
        noteLacks(trace);
        keepCommunication(trace, first);
        findIterations(trace);
        placeMoments(trace, first);
        RETURN_IF_ERROR(rename(trace));
        addTracks(trace);
        for (StepEdge& edge : trace.edges) {
            edge.from += first;
            edge.to += first;
        }
        std::ranges::copy(trace.operations, std::back_inserter(m_graph.operations));
        std::ranges::copy(trace.edges, std::back_inserter(m_graph.edges));
        return {};
    }

    Result<std::shared_ptr<const StepGraph>> finish() {
        if (!m_parts.empty())
            RETURN_IF_ERROR(addGroups());
        const auto first = std::ranges::min_element(m_graph.operations, {}, &StepOperation::start);
        m_graph.begin = first == m_graph.operations.end() ? m_chosen.window.begin : first->start;
        finishGraph(m_graph);
        return std::make_shared<const StepGraph>(std::move(m_graph));
    }

private:
    struct Part {
        TimeNs start; // on the rank's clock
        TimeNs end;
        std::uint32_t operation = 0;
        auto operator<=>(const Part&) const = default;
    };

    void noteLacks(const RankTrace& trace) {
        const bool hasLaunches = std::ranges::any_of(
            trace.works, [](const LaunchedWork& work) { return work.call != kNone32; });
        if (hasLaunches)
            return;
        m_graph.notes.push_back(fmt::format(
            "The trace of rank {} {}: what its work waited for there is not known.", trace.rank,
            trace.calls.empty() ? "has no calls of the host"
                                : "does not say which call launched which work"));
    }

    void keepCommunication(const RankTrace& trace, std::uint32_t first) {
        for (std::uint32_t i = trace.firstWork(); i < trace.operations.size(); ++i) {
            const StepOperation& one = trace.operations[i];
            if (one.kind == OperationKind::Collective || one.kind == OperationKind::Message)
                m_parts[trace.rank].push_back({one.start, trace.endOf(i), first + i});
        }
        if (const auto own = m_parts.find(trace.rank); own != m_parts.end())
            std::ranges::sort(own->second);
    }

    // By launch.
    void findIterations(RankTrace& trace) const {
        const std::vector<TimeRange>& ranges = m_chosen.byRank.at(trace.rank);
        for (std::uint32_t i = 0; i < trace.operations.size(); ++i) {
            StepOperation& one = trace.operations[i];
            const std::uint32_t call
                = i < trace.firstWork() ? kNone32 : trace.works[i - trace.firstWork()].call;
            const TimeNs launched = call == kNone32 ? one.start : trace.operations[call].start;
            const auto behind = std::ranges::upper_bound(ranges, launched, {}, &TimeRange::begin);
            if (behind != ranges.begin() && std::prev(behind)->contains(launched))
                one.iteration = static_cast<std::int16_t>(std::prev(behind) - ranges.begin());
        }
    }

    // Names of the store and times of the rank's clock become those of the graph.
    Status rename(RankTrace& trace) {
        std::vector<std::uint16_t> categories;
        for (const std::string& category : trace.categories)
            categories.push_back(static_cast<std::uint16_t>(placeOf(category, m_graph.categories)));
        const auto firstTrack = static_cast<std::uint32_t>(m_graph.tracks.size());
        for (StepOperation& one : trace.operations) {
            const TimeRange when
                = onReference(m_clocks, trace.rank, TimeRange{one.start, one.start + one.duration});
            one.start = when.begin;
            one.duration = when.length();
            one.track += firstTrack;
            one.category = categories[one.category];
            ASSIGN_OR_RETURN(one.name, numberOf(one.name));
            if (one.operatorName != kNone32) {
                ASSIGN_OR_RETURN(one.operatorName, numberOf(one.operatorName));
            }
        }
        return {};
    }

    static std::size_t placeOf(const std::string& text, std::vector<std::string>& all) {
        const auto found = std::ranges::find(all, text);
        const auto place = static_cast<std::size_t>(found - all.begin());
        if (found == all.end())
            all.push_back(text);
        return place;
    }

    Result<std::uint32_t> numberOf(std::uint32_t id) {
        const auto known = m_names.find(id);
        if (known != m_names.end())
            return known->second;
        ASSIGN_OR_RETURN(auto name, m_study.store.name(NameId{id}));
        m_graph.names.push_back(std::move(name));
        return m_names.emplace(id, static_cast<std::uint32_t>(m_graph.names.size() - 1))
            .first->second;
    }

    void addTracks(const RankTrace& trace) {
        const auto add = [&](const Track& track, int device) {
            m_graph.tracks.push_back({trace.rank, device, -1, track.id, track.description.name});
            if (m_stages && m_stages->stageOf.contains(trace.rank))
                m_graph.tracks.back().stage = m_stages->stageOf.at(trace.rank);
        };
        for (const TracedThread& thread : trace.threads)
            add(thread.track, -1);
        for (const Track& stream : trace.streams)
            add(stream, stream.description.device);
    }

    void placeMoments(const RankTrace& trace, std::uint32_t first) {
        const std::vector<TimeRange>& ranges = m_chosen.byRank.at(trace.rank);
        const auto momentOn = [&](TimeNs moment, std::uint32_t anchor) {
            StepBoundary boundary{.rank = trace.rank};
            if (anchor == kNone32)
                return boundary;
            const TimeNs start = trace.operations[anchor].start;
            boundary.operation = first + anchor;
            boundary.isOfHost = anchor < trace.firstWork();
            boundary.fromEnd = start < moment;
            boundary.offsetNs = (moment - (boundary.fromEnd ? trace.endOf(anchor) : start)).ns;
            return boundary;
        };
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            const TimeRange& own = ranges[i];
            const bool isFollowed = std::ranges::any_of(
                ranges, [&](const TimeRange& one) { return isSame(one.begin, own.end); });
            const std::uint32_t next = anchorOf(trace, own.end);
            StepBoundary begin = momentOn(own.begin, anchorOf(trace, own.begin));
            StepBoundary end
                = momentOn(own.end, isFollowed ? next : nearerCall(trace, own.end, next));
            addWork(trace, own.begin, first, begin);
            addWork(trace, own.end, first, end);
            m_graph.iterations[i].begins.push_back(begin);
            m_graph.iterations[i].ends.push_back(end);
        }
    }

    // The last to end of what the host had launched by a moment that it marks.
    static void addWork(
        const RankTrace& trace, TimeNs moment, std::uint32_t first, StepBoundary& boundary) {
        TimeNs last = moment;
        for (std::uint32_t i = trace.firstWork(); boundary.isOfHost && i < trace.operations.size();
             ++i) {
            const std::uint32_t call = trace.works[i - trace.firstWork()].call;
            const bool isLaunched = call != kNone32 && trace.operations[call].start < moment;
            if (isLaunched && (boundary.work == kNone32 || trace.endOf(i) > last)) {
                last = trace.endOf(i);
                boundary.work = first + i;
            }
        }
        boundary.workLagNs = std::max(std::int64_t{0}, (last - moment).ns);
    }

    static bool isSame(TimeNs a, TimeNs b) { return std::abs((a - b).ns) <= kSameMoment.ns; }

    // The call before a moment, if that ends nearer to it than the next one begins; else the next.
    static std::uint32_t nearerCall(const RankTrace& trace, TimeNs moment, std::uint32_t next) {
        if (next >= trace.firstWork() || trace.operations[next].start < moment)
            return next;
        const StepOperation& after = trace.operations[next];
        for (std::uint32_t i = next; i-- > 0;) {
            if (trace.operations[i].track == after.track)
                return std::abs((moment - trace.endOf(i)).ns) < (after.start - moment).ns ? i
                                                                                          : next;
        }
        return next;
    }

    // The wanted operation that is next at that moment, else the last one; they are in order.
    template <typename Wanted>
    static std::uint32_t nextOf(std::span<const StepOperation> operations, TimeNs moment,
        std::uint32_t first, Wanted&& isWanted) {
        const auto next = std::ranges::lower_bound(operations, moment, {}, &StepOperation::start);
        auto found = std::find_if(next, operations.end(), isWanted);
        for (auto one = next; found == operations.end() && one != operations.begin();)
            found = isWanted(*--one) ? one : found;
        return found == operations.end()
            ? kNone32
            : first + static_cast<std::uint32_t>(found - operations.begin());
    }

    // The work that ends then where iterations are told by that; else the next call of the thread
    // that marks them, where one does, or of any; else the next work.
    [[nodiscard]] std::uint32_t anchorOf(const RankTrace& trace, TimeNs moment) const {
        const std::uint32_t works = trace.firstWork();
        for (std::uint32_t i = works; m_chosen.areOfDevice && i < trace.operations.size(); ++i) {
            if (isSame(moment, trace.endOf(i)))
                return i;
        }
        const std::span<const StepOperation> all(trace.operations);
        const bool isMarked = std::ranges::any_of(trace.threads, &TracedThread::isMarked);
        const auto isMarking = [&](const StepOperation& call) {
            return !isMarked || trace.threads[call.track].isMarked;
        };
        const std::uint32_t call = nextOf(all.first(works), moment, 0, isMarking);
        return call != kNone32
            ? call
            : nextOf(all.subspan(works), moment, works, [](const StepOperation&) { return true; });
    }

    Status addGroups() {
        ASSIGN_OR_RETURN(const auto clocks, alignRanks(m_study));
        const auto take = [this](const Collective& one) {
            addMatched(one);
            return true;
        };
        RETURN_IF_ERROR(forEachCollective(m_study, clocks, take, false, kAllTime, m_chosen.window));
        for (const auto& [rank, own] : m_parts) {
            for (const Part& part : own) {
                const StepOperation& one = m_graph.operations[part.operation];
                if (one.group == kNone32)
                    addGroup({part.operation},
                        std::string(KernelCategories::label(m_graph.categories[one.category])));
            }
        }
        return {};
    }

    void addMatched(const Collective& one) {
        std::vector<std::uint32_t> members;
        for (const CollectiveRank& rank : one.ranks) {
            const std::vector<Part>& own = m_parts[rank.rank];
            const auto found = std::ranges::lower_bound(own, Part{rank.start, rank.end, 0});
            const bool isSame
                = found != own.end() && found->start == rank.start && found->end == rank.end;
            if (isSame && m_graph.operations[found->operation].group == kNone32)
                members.push_back(found->operation);
        }
        const std::string_view kind = KernelCategories::label(toString(one.kind));
        const std::string& said = one.group->description;
        const std::string& purpose = said.empty() || said == "undefined" ? one.group->name : said;
        if (!members.empty())
            addGroup(members,
                purpose.empty() ? std::string(kind) : fmt::format("{} in {}", kind, purpose));
    }

    void addGroup(const std::vector<std::uint32_t>& members, const std::string& name) {
        const auto [known, isNew]
            = m_groupNames.try_emplace(name, static_cast<std::uint32_t>(m_graph.names.size()));
        if (isNew)
            m_graph.names.push_back(name);
        for (const std::uint32_t member : members)
            m_graph.operations[member].group = static_cast<std::uint32_t>(m_graph.groups.size());
        m_graph.groups.push_back({static_cast<std::uint32_t>(m_graph.members.size()),
            static_cast<std::uint32_t>(members.size()), known->second});
        m_graph.members.insert(m_graph.members.end(), members.begin(), members.end());
    }

    const RunStudy& m_study;
    const ChosenSteps& m_chosen;
    const RankClocksPtr& m_clocks;
    const std::optional<StageMap>& m_stages;
    StepGraph m_graph{.categories = {"host"}};
    std::map<int, std::vector<Part>> m_parts; // communication, by rank
    std::unordered_map<std::uint32_t, std::uint32_t> m_names; // by the store's
    std::unordered_map<std::string, std::uint32_t> m_groupNames;
};

// Devices of a rank, the tracks of its profiler's records, and what is to be read of both.
Result<std::vector<RankPart>> partsOfRanks(
    const RunStudy& study, const std::vector<DeviceTracks>& devices, const ChosenSteps& chosen) {
    std::map<int, RankPart> parts;
    for (const DeviceTracks& device : devices)
        parts[device.rank].devices.push_back(device);
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    std::vector<RankPart> all;
    for (auto& [rank, part] : parts) {
        part.window = chosen.windows.at(rank);
        for (const TimeRange& own : chosen.byRank.at(rank))
            part.marks.push_back(own.begin);
        std::ranges::copy_if(
            tracks, std::back_inserter(part.records), [&part = part](const Track& track) {
                return track.description.rank == part.devices.front().rank
                    && track.description.kind == TrackKind::Other;
            });
        all.push_back(std::move(part));
    }
    return all;
}

} // namespace

Result<std::shared_ptr<const StepGraph>> stepGraphOf(
    const RunStudy& study, const StepChoice& choice) {
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    if (isOfOperations(tracks)) {
        ASSIGN_OR_RETURN(auto graph, operationGraph(study));
        for (StepIteration& each : graph.iterations)
            each.counts = choice.iteration ? each.measured.index == *choice.iteration : each.counts;
        return std::make_shared<const StepGraph>(std::move(graph));
    }
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    if (devices.empty())
        return Error{ErrorCode::NotFound,
            "The run has no traces of kernels: there is nothing to replay.", study.run.name};
    ASSIGN_OR_RETURN(const auto clocks, differingClocks(study));
    ASSIGN_OR_RETURN(const auto chosen, chosenSteps(study, choice, devices, clocks));
    ASSIGN_OR_RETURN(const auto parts, partsOfRanks(study, devices, chosen));
    ASSIGN_OR_RETURN(const auto stages, stagesOf(study));
    GraphJoin join(study, chosen, clocks, stages);
    const auto read = [](const store::Store& store, const RankPart& part,
                          const Progress& progress) -> Result<RankTrace> {
        ASSIGN_OR_RETURN(auto trace, readRankTrace(store, part, progress));
        addRankEdges(trace);
        return trace;
    };
    const auto add
        = [&join](const RankPart&, RankTrace&& trace) { return join.add(std::move(trace)); };
    RETURN_IF_ERROR(forEachPart(study, "Reading traces", parts, read, add));
    return join.finish();
}

} // namespace trainscope::analysis
