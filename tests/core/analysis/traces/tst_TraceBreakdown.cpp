// The breakdown of hand-placed kernels, whose unions can be read off a ruler, and of many random
// ones against a plain count per nanosecond.

#include "core/analysis/traces/Collectives.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/analysis/traces/TraceWindow.h"
#include "support/TestProgram.h"

namespace {

struct Placed {
    int rank;
    int stream;
    std::int64_t start;
    std::int64_t duration;
    std::string name;
    SpanKind kind = SpanKind::Kernel;
    std::string detail = {};
};

} // namespace

class tst_TraceBreakdown : public QObject {
    Q_OBJECT

    std::optional<test::PlantedTrace> m_trace;

    store::Store filled(const std::vector<Placed>& placed) {
        m_trace.emplace();
        for (const Placed& one : placed)
            m_trace->work(one.rank, std::to_string(one.stream), one.kind, one.name, one.start,
                one.duration, 0, one.detail);
        return m_trace->store();
    }

private Q_SLOTS:
    void unionsByHand() {
        // compute  [0,10) [5,20)      [40,45)
        // nccl          [15,30)
        // zero            kernel without length at 50
        // copy, set                                 [60,63) [70,74), which ends the window
        const auto store = filled({{0, 7, 0, 10, "ampere_sgemm"}, {0, 8, 5, 15, "ampere_sgemm"},
            {0, 7, 40, 5, "triton_poi_fused"}, {0, 9, 15, 15, "ncclDevKernel_AllReduce_Sum"},
            {0, 7, 50, 0, "ampere_sgemm"}, {0, 7, 60, 3, "Memcpy HtoD", SpanKind::Copy},
            {0, 7, 70, 4, "Memset", SpanKind::Set}});
        const auto devices = analysis::traceBreakdown(test::studyOf(store)).value();
        QCOMPARE(devices.size(), std::size_t{1});
        const analysis::DeviceBreakdown& device = devices[0];
        QCOMPARE(device.window.begin.ns, 0);
        QCOMPARE(device.window.end.ns, 74);
        QCOMPARE(device.traced.ns, 74);
        QCOMPARE(device.kernelCount, 5);
        QCOMPARE(device.kernelTime.ns, 10 + 15 + 5 + 15);
        QCOMPARE(device.compute.ns, 20 + 5);
        QCOMPARE(device.communication.ns, 15);
        QCOMPARE(device.busy.ns, 30 + 5 + 3 + 4);
        QCOMPARE(device.copy.ns, 3 + 4);
        QCOMPARE(device.overlap.ns, 5);
        QCOMPARE(device.exposedCommunication.ns, 10);
        QCOMPARE(device.idle.ns, 74 - 42);
        QCOMPARE(device.copies.count, 1);
        QCOMPARE(device.copies.time.ns, 3);
        QCOMPARE(device.sets.time.ns, 4);
        QCOMPARE(device.categories.at("gemm").count, 3);
        QCOMPARE(device.categories.at("gemm").time.ns, 25);
        QCOMPARE(device.categories.at("all_reduce").time.ns, 15);
        QCOMPARE(device.kernels.size(), std::size_t{3});
        QCOMPARE(device.kernels[0].name, std::string("ampere_sgemm"));
        QCOMPARE(device.kernels[0].count, 3);
    }
    void windowClipsKernels() {
        const auto store = filled({{0, 7, 0, 10, "a_gemm"},
            {0, 9, 8, 12, "ncclDevKernel_AllReduce_Sum"}, {0, 7, 30, 5, "a_gemm"}});
        const auto devices = analysis::traceBreakdown(test::studyOf(store),
            analysis::KernelCategories::builtIn(),
            {{5}, {15}}).value();
        QCOMPARE(devices[0].kernelCount, 2);
        QCOMPARE(devices[0].compute.ns, 5);
        QCOMPARE(devices[0].communication.ns, 7);
        QCOMPARE(devices[0].overlap.ns, 2);
    }
    // compute [0,10)  [30,50)    nccl [8,20) [45,65)    iterations 3: [5,40), 4: [40,70); 9 is
    // elsewhere
    void iterationsByHand() {
        const auto store = filled({{0, 7, 0, 10, "a_gemm"}, {0, 7, 30, 20, "a_gemm"},
            {0, 9, 8, 12, "ncclDevKernel_AllReduce_Sum"},
            {0, 9, 45, 20, "ncclDevKernel_AllReduce_Sum"},
            {0, 7, 38, 4, "Memcpy HtoD", SpanKind::Copy}, {0, 7, 40, 0, "a_gemm"}});
        const analysis::IterationChoice choice{
            {{4, {{40}, {70}}, 0, false}, {3, {{5}, {40}}, 0, true}, {9, {{700}, {800}}, 0, false}},
            {}};
        const auto devices = analysis::traceBreakdown(
            test::studyOf(store), analysis::KernelCategories::builtIn(), kAllTime, choice)
                                 .value();
        QCOMPARE(devices[0].window, (TimeRange{{0}, {65}})); // the kernels' window, as without
        const auto& iterations = devices[0].iterations;
        QCOMPARE(iterations.size(), std::size_t{2});
        QCOMPARE(iterations[0].index, 3);
        QVERIFY(iterations[0].warmup);
        QCOMPARE(iterations[0].window, (TimeRange{{5}, {40}}));
        QCOMPARE(iterations[0].kernelCount, 3); // the one without length belongs to the next
        QCOMPARE(iterations[0].compute.ns, 5 + 10);
        QCOMPARE(iterations[0].communication.ns, 12);
        QCOMPARE(iterations[0].overlap.ns, 2);
        QCOMPARE(iterations[0].exposedCommunication.ns, 10);
        QCOMPARE(iterations[0].busy.ns, 15 + 10);
        QCOMPARE(iterations[0].idle.ns, 35 - 25);
        QCOMPARE(iterations[0].copies.time.ns, 2);
        QCOMPARE(iterations[0].copy.ns, 0); // compute runs beside it
        QCOMPARE(iterations[0].categories.at("gemm").time.ns, 15);
        QCOMPARE(iterations[1].index, 4);
        QCOMPARE(iterations[1].kernelCount, 3);
        QCOMPARE(iterations[1].compute.ns, 10);
        QCOMPARE(iterations[1].exposedCommunication.ns, 15);
        QCOMPARE(iterations[1].idle.ns, 30 - 25);
        QCOMPARE(iterations[1].copies.time.ns, 2);
    }
    // Kernels of 10 ns every 20 ns; the iterations [0, 100) and [100, 200) lie in the window [60,
    // 150) with 40 and 50 ns, of which kernels run for 20 and 30 ns.
    void windowsCutIterations() {
        std::vector<Placed> placed;
        for (std::int64_t i = 0; i < 10; ++i)
            placed.push_back({0, 7, 20 * i, 10, "a_gemm"});
        const auto store = filled(placed);
        const analysis::IterationChoice choice{
            {{1, {{0}, {100}}, 0, false}, {2, {{100}, {200}}, 0, false}}, {}};
        const auto devices = analysis::traceBreakdown(
            test::studyOf(store), analysis::KernelCategories::builtIn(), {{60}, {150}}, choice)
                                 .value();
        const auto& iterations = devices[0].iterations;
        QCOMPARE(iterations.size(), std::size_t{2});
        QCOMPARE(iterations[0].window, (TimeRange{{60}, {100}}));
        QCOMPARE(iterations[0].busy.ns, 20);
        QCOMPARE(iterations[0].idle.ns, 20);
        QCOMPARE(iterations[1].window, (TimeRange{{100}, {150}}));
        QCOMPARE(iterations[1].busy.ns, 30);
        QCOMPARE(iterations[1].idle.ns, 20);
        // The work ends at 190, before the iteration and the window do.
        const auto open = analysis::traceBreakdown(
            test::studyOf(store), analysis::KernelCategories::builtIn(), {{60}, {500}}, choice)
                              .value();
        const auto& last = open[0].iterations.at(1);
        QCOMPARE(last.window, (TimeRange{{100}, {200}}));
        QCOMPARE(last.kernelCount, 5);
        QCOMPARE(last.busy.ns, 50);
        QCOMPARE(last.idle.ns, 50);
    }
    void oneIterationIsTheWindow() {
        const auto store
            = filled({{0, 7, 0, 10, "a_gemm"}, {0, 7, 30, 20, "b_gemm"}, {1, 7, 90, 20, "a_gemm"}});
        const analysis::IterationChoice choice{
            {{1, {{5}, {35}}, 0, false}, {2, {{35}, {60}}, 0, false}, {1, {{80}, {100}}, 1, false}},
            1};
        const auto devices = analysis::traceBreakdown(
            test::studyOf(store), analysis::KernelCategories::builtIn(), kAllTime, choice)
                                 .value();
        QCOMPARE(devices.size(), std::size_t{2});
        QCOMPARE(devices[0].window, (TimeRange{{5}, {35}}));
        QCOMPARE(devices[0].compute.ns, 10);
        QCOMPARE(devices[0].idle.ns, 20);
        QCOMPARE(devices[0].kernels.size(), std::size_t{2});
        QCOMPARE(devices[1].window, (TimeRange{{80}, {100}}));
        QCOMPARE(devices[1].compute.ns, 10);
        const auto none = analysis::traceBreakdown(
            test::studyOf(store), analysis::KernelCategories::builtIn(), kAllTime, {choice.all, 7});
        QVERIFY(none.hasValue() && none.value().empty());
    }
    void iterationsOfEachRank() {
        const auto indices = [](const std::vector<Iteration>& all, int rank) {
            std::vector<std::int64_t> result;
            for (const Iteration& one : analysis::iterationsOfRank(all, rank))
                result.push_back(one.index);
            return result;
        };
        const std::vector<Iteration> ranks{
            {2, {{20}, {30}}, 1, false}, {1, {{10}, {20}}, 1, false}, {7, {{10}, {20}}, 3, false}};
        QCOMPARE(indices(ranks, 1), (std::vector<std::int64_t>{1, 2}));
        QCOMPARE(indices(ranks, 3), (std::vector<std::int64_t>{7}));
        QCOMPARE(indices(ranks, 0), (std::vector<std::int64_t>{1, 2}));
        QCOMPARE(indices({{5, {{0}, {9}}, -1, false}, {7, {{10}, {20}}, 3, false}}, 0),
            (std::vector<std::int64_t>{5}));
        QVERIFY(indices({}, 0).empty());
    }
    // Iterations of any length, also overlapping ones and gaps, against a count per nanosecond.
    void randomIterationsAgainstACount() {
        constexpr std::int64_t kLength = 20'000;
        std::mt19937 random(11);
        std::vector<Placed> placed;
        std::vector<std::uint8_t> at(kLength, 0);
        for (int i = 0; i < 3'000; ++i) {
            const std::int64_t start = static_cast<std::int64_t>(random() % 19'000);
            const std::int64_t duration = static_cast<std::int64_t>(random() % 30);
            const bool isCommunication = random() % 3 == 0;
            placed.push_back({0, static_cast<int>(random() % 3), start, duration,
                isCommunication ? "ncclX" : "gemm"});
            for (std::int64_t t = start; t < start + duration; ++t)
                at[static_cast<std::size_t>(t)] |= isCommunication ? 2 : 1;
        }
        analysis::IterationChoice choice;
        for (int i = 0; i < 200; ++i) {
            const std::int64_t begin = static_cast<std::int64_t>(random() % 18'000);
            const std::int64_t end = begin + 1 + static_cast<std::int64_t>(random() % 900);
            choice.all.push_back({i, {{begin}, {end}}, 0, false});
        }
        const auto store = filled(placed);
        const auto devices = analysis::traceBreakdown(
            test::studyOf(store), analysis::KernelCategories::builtIn(), kAllTime, choice)
                                 .value();
        QCOMPARE(devices[0].iterations.size(), std::size_t{200});
        for (const auto& iteration : devices[0].iterations) {
            const TimeRange range = choice.all[static_cast<std::size_t>(iteration.index)].range;
            const auto countIf = [&](auto&& wanted) {
                return std::count_if(
                    at.begin() + range.begin.ns, at.begin() + range.end.ns, wanted);
            };
            QCOMPARE(iteration.window, range);
            QCOMPARE(iteration.busy.ns, countIf([](std::uint8_t bits) { return bits != 0; }));
            QCOMPARE(iteration.overlap.ns, countIf([](std::uint8_t bits) { return bits == 3; }));
            QCOMPARE(iteration.exposedCommunication.ns,
                countIf([](std::uint8_t bits) { return bits == 2; }));
            QCOMPARE(iteration.idle.ns, countIf([](std::uint8_t bits) { return bits == 0; }));
        }
    }
    void collectiveTypeComesFromTheArguments() {
        const std::string generic = "ncclDevKernel_Generic(x)";
        const auto store = filled(
            {{0, 7, 0, 10, generic, SpanKind::Kernel, R"({"Collective name":"allreduce"})"},
                {0, 7, 20, 4, generic, SpanKind::Kernel, R"({"Collective name":"broadcast"})"},
                {0, 7, 40, 2, generic}});
        const auto devices = analysis::traceBreakdown(test::studyOf(store)).value();
        const auto& categories = devices[0].categories;
        QCOMPARE(categories.at("all_reduce").time.ns, 10);
        QCOMPARE(categories.at("broadcast").time.ns, 4);
        QCOMPARE(categories.at("communication").time.ns, 2);
        // One name is one row, under the category most of its time belongs to.
        QCOMPARE(devices[0].kernels.size(), std::size_t{1});
        QCOMPARE(devices[0].kernels[0].count, 3);
        QCOMPARE(devices[0].kernels[0].category, std::string("all_reduce"));
    }
    void randomKernelsAgainstACount() {
        constexpr std::int64_t kLength = 400'000;
        std::mt19937 random(3);
        std::vector<Placed> placed;
        std::vector<std::uint8_t> at(kLength, 0); // bit 0: compute, bit 1: communication
        // More than one block of a cursor on one stream, many of them starting together.
        for (int i = 0; i < 40'000; ++i) {
            const std::int64_t start = static_cast<std::int64_t>(random() % 390'000) / 4 * 4;
            const std::int64_t duration = static_cast<std::int64_t>(random() % 12);
            const bool isCommunication = random() % 4 == 0;
            placed.push_back({0, static_cast<int>(random() % 2), start, duration,
                isCommunication ? "ncclX" : "gemm"});
            for (std::int64_t t = start; t < start + duration; ++t)
                at[static_cast<std::size_t>(t)] |= isCommunication ? 2 : 1;
        }
        const auto store = filled(placed);
        const auto devices = analysis::traceBreakdown(test::studyOf(store)).value();
        const auto countIf
            = [&](auto&& wanted) { return std::count_if(at.begin(), at.end(), wanted); };
        const analysis::DeviceBreakdown& device = devices[0];
        QCOMPARE(device.kernelCount, 40'000);
        QCOMPARE(device.busy.ns, countIf([](std::uint8_t bits) { return bits != 0; }));
        QCOMPARE(device.compute.ns, countIf([](std::uint8_t bits) { return (bits & 1) != 0; }));
        QCOMPARE(
            device.communication.ns, countIf([](std::uint8_t bits) { return (bits & 2) != 0; }));
        QCOMPARE(device.overlap.ns, countIf([](std::uint8_t bits) { return bits == 3; }));
        QCOMPARE(
            device.exposedCommunication.ns, countIf([](std::uint8_t bits) { return bits == 2; }));
    }
    void peersOfACollective() {
        const std::string name = "ncclDevKernel_AllReduce_Sum";
        const std::string pair
            = R"({"Collective name":"allreduce","Process Group Name":"1","Process Group Ranks":"[0, 2, 5]"})";
        const std::string world
            = R"({"Collective name":"allreduce","Process Group Name":"0","Process Group Ranks":"[0, 1, ...]"})";
        const auto store = filled({{0, 7, 10, 90, name, SpanKind::Kernel, world},
            {1, 7, 40, 60, name, SpanKind::Kernel, world},
            {0, 9, 200, 80, name, SpanKind::Kernel, pair},
            {2, 9, 250, 30, name, SpanKind::Kernel, pair},
            {0, 9, 300, 20, name, SpanKind::Kernel, pair},
            {2, 9, 290, 30, name, SpanKind::Kernel, pair}, {0, 7, 400, 5, "a_gemm"}});
        const auto run = store.findRun("run");
        const auto tracks = store.tracks(run.value().id).value();
        for (const Track& track : tracks) {
            if (track.description.rank != 0)
                continue;
            std::vector<Span> spans;
            QVERIFY(store
                        .forEachSpan(track.id, kAllTime,
                            [&](std::span<const Span> block) {
                                spans.insert(spans.end(), block.begin(), block.end());
                                return true;
                            })
                        .hasValue());
            if (track.description.thread == "9") {
                const auto first = analysis::collectivePeers({store, run.value()}, 0, spans[0]);
                QVERIFY(first.hasValue() && first.value());
                QCOMPARE(first.value()->ranks.size(), std::size_t{2});
                QCOMPARE(first.value()->ranks[1].start.ns, 250);
                QCOMPARE(first.value()->lastRank, 2);
                QCOMPARE(first.value()->startSpread.ns, 50);
                QCOMPARE(first.value()->missingRanks, std::vector<int>{5});
                const auto second = analysis::collectivePeers({store, run.value()}, 0, spans[1]);
                QCOMPARE(second.value()->lastRank, 0);
            } else {
                const auto all = analysis::collectivePeers({store, run.value()}, 0, spans[0]);
                QVERIFY(all.hasValue() && all.value());
                QCOMPARE(all.value()->ranks.size(), std::size_t{2});
                QCOMPARE(all.value()->lastRank, 1);
                const auto none = analysis::collectivePeers({store, run.value()}, 0, spans[1]);
                QVERIFY(none.hasValue() && !none.value());
            }
        }
    }
};

TRAINSCOPE_TEST(tst_TraceBreakdown)
#include "tst_TraceBreakdown.moc"
