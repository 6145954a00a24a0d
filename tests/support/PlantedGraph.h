#pragma once
// A step graph made up by hand: what each operation takes and waits for is said, and the times that
// a machine would have measured follow by brute force, independently of the simulation: definitions
// are applied again and again until nothing changes.
//
//   PlantedGraph planted;
//   const auto host = planted.track(0), gpu = planted.track(0, 0);
//   const auto call = planted.add({.track = host, .name = "launch", .kind =
//   OperationKind::HostCall,
//       .durationNs = 5});
//   const auto gemm = planted.add({.track = gpu, .name = "gemm", .durationNs = 40, .delayNs = 2});
//   planted.edges.push_back({.from = call, .to = gemm, .kind = EdgeKind::Launch, .fromStart =
//   true}); planted.iteration({call}, {gemm}); const StepGraph graph = planted.graph();
//
// Operations go by the numbers that add() gave; place() says where in the graph they are. It
// shuffles them before it finishes the graph if it is given a seed.

#include "core/analysis/replay/StepGraph.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

struct PlantedOperation {
    std::uint32_t track = 0;
    std::string name = "gemm";
    analysis::OperationKind kind = analysis::OperationKind::Kernel;
    std::int64_t durationNs = 0; // from its base on, as StepOperation::duration
    std::int64_t delayNs = 0;
    std::string category = "gemm";
    analysis::Phase phase = analysis::Phase::Compute;
    std::string operatorName = {};
    int iteration = 0;
    int microBatch = -1;
};

struct PlantedTimes {
    std::vector<std::int64_t> start; // ns behind the graph's begin, by operation as added
    std::vector<std::int64_t> end;
};

class PlantedGraph {
public:
    static constexpr TimeNs kBegin{1'700'000'000'000'000'000};

    std::vector<PlantedOperation> operations;
    std::vector<analysis::StepEdge> edges;
    std::vector<std::vector<std::uint32_t>> groups;
    std::vector<analysis::StepTrack> tracks;
    std::vector<analysis::StepIteration> iterations; // boundaries by operations as added

    std::uint32_t track(int rank, int device = -1, int stage = -1) {
        tracks.push_back({rank, device, stage, {}, device < 0 ? "thread" : "stream"});
        return static_cast<std::uint32_t>(tracks.size() - 1);
    }
    std::uint32_t add(PlantedOperation operation) {
        operations.push_back(std::move(operation));
        return static_cast<std::uint32_t>(operations.size() - 1);
    }
    // From the starts of the first ones to the ends of the last ones, one a rank.
    void iteration(const std::vector<std::uint32_t>& firsts,
        const std::vector<std::uint32_t>& lasts, bool counts = true) {
        analysis::StepIteration added;
        added.measured.index = static_cast<std::int64_t>(iterations.size());
        added.counts = counts;
        for (const std::uint32_t i : firsts)
            added.begins.push_back({i, 0, rankOf(i), false});
        for (const std::uint32_t i : lasts)
            added.ends.push_back({i, 0, rankOf(i), true});
        iterations.push_back(std::move(added));
    }
    [[nodiscard]] int rankOf(std::uint32_t operation) const {
        return tracks[operations[operation].track].rank;
    }

    [[nodiscard]] PlantedTimes solve() const {
        const std::size_t count = operations.size();
        PlantedTimes times{std::vector<std::int64_t>(count), std::vector<std::int64_t>(count)};
        for (PlantedTimes before; before.start != times.start || before.end != times.end;) {
            before = times;
            for (std::size_t i = 0; i < count; ++i)
                times.start[i] = operations[i].delayNs;
            for (const analysis::StepEdge& edge : edges) {
                if (!edge.toEnd)
                    raise(
                        times.start[edge.to], momentOf(edge, before) + operations[edge.to].delayNs);
            }
            for (std::size_t i = 0; i < count; ++i)
                times.end[i] = times.start[i] + operations[i].durationNs;
            for (const auto& group : groups) {
                for (const std::uint32_t waits : group) {
                    for (const std::uint32_t comes : group)
                        raise(times.end[waits], times.start[comes] + operations[waits].durationNs);
                }
            }
            for (const analysis::StepEdge& edge : edges) {
                if (edge.toEnd)
                    raise(times.end[edge.to],
                        momentOf(edge, before) + operations[edge.to].durationNs);
            }
        }
        return times;
    }

