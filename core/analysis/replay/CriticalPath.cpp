#include "core/analysis/replay/CriticalPath.h"

#include <algorithm>
#include <compare>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kTopRows = 20;
constexpr std::size_t kMostSimulated = 50'000'000; // operations, of all gains together: seconds

// Where a piece of the path is accounted.
struct PathPlace {
    std::uint32_t name = 0;
    int rank = -1;
    bool isHost = false;
    bool isDelay = false; // of a device
    std::uint16_t category = 0;

    auto operator<=>(const PathPlace&) const = default;
};

PathPlace placeOf(const StepGraph& graph, std::uint32_t index, bool isDelay) {
    const StepOperation& operation = graph.operations[index];
    const bool isHost = operation.kind == OperationKind::HostCall;
    const bool isWork = !isHost && !isDelay;
    return {operation.name, graph.tracks[operation.track].rank, isHost, isDelay && !isHost,
        isWork ? operation.category : std::uint16_t{0}};
}

std::string categoryOf(const StepGraph& graph, const PathPlace& place) {
    return place.isHost ? "host" : place.isDelay ? "delay" : graph.categories[place.category];
}

bool isDropped(const StepCosts& costs, std::uint32_t edge) {
    return !costs.isDropped.empty() && costs.isDropped[edge];
}

class PathWalk {
public:
    PathWalk(const StepGraph& graph, const StepTimes& times, const StepCosts& costs)
        : m_graph(graph)
        , m_times(times)
        , m_costs(costs) { }

    // Pieces in order of time.
    std::vector<PathPiece> piecesOf(std::int32_t iteration) {
        const StepIteration& walked = m_graph.iterations[static_cast<std::size_t>(iteration)];
        const StepBoundary& last = middleOf(m_times, walked.ends);
        m_begin = momentOf(m_times, middleOf(m_times, walked.begins));
        m_cursor = momentOf(m_times, last);
        m_iteration = iteration;
        m_pieces.clear();
        m_at = {last.operation, last.fromEnd};
        if (last.operation != kNone32)
            add(false, timeOf(m_at));
        while (m_cursor > m_begin && m_at.operation != kNone32) {
            const Moment before = m_at.isEnd ? beforeEnd() : beforeStart();
            add(!m_at.isEnd, timeOf(before));
            m_at = before;
        }
        std::ranges::reverse(m_pieces);
        return std::move(m_pieces);
    }

private:
    struct Moment {
        std::uint32_t operation = kNone32; // kNone32: the graph's begin
        bool isEnd = false;
    };

    [[nodiscard]] std::int64_t timeOf(const Moment& of) const {
        return momentOf(m_times, {of.operation, 0, -1, of.isEnd});
    }

    // A piece of the operation from there to the cursor, which moves there.
    void add(bool isDelay, std::int64_t from) {
        from = std::max(from, m_begin);
        if (from >= m_cursor)
            return;
        m_pieces.push_back({m_at.operation, isDelay,
            {m_graph.begin + DurationNs{from}, m_graph.begin + DurationNs{m_cursor}}, m_iteration});
        m_cursor = from;
    }

    // What the edge that holds the start (the end) longest, and longer than `held`, counts from.
    [[nodiscard]] Moment latestEdge(bool toEnd, std::int64_t held, Moment otherwise) const {
        const std::uint32_t end = m_graph.firstEdge[m_at.operation + 1];
        for (std::uint32_t i = m_graph.firstEdge[m_at.operation]; i < end; ++i) {
            const StepEdge& edge = m_graph.edges[i];
            if (edge.toEnd != toEnd || isDropped(m_costs, i))
                continue;
            const Moment from{edge.from, !edge.fromStart};
            if (const std::int64_t moment = timeOf(from) + m_costs.lag[i]; moment > held) {
                held = moment;
                otherwise = from;
            }
        }
        return otherwise;
    }
    // An edge that holds nothing longer than the graph's begin may still be why.
    [[nodiscard]] Moment beforeStart() const { return latestEdge(false, -1, {}); }
    [[nodiscard]] Moment beforeEnd() const {
        std::uint32_t last = m_at.operation;
        const std::uint32_t group = m_graph.operations[last].group;
        if (group != kNone32) {
            for (const std::uint32_t member : m_graph.membersOf(group))
                last = m_times.start[member] > m_times.start[last] ? member : last;
        }
        return latestEdge(true, m_times.start[last], {last, false});
    }

