#include "core/analysis/replay/IdealStep.h"

#include "core/analysis/statistics/Means.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostOperations = 200'000'000; // simulated for slowdowns: a few seconds

// Of an operation's name, rank and iteration.
std::uint64_t cellOf(const StepGraph& graph, const StepOperation& operation) {
    const auto rank = static_cast<std::uint16_t>(graph.tracks[operation.track].rank);
    const auto iteration = static_cast<std::uint16_t>(operation.iteration);
    return std::uint64_t{operation.name} << 32U | std::uint64_t{rank} << 16U | iteration;
}

bool isTransfer(const StepOperation& operation) {
    return operation.kind == OperationKind::Collective || operation.kind == OperationKind::Message;
}

bool countsIn(const StepGraph& graph, const StepOperation& operation) {
    return operation.iteration >= 0
        && graph.iterations[static_cast<std::size_t>(operation.iteration)].counts;
}

// "forward-send" and "forward-recv" are "forward-pp-comm", as the authors of the method have it.
std::string kindTitle(std::string_view name) {
    const std::string_view tail = name.substr(std::min(name.find('-'), name.size()));
    const bool isMessage = tail == "-send" || tail == "-recv";
    return std::string(name.substr(0, name.size() - (isMessage ? tail.size() : 0)))
        + (isMessage ? "-pp-comm" : "");
}

StepCosts costsWithoutDelays(const StepGraph& graph) {
    StepCosts costs = measuredCosts(graph);
    std::ranges::fill(costs.delay, 0);
    std::ranges::fill(costs.lag, 0);
    return costs;
}

class SlowdownSearch {
public:
    SlowdownSearch(
        const StepGraph& graph, const StepCosts& measured, StepCosts& ideal, double idealS)
        : m_graph(graph)
        , m_measured(measured)
        , m_costs(ideal)
        , m_idealS(idealS) { }

    // `partOf`: of an operation, a number; negative: of none.
    template <typename PartOf>
    std::map<int, double> slowdowns(PartOf partOf) {
        std::map<int, std::int64_t> excess; // ns by which operations differ from the usual
        for (std::size_t i = 0; i < m_graph.operations.size(); ++i) {
            if (const int part = partOf(m_graph.operations[i]); part >= 0)
                excess[part] += std::abs(m_measured.duration[i] - m_costs.duration[i]);
        }
        std::vector<std::pair<std::int64_t, int>> order;
        for (const auto& [part, ns] : excess)
            order.emplace_back(-ns, part);
        std::ranges::sort(order);
        std::map<int, double> found;
        for (const auto& [ns, part] : order) {
            if (ns == 0)
                found[part] = 1.0;
            else if (m_simulated += m_graph.operations.size(); m_simulated <= kMostOperations)
                found[part] = slowdownOf(
                    [&, part = part](const auto& each) { return partOf(each) == part; });
        }
        return found;
    }

private:
    template <typename IsPart>
    double slowdownOf(IsPart isPart) {
        std::vector<std::pair<std::size_t, std::int64_t>> usual;
        for (std::size_t i = 0; i < m_graph.operations.size(); ++i) {
            if (isPart(m_graph.operations[i])) {
                usual.emplace_back(i, m_costs.duration[i]);
                m_costs.duration[i] = m_measured.duration[i];
            }
        }
        m_times = simulate(m_graph, m_costs, std::move(m_times));
        for (const auto& [i, duration] : usual)
            m_costs.duration[i] = duration;
        return *meanStepSeconds(m_graph, m_times) / m_idealS;
    }

    const StepGraph& m_graph;
    const StepCosts& m_measured;
    StepCosts& m_costs; // ideal ones but while a part is sought
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
    std::vector<std::uint32_t> kinds;
    kinds.reserve(graph.operations.size());
    std::unordered_map<std::uint64_t, std::uint32_t> cells; // operations, then the next one's kind
    if (!graph.isOfOperations) {
        for (const StepOperation& operation : graph.operations)
            ++cells[cellOf(graph, operation)];
    }
    const auto likeOf = [](const auto& cell) { return std::pair(cell.first >> 32U, cell.second); };
    std::map<std::pair<std::uint64_t, std::uint32_t>, int> alike; // cells of as many of a name
    for (const auto& cell : cells)
        ++alike[likeOf(cell)];
    auto next = static_cast<std::uint32_t>(graph.names.size());
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> first;
    for (const auto& [like, count] : alike) {
        first[like] = count > 1 ? next : kNone32;
        next += count > 1 ? like.second : 0;
    }
    for (auto& cell : cells)
        cell.second = first[likeOf(cell)];
    for (const StepOperation& operation : graph.operations) {
        const auto cell = cells.find(cellOf(graph, operation));
        const bool isPlaced = cell != cells.end() && cell->second != kNone32;
        kinds.push_back(isPlaced ? cell->second++ : operation.name);
    }
    return kinds;
}

std::vector<std::int64_t> usualDurations(const StepGraph& graph) {
    const std::vector<std::uint32_t> kinds = kindsOf(graph);
    std::vector<RunningMean> means(kinds.empty() ? 0 : std::ranges::max(kinds) + std::size_t{1});
    std::map<std::uint32_t, std::vector<double>> transfers;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        const auto ns = static_cast<double>(operation.duration.ns);
        if (!countsIn(graph, operation))
            continue;
        if (isTransfer(operation))
            transfers[kinds[i]].push_back(ns);
        else
            means[kinds[i]].add(ns);
    }
    std::map<std::uint32_t, std::int64_t> medians;
    for (auto& [kind, values] : transfers)
        medians[kind] = std::llround(medianOf(std::move(values)));
    std::vector<std::int64_t> usual;
    usual.reserve(kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        const auto median = medians.find(kinds[i]);
        if (isTransfer(operation))
            usual.push_back(median == medians.end() ? operation.duration.ns : median->second);
        else
            usual.push_back(means[kinds[i]].count == 0 ? operation.duration.ns
                                                       : std::llround(means[kinds[i]].value()));
    }
    return usual;
}

std::optional<IdealStep> idealStep(const StepGraph& graph) {
    const StepCosts measured = costsWithoutDelays(graph);
    const std::optional<double> replayedS = meanStepSeconds(graph, simulate(graph, measured));
    StepCosts ideal = measured;
    ideal.duration = usualDurations(graph);
    const double idealS = meanStepSeconds(graph, simulate(graph, ideal)).value_or(0.0);
    if (idealS <= 0.0)
        return std::nullopt;
    IdealStep step{idealS, *replayedS / idealS, {}};
    SlowdownSearch search(graph, measured, ideal, idealS);
    step.by.kind = slowdownsByKind(graph, search);
    step.by.stage = search.slowdowns(
        [&](const StepOperation& operation) { return graph.tracks[operation.track].stage; });
    step.by.rank = search.slowdowns(
        [&](const StepOperation& operation) { return graph.tracks[operation.track].rank; });
    return step;
}

} // namespace trainscope::analysis
