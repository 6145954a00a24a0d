// The summary of a run through the store, on cases small enough to derive by hand.

#include "core/analysis/statistics/Summary.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "support/TestProgram.h"

namespace {

constexpr std::int64_t kSummaryStart = 1'700'000'000'000'000'000;
constexpr std::int64_t kOneSecond = 1'000'000'000;
constexpr double kNoSample = std::numeric_limits<double>::quiet_NaN();

SeriesDescription described(const char* metric, Subject subject) {
    SeriesDescription description;
    const Metric* known = findMetric(metric);
    description.metric = known != nullptr ? *known : Metric{metric, "1", MetricKind::Gauge, metric};
    description.subject = std::move(subject);
    description.counterBits = description.metric.kind == MetricKind::Counter ? 32 : 0;
    return description;
}

Subject gpu(int rank) {
    return {SubjectKind::Gpu, rank, -1, {}};
}
Subject node(int index) {
    return {SubjectKind::Node, -1, index, {}};
}
Subject link(int index, const char* device) {
    return {SubjectKind::Link, -1, index, device};
}

} // namespace

class tst_Summary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { m_store.reset(); }

    void meansTotalsAndImbalance() {
        begin("a");
        for (int rank = 0; rank < 4; ++rank)
            addGpu(rank, rank / 2);
        // Means 10, 30 on node 0 and 40, 40 on node 1; each sample holds one second, the last for
        // none.
        add("gpu_temperature", gpu(0), {10, 10, 99});
        add("gpu_temperature", gpu(1), {30, 30, 1});
        add("gpu_temperature", gpu(2), {40, 40, 40});
        add("gpu_temperature", gpu(3), {40, kNoSample, 70});
        add("pcie_rx", gpu(0), {100, 300, 350});
        add("pcie_rx", gpu(2), {4294967000.0, 4294967290.0, 4});
        const auto summary = finished();
        const auto& metric = summary.metrics.at("gpu_temperature");
        QCOMPARE(*metric.all.mean, 30.0);
        QCOMPARE(*metric.all.min, 1.0);
        QCOMPARE(*metric.all.max, 99.0);
        QCOMPARE(*metric.intraNodeStd, 5.0);
        QCOMPARE(*metric.interNodeStd, 10.0);
        // Held: 10 for 2 s, 30 for 2 s, 40 for 3 s.
        QCOMPARE(*metric.all.p50, 30.0);
        QCOMPARE(*metric.all.p99, 40.0);
        QCOMPARE(metric.all.samples, std::int64_t{12});
        QCOMPARE(metric.all.missing, std::int64_t{1});
        QCOMPARE(*summary.nodes.at(0).metrics.at("gpu_temperature").mean, 20.0);
        QCOMPARE(*summary.nodes.at(1).metrics.at("gpu_temperature").max, 70.0);
        // 250 and, over the wrap, 290 + 10.
        const auto& counter = summary.metrics.at("pcie_rx");
        QCOMPARE(*counter.all.total, 550.0);
        QVERIFY(!counter.all.mean);
        QVERIFY(!counter.intraNodeStd);
        QCOMPARE(summary.gpus.at(2).metrics.at("pcie_rx").wraps, std::int64_t{1});
        QCOMPARE(summary.duration.ns, 2 * kOneSecond);
    }

    // Held: 4 for 1 s, 0x24 for 2 s, 0 for 1 s of GPU 0; 1 for 4 s of GPU 1.
    void masksHaveSharesOfTime() {
        begin("a");
        addGpu(0, 0);
        addGpu(1, 0);
        add("throttle_reasons", gpu(0), {4, 0x24, 0x24, 0, 0});
        add("throttle_reasons", gpu(1), {1, 1, 1, 1, 1});
        add("pstate", gpu(0), {0, 0, 0, 2, 2});
        const auto summary = finished();
        const auto& own = summary.gpus.at(0).metrics.at("throttle_reasons");
        QCOMPARE(own.shares,
            (std::map<std::string, double>{
                {"none", 0.25}, {"sw_power_cap", 0.75}, {"sw_thermal_slowdown", 0.5}}));
        QVERIFY(!own.mean && !own.min && !own.max && !own.p99);
        QCOMPARE(own.samples, std::int64_t{5});
        const auto& all = summary.metrics.at("throttle_reasons");
        QCOMPARE(all.all.shares.at("sw_power_cap"), 0.375);
        QCOMPARE(all.all.shares.at("gpu_idle"), 0.5);
        QVERIFY(!all.all.mean && !all.all.p50 && !all.intraNodeStd);
        QCOMPARE(summary.metrics.at("pstate").all.shares.at("P0"), 0.75);
    }

    // From 3 s on a 5 holds that was read before the window; it is then what comes first.
    void aLossHasFirstAndLast() {
        begin("a");
        const Subject run{SubjectKind::Run, -1, -1, {}};
        add("loss", run, {9, 5, kNoSample, 3, 4, kNoSample}, {0, 2, 4, 6, 8, 10});
        const auto whole = finished();
        const auto& loss = whole.metrics.at("loss").all;
        QCOMPARE(*loss.first, 9.0);
        QCOMPARE(*loss.last, 4.0);
        QCOMPARE(*loss.min, 3.0);
        QCOMPARE(*loss.max, 9.0);
        QVERIFY(!loss.mean && !loss.p50 && !loss.p99);
        const TimeNs start{kSummaryStart};
        const auto part = analysis::summarise({*m_store, whole.run},
            TimeRange{start + DurationNs{3 * kOneSecond}, start + DurationNs{7 * kOneSecond}});
        QVERIFY(part.hasValue());
        QCOMPARE(*part.value().metrics.at("loss").all.first, 5.0);
        QCOMPARE(*part.value().metrics.at("loss").all.last, 3.0);
    }

    void energyAndCoverage() {
        begin("a");
        for (int rank = 0; rank < 3; ++rank)
            addGpu(rank, 0);
        // Rank 0 covers all of the 20 s; rank 1 has a hole of 12 s, which is more than ten median
        // periods of 1 s.
        add("gpu_power", gpu(0), {100, 200}, {0, 20});
        add("gpu_power", gpu(1), {100, 100, 100, 100, 100}, {0, 1, 2, 3, 15});
        add("gpu_temperature", gpu(2), {50, 50});
        const auto summary = finished();
        QCOMPARE(summary.gpus.at(0).energy->joules, 3000.0);
        QCOMPARE(summary.gpus.at(0).energy->coverage, 1.0);
        QCOMPARE(summary.gpus.at(1).energy->joules, 300.0);
        QCOMPARE(summary.gpus.at(1).energy->coverage, 0.15);
        QVERIFY(!summary.gpus.at(2).energy);
        QCOMPARE(summary.energy->joules, 3300.0);
        QCOMPARE(summary.energy->coverage, 1.15 / 3.0);
    }

    void aSingleSampleHasNoEnergy() {
        begin("a");
        add("gpu_power", gpu(0), {300});
        add("gpu_temperature", gpu(0), {50, 60});
        const auto summary = finished();
        QVERIFY(!summary.gpus.at(0).energy);
        QVERIFY(!summary.energy);
    }

    void linksAreSummedIntoTheirNode() {
        begin("a");
        add("ib_rx", link(0, "ib0"), {0, 10});
        add("ib_rx", link(0, "ib1"), {5, 30});
        add("ib_rx", link(1, "ib0"), {0, 100});
        const auto summary = finished();
        QCOMPARE(*summary.nodes.at(0).metrics.at("ib_rx").total, 35.0);
        QCOMPARE(*summary.nodes.at(1).metrics.at("ib_rx").total, 100.0);
        QCOMPARE(*summary.metrics.at("ib_rx").all.total, 135.0);
    }

    void nodeMetrics() {
        begin("a");
        add("node_power", node(0), {1000, 1000});
        add("node_power", node(1), {3000, 3000});
        const auto summary = finished();
        const auto& metric = summary.metrics.at("node_power");
        QCOMPARE(*metric.all.mean, 2000.0);
        QCOMPARE(*metric.interNodeStd, 1000.0);
        QVERIFY(!metric.intraNodeStd);
        QVERIFY(!summary.energy);
    }

    void aResetIsCountedFromZeroAndSaid() {
        begin("a");
        // 10^12 B back to 500 in a second would be a wrap by 2^64 B: no link does that.
        auto description = described("nvlink_tx", gpu(0));
        description.counterBits = 64;
        add(description, {1e12, 2e12, 500}, {0, 1, 2});
        const auto summary = finished();
        QCOMPARE(*summary.metrics.at("nvlink_tx").all.total, 1e12 + 500);
        QCOMPARE(summary.warnings.size(), std::size_t{1});
        QVERIFY(summary.warnings.front().find("nvlink_tx of rank 0 was reset 1 time;") == 0);
    }

    void everythingMissing() {
        begin("a");
        add("gpu_power", gpu(0), {kNoSample, kNoSample});
        const auto summary = finished();
        const auto& metric = summary.gpus.at(0).metrics.at("gpu_power");
        QVERIFY(!metric.mean);
        QVERIFY(!metric.max);
        QCOMPARE(metric.missing, std::int64_t{2});
        QVERIFY(!summary.energy);
    }

    // From 1.5 s to 3.5 s of samples at whole seconds: 20 holds half a second, 30 one, 40 half one;
    // power lies on the line 100·t; the counter goes from 15 to 35.
    void aWindow() {
        begin("a");
        addGpu(0, 0);
        add("gpu_temperature", gpu(0), {10, 20, 30, 40, 90});
        add("gpu_power", gpu(0), {0, 100, 200, 300, 400});
        add("pcie_rx", gpu(0), {0, 10, 20, 30, 40});
        const auto run = committed();
        const TimeRange window{
            {kSummaryStart + 3 * kOneSecond / 2}, {kSummaryStart + 7 * kOneSecond / 2}};
        const auto summary = analysis::summarise({*m_store, run}, window).value();
        const auto& temperature = summary.metrics.at("gpu_temperature").all;
        QCOMPARE(*temperature.mean, 0.25 * 20 + 0.5 * 30 + 0.25 * 40);
        QCOMPARE(*temperature.min, 20.0); // holds at the begin
        QCOMPARE(*temperature.max, 40.0);
        QCOMPARE(*temperature.p50, 30.0);
        QCOMPARE(temperature.samples, std::int64_t{2});
        QCOMPARE(summary.energy->joules, 2.0 * 250.0);
        QCOMPARE(summary.energy->coverage, 1.0);
        QCOMPARE(*summary.metrics.at("pcie_rx").all.total, 20.0);
        QCOMPARE(summary.gpus.at(0).metrics.at("pcie_rx").samples, std::int64_t{2});
        QCOMPARE(summary.duration.ns, 2 * kOneSecond);
    }

    void onlySomeMetrics() {
        begin("a");
        add("gpu_temperature", gpu(0), {10, 20, 30});
        add("gpu_power", gpu(0), {0, 100, 200});
        const auto run = committed();
        const auto summary = analysis::summarise({*m_store, run},
            analysis::SummaryScope{kAllTime,
                {"gpu_power"}}).value();
        QCOMPARE(summary.metrics.size(), std::size_t{1});
        QCOMPARE(*summary.metrics.at("gpu_power").all.mean, 50.0);
        QCOMPARE(summary.duration.ns, 2 * kOneSecond);
    }

    // Between two samples: what holds, and the line.
    void aWindowWithoutSamples() {
        begin("a");
        add("gpu_temperature", gpu(0), {10, 20, 30});
        add("gpu_power", gpu(0), {0, 100, 200});
        const auto run = committed();
        const TimeRange window{
            {kSummaryStart + 5 * kOneSecond / 4}, {kSummaryStart + 7 * kOneSecond / 4}};
        const auto summary = analysis::summarise({*m_store, run}, window).value();
        QCOMPARE(*summary.metrics.at("gpu_temperature").all.mean, 20.0);
        QCOMPARE(*summary.metrics.at("gpu_temperature").all.max, 20.0);
        QCOMPARE(summary.energy->joules, 0.5 * 150.0);
    }

    // A second and the ends beside it, 10 ms each: 1.02 s at 100 W. The periods between these ends
    // and the samples make no gap of the second.
    void aShortWindowHasNoGap() {
        begin("a");
        addGpu(0, 0);
        add("gpu_power", gpu(0), {100, 100, 100, 100, 100, 100});
        const auto run = committed();
        const std::int64_t beside = kOneSecond / 100;
        const TimeRange window{
            {kSummaryStart + 2 * kOneSecond - beside}, {kSummaryStart + 3 * kOneSecond + beside}};
        const auto summary = analysis::summarise({*m_store, run}, window).value();
        QVERIFY(std::abs(summary.energy->joules - 102.0) < 1e-9);
        QCOMPARE(summary.energy->coverage, 1.0);
    }

    // From 2.5 s on into a hole of 12 s that ends at 15 s, and half a second behind it.
    void aHoleInAWindowIsNotBridged() {
        begin("a");
        addGpu(0, 0);
        add("gpu_power", gpu(0), {100, 100, 100, 100, 100, 100}, {0, 1, 2, 3, 15, 16});
        const auto run = committed();
        const TimeRange window{
            {kSummaryStart + 5 * kOneSecond / 2}, {kSummaryStart + 31 * kOneSecond / 2}};
        const auto summary = analysis::summarise({*m_store, run}, window).value();
        QCOMPARE(summary.energy->joules, 100.0);
        QCOMPARE(summary.energy->coverage, 1.0 / 13.0);
    }

    // Windows that tile a run give its energy, its counters and the integral of its gauges.
    void tilesAddUp() {
        begin("a");
        std::vector<double> watts;
        std::vector<double> bytes;
        std::vector<std::int64_t> seconds;
        std::int64_t t = 0;
        for (int i = 0; i < 6000; ++i) {
            seconds.push_back(t);
            t += 1 + i % 3;
            watts.push_back(300.0 + (i * 7919) % 401);
            bytes.push_back((bytes.empty() ? 0.0 : bytes.back()) + (i * 31) % 17);
        }
        add("gpu_power", gpu(0), watts, seconds);
        add("pcie_rx", gpu(0), bytes, seconds);
        const auto run = committed();
        const auto whole = analysis::summarise({*m_store, run}).value();
        double joules = 0.0;
        double total = 0.0;
        double integral = 0.0;
        const std::int64_t length = seconds.back() * kOneSecond;
        for (std::int64_t i = 0; i < 7; ++i) {
            const TimeRange tile{{kSummaryStart + length / 7 * i},
                {i == 6 ? kSummaryStart + length : kSummaryStart + length / 7 * (i + 1)}};
            const auto part = analysis::summarise({*m_store, run}, tile).value();
            joules += part.energy->joules;
            total += *part.metrics.at("pcie_rx").all.total;
            integral += *part.metrics.at("gpu_power").all.mean * tile.length().seconds();
        }
        QVERIFY(std::abs(joules / whole.energy->joules - 1.0) < 1e-12);
        QVERIFY(std::abs(total - *whole.metrics.at("pcie_rx").all.total) < 1e-6);
        VERIFY_RATIO(
            integral, *whole.metrics.at("gpu_power").all.mean * whole.duration.seconds(), 1e-12);
    }

    void stopsWhenAsked() {
        begin("a");
        add("gpu_power", gpu(0), {1, 2, 3});
        const auto run = committed();
        const auto result
            = analysis::summarise({*m_store, run, [](const ProgressState&) { return false; }});
        QVERIFY(!result.hasValue() && result.error().code == ErrorCode::Cancelled);
    }

    // Two GPUs at 300 W and 400 W for 4 s beside a node at 1000 W: 1200 J and 1600 J of 4000 J.
    void energyOfNodes() {
        begin("nodes");
        addGpu(0, 0);
        addGpu(1, 0);
        add("gpu_power", gpu(0), {300, 300, 300, 300, 300});
        add("gpu_power", gpu(1), {400, 400, 400, 400, 400});
        add("node_power", node(0), {1000, 1000, 1000, 1000, 1000});
        add("switch_power", {SubjectKind::Switch, -1, -1, "sw0"}, {100, 200, 300, 200, 100});
        const auto summary = finished();
        const auto& whole = summary.nodes.at(0);
        QCOMPARE(whole.energy->joules, 4000.0);
        QCOMPARE(whole.energy->coverage, 1.0);
        QCOMPARE(*whole.gpuJoules, 2800.0);
        QCOMPARE(*whole.restJoules, 1200.0);
        QCOMPARE(summary.nodeEnergy->joules, 4000.0);
        QCOMPARE(*summary.restJoules, 1200.0);
        QCOMPARE(summary.switchEnergy->joules, 800.0); // 150 + 250 + 250 + 150
        QCOMPARE(summary.energy->joules, 2800.0);
    }

    // A node that was measured for half of the GPUs' time is not compared; one without GPUs has
    // none to compare.
    void energyOfNodesWithoutRest() {
        begin("parts");
        addGpu(0, 0);
        add("gpu_power", gpu(0), {300, 300, 300, 300, 300});
        add("node_power", node(0), {1000, 1000, 1000});
        add("node_power", node(1), {500, 500, 500, 500, 500});
        const auto summary = finished();
        QCOMPARE(summary.nodes.at(0).energy->coverage, 0.5);
        QVERIFY(!summary.nodes.at(0).restJoules);
        QCOMPARE(summary.nodes.at(1).energy->joules, 2000.0);
        QVERIFY(!summary.nodes.at(1).gpuJoules);
        QVERIFY(!summary.restJoules);
        QCOMPARE(summary.nodeEnergy->joules, 4000.0);
        QCOMPARE(summary.run.nodeCount, 2);
    }

