// Launch delays, queues and copies of planted traces, by hand and against a plain simulation.

#include "core/analysis/traces/PlantedTrace.h"

#include "support/TestProgram.h"
#include "support/TracesInWindow.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

DeviceActivity launchesOf(PlantedTrace& trace) {
    const auto store = trace.store();
    const auto run = store.findRun("run");
    const auto devices = deviceActivity({store, run.value()});
    if (!devices.hasValue() || devices.value().empty())
        qFatal("no activity");
    return devices.value()[0];
}

} // namespace

class tst_Launches : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void delaysQueuesAndHostBoundByHand() {
        PlantedTrace trace;
        const auto launch = [&](std::int64_t at, std::int64_t correlation) {
            trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", at, 5, correlation);
        };
        launch(0, 1);
        launch(20, 2);
        launch(25, 3);
        launch(30, 4);
        launch(68, 5);
        trace.kernel(0, "7", "a", 10, 5, 1);
        trace.kernel(0, "7", "a", 50, 10, 2);
        trace.kernel(0, "7", "a", 60, 5, 3);
        trace.work(0, "7", SpanKind::Copy, "Memcpy HtoD", 70, 5, 4);
        trace.kernel(0, "7", "a", 80, 10, 5);
        trace.kernel(0, "8", "a", 85, 3); // the trace does not have its launch
        const LaunchStatistics found = launchesOf(trace).launches;
        QCOMPARE(found.joined, 4);
        QCOMPARE(found.unjoined, 1);
        QCOMPARE(found.early, 0);
        QVERIFY(found.delay && found.afterReturn); // 10, 30, 35, 12
        QCOMPARE(found.delay->meanNs, 87.0 / 4.0);
        QCOMPARE(found.delay->medianNs, 21.0);
        QCOMPARE(found.delay->p99Ns, 35.0);
        QCOMPARE(found.delay->maxNs, 35);
        QCOMPARE(found.afterReturn->maxNs, 30);
        QCOMPARE(found.afterReturn->meanNs, 67.0 / 4.0);
        // Waiting inside the window [10, 90): 0, 30, 35, 40 and 12 ns; three of them from 30 to 50.
        QCOMPARE(found.queues.size(), std::size_t{1});
        QCOMPARE(found.queues[0].stream, std::string("7"));
        QCOMPARE(found.queues[0].meanDepth, 117.0 / 80.0);
        QCOMPARE(found.queues[0].maxDepth, 3);
        // [15, 50) ended by what was launched at 20; [65, 70) and [75, 80) had work in the queue.
        QCOMPARE(found.hostBound.ns, 5);
    }
    // Four kernels that are launched together run one after the other, 10 ns each; a fifth comes
    // after a pause that ends 5 ns after its launch at 70.
    void windowsByHand() {
        PlantedTrace trace;
        for (std::int64_t i = 0; i < 4; ++i) {
            trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 2 * i, 1, i + 1);
            trace.kernel(0, "7", "a", 10 + 10 * i, 10, i + 1);
        }
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 70, 1, 5);
        trace.kernel(0, "7", "a", 75, 5, 5);
        const auto store = trace.store();
        const auto run = store.findRun("run").value();
        const auto launchesIn = [&](std::int64_t begin, std::int64_t end) {
            return deviceActivity({store, run}, {{begin}, {end}}).value().at(0).launches;
        };
        // While the second runs, the third and the fourth wait all the time.
        const LaunchStatistics second = launchesIn(20, 30);
        QCOMPARE(second.joined, 1);
        QCOMPARE(second.delay->maxNs, 18);
        QCOMPARE(second.queues.size(), std::size_t{1});
        QCOMPARE(second.queues[0].meanDepth, 2.0);
        QCOMPARE(second.queues[0].maxDepth, 3); // as the second begins
        QCOMPARE(second.hostBound.ns, 0);
        // The window has [60, 72) of the pause [50, 75), of which the launch ends [60, 70); the
        // fifth waits from 70 on.
        const LaunchStatistics pause = launchesIn(60, 72);
        QCOMPARE(pause.joined, 0);
        QCOMPARE(pause.hostBound.ns, 10);
        QCOMPARE(pause.queues[0].meanDepth, 2.0 / 12.0);
        // Before the launch all of it is the host's; the two parts are those of the whole.
        QCOMPARE(launchesIn(40, 65).hostBound.ns, 15);
        QCOMPARE(launchesIn(65, 80).hostBound.ns, 5);
        QCOMPARE(launchesIn(10, 80).hostBound.ns, 20);
    }
    void graphsAndDriverCalls() {
        PlantedTrace trace;
        trace.host(0, "1", SpanKind::Runtime, "cudaGraphLaunch", 0, 10, 1);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 20, 10, 2);
        trace.host(0, "1", SpanKind::Runtime, "cuLaunchKernel", 24, 4, 2); // made by the one above
        trace.kernel(0, "7", "a", 30, 5, 1);
        trace.kernel(0, "7", "a", 35, 5, 1);
        trace.kernel(0, "7", "a", 40, 5, 1);
        trace.kernel(0, "7", "a", 50, 5, 2);
        const LaunchStatistics found = launchesOf(trace).launches;
        QCOMPARE(found.joined, 4);
        QCOMPARE(found.delay->maxNs, 40);
        QCOMPARE(found.delay->meanNs, (30.0 + 35.0 + 40.0 + 30.0) / 4.0);
        QCOMPARE(found.queues[0].maxDepth, 4);
    }
    void clocksThatDisagree() {
        PlantedTrace trace;
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 103'000, 10, 1);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 200'000, 10, 2);
        trace.kernel(0, "7", "a", 100'000, 5, 1);
        trace.kernel(0, "7", "a", 200'500, 5, 2);
        const LaunchStatistics found = launchesOf(trace).launches;
        QCOMPARE(found.joined, 2);
        QCOMPARE(found.early, 1);
        QCOMPARE(found.delay->maxNs, 500);
        QCOMPARE(found.delay->meanNs, 250.0);
    }
    void callsThatLaunchNothingDoNotPileUp() {
        PlantedTrace trace;
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 0, 1, 1);
        std::int64_t now = 0;
        const auto most = static_cast<std::int64_t>(HostTimeline::kMostLaunches);
        for (std::int64_t i = 0; i < most; ++i)
            trace.host(0, "1", SpanKind::Runtime, "cudaEventRecord", ++now * 10, 1, 10 + i);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", ++now * 10, 1, 2);
        now += 10'000'000;
        trace.kernel(0, "7", "a", now * 10, 5, 1); // forgotten: too many calls ago
        trace.kernel(0, "7", "a", now * 10 + 5, 5, 2);
        const LaunchStatistics found = launchesOf(trace).launches;
        QCOMPARE(found.joined, 1);
        QCOMPARE(found.unjoined, 1);
    }
    void randomStreamsAgainstASimulation_data() {
        columns<unsigned>("seed");
        for (unsigned seed = 0; seed < 20; ++seed)
            QTest::addRow("%u", seed) << seed;
    }
    // Streams that work off what one thread launches, in order; the depths are counted per ns.
    void randomStreamsAgainstASimulation() {
        QFETCH(unsigned, seed);
        std::mt19937 random(seed);
        const auto below
            = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
        struct Work {
            std::size_t stream;
            std::int64_t launched;
            std::int64_t start;
            std::int64_t end;
        };
        PlantedTrace trace;
        std::vector<Work> all;
        std::array<std::int64_t, 3> free{};
        std::int64_t now = 0;
        for (int i = 1; i <= 500; ++i) {
            now += below(20) == 0 ? below(400) : 1 + below(30);
            const auto stream = static_cast<std::size_t>(below(3));
            const std::int64_t earliest = std::max(now + 2 + below(10), free.at(stream));
            // Streams never start together, so that it is clear what ends an idle time.
            const std::int64_t start = (earliest + 2) / 3 * 3 + static_cast<std::int64_t>(stream);
            const std::int64_t end = start + 1 + below(60);
            free.at(stream) = end;
            all.push_back({stream, now, start, end});
            trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", now, 1, i);
            trace.kernel(0, std::to_string(stream), "a", start, end - start, i);
        }
        const DeviceActivity found = launchesOf(trace);
        const TimeRange window = found.phases.window;
        std::vector<double> delays;
        std::array<std::int64_t, 3> most{};
        std::array<double, 3> sum{};
        std::int64_t hostBound = 0;
        for (const Work& one : all)
            delays.push_back(static_cast<double>(one.start - one.launched));
        for (std::int64_t t = 0; t < window.end.ns; ++t) {
            std::array<std::int64_t, 3> depth{};
            bool isBusy = false;
            const Work* next = nullptr;
            for (const Work& one : all) {
                depth.at(one.stream) += one.launched <= t && t < one.start ? 1 : 0;
                isBusy = isBusy || (one.start <= t && t < one.end);
                if (one.start > t && (next == nullptr || one.start < next->start))
                    next = &one;
            }
            for (std::size_t i = 0; i < 3; ++i) {
                most.at(i) = std::max(most.at(i), depth.at(i));
                sum.at(i) += window.contains({t}) ? static_cast<double>(depth.at(i)) : 0.0;
            }
            if (window.contains({t}) && !isBusy && next != nullptr && next->launched > t)
                ++hostBound;
        }
        std::sort(delays.begin(), delays.end());
        QCOMPARE(found.launches.joined, 500);
        QCOMPARE(found.launches.delay->medianNs, (delays[249] + delays[250]) / 2.0);
        QCOMPARE(found.launches.delay->p99Ns, delays[494]);
        QCOMPARE(static_cast<double>(found.launches.delay->maxNs), delays.back());
        for (const StreamQueue& queue : found.launches.queues) {
            const auto stream = static_cast<std::size_t>(std::stoi(queue.stream));
            QCOMPARE(queue.maxDepth, most.at(stream));
            QVERIFY(
                std::abs(queue.meanDepth - sum.at(stream) / static_cast<double>(window.length().ns))
                < 1e-9);
        }
        QVERIFY(hostBound > 0);
        QCOMPARE(found.launches.hostBound.ns, hostBound);
    }
    void copies() {
        PlantedTrace trace;
        const auto copy = [&](const std::string& name, std::int64_t start, std::int64_t duration,
                              const std::string& detail) {
            trace.work(0, "7", SpanKind::Copy, name, start, duration, 0, detail);
        };
        trace.kernel(0, "7", "a", 0, 1);
        copy("Memcpy HtoD (Pinned -> Device)", 10, 1'000, R"({"bytes": 65536, "device": 0})");
        copy("Memcpy HtoD (Pageable -> Device)", 2'000, 3'000, R"({"bytes": 34464})");
        copy("Memcpy HtoD (Pageable -> Device)", 6'000, 500, {}); // without its size
        copy("Memcpy DtoH (Device -> Pinned)", 7'000, 200, R"({"kind": "x"})");
        const CopyStatistics found = launchesOf(trace).copies;
        QCOMPARE(found.size(), std::size_t{2});
        const CopyKind& in = found.at("HtoD");
        QCOMPARE(in.count, 3);
        QCOMPARE(in.time.ns, 4'500);
        QCOMPARE(in.withBytes, 2);
        QCOMPARE(in.bytes, 100'000);
        QVERIFY(std::abs(*in.bandwidth() - 100'000 / 4e-6) < 1.0);
        QCOMPARE(found.at("DtoH").count, 1);
        QVERIFY(!found.at("DtoH").bandwidth());
    }
    void directions() {
        QCOMPARE(copyDirection("Memcpy DtoD (Device -> Device)"), std::string("DtoD"));
        QCOMPARE(copyDirection("Memcpy PtoP (Device -> Device)"), std::string("PtoP"));
        QCOMPARE(copyDirection("CopyHostToDevice"), std::string("HtoD"));
        QCOMPARE(copyDirection("[CUDA memcpy Device-to-Host]"), std::string("DtoH"));
        QCOMPARE(copyDirection("blit"), std::string("other"));
    }
};

TRAINSCOPE_TEST(tst_Launches)
#include "tst_Launches.moc"
