#include "core/analysis/replay/KernelGraph.h"

#include "core/analysis/StudyPass.h"
#include "core/analysis/replay/ChosenSteps.h"
#include "core/analysis/replay/RankGraph.h"
#include "core/analysis/replay/RankTrace.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr DurationNs kSameMoment{2}; // after a change of clocks

struct TracedRank {
    RankTrace trace;
    RankGraph graph;
};

// The graphs of ranks on one clock, and between them the collectives.
class GraphJoin {
public:
    GraphJoin(const RunStudy& study, const ChosenSteps& chosen, RankClocksPtr clocks)
        : m_study(study)
        , m_chosen(chosen)
        , m_clocks(std::move(clocks)) {
        m_graph.iterations = chosen.iterations;
        m_graph.notes = chosen.notes;
        m_graph.categories = {"host"};
    }

    Status add(TracedRank&& rank) {
        RankGraph& own = rank.graph;
        const auto first = static_cast<std::uint32_t>(m_graph.operations.size());
        if (first + own.operations.size() > kMostOperations)
            return Error{ErrorCode::Refused,
                fmt::format("The iteration has more than {} operations, which are too many to "
                            "replay.",
                    kMostOperations),
                m_study.run.name};
        if (rank.trace.calls.empty())
            note(rank.trace.rank, "has no calls of the host");
        else if (!hasLaunches(rank.trace))
            note(rank.trace.rank, "does not say which call launched which work");
        keepCommunication(rank.trace, first);
        findIterations(rank.trace, own);
        placeMoments(rank.trace, first);
        RETURN_IF_ERROR(rename(rank.trace, own));
        addTracks(rank.trace);
        for (StepEdge& edge : own.edges) {
            edge.from += first;
            edge.to += first;
        }
        append(m_graph.operations, std::move(own.operations));
        append(m_graph.edges, std::move(own.edges));
        return {};
    }

    Result<std::shared_ptr<const StepGraph>> finish() {
        RETURN_IF_ERROR(addGroups());
        RETURN_IF_ERROR(addStages());
        const auto first = std::ranges::min_element(m_graph.operations, {}, &StepOperation::start);
        m_graph.begin = first == m_graph.operations.end() ? m_chosen.window.begin : first->start;
        finishGraph(m_graph);
        measure();
        return std::make_shared<const StepGraph>(std::move(m_graph));
    }

private:
    struct Part {
        TimeNs start; // on the rank's clock
        TimeNs end;
        std::uint32_t operation = 0;
        auto operator<=>(const Part&) const = default;
    };

    template <typename Value>
    static void append(std::vector<Value>& all, std::vector<Value>&& more) {
        if (all.empty())
            all = std::move(more);
        else
            all.insert(all.end(), more.begin(), more.end());
    }

    void note(int rank, std::string_view lack) {
        m_graph.notes.push_back(fmt::format("The trace of rank {} {}: what its work waited for "
                                            "there is not known.",
            rank, lack));
    }
    static bool hasLaunches(const RankTrace& trace) {
        return std::ranges::any_of(
            trace.works, [](const TracedWork& work) { return work.call != kNone32; });
    }

    void keepCommunication(const RankTrace& trace, std::uint32_t first) {
        const auto firstWork = first + static_cast<std::uint32_t>(trace.calls.size());
        std::vector<Part>& parts = m_parts[trace.rank];
        for (std::uint32_t i = 0; i < trace.works.size(); ++i) {
            const TracedWork& work = trace.works[i];
            if (work.kind == OperationKind::Collective || work.kind == OperationKind::Message)
                parts.push_back({work.begin, work.end, firstWork + i});
        }
        std::ranges::sort(parts);
    }

    // By launch.
    void findIterations(const RankTrace& trace, RankGraph& own) const {
        const std::vector<TimeRange>& ranges = m_chosen.byRank.at(trace.rank);
        const auto iterationAt = [&](TimeNs moment) -> std::int16_t {
            const auto behind = std::ranges::upper_bound(ranges, moment, {}, &TimeRange::begin);
            if (behind == ranges.begin() || !std::prev(behind)->contains(moment))
                return -1;
            return static_cast<std::int16_t>(std::prev(behind) - ranges.begin());
        };
        const std::size_t calls = trace.calls.size();
        for (std::size_t i = 0; i < calls; ++i)
            own.operations[i].iteration = iterationAt(trace.calls[i].begin);
        for (std::size_t i = 0; i < trace.works.size(); ++i) {
            const TracedWork& work = trace.works[i];
            own.operations[calls + i].iteration = work.call == kNone32
                ? iterationAt(work.begin)
                : own.operations[work.call].iteration;
        }
    }

