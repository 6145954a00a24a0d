#include "core/analysis/replay/StepAnalyses.h"

#include "core/analysis/statistics/Means.h"

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostOperations = 200'000'000; // simulated for slowdowns: a few seconds

// Name, rank and iteration of an operation.
std::uint64_t cellOf(const StepGraph& graph, const StepOperation& operation) {
    const auto rank = static_cast<std::uint16_t>(graph.tracks[operation.track].rank);
    const auto iteration = static_cast<std::uint16_t>(operation.iteration);
    return std::uint64_t{operation.name} << 32U | std::uint64_t{rank} << 16U | iteration;
}

// "forward-send" and "forward-recv" are "forward-pp-comm", as the authors of the method have it.
std::string kindTitle(std::string_view name) {
    const std::string_view tail = name.substr(std::min(name.find('-'), name.size()));
    const bool isMessage = tail == "-send" || tail == "-recv";
    return std::string(name.substr(0, name.size() - (isMessage ? tail.size() : 0)))
        + (isMessage ? "-pp-comm" : "");
}

bool isCounted(const StepGraph& graph, const StepOperation& operation) {
    return operation.iteration >= 0
        && graph.iterations[static_cast<std::size_t>(operation.iteration)].counts;
}

// A call of the host that comes as often nowhere else: the time of others of its name tells
// nothing.
bool isUnlike(const StepGraph& graph, const StepOperation& operation, std::uint32_t kind) {
    return operation.kind == OperationKind::HostCall && kind < graph.names.size();
}

using StepTime = DurationNs StepOperation::*;

// The mean of each kind, of transfers, calls and delays the median: a few of these take very long.
std::vector<std::int64_t> usualTimes(
    const StepGraph& graph, const std::vector<std::uint32_t>& kinds, StepTime time) {
    const auto takesMedian = [time](const StepOperation& operation) {
        return time == &StepOperation::delay || isTransfer(operation)
            || operation.kind == OperationKind::HostCall;
    };
    std::vector<RunningMean> means(kinds.empty() ? 0 : std::ranges::max(kinds) + std::size_t{1});
    std::vector<std::pair<std::uint32_t, double>> ofMedians; // kind, value
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        if (!isCounted(graph, operation) || isUnlike(graph, operation, kinds[i]))
            continue;
        const auto ns = static_cast<double>((operation.*time).ns);
        if (takesMedian(operation))
            ofMedians.emplace_back(kinds[i], ns);
        else
            means[kinds[i]].add(ns);
    }
    std::ranges::sort(ofMedians);
    for (auto first = ofMedians.begin(); first != ofMedians.end();) {
        const auto last = std::find_if(
            first, ofMedians.end(), [&](const auto& one) { return one.first != first->first; });
        const auto count = last - first;
        means[first->first] = {0.5 * (first[(count - 1) / 2].second + first[count / 2].second), 1};
        first = last;
    }
    std::vector<std::int64_t> usual;
    usual.reserve(kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const RunningMean& mean = means[kinds[i]];
        usual.push_back(
            mean.count == 0 ? (graph.operations[i].*time).ns : std::llround(mean.value()));
    }
    return usual;
}

// Operations have no delays, as the authors of the method have it. The host's own time is the
// delay of its calls, so that those of kernels stay.
std::pair<StepCosts, StepCosts> measuredAndIdeal(const StepGraph& graph) {
    const std::vector<std::uint32_t> kinds = kindsOf(graph);
    StepCosts measured = measuredCosts(graph);
    if (graph.isOfOperations) {
        std::ranges::fill(measured.delay, 0);
        std::ranges::fill(measured.lag, 0);
    }
    StepCosts ideal = measured;
    ideal.duration = usualTimes(graph, kinds, &StepOperation::duration);
    if (!graph.isOfOperations)
        ideal.delay = usualTimes(graph, kinds, &StepOperation::delay);
    return {std::move(measured), std::move(ideal)};
}

class SlowdownSearch {
public:
    SlowdownSearch(const StepGraph& graph, const StepCosts& measured, const StepCosts& ideal)
        : m_graph(graph)
        , m_measured(measured)
        , m_ideal(ideal)
        , m_costs(ideal)
        , m_idealS(meanStepSeconds(graph, simulate(graph, ideal)).value_or(0.0)) { }

    [[nodiscard]] double idealS() const { return m_idealS; }

