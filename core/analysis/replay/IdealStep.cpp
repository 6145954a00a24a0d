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

// The median of each kind: most operations have hardly any, so that few would move a mean.
std::vector<std::int64_t> usualDelays(
    const StepGraph& graph, const std::vector<std::uint32_t>& kinds) {
    std::vector<std::pair<std::uint32_t, std::int64_t>> sorted;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (isCounted(graph, graph.operations[i]))
            sorted.emplace_back(kinds[i], graph.operations[i].delay.ns);
    }
    std::ranges::sort(sorted);
    std::vector<std::int64_t> usual;
    usual.reserve(kinds.size());
    for (const StepOperation& operation : graph.operations)
        usual.push_back(operation.delay.ns);
    std::unordered_map<std::uint32_t, std::int64_t> medians;
    for (auto first = sorted.begin(); first != sorted.end();) {
        const auto last = std::find_if(
            first, sorted.end(), [&](const auto& one) { return one.first != first->first; });
        medians[first->first] = first[(last - first) / 2].second;
        first = last;
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (const auto median = medians.find(kinds[i]); median != medians.end())
            usual[i] = median->second;
    }
    return usual;
}

// Of operations without delays, as the authors of the method have it. The host's own time is the
// delay of its calls, so that those of kernels stay.
std::pair<StepCosts, StepCosts> measuredAndIdeal(const StepGraph& graph) {
    const std::vector<std::uint32_t> kinds = kindsOf(graph);
    StepCosts measured = measuredCosts(graph);
    if (graph.isOfOperations) {
        std::ranges::fill(measured.delay, 0);
        std::ranges::fill(measured.lag, 0);
    }
    StepCosts ideal = measured;
    ideal.duration = usualDurations(graph, kinds);
    if (!graph.isOfOperations)
        ideal.delay = usualDelays(graph, kinds);
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

std::vector<std::int64_t> usualDurations(
    const StepGraph& graph, const std::vector<std::uint32_t>& kinds) {
    std::vector<RunningMean> means(kinds.empty() ? 0 : std::ranges::max(kinds) + std::size_t{1});
    std::map<std::uint32_t, std::vector<double>> transfers;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const StepOperation& operation = graph.operations[i];
        const auto ns = static_cast<double>(operation.duration.ns);
        if (!isCounted(graph, operation))
            continue;
        if (isTransfer(operation))
            transfers[kinds[i]].push_back(ns);
        else
            means[kinds[i]].add(ns);
    }
    // As means of one value. A name of transfers is none of anything else.
    for (auto& [kind, values] : transfers)
        means[kind] = {medianOf(std::move(values)), 1};
    std::vector<std::int64_t> usual;
    usual.reserve(kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const RunningMean& mean = means[kinds[i]];
        usual.push_back(
            mean.count == 0 ? graph.operations[i].duration.ns : std::llround(mean.value()));
    }
    return usual;
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
