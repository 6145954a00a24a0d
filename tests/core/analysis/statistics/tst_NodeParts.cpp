// Nodes whose links and sensors are recorded one by one: what adds up and what does not.

#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/MeasuredEnergy.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/Summary.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kTick = 1'000'000'000; // between two samples

SeriesDescription partOf(
    SeriesDescription description, int node, const char* device, const char* unit) {
    description.metric.unit = unit;
    description.subject = {SubjectKind::Link, -1, node, device};
    return description;
}

// One sample per second from 0 on.
void addPart(
    Store& store, const SeriesDescription& description, const std::vector<double>& values) {
    std::vector<std::int64_t> at;
    for (std::size_t i = 0; i < values.size(); ++i)
        at.push_back(static_cast<std::int64_t>(i) * kTick);
    addSeries(store, description, at, values,
        description.metric.name + description.subject.device
            + std::to_string(description.subject.node));
}

RunSummary summaryOf(const Store& store, TimeRange window = kAllTime) {
    return got(summarise({store, got(store.findRun("run"))}, window));
}

using Energies = std::vector<double>; // J, by rank; 0: no power

constexpr int kPerNode = 4;

std::vector<GpuSummary> gpusOf(const Energies& joules, const std::string& model) {
    std::vector<GpuSummary> gpus;
    for (std::size_t i = 0; i < joules.size(); ++i) {
        const int rank = static_cast<int>(i);
        GpuSummary gpu;
        gpu.gpu = {rank, rank / kPerNode, rank % kPerNode, model, {}};
        if (joules[i] > 0.0)
            gpu.energy = Energy{joules[i], 1.0};
        gpus.push_back(std::move(gpu));
    }
    return gpus;
}

Series seriesOf(const char* metric, int rank, std::int64_t count, std::int64_t missing) {
    Series series;
    series.description.metric = *findMetric(metric);
    series.description.subject = {SubjectKind::Gpu, rank, -1, {}};
    series.count = count;
    series.missing = missing;
    return series;
}

} // namespace

