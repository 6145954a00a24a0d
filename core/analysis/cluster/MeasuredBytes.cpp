#include "core/analysis/cluster/RunBytes.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/Summary.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/Calls.h"
#include "core/analysis/traces/CommunicatorPlaces.h"
#include "core/model/Try.h"

#include <tuple>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostCalls = std::size_t{1} << 20U; // at a time
constexpr double kEdge = 0.02; // share of an iteration by which a trace may begin late or end early

// Calls of one rank, summed by group.
class RankSums {
public:
    // `replicas`: of hybrid sharding, else none.
    RankSums(Calls& calls, const CommunicatorPlaces& places, const layout::Layout& layout,
        const layout::RankGroups& replicas, int rank)
        : m_calls(calls)
        , m_places(places)
        , m_layout(layout)
        , m_replicas(replicas)
        , m_rank(rank) { }

    // Long iterations are read in parts.
    Status read(TimeRange window) {
        while (!window.isEmpty()) {
            ASSIGN_OR_RETURN(auto calls, m_calls.read(m_rank, window, kMostCalls));
            const bool isPart = calls.size() >= kMostCalls;
            const TimeNs last = isPart ? calls.back().start : window.end;
            for (const Call& call : calls) {
                if (!isPart || call.start < last)
                    add(call);
            }
            if (isPart && last <= window.begin)
                return {};
            window.begin = last;
        }
        return {};
    }

    [[nodiscard]] const std::map<std::string, MeasuredGroup>& groups() const { return m_groups; }

private:
    void add(const Call& call) {
        const CallSpec& spec = m_calls.specs()[call.spec];
        const TracedCommunicator& group = m_calls.communicators()[spec.communicator];
        MeasuredGroup& sums = m_groups[dimensionOf(spec, group)];
        sums.seconds += (call.end - call.start).seconds();
        if (!spec.bytes)
            return;
        const double sent = *spec.bytes * sentShare(spec, group);
        sums.bytes = sums.bytes.value_or(0.0) + sent;
        if (isOfReplicas(spec.communicator, group.ranks))
            sums.replicaBytes += sent;
    }

    [[nodiscard]] bool isOfReplicas(std::uint32_t communicator, const std::vector<int>& ranks) {
        const auto [at, isNew] = m_ofReplicas.try_emplace(communicator, false);
        if (isNew)
            at->second = std::find(m_replicas.begin(), m_replicas.end(), ranks) != m_replicas.end();
        return at->second;
    }

    [[nodiscard]] double sentShare(const CallSpec& spec, const TracedCommunicator& group) const {
        if (spec.kind == CollectiveKind::SendRecv)
            return spec.source < 0 || spec.source == m_rank ? 1.0 : 0.0;
        return busFactor(spec.kind, group.size);
    }

    [[nodiscard]] const std::string& dimensionOf(
        const CallSpec& spec, const TracedCommunicator& group) {
        const auto [at, isNew] = m_dimensions.try_emplace(
            {spec.communicator, spec.source, spec.destination}, std::string());
        if (!isNew)
            return at->second;
        std::vector<int> ranks = group.ranks;
        if (spec.kind == CollectiveKind::SendRecv && spec.source >= 0 && spec.destination >= 0)
            ranks = {spec.source, spec.destination};
        at->second = m_places.dimensionOf(group, ranks);
        // Groups that nobody named: by who is in them.
        if (at->second.empty() || at->second == "world" || at->second == group.name)
            at->second = byLayout(ranks, group.size).value_or(at->second);
        return at->second;
    }

    // The first of the likely groups of this rank that has these members, or so many.
    [[nodiscard]] std::optional<std::string> byLayout(std::vector<int> ranks, int size) const {
        using layout::CommunicatorKind;
        constexpr std::array kLikely{CommunicatorKind::Tensor, CommunicatorKind::Pipeline,
            CommunicatorKind::Data, CommunicatorKind::Context, CommunicatorKind::Expert,
            CommunicatorKind::DataContext};
        std::sort(ranks.begin(), ranks.end());
        if (m_rank >= m_layout.grid.worldSize())
            return std::nullopt;
        for (const CommunicatorKind kind : kLikely) {
            const auto group = m_layout.grid.groupOf(kind, m_rank);
            const bool isIt
                = ranks.empty() ? static_cast<int>(group.size()) == size : group == ranks;
            if (group.size() > 1 && isIt)
                return std::string(infoOf(kind).key);
        }
        return std::nullopt;
    }

    Calls& m_calls;
    const CommunicatorPlaces& m_places;
    const layout::Layout& m_layout;
    const layout::RankGroups& m_replicas;
    int m_rank;
    std::map<std::tuple<std::uint32_t, int, int>, std::string> m_dimensions;
    std::map<std::uint32_t, bool> m_ofReplicas; // by communicator
    std::map<std::string, MeasuredGroup> m_groups;
};