    const StepGraph& m_graph;
    const StepTimes& m_times;
    const StepCosts& m_costs;
    std::vector<PathPiece> m_pieces; // backward
    Moment m_at;
    std::int64_t m_cursor = 0;
    std::int64_t m_begin = 0;
    std::int32_t m_iteration = 0;
};

class GainSearch {
public:
    GainSearch(const StepGraph& graph, const StepCosts& costs, double stepS)
        : m_graph(graph)
        , m_costs(costs)
        , m_changed(costs)
        , m_stepS(stepS) { }

    double gainOf(const PathPlace& place) {
        for (std::uint32_t i = 0; i < m_graph.operations.size(); ++i) {
            if (!place.isDelay && placeOf(m_graph, i, false) == place)
                forEachPart(i, [this](std::uint32_t part) { m_changed.duration[part] = 0; });
            if ((place.isDelay || place.isHost) && placeOf(m_graph, i, true) == place)
                dropDelay(i);
        }
        m_times = simulate(m_graph, m_changed, std::move(m_times));
        m_changed.duration = m_costs.duration;
        m_changed.delay = m_costs.delay;
        m_changed.lag = m_costs.lag;
        return m_stepS - *meanStepSeconds(m_graph, m_times);
    }

private:
    template <typename See>
    void forEachPart(std::uint32_t operation, See see) const {
        const std::uint32_t group = m_graph.operations[operation].group;
        if (group == kNone32)
            see(operation);
        else
            std::ranges::for_each(m_graph.membersOf(group), see);
    }
    void dropDelay(std::uint32_t operation) {
        m_changed.delay[operation] = 0;
        for (std::uint32_t i = m_graph.firstEdge[operation]; i < m_graph.firstEdge[operation + 1];
             ++i)
            m_changed.lag[i] = m_graph.edges[i].toEnd ? m_changed.lag[i] : 0;
    }

    const StepGraph& m_graph;
    const StepCosts& m_costs;
    StepCosts m_changed;
    StepTimes m_times;
    double m_stepS;
};

// Nanoseconds on the path by place, and their sums a step.
class PathAccount {
public:
    PathAccount(const StepGraph& graph, std::int64_t iterations)
        : m_graph(graph)
        , m_toSteps(1e-9 / static_cast<double>(iterations)) { }

    void add(const PathPiece& piece, CriticalPath& path) {
        const std::int64_t ns = piece.when.length().ns;
        const StepOperation& operation = m_graph.operations[piece.operation];
        const PathPlace place = placeOf(m_graph, piece.operation, piece.isDelay);
        m_places[place] += ns;
        const double seconds = static_cast<double>(ns) * m_toSteps;
        path.byCategory[categoryOf(m_graph, place)] += seconds;
        path.byRank[place.rank] += seconds;
        path.byPhase[place.isHost ? "host"
                : place.isDelay   ? "delay"
                                  : std::string(toString(operation.phase))]
            += seconds;
        if (operation.operatorName != kNone32 && !piece.isDelay)
            path.byOperator[m_graph.names[operation.operatorName]] += seconds;
        if (place.isHost)
            path.hostS += seconds;
        const bool communicates = operation.kind == OperationKind::Collective
            || operation.kind == OperationKind::Message;
        if (communicates && !piece.isDelay)
            path.exposedOnPathS += seconds;
    }

    // Places with their rows, most first.
    [[nodiscard]] std::vector<std::pair<PathPlace, PathRow>> top() const {
        std::vector<std::pair<std::int64_t, PathPlace>> order;
        for (const auto& [place, ns] : m_places)
            order.emplace_back(-ns, place);
        std::ranges::sort(order);
        order.resize(std::min(order.size(), kTopRows));
        std::vector<std::pair<PathPlace, PathRow>> rows;
        for (const auto& [ns, place] : order)
            rows.emplace_back(place,
                PathRow{m_graph.names[place.name], categoryOf(m_graph, place), place.rank,
                    static_cast<double>(-ns) * m_toSteps, std::nullopt});
        return rows;
    }

private:
    const StepGraph& m_graph;
    double m_toSteps; // from ns of all iterations to seconds a step
    std::map<PathPlace, std::int64_t> m_places;
};

// The latest moments that starts and ends may have.
class SlackPass {
public:
    SlackPass(const StepGraph& graph, const StepTimes& times, const StepCosts& costs)
        : m_graph(graph)
        , m_times(times)
        , m_costs(costs)
        , m_start(graph.operations.size(), kAnySlack)
        , m_end(graph.operations.size(), kAnySlack)
        , m_group(graph.groups.size(), kAnySlack) { }