    // As measured, and finished.
    analysis::StepGraph graph(std::uint64_t seed = 0) {
        const PlantedTimes times = solve();
        analysis::StepGraph made;
        made.begin = kBegin;
        made.tracks = tracks;
        made.iterations = iterations;
        std::vector<std::uint32_t> order(operations.size());
        std::iota(order.begin(), order.end(), 0U);
        if (seed != 0)
            std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
        std::vector<std::uint32_t> given(order.size());
        for (std::uint32_t i = 0; i < order.size(); ++i)
            given[order[i]] = i;
        for (const std::uint32_t i : order)
            made.operations.push_back(measured(made, i, times));
        for (analysis::StepEdge edge : edges) {
            edge.from = given[edge.from];
            edge.to = given[edge.to];
            made.edges.push_back(edge);
        }
        for (std::uint32_t g = 0; g < groups.size(); ++g)
            addGroup(made, g, given);
        for (analysis::StepIteration& one : made.iterations)
            placeIteration(one, given, times);
        // Boundaries follow their operations: these tell where each of them went.
        made.iterations.emplace_back();
        for (const std::uint32_t i : given)
            made.iterations.back().begins.push_back({i, 0, -1, false});
        analysis::finishGraph(made);
        m_places.clear();
        for (const analysis::StepBoundary& boundary : made.iterations.back().begins)
            m_places.push_back(boundary.operation);
        made.iterations.pop_back();
        return made;
    }
    // In the graph made last.
    [[nodiscard]] std::uint32_t place(std::uint32_t operation) const { return m_places[operation]; }

private:
    static void raise(std::int64_t& time, std::int64_t to) { time = std::max(time, to); }
    static std::int64_t momentOf(const analysis::StepEdge& edge, const PlantedTimes& times) {
        return (edge.fromStart ? times.start : times.end)[edge.from] + edge.lagNs;
    }
    template <typename Names>
    static std::uint32_t indexIn(Names& names, const std::string& name) {
        const auto found = std::ranges::find(names, name);
        const auto index = static_cast<std::uint32_t>(found - names.begin());
        if (found == names.end())
            names.push_back(name);
        return index;
    }

    [[nodiscard]] analysis::StepOperation measured(
        analysis::StepGraph& made, std::uint32_t i, const PlantedTimes& times) const {
        const PlantedOperation& from = operations[i];
        analysis::StepOperation operation;
        operation.start = kBegin + DurationNs{times.start[i]};
        operation.duration = {times.end[i] - times.start[i]};
        operation.track = from.track;
        operation.name = indexIn(made.names, from.name);
        if (!from.operatorName.empty())
            operation.operatorName = indexIn(made.names, from.operatorName);
        operation.iteration = static_cast<std::int16_t>(from.iteration);
        operation.microBatch = static_cast<std::int16_t>(from.microBatch);
        operation.kind = from.kind;
        operation.phase = from.phase;
        operation.category = static_cast<std::uint16_t>(indexIn(made.categories, from.category));
        return operation;
    }
    void addGroup(
        analysis::StepGraph& made, std::uint32_t g, const std::vector<std::uint32_t>& given) const {
        made.groups.push_back({static_cast<std::uint32_t>(made.members.size()),
            static_cast<std::uint32_t>(groups[g].size()),
            indexIn(made.names, operations[groups[g].front()].name)});
        for (const std::uint32_t i : groups[g]) {
            made.members.push_back(given[i]);
            made.operations[given[i]].group = g;
        }
    }
    void placeIteration(analysis::StepIteration& one, const std::vector<std::uint32_t>& given,
        const PlantedTimes& times) const {
        std::vector<std::int64_t> begins;
        std::vector<std::int64_t> ends;
        for (auto& boundary : one.begins) {
            begins.push_back(times.start[boundary.operation]);
            boundary.operation = given[boundary.operation];
        }
        for (auto& boundary : one.ends) {
            ends.push_back(times.end[boundary.operation]);
            boundary.operation = given[boundary.operation];
        }
        one.measured.range
            = {kBegin + DurationNs{middleOf(begins)}, kBegin + DurationNs{middleOf(ends)}};
    }
    static std::int64_t middleOf(std::vector<std::int64_t> moments) {
        std::ranges::sort(moments);
        return moments[(moments.size() - 1) / 2];
    }

