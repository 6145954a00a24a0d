#include "core/analysis/replay/StepAnalyses.h"

#include <tuple>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kTopRows = 20;
constexpr std::size_t kMostSimulated = 50'000'000; // operations, of all gains together: seconds

// The account of a piece of the path: category, name, rank.
using PathPlace = std::tuple<std::string_view, std::uint32_t, int>;

PathPlace placeOf(const StepGraph& graph, std::uint32_t index, bool isDelay) {
    const StepOperation& operation = graph.operations[index];
    const std::string_view category = operation.kind == OperationKind::HostCall ? "host"
        : isDelay                                                               ? "delay"
                  : std::string_view(graph.categories[operation.category]);
    return {category, operation.name, graph.tracks[operation.track].rank};
}

// Calls with each edge that holds the operation's start (its end), and its lag.
template <typename See>
void forEachEdge(
    const StepGraph& graph, const StepCosts& costs, std::uint32_t operation, bool toEnd, See see) {
    for (std::uint32_t i = graph.firstEdge[operation]; i < graph.firstEdge[operation + 1]; ++i) {
        if (graph.edges[i].toEnd == toEnd)
            see(graph.edges[i], costs.lag[i]);
    }
}

class PathWalk {
public:
    PathWalk(const StepGraph& graph, const StepTimes& times, const StepCosts& costs)
        : m_graph(graph)
        , m_times(times)
        , m_costs(costs) { }

    // Adds pieces in order of time.
    void walk(std::int32_t iteration, std::vector<PathPiece>& pieces) {
        const StepIteration& walked = m_graph.iterations[static_cast<std::size_t>(iteration)];
        m_begin = momentOf(m_times, middleOf(m_times, walked.begins));
        m_at = middleOf(m_times, walked.ends);
        m_cursor = momentOf(m_times, m_at);
        if (const std::uint32_t work = std::exchange(m_at.work, kNone32);
            momentOf(m_times, m_at) < m_cursor)
            m_at = {work, 0, -1, true};
        m_at.offsetNs = 0;
        const auto first = static_cast<std::ptrdiff_t>(pieces.size());
        for (StepBoundary from = m_at; m_cursor > m_begin && m_at.operation != kNone32;) {
            const bool isDelay = !m_at.fromEnd && from.operation != m_at.operation;
            const std::int64_t begin = std::max(momentOf(m_times, from), m_begin);
            if (begin < m_cursor)
                pieces.push_back({m_at.operation, isDelay,
                    {m_graph.begin + DurationNs{begin}, m_graph.begin + DurationNs{m_cursor}},
                    iteration});
            m_cursor = std::min(m_cursor, begin);
            m_at = from;
            from = m_at.operation == kNone32 ? m_at
                : m_at.fromEnd               ? beforeEnd()
                                             : latestEdge(false, -1, {});
        }
        std::reverse(pieces.begin() + first, pieces.end());
    }

private:
    // The moment from which the edge counts that holds the start (the end) longest, beyond `held`.
    [[nodiscard]] StepBoundary latestEdge(
        bool toEnd, std::int64_t held, StepBoundary otherwise) const {
        forEachEdge(m_graph, m_costs, m_at.operation, toEnd, [&](const StepEdge& edge, int lag) {
            const StepBoundary from{edge.from, 0, -1, !edge.fromStart};
            if (const std::int64_t moment = momentOf(m_times, from) + lag; moment > held) {
                held = moment;
                otherwise = from;
            }
        });
        return otherwise;
    }
    [[nodiscard]] StepBoundary beforeEnd() const {
        std::uint32_t last = m_at.operation;
        if (const std::uint32_t group = m_graph.operations[last].group; group != kNone32) {
            for (const std::uint32_t member : m_graph.membersOf(group))
                last = m_times.start[member] > m_times.start[last] ? member : last;
        }
        return latestEdge(true, m_times.start[last], {last, 0, -1, false});
    }

    const StepGraph& m_graph;
    const StepTimes& m_times;
    const StepCosts& m_costs;
    StepBoundary m_at; // the moment that is explained next
    std::int64_t m_cursor = 0; // its time, or less where it overlaps what it holds
    std::int64_t m_begin = 0; // the iteration's
};