    // `partOf`: of an operation, a number; negative: of none.
    template <typename PartOf>
    std::map<int, double> slowdowns(PartOf partOf) {
        std::map<int, std::int64_t> excess; // ns by which operations differ from the usual
        for (std::size_t i = 0; i < m_graph.operations.size(); ++i) {
            if (const int part = partOf(m_graph.operations[i]); part >= 0)
                excess[part] += std::abs(m_measured.duration[i] - m_ideal.duration[i])
                    + std::abs(m_measured.delay[i] - m_ideal.delay[i]);
        }
        std::vector<std::pair<std::int64_t, int>> order;
        for (const auto& [part, ns] : excess)
            order.emplace_back(-ns, part);
        std::ranges::sort(order);
        std::map<int, double> found;
        for (const auto& [ns, part] : order) {
            m_simulated += ns == 0 ? 0 : m_graph.operations.size();
            if (m_simulated > kMostOperations)
                break;
            for (std::size_t i = 0; i < m_graph.operations.size(); ++i) {
                const bool isPart = partOf(m_graph.operations[i]) == part;
                m_costs.duration[i] = (isPart ? m_measured : m_ideal).duration[i];
                m_costs.delay[i] = (isPart ? m_measured : m_ideal).delay[i];
            }
            if (ns != 0)
                m_times = simulate(m_graph, m_costs, std::move(m_times));
            found[part] = ns == 0 ? 1.0 : *meanStepSeconds(m_graph, m_times) / m_idealS;
        }
        return found;
    }

private:
    const StepGraph& m_graph;
    const StepCosts& m_measured;
    const StepCosts& m_ideal;
    StepCosts m_costs; // ideal ones, but those of a part
    StepTimes m_times;
    double m_idealS;
    std::size_t m_simulated = 0;
};

std::map<std::string, double> slowdownsByKind(const StepGraph& graph, SlowdownSearch& search) {
    std::vector<std::string> titles;
    std::vector<int> titleOf; // by name, else by category
    for (const std::string& name : graph.isOfOperations ? graph.names : graph.categories) {
        std::string title = graph.isOfOperations ? kindTitle(name) : name;
        const auto at = std::ranges::find(titles, title) - titles.begin();
        titleOf.push_back(static_cast<int>(at));
        if (titleOf.back() == static_cast<int>(titles.size()))
            titles.push_back(std::move(title));
    }
    std::map<std::string, double> found;
    for (const auto& [title, slowdown] : search.slowdowns([&](const StepOperation& operation) {
             return titleOf[graph.isOfOperations ? operation.name : operation.category];
         }))
        found[titles[static_cast<std::size_t>(title)]] = slowdown;
    return found;
}

} // namespace

std::vector<std::uint32_t> kindsOf(const StepGraph& graph) {
    std::unordered_map<std::uint64_t, std::uint32_t> cells; // operations, then the next one's kind
    if (!graph.isOfOperations) {
        for (const StepOperation& operation : graph.operations)
            ++cells[cellOf(graph, operation)];
    }
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::uint32_t*>> alike;
    for (auto& [cell, count] : cells)
        alike[{cell >> 32U, count}].push_back(&count);
    auto next = static_cast<std::uint32_t>(graph.names.size());
    for (const auto& [like, firsts] : alike) {
        for (std::uint32_t* first : firsts)
            *first = firsts.size() > 1 ? next : kNone32;
        next += firsts.size() > 1 ? like.second : 0;
    }
    std::vector<std::uint32_t> kinds;
    kinds.reserve(graph.operations.size());
    for (const StepOperation& operation : graph.operations) {
        const auto cell = cells.find(cellOf(graph, operation));
        const bool isPlaced = cell != cells.end() && cell->second != kNone32;
        kinds.push_back(isPlaced ? cell->second++ : operation.name);
    }
    return kinds;
}

std::vector<std::int64_t> usualDurations(const StepGraph& graph) {
    return usualTimes(graph, kindsOf(graph), &StepOperation::duration);
}

std::optional<IdealStep> idealStep(const StepGraph& graph) {
    const auto [measured, ideal] = measuredAndIdeal(graph);
    SlowdownSearch search(graph, measured, ideal);
    if (search.idealS() <= 0.0)
        return std::nullopt;
    const double replayedS = *meanStepSeconds(graph, simulate(graph, measured));
    IdealStep step{search.idealS(), replayedS / search.idealS(), {}};
    step.by.kind = slowdownsByKind(graph, search);
    step.by.stage
        = search.slowdowns([&](const auto& each) { return graph.tracks[each.track].stage; });
    step.by.rank = search.slowdowns([&](const auto& each) {
        const StepTrack& track = graph.tracks[each.track];
        return track.dataRank < 0 ? track.rank : track.dataRank;
    });
    return step;
}

} // namespace trainscope::analysis
