// Nodes whose links and sensors are recorded one by one: what adds up and what does not.

#include "core/store/Fixture.h"

#include "core/analysis/statistics/Summary.h"
#include "support/TestProgram.h"

#include <QObject>

using namespace trainscope;
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

} // namespace

class tst_NodeParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Sensors at 25 and 60 °C: a node at their mean of 42.5 °C, between 25 and 60 °C.
    void temperaturesAreNotSummed() {
        const Fixture fixture;
        auto store = fixture.create();
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
        const Fixture fixture;
        auto store = fixture.create();
        const auto supply = gauge("supply_power", -1);
        addPart(store, partOf(supply, 0, "1", "W"), {500, 500, 500});
        addPart(store, partOf(supply, 0, "2", "W"), {700, 700, 700});
        const auto all = summaryOf(store).metrics.at("supply_power").all;
        QCOMPARE(*all.mean, 1200.0);
        QVERIFY(!all.max && !all.p50 && !all.p99);
    }

    // Between two samples of both links: 10 and 20 B/s for half a second.
    void totalsOfAWindowWithoutSamples() {
        const Fixture fixture;
        auto store = fixture.create();
        const auto link = counter("ib_rx", -1, 64);
        addPart(store, partOf(link, 0, "ib0", "B"), {0, 10, 20, 30});
        addPart(store, partOf(link, 0, "ib1", "B"), {0, 20, 40, 60});
        const auto summary = summaryOf(store, {{kTick + kTick / 4}, {kTick + 3 * kTick / 4}});
        QCOMPARE(*summary.nodes.at(0).metrics.at("ib_rx").total, 15.0);
        QCOMPARE(*summary.metrics.at("ib_rx").all.total, 15.0);
    }

    // One of two nodes has a meter: 1 kW for 2 s, half of what there is to know.
    void aNodeWithoutAMeterIsNotCovered() {
        const Fixture fixture;
        auto store = fixture.create();
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
};

TRAINSCOPE_TEST(tst_NodeParts)
#include "tst_NodeParts.moc"