// Costs without what is accounted at a place.
StepCosts costsWithout(const StepGraph& graph, StepCosts costs, const PathPlace& place) {
    for (std::uint32_t i = 0; i < graph.operations.size(); ++i) {
        if (placeOf(graph, i, false) == place) {
            costs.duration[i] = 0;
            if (const std::uint32_t group = graph.operations[i].group; group != kNone32) {
                for (const std::uint32_t part : graph.membersOf(group))
                    costs.duration[part] = 0;
            }
        }
        if (placeOf(graph, i, true) == place) {
            costs.delay[i] = 0;
            for (std::uint32_t e = graph.firstEdge[i]; e < graph.firstEdge[i + 1]; ++e)
                costs.lag[e] = graph.edges[e].toEnd ? costs.lag[e] : 0;
        }
    }
    return costs;
}

void account(const StepGraph& graph, const PathPiece& piece, double seconds, CriticalPath& path) {
    const StepOperation& operation = graph.operations[piece.operation];
    const auto [name, _, rank] = placeOf(graph, piece.operation, piece.isDelay);
    const std::string category(name);
    const bool isHost = operation.kind == OperationKind::HostCall;
    path.byCategory[category] += seconds;
    path.byRank[rank] += seconds;
    path.byPhase[isHost || piece.isDelay ? category : std::string(toString(operation.phase))]
        += seconds;
    path.hostS += isHost ? seconds : 0.0;
    if (piece.isDelay)
        return;
    if (operation.operatorName != kNone32)
        path.byOperator[graph.names[operation.operatorName]] += seconds;
    path.exposedOnPathS += isTransfer(operation) ? seconds : 0.0;
}

// The latest moments that starts and ends may have.
class SlackPass {
public:
    SlackPass(const StepGraph& graph, const StepTimes& times, const StepCosts& costs)
        : m_graph(graph)
        , m_times(times)
        , m_costs(costs)
        , m_start(graph.operations.size(), kFar)
        , m_end(graph.operations.size(), kFar)
        , m_group(graph.groups.size(), kFar)
        , m_isLate(graph.operations.size()) { }

    std::vector<std::int64_t> run() {
        for (const StepIteration& iteration : m_graph.iterations) {
            if (iteration.counts)
                limit(iteration.ends);
        }
        auto late = m_graph.lateEnds.rbegin();
        for (auto i = static_cast<std::uint32_t>(m_graph.operations.size()); i-- > 0;) {
            for (; late != m_graph.lateEnds.rend() && late->ready >= i; ++late)
                passEnd(*late);
            passStart(i);
        }
        for (std::size_t i = 0; i < m_end.size(); ++i)
            m_end[i] = m_end[i] > kFar / 2 ? kAnySlack : m_end[i] - m_times.end[i];
        return std::move(m_end);
    }

private:
    // No moment yet; what is taken off it leaves it further than any.
    static constexpr std::int64_t kFar = kAnySlack / 2;

    static void lower(std::int64_t& time, std::int64_t to) { time = std::min(time, to); }

    // Ranks that end later than the one in the middle do not end the iteration.
    void limit(const std::vector<StepBoundary>& ends) {
        const std::int64_t last = momentOf(m_times, middleOf(m_times, ends));
        for (const StepBoundary& end : ends) {
            if (end.operation != kNone32 && momentOf(m_times, end) <= last)
                lower((end.fromEnd ? m_end : m_start)[end.operation], last - end.offsetNs);
            if (end.work != kNone32 && m_times.hostEdges < 1.0)
                lower(m_end[end.work], last + end.workLagNs);
        }
    }
    void passEnd(const LateEnd& late) {
        m_isLate[late.operation] = true;
        const std::int64_t base = m_end[late.operation] - m_costs.duration[late.operation];
        lower(late.group == kNone32 ? m_start[late.operation] : m_group[late.group], base);
        passEdges(late.operation, true, base);
    }
    void passStart(std::uint32_t operation) {
        const std::uint32_t group = m_graph.operations[operation].group;
        if (group != kNone32)
            lower(m_start[operation], m_group[group]);
        else if (!m_isLate[operation])
            lower(m_start[operation], m_end[operation] - m_costs.duration[operation]);
        passEdges(operation, false, m_start[operation] - m_costs.delay[operation]);
    }
    void passEdges(std::uint32_t operation, bool toEnd, std::int64_t moment) {
        forEachEdge(m_graph, m_costs, operation, toEnd, [&](const StepEdge& edge, int lag) {
            lower((edge.fromStart ? m_start : m_end)[edge.from], moment - lag);
        });
    }