    std::vector<std::int64_t> run() {
        for (const StepIteration& iteration : m_graph.iterations) {
            if (iteration.counts)
                limit(iteration.ends);
        }
        auto late = m_graph.lateEnds.rbegin();
        m_isLate.resize(m_graph.operations.size());
        for (auto i = static_cast<std::uint32_t>(m_graph.operations.size()); i-- > 0;) {
            for (; late != m_graph.lateEnds.rend() && late->ready >= i; ++late)
                passEnd(late->operation);
            passStart(i);
        }
        for (std::size_t i = 0; i < m_end.size(); ++i)
            m_end[i] = m_end[i] == kAnySlack ? kAnySlack : m_end[i] - m_times.end[i];
        return std::move(m_end);
    }

private:
    static void lower(std::int64_t& time, std::int64_t to) { time = std::min(time, to); }
    static std::int64_t before(std::int64_t time, std::int64_t ns) {
        return time == kAnySlack ? kAnySlack : time - ns;
    }

    // Ranks that end later than the one in the middle do not end the iteration.
    void limit(const std::vector<StepBoundary>& ends) {
        const std::int64_t last = momentOf(m_times, middleOf(m_times, ends));
        for (const StepBoundary& end : ends) {
            if (end.operation != kNone32 && momentOf(m_times, end) <= last)
                lower((end.fromEnd ? m_end : m_start)[end.operation], last - end.offsetNs);
        }
    }

    void passEnd(std::uint32_t operation) {
        m_isLate[operation] = true;
        const std::int64_t base = before(m_end[operation], m_costs.duration[operation]);
        const std::uint32_t group = m_graph.operations[operation].group;
        lower(group == kNone32 ? m_start[operation] : m_group[group], base);
        passEdges(operation, true, base);
    }
    void passStart(std::uint32_t operation) {
        const std::uint32_t group = m_graph.operations[operation].group;
        if (group != kNone32)
            lower(m_start[operation], m_group[group]);
        else if (!m_isLate[operation])
            lower(m_start[operation], before(m_end[operation], m_costs.duration[operation]));
        passEdges(operation, false, before(m_start[operation], m_costs.delay[operation]));
    }
    void passEdges(std::uint32_t operation, bool toEnd, std::int64_t moment) {
        const std::uint32_t end = m_graph.firstEdge[operation + 1];
        for (std::uint32_t i = m_graph.firstEdge[operation]; i < end; ++i) {
            const StepEdge& edge = m_graph.edges[i];
            if (edge.toEnd == toEnd && !isDropped(m_costs, i))
                lower(
                    (edge.fromStart ? m_start : m_end)[edge.from], before(moment, m_costs.lag[i]));
        }
    }

    const StepGraph& m_graph;
    const StepTimes& m_times;
    const StepCosts& m_costs;
    std::vector<std::int64_t> m_start; // by operation
    std::vector<std::int64_t> m_end;
    std::vector<std::int64_t> m_group; // by group: of its last part's start
    std::vector<bool> m_isLate; // by operation: its end was passed
};

} // namespace

CriticalPath criticalPath(
    const StepGraph& graph, const StepTimes& times, const StepCosts& costs, std::size_t gains) {
    CriticalPath path;
    const std::optional<double> stepS = meanStepSeconds(graph, times);
    if (!stepS)
        return path;
    path.seconds = *stepS;
    PathAccount account(graph, std::ranges::count(graph.iterations, true, &StepIteration::counts));
    PathWalk walk(graph, times, costs);
    for (std::size_t i = 0; i < graph.iterations.size(); ++i) {
        if (!graph.iterations[i].counts)
            continue;
        for (const PathPiece& piece : walk.piecesOf(static_cast<std::int32_t>(i))) {
            account.add(piece, path);
            path.pieces.push_back(piece);
        }
    }
    GainSearch search(graph, costs, *stepS);
    gains = std::min(gains, kMostSimulated / std::max<std::size_t>(1, graph.operations.size()));
    for (auto& [place, row] : account.top()) {
        if (path.top.size() < gains)
            row.gainS = search.gainOf(place);
        path.top.push_back(std::move(row));
    }
    return path;
}

std::vector<std::int64_t> slackOf(
    const StepGraph& graph, const StepTimes& times, const StepCosts& costs) {
    return SlackPass(graph, times, costs).run();
}

} // namespace trainscope::analysis