    std::vector<std::uint32_t> m_places;
};

// A graph of chance: ranks with a host thread and two streams each, launches with lags, events
// between streams, calls that wait for the device, collectives; two iterations that count.
inline PlantedGraph randomPlantedGraph(std::uint64_t seed) {
    using analysis::EdgeKind;
    using analysis::OperationKind;
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t limit) { return random() % limit; };
    const auto some
        = [&below](std::uint64_t most) { return 1 + static_cast<std::int64_t>(below(most)); };
    PlantedGraph planted;
    const auto ranks = static_cast<std::uint32_t>(some(4));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        for (const int device : {-1, static_cast<int>(rank), static_cast<int>(rank)})
            planted.track(static_cast<int>(rank), device);
    }
    std::vector<std::uint32_t> last(planted.tracks.size(), analysis::kNone32);
    const auto follow = [&](std::uint32_t track, std::uint32_t next, EdgeKind kind) {
        if (last[track] != analysis::kNone32)
            planted.edges.push_back({.from = last[track],
                .to = next,
                .lagNs = static_cast<std::int32_t>(below(3)),
                .kind = kind});
    };
    const auto call = [&](std::uint32_t rank, int iteration) {
        const auto made = planted.add({.track = 3 * rank,
            .name = below(2) == 0 ? "launch" : "wait",
            .kind = OperationKind::HostCall,
            .durationNs = some(20),
            .delayNs = static_cast<std::int64_t>(below(5)),
            .category = "host",
            .iteration = iteration});
        follow(3 * rank, made, EdgeKind::Thread);
        last[3 * rank] = made;
        return made;
    };
    const auto launch = [&](std::uint32_t rank, std::uint32_t by, int iteration) {
        const auto stream = 3 * rank + 1 + static_cast<std::uint32_t>(below(2));
        const auto made = planted.add({.track = stream,
            .name = "kernel " + std::to_string(below(4)),
            .durationNs = below(3) == 0 ? 0 : some(60),
            .delayNs = static_cast<std::int64_t>(below(8)),
            .category = below(2) == 0 ? "gemm" : "elementwise",
            .iteration = iteration});
        planted.edges.push_back({.from = by,
            .to = made,
            .lagNs = static_cast<std::int32_t>(below(6)),
            .kind = EdgeKind::Launch,
            .fromStart = true});
        follow(stream, made, EdgeKind::Stream);
        if (below(3) == 0)
            follow(stream == 3 * rank + 1 ? stream + 1 : stream - 1, made, EdgeKind::Event);
        last[stream] = made;
        return made;
    };
    const auto collective = [&](int iteration) {
        std::vector<std::uint32_t> calls;
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            calls.push_back(call(rank, iteration));
        std::vector<std::uint32_t> parts;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            parts.push_back(launch(rank, calls[rank], iteration));
            planted.operations[parts.back()].kind = OperationKind::Collective;
            planted.operations[parts.back()].name = "all_reduce";
            planted.operations[parts.back()].category = "communication";
        }
        planted.groups.push_back(parts);
    };
    for (int iteration = 0; iteration < 2; ++iteration) {
        std::vector<std::uint32_t> firsts;
        std::vector<std::uint32_t> lasts;
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            firsts.push_back(call(rank, iteration));
        for (std::uint64_t k = below(12); k > 0; --k) {
            const auto rank = static_cast<std::uint32_t>(below(ranks));
            const auto by = call(rank, iteration);
            const auto kernel = launch(rank, by, iteration);
            if (below(3) == 0)
                planted.edges.push_back({.from = kernel,
                    .to = by,
                    .lagNs = static_cast<std::int32_t>(below(3)),
                    .kind = EdgeKind::Wait,
                    .toEnd = true});
            if (below(4) == 0)
                collective(iteration);
        }
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
            lasts.push_back(call(rank, iteration));
        planted.iteration(firsts, lasts);
    }
    return planted;
}

} // namespace trainscope::test