private:
    void begin(const char* name) {
        m_trace.emplace();
        m_trace->run.name = name;
    }

    void addGpu(int rank, int nodeIndex) {
        m_trace->gpus.push_back({rank, nodeIndex, rank, {}, {}});
    }

    void add(const char* metric, Subject subject, const std::vector<double>& values,
        std::vector<std::int64_t> seconds = {}) {
        add(described(metric, std::move(subject)), values, std::move(seconds));
    }

    void add(const SeriesDescription& description, const std::vector<double>& values,
        std::vector<std::int64_t> seconds) {
        std::vector<TimeNs> times;
        for (std::size_t i = 0; i < values.size(); ++i)
            times.push_back({kSummaryStart
                + (seconds.empty() ? static_cast<std::int64_t>(i) : seconds[i]) * kOneSecond});
        m_trace->series(description, times, values);
    }

    Run committed() {
        m_store.emplace(m_trace->store());
        return m_store->findRun(m_trace->run.name).value();
    }

    analysis::RunSummary finished() {
        const Run run = committed();
        return analysis::summarise({*m_store, run}).value();
    }

    std::optional<test::PlantedTrace> m_trace;
    std::optional<store::Store> m_store;
};

TRAINSCOPE_TEST(tst_Summary)
#include "tst_Summary.moc"