    const StepGraph& m_graph;
    const StepTimes& m_times;
    const StepCosts& m_costs;
    std::vector<std::int64_t> m_start; // by operation
    std::vector<std::int64_t> m_end;
    std::vector<std::int64_t> m_group; // by group: of its last part's start
    std::vector<bool> m_isLate; // by operation: its end was passed
};

// Work of the device that is nowhere on the path, takes a thousandth of a step and is waited for.
std::vector<PathRow> offThePath(const StepGraph& graph, const std::vector<std::int64_t>& slack,
    const StepCosts& costs, const std::map<PathPlace, double>& onPath, const CriticalPath& path,
    double steps) {
    std::map<std::tuple<std::uint32_t, int, std::uint16_t>, std::pair<std::int64_t, double>> off;
    for (std::uint32_t i = 0; i < slack.size(); ++i) {
        const StepOperation& one = graph.operations[i];
        if (one.kind == OperationKind::HostCall || one.iteration < 0
            || !graph.iterations[static_cast<std::size_t>(one.iteration)].counts)
            continue;
        auto& [least, seconds]
            = off.try_emplace(
                     {one.name, graph.tracks[one.track].rank, one.category}, kAnySlack, 0.0)
                  .first->second;
        least = std::min(least, slack[i]);
        seconds += static_cast<double>(costs.duration[i]) * 1e-9 / steps;
    }
    std::vector<PathRow> rows;
    for (const auto& [place, of] : off) {
        const auto& [name, rank, category] = place;
        const std::string& kind = graph.categories[category];
        if (of.first != kAnySlack && of.second >= 0.001 * path.seconds
            && !onPath.contains({kind, name, rank}))
            rows.push_back({graph.names[name], kind, rank, of.second, std::nullopt,
                static_cast<double>(of.first) * 1e-9});
    }
    std::ranges::stable_sort(rows, {}, &PathRow::slackS);
    rows.resize(std::min(rows.size(), kTopRows));
    return rows;
}

} // namespace

CriticalPath criticalPath(
    const StepGraph& graph, const StepTimes& times, const StepCosts& costs, std::size_t gains) {
    CriticalPath path;
    const std::optional<double> stepS = meanStepSeconds(graph, times);
    if (!stepS)
        return path;
    path.seconds = *stepS;
    PathWalk walk(graph, times, costs);
    for (std::size_t i = 0; i < graph.iterations.size(); ++i) {
        if (graph.iterations[i].counts)
            walk.walk(static_cast<std::int32_t>(i), path.pieces);
    }
    const auto steps
        = static_cast<double>(std::ranges::count(graph.iterations, true, &StepIteration::counts));
    std::map<PathPlace, double> places;
    for (const PathPiece& piece : path.pieces) {
        const double seconds = piece.when.length().seconds() / steps;
        places[placeOf(graph, piece.operation, piece.isDelay)] += seconds;
        account(graph, piece, seconds, path);
    }
    std::vector<std::pair<double, PathPlace>> order;
    for (const auto& [place, seconds] : places)
        order.emplace_back(-seconds, place);
    std::ranges::sort(order);
    order.resize(std::min(order.size(), kTopRows));
    gains = std::min(gains, kMostSimulated / std::max<std::size_t>(1, graph.operations.size()));
    StepTimes without;
    for (const auto& [seconds, place] : order) {
        const auto& [category, name, rank] = place;
        PathRow row{
            graph.names[name], std::string(category), rank, -seconds, std::nullopt, std::nullopt};
        if (path.top.size() < gains) {
            without = simulate(graph, costsWithout(graph, costs, place), std::move(without));
            row.gainS = *stepS - *meanStepSeconds(graph, without);
        }
        path.top.push_back(std::move(row));
    }
    if (gains > 0)
        path.off = offThePath(graph, slackOf(graph, times, costs), costs, places, path, steps);
    return path;
}

std::vector<std::int64_t> slackOf(
    const StepGraph& graph, const StepTimes& times, const StepCosts& costs) {
    return SlackPass(graph, times, costs).run();
}

} // namespace trainscope::analysis