    // Names of the store and times of the rank's clock become those of the graph.
    Status rename(const RankTrace& trace, RankGraph& own) {
        std::vector<std::uint16_t> categories;
        for (const std::string& category : trace.categories)
            categories.push_back(categoryOf(category));
        const auto firstTrack = static_cast<std::uint32_t>(m_graph.tracks.size());
        const RankClock* const clock = m_clocks ? m_clocks->find(trace.rank) : nullptr;
        for (StepOperation& one : own.operations) {
            const TimeNs end = one.start + one.duration;
            if (clock != nullptr) {
                one.start = clock->onReference(one.start);
                one.duration = clock->onReference(end) - one.start;
            }
            one.track += firstTrack;
            one.category = one.kind == OperationKind::HostCall ? 0 : categories[one.category];
            ASSIGN_OR_RETURN(one.name, numberOf(one.name));
            if (one.operatorName != kNone32) {
                ASSIGN_OR_RETURN(one.operatorName, numberOf(one.operatorName));
            }
        }
        return {};
    }

    std::uint16_t categoryOf(const std::string& category) {
        const auto found = std::ranges::find(m_graph.categories, category);
        if (found != m_graph.categories.end())
            return static_cast<std::uint16_t>(found - m_graph.categories.begin());
        m_graph.categories.push_back(category);
        return static_cast<std::uint16_t>(m_graph.categories.size() - 1);
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
        for (const TracedThread& thread : trace.threads)
            m_graph.tracks.push_back(
                {trace.rank, -1, -1, thread.track.id, thread.track.description.name});
        for (const Track& stream : trace.streams)
            m_graph.tracks.push_back(
                {trace.rank, stream.description.device, -1, stream.id, stream.description.name});
    }

    void placeMoments(const RankTrace& trace, std::uint32_t first) {
        const std::vector<TimeRange>& ranges = m_chosen.byRank.at(trace.rank);
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            StepIteration& iteration = m_graph.iterations[i];
            iteration.begins.push_back(momentOn(trace, first, ranges[i].begin));
            iteration.ends.push_back(momentOn(trace, first, ranges[i].end));
        }
    }

    [[nodiscard]] StepBoundary momentOn(
        const RankTrace& trace, std::uint32_t first, TimeNs moment) const {
        StepBoundary boundary{.rank = trace.rank};
        const auto firstWork = first + static_cast<std::uint32_t>(trace.calls.size());
        if (m_chosen.areOfDevice) {
            for (std::uint32_t i = 0; i < trace.works.size(); ++i) {
                const DurationNs gap = moment - trace.works[i].end;
                if (gap <= kSameMoment && DurationNs{} - kSameMoment <= gap) {
                    boundary.operation = firstWork + i;
                    boundary.offsetNs = gap.ns;
                    boundary.fromEnd = true;
                    return boundary;
                }
            }
        }
        const std::uint32_t call = callAt(trace, moment);
        if (call != kNone32) {
            boundary.operation = first + call;
            boundary.fromEnd = trace.calls[call].begin < moment;
            boundary.offsetNs
                = (moment - (boundary.fromEnd ? trace.calls[call].end : trace.calls[call].begin))
                      .ns;
        } else if (!trace.works.empty()) {
            const auto next = std::ranges::lower_bound(trace.works, moment, {}, &TracedWork::begin);
            boundary.fromEnd = next == trace.works.end();
            const auto& work = boundary.fromEnd ? trace.works.back() : *next;
            boundary.operation = firstWork + static_cast<std::uint32_t>(&work - trace.works.data());
            boundary.offsetNs = (moment - (boundary.fromEnd ? work.end : work.begin)).ns;
        }
        return boundary;
    }

    // The next call of the thread that marks the iterations, where one does, else of any; the last
    // one, where none follows.
    static std::uint32_t callAt(const RankTrace& trace, TimeNs moment) {
        const bool isMarked = std::ranges::any_of(trace.threads, &TracedThread::isMarked);
        const auto counts = [&](const TracedCall& call) {
            return !isMarked || trace.threads[call.thread].isMarked;
        };
        const auto behind = std::ranges::lower_bound(trace.calls, moment, {}, &TracedCall::begin);
        const auto next = std::find_if(behind, trace.calls.end(), counts);
        if (next != trace.calls.end())
            return static_cast<std::uint32_t>(next - trace.calls.begin());
        const auto last
            = std::find_if(std::make_reverse_iterator(behind), trace.calls.rend(), counts);
        return last == trace.calls.rend()
            ? kNone32
            : static_cast<std::uint32_t>(trace.calls.rend() - last - 1);
    }

    Status addGroups() {
        std::size_t parts = 0;
        for (const auto& [rank, own] : m_parts)
            parts += own.size();
        if (parts == 0)
            return {};
        ASSIGN_OR_RETURN(const auto clocks, alignRanks(m_study));
        const auto take = [this](const Collective& one) {
            addGroup(one);
            return true;
        };
        RETURN_IF_ERROR(forEachCollective(m_study, clocks, take, false, kAllTime, m_chosen.window));
        for (const auto& [rank, own] : m_parts) {
            for (const Part& part : own) {
                StepOperation& one = m_graph.operations[part.operation];
                if (one.group == kNone32)
                    addGroup({part.operation},
                        std::string(KernelCategories::label(m_graph.categories[one.category])));
            }
        }
        return {};
    }

    void addGroup(const Collective& one) {
        std::vector<std::uint32_t> members;
        for (const CollectiveRank& rank : one.ranks) {
            const std::vector<Part>& own = m_parts[rank.rank];
            const auto found = std::ranges::lower_bound(own, Part{rank.start, rank.end, 0});
            const bool isSame
                = found != own.end() && found->start == rank.start && found->end == rank.end;
            if (isSame && m_graph.operations[found->operation].group == kNone32)
                members.push_back(found->operation);
        }
        if (members.empty())
            return;
        const std::string_view kind = KernelCategories::label(toString(one.kind));
        const std::string& purpose
            = one.group->description.empty() || one.group->description == "undefined"
            ? one.group->name
            : one.group->description;
        addGroup(
            members, purpose.empty() ? std::string(kind) : fmt::format("{} in {}", kind, purpose));
    }

    void addGroup(const std::vector<std::uint32_t>& members, const std::string& name) {
        const auto number = static_cast<std::uint32_t>(m_graph.groups.size());
        m_graph.groups.push_back({static_cast<std::uint32_t>(m_graph.members.size()),
            static_cast<std::uint32_t>(members.size()), groupName(name)});
        for (const std::uint32_t member : members) {
            m_graph.operations[member].group = number;
            m_graph.members.push_back(member);
        }
    }

    std::uint32_t groupName(const std::string& name) {
        const auto [known, isNew]
            = m_groupNames.try_emplace(name, static_cast<std::uint32_t>(m_graph.names.size()));
        if (isNew)
            m_graph.names.push_back(name);
        return known->second;
    }

    Status addStages() {
        ASSIGN_OR_RETURN(const auto stages, stagesOf(m_study));
        if (!stages)
            return {};
        for (StepTrack& track : m_graph.tracks) {
            if (const auto known = stages->stageOf.find(track.rank); known != stages->stageOf.end())
                track.stage = known->second;
        }
        return {};
    }

    // From the middle moment of the ranks to that of their ends, of an even number the earlier.
    void measure() {
        for (std::size_t i = 0; i < m_graph.iterations.size(); ++i) {
            std::vector<TimeNs> begins;
            std::vector<TimeNs> ends;
            for (const auto& [rank, ranges] : m_chosen.byRank) {
                const TimeRange own = onReference(m_clocks, rank, ranges[i]);
                begins.push_back(own.begin);
                ends.push_back(own.end);
            }
            m_graph.iterations[i].measured.range
                = {nearestQuantile(begins, 0.5), nearestQuantile(ends, 0.5)};
        }
    }

    const RunStudy& m_study;
    const ChosenSteps& m_chosen;
    RankClocksPtr m_clocks;
    StepGraph m_graph;
    std::map<int, std::vector<Part>> m_parts; // communication, by rank
    std::unordered_map<std::uint32_t, std::uint32_t> m_names; // by the store's
    std::unordered_map<std::string, std::uint32_t> m_groupNames;
};