class tst_NodeParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Sensors at 25 and 60 °C: a node at their mean of 42.5 °C, between 25 and 60 °C.
    void temperaturesAreNotSummed() {
        FreshStore store;
        const auto sensor = gauge("sensor_temperature", -1);
        addPart(store, partOf(sensor, 0, "inlet", "°C"), {25, 25, 25});
        addPart(store, partOf(sensor, 0, "cpu", "°C"), {60, 60, 60});
        const auto summary = summaryOf(store);
        const auto& node = summary.nodes.at(0).metrics.at("sensor_temperature");
        QCOMPARE(*node.mean, 42.5);
        QCOMPARE(*node.min, 25.0);
        QCOMPARE(*node.max, 60.0);
        QCOMPARE(*summary.metrics.at("sensor_temperature").all.mean, 42.5);
        QCOMPARE(*summary.metrics.at("sensor_temperature").all.p99, 60.0);
    }

    // Supplies at 500 and 700 W: a node at 1200 W, of which nothing is known but the mean.
    void powersAreSummed() {
        FreshStore store;
        const auto supply = gauge("supply_power", -1);
        addPart(store, partOf(supply, 0, "1", "W"), {500, 500, 500});
        addPart(store, partOf(supply, 0, "2", "W"), {700, 700, 700});
        const auto all = summaryOf(store).metrics.at("supply_power").all;
        QCOMPARE(*all.mean, 1200.0);
        QVERIFY(!all.max && !all.p50 && !all.p99);
    }

    // Between two samples of both links: 10 and 20 B/s for half a second.
    void totalsOfAWindowWithoutSamples() {
        FreshStore store;
        const auto link = counter("ib_rx", -1, 64);
        addPart(store, partOf(link, 0, "ib0", "B"), {0, 10, 20, 30});
        addPart(store, partOf(link, 0, "ib1", "B"), {0, 20, 40, 60});
        const auto summary = summaryOf(store, {{kTick + kTick / 4}, {kTick + 3 * kTick / 4}});
        QCOMPARE(*summary.nodes.at(0).metrics.at("ib_rx").total, 15.0);
        QCOMPARE(*summary.metrics.at("ib_rx").all.total, 15.0);
    }

    // One of two nodes has a meter: 1 kW for 2 s, half of what there is to know.
    void aNodeWithoutAMeterIsNotCovered() {
        FreshStore store;
        SeriesDescription meter = gauge("node_power", -1);
        meter.subject = {SubjectKind::Node, -1, 0, {}};
        addPart(store, meter, {1000, 1000, 1000});
        SeriesDescription other = gauge("cpu_power", -1);
        other.subject = {SubjectKind::Node, -1, 1, {}};
        addPart(store, other, {100, 100, 100});
        const auto summary = summaryOf(store);
        QCOMPARE(summary.nodes.size(), std::size_t{2});
        QCOMPARE(summary.nodeEnergy->joules, 2000.0);
        QCOMPARE(summary.nodeEnergy->coverage, 0.5);
    }

    // Packages of two dies, of which one tells the power of both.
    void whichAreSecond_data() {
        // together: J
        const auto row
            = columns<std::vector<double>, std::string, std::vector<int>, double, double>(
                "joules", "model", "second", "together", "coverage");
        using Ranks = std::vector<int>;
        const std::string mi = "AMD Instinct MI250X";
        const std::string none;
        row("two packages", Energies{240, 0, 260, 0}, mi, Ranks{1, 3}, 500.0, 1.0);
        row("model not known", Energies{240, 0, 260, 0}, none, Ranks{1, 3}, 500.0, 1.0);
        row("one package", Energies{240, 0}, mi, Ranks{1}, 240.0, 1.0);
        // One of two GPUs without power is no pattern.
        row("one pair of unknown GPUs", Energies{240, 0}, none, Ranks{}, 240.0, 0.5);
        row("GPUs of one die", Energies{240, 0, 260, 0}, "NVIDIA H100 80GB HBM3", Ranks{}, 500.0,
            0.5);
        row("the same number twice", Energies{240, 240, 260, 260}, mi, Ranks{1, 3}, 500.0, 1.0);
        row("each its own", Energies{240, 241, 260, 260}, mi, Ranks{}, 1001.0, 1.0);
        row("two nodes", Energies{1, 0, 2, 0, 3, 0, 4, 0}, mi, Ranks{1, 3, 5, 7}, 10.0, 1.0);
        row("a package without power", Energies{240, 0, 0, 0}, mi, Ranks{}, 240.0, 0.25);
    }
    void whichAreSecond() {
        QFETCH(std::vector<double>, joules);
        QFETCH(std::string, model);
        QFETCH(std::vector<int>, second);
        QFETCH(double, together);
        QFETCH(double, coverage);
        const auto gpus = gpusOf(joules, model);
        const auto ranks = secondDies(gpus);
        QCOMPARE(std::vector<int>(ranks.begin(), ranks.end()), second);
        const auto energy = energyOfGpus(gpus, ranks);
        QVERIFY(energy);
        QCOMPARE(energy->joules, together);
        QCOMPARE(energy->coverage, coverage);
    }

    // The choice between two series that speak for one GPU, and its words.
    void oneOfTwo() {
        std::vector<std::string> warnings;
        const auto chosen
            = seriesByMetric({seriesOf("gpu_power", 3, 10, 6), seriesOf("sm_clock", 3, 10, 0),
                                 seriesOf("gpu_power", 3, 8, 0)},
                warnings);
        QCOMPARE(chosen.at("gpu_power").size(), std::size_t{1});
        QCOMPARE(chosen.at("gpu_power")[0].count, std::int64_t{8}); // more that is not missing
        QCOMPARE(warnings,
            (std::vector<std::string>{"gpu_power of rank 3 was recorded by two sources; the one "
                                      "with more values is used."}));
    }

    void oneWarningForManyMetrics() {
        std::vector<Series> all;
        for (int source = 0; source < 2; ++source) {
            for (const char* metric : {"sm_clock", "gpu_power", "mem_used", "gpu_temperature"})
                all.push_back(seriesOf(metric, 0, 10 + source, 0));
        }
        std::vector<std::string> warnings;
        QCOMPARE(seriesByMetric(all, warnings).size(), std::size_t{4});
        QCOMPARE(warnings,
            (std::vector<std::string>{
                "gpu_power, gpu_temperature, mem_used and 1 other were recorded by two sources; "
                "for each, the one with more values is used."}));
    }

    void oneWarningForManyGpus() {
        std::vector<Series> all;
        for (int source = 0; source < 2; ++source) {
            for (int rank = 0; rank < 32; ++rank)
                all.push_back(seriesOf("gpu_power", rank, 10 + source, 0));
        }
        std::vector<std::string> warnings;
        const auto chosen = seriesByMetric(all, warnings);
        QCOMPARE(chosen.at("gpu_power").size(), std::size_t{32});
        for (std::size_t i = 0; i < 32; ++i) {
            QCOMPARE(chosen.at("gpu_power")[i].description.subject.rank, static_cast<int>(i));
            QCOMPARE(chosen.at("gpu_power")[i].count, std::int64_t{11});
        }
        QCOMPARE(warnings,
            (std::vector<std::string>{"gpu_power of rank 0 and 31 more was recorded by two "
                                      "sources; for each, the one with more values is used."}));
    }

    // Standard deviations within and between nodes, with numbers derived by hand.
    void twoNodes() {
        // Node 0: mean 20, std 10. Node 1: mean 40, std 0. Node means 20 and 40: std 10.
        const auto result = imbalance({{0, {10, 30}}, {1, {40, 40}}});
        QCOMPARE(*result.intraNode, 5.0);
        QCOMPARE(*result.interNode, 10.0);
    }

    void populationNotSample() {
        // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, squares add to 32, over 8 of them.
        QCOMPARE(*populationStd(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9}), 2.0);
    }

    void nodesWithoutGpusAreLeftOut() {
        const auto result = imbalance({{0, {}}, {3, {7}}});
        QCOMPARE(*result.intraNode, 0.0);
        QCOMPARE(*result.interNode, 0.0);
    }

    void nothing() {
        QVERIFY(!imbalance({}).intraNode);
        QVERIFY(!imbalance({}).interNode);
        QVERIFY(!meanOf({}));
        QVERIFY(!populationStd({}));
    }

    void smallSpreadOnLargeMeans() {
        // A formula by squares minus the squared mean would lose these digits.
        QCOMPARE(*populationStd(std::vector<double>{1e9 + 1, 1e9 + 3}), 1.0);
    }
};

TRAINSCOPE_TEST(tst_NodeParts)
#include "tst_NodeParts.moc"