// From a rank's first kernel to its last: annotations may reach beyond what was traced.
Result<std::map<int, TimeRange>> tracedRanges(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    std::map<int, TimeRange> ranges;
    for (const Track& track : tracks) {
        if (track.description.kind != TrackKind::Stream || track.count == 0)
            continue;
        auto& range = ranges.try_emplace(track.description.rank, track.range).first->second;
        range = spanned(range, track.range);
    }
    return ranges;
}

// Those that the trace holds whole, without warm-up where there are others.
std::vector<TimeRange> wholeIterations(const std::vector<Iteration>& all, TimeRange traced) {
    std::vector<TimeRange> whole;
    std::vector<TimeRange> warm;
    for (const Iteration& one : all) {
        const DurationNs slack{
            static_cast<std::int64_t>(kEdge * static_cast<double>(one.range.length().ns))};
        const bool isWhole = one.range.begin + slack >= traced.begin
            && one.range.end - slack <= traced.end && !one.range.isEmpty();
        if (isWhole)
            (one.warmup ? warm : whole).push_back(one.range);
    }
    return whole.empty() ? warm : whole;
}

void add(std::optional<double>& sum, const std::optional<double>& value) {
    if (value)
        sum = sum.value_or(0.0) + *value;
}

} // namespace

Result<MeasuredCollectives> measuredCollectives(
    const RunStudy& study, const layout::Layout& layout) {
    MeasuredCollectives result;
    ASSIGN_OR_RETURN(auto calls, Calls::open(study));
    const auto ranks = calls.ranks();
    if (ranks.empty()) {
        result.why = "there are no traces";
        return result;
    }
    ASSIGN_OR_RETURN(const auto gpus, study.store.gpus(study.run.id));
    ASSIGN_OR_RETURN(const auto traced, tracedRanges(study));
    ASSIGN_OR_RETURN(const auto iterations, iterationsOf(study));
    const CommunicatorPlaces places(study.run, gpus);
    const auto& sharding = layout.sharding;
    const auto replicas = sharding && sharding->replicas > 1
        ? layout::replicaGroups(layout.grid, *sharding)
        : layout::RankGroups();
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (study.progress && !study.progress({"Reading collectives", i, ranks.size()}))
            return cancelled();
        const auto whole = wholeIterations(iterations.of(ranks[i]), traced.at(ranks[i]));
        if (whole.empty())
            continue;
        RankSums sums(calls, places, layout, replicas, ranks[i]);
        for (const TimeRange& window : whole)
            RETURN_IF_ERROR(sums.read(window));
        const auto steps = static_cast<double>(whole.size());
        for (const auto& [group, sum] : sums.groups())
            result.ranks[ranks[i]][group]
                = {sum.bytes ? std::optional(*sum.bytes / steps) : std::nullopt,
                    sum.seconds / steps, sum.replicaBytes / steps};
        result.steps[ranks[i]] = static_cast<int>(whole.size());
    }
    if (result.steps.empty())
        result.why = "the traces hold no whole iteration";
    return result;
}

Result<MeasuredCounters> measuredCounters(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto steady, steadyStateOf(study));
    ASSIGN_OR_RETURN(const auto summary,
        summarise(study, {steady.window, {metric::kNvlinkTx, metric::kPcieTx, metric::kIbTx}}));
    MeasuredCounters result;
    std::map<int, MeasuredCounters::Node> totals;
    for (const auto& gpu : summary.gpus) {
        auto& node = totals[gpu.gpu.node];
        const auto nvlink = statisticOf(gpu.metrics, "nvlink_tx", &SubjectStatistics::total);
        const auto pcie = statisticOf(gpu.metrics, "pcie_tx", &SubjectStatistics::total);
        node.nvlinkGpus += nvlink ? 1 : 0;
        node.pcieGpus += pcie ? 1 : 0;
        add(node.nvlink, nvlink);
        add(node.pcie, pcie);
    }
    for (const auto& node : summary.nodes)
        add(totals[node.node].network,
            statisticOf(node.metrics, "ib_tx", &SubjectStatistics::total));
    const double seconds = summary.duration.seconds();
    const auto steps = static_cast<double>(steady.iterations);
    bool isCounted = false;
    for (auto& [number, node] : totals) {
        isCounted = isCounted || node.nvlink || node.pcie || node.network;
        if (node.nvlink && seconds > 0.0)
            node.nvlinkRate = *node.nvlink / seconds / node.nvlinkGpus;
        for (auto* one : {&node.nvlink, &node.pcie, &node.network})
            *one = *one && steps > 0.0 ? std::optional(**one / steps) : std::nullopt;
    }
    result.nodes = std::move(totals);
    if (!isCounted)
        result.why = "there are no counters of links";
    else if (steps <= 0.0)
        result.why = "the iterations are not known, so the counters cannot be told per step";
    if (steps > 0.0)
        result.stepSeconds = seconds / steps;
    return result;
}

} // namespace trainscope::analysis