// Devices of a rank, the tracks of its profiler's records, and what is to be read of both.
Result<std::vector<RankPart>> partsOfRanks(
    const RunStudy& study, const std::vector<DeviceTracks>& devices, const ChosenSteps& chosen) {
    std::map<int, RankPart> parts;
    for (const DeviceTracks& device : devices) {
        RankPart& part = parts[device.rank];
        part.devices.push_back(device);
        part.window = chosen.windows.at(device.rank);
        part.marks.clear();
        for (const TimeRange& own : chosen.byRank.at(device.rank))
            part.marks.push_back(own.begin);
    }
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    for (const Track& track : tracks) {
        const auto part = parts.find(track.description.rank);
        if (part != parts.end() && track.description.kind == TrackKind::Other)
            part->second.records.push_back(track);
    }
    std::vector<RankPart> all;
    for (auto& [rank, part] : parts)
        all.push_back(std::move(part));
    return all;
}

} // namespace

Result<std::shared_ptr<const StepGraph>> stepGraphOf(
    const RunStudy& study, const StepChoice& choice) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    if (devices.empty())
        return Error{ErrorCode::NotFound,
            "The run has no traces of kernels: there is nothing to replay.", study.run.name};
    ASSIGN_OR_RETURN(const auto clocks, differingClocks(study));
    ASSIGN_OR_RETURN(const auto chosen, chosenSteps(study, choice, devices, clocks));
    ASSIGN_OR_RETURN(const auto parts, partsOfRanks(study, devices, chosen));
    GraphJoin join(study, chosen, clocks);
    const auto read = [](const store::Store& store, const RankPart& part,
                          const Progress& progress) -> Result<TracedRank> {
        ASSIGN_OR_RETURN(auto trace, readRankTrace(store, part, progress));
        RankGraph graph = rankGraphOf(trace);
        return TracedRank{std::move(trace), std::move(graph)};
    };
    RETURN_IF_ERROR(forEachPart(
        study, "Reading traces", parts, read, [&join](const RankPart& /*part*/, TracedRank&& rank) {
            return join.add(std::move(rank));
        }));
    return join.finish();
}

} // namespace trainscope::analysis
