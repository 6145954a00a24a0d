// The registry: the names that the design lists are there, once, with SI units.

#include "core/model/Metric.h"
#include "core/model/Run.h"
#include "core/model/Span.h"
#include "support/TestProgram.h"

using namespace trainscope;

class tst_Metric : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void designNames_data() {
        QTest::addColumn<QString>("unit");
        QTest::addColumn<int>("kind");
        const auto row = [](const char* name, const char* unit, MetricKind kind) {
            QTest::newRow(name) << QString::fromUtf8(unit) << static_cast<int>(kind);
        };
        for (const char* power : {"gpu_power", "mem_power", "cpu_power", "node_power"})
            row(power, "W", MetricKind::Gauge);
        for (const char* temperature : {"gpu_temperature", "mem_temperature"})
            row(temperature, "°C", MetricKind::Gauge);
        for (const char* clock : {"sm_clock", "mem_clock"})
            row(clock, "Hz", MetricKind::Gauge);
        for (const char* fraction : {"gpu_utilization", "mem_utilization", "fan_speed"})
            row(fraction, "1", MetricKind::Gauge);
        for (const char* bytes : {"nvlink_rx", "nvlink_tx", "pcie_rx", "pcie_tx", "ib_rx", "ib_tx"})
            row(bytes, "B", MetricKind::Counter);
        for (const char* rate :
            {"pcie_rx_rate", "pcie_tx_rate", "nvlink_rx_rate", "nvlink_tx_rate"})
            row(rate, "B/s", MetricKind::Rate);
        row("mem_used", "B", MetricKind::Gauge);
        row("throttle_reasons", "1", MetricKind::Mask);
        row("xid", "1", MetricKind::State);
        row("pstate", "1", MetricKind::State);
        row("loss", "1", MetricKind::Progress);
    }
    void designNames() {
        QFETCH(QString, unit);
        QFETCH(int, kind);
        const Metric* metric = findMetric(QTest::currentDataTag());
        QVERIFY(metric != nullptr);
        QCOMPARE(QString::fromStdString(metric->unit), unit);
        QCOMPARE(static_cast<int>(metric->kind), kind);
        QVERIFY(!metric->label.empty());
    }

    void namesAreUnique() {
        std::set<std::string> names;
        for (const Metric& metric : metricRegistry())
            QVERIFY2(names.insert(metric.name).second, metric.name.c_str());
        QVERIFY(findMetric("no_such_metric") == nullptr);
        QVERIFY(findMetric("") == nullptr);
    }

    void kindsReadBack() {
        for (const MetricKind kind : {MetricKind::Gauge, MetricKind::Counter, MetricKind::Rate,
                 MetricKind::Mask, MetricKind::State, MetricKind::Progress})
            QVERIFY(fromString<MetricKind>(trainscope::toString(kind)) == kind);
        QVERIFY(!fromString<MetricKind>("nonsense"));
    }

    // The registry knows the kind of a metric that a source calls a gauge; names of its own stay
    // gauges.
    void kindsHoldByName() {
        const auto kind = [](const char* name) { return metricKindOf(name, MetricKind::Gauge); };
        QVERIFY(kind("throttle_reasons") == MetricKind::Mask);
        QVERIFY(kind("gpu_power") == MetricKind::Gauge);
        for (const char* mask : {"reasons", "clocks_event_reasons", "clocks.throttle.reasons"})
            QVERIFY2(kind(mask) == MetricKind::Mask, mask);
        for (const char* state : {"throttle_reason_sw_power_cap", "ecc_mode", "nvlink_link_state"})
            QVERIFY2(kind(state) == MetricKind::State, state);
        for (const char* own : {"treasons", "stop_reasons"})
            QVERIFY2(kind(own) == MetricKind::Gauge, own);
        QVERIFY(kind("validation_loss") == MetricKind::Progress);
        for (const char* own : {"my_metric", "packets_lost", "gloss", "heat_loss_w"})
            QVERIFY(kind(own) == MetricKind::Gauge);
        QVERIFY(metricKindOf("throttle_reasons", MetricKind::Counter) == MetricKind::Counter);
    }

    // NVML's bits: 0x4 software power cap, 0x20 software thermal slowdown.
    void statesHaveNames() {
        using Names = std::vector<std::string>;
        const Metric& reasons = *findMetric("throttle_reasons");
        QCOMPARE(namesOfValue(reasons, 0.0), Names{"none"});
        QCOMPARE(namesOfValue(reasons, 0x24), (Names{"sw_power_cap", "sw_thermal_slowdown"}));
        QCOMPARE(namesOfValue(reasons, 0x200), Names{"bit_9"});
        QVERIFY(namesOfValue(reasons, std::nan("")).empty());
        QCOMPARE(namesOfValue(*findMetric("pstate"), 2.0), Names{"P2"});
        QCOMPARE(namesOfValue(*findMetric("xid"), 79.0), Names{"79"});
        QCOMPARE(labelOfName("sw_power_cap"), std::string("Software power cap"));
    }

    void wordsOfTheEnumerations() {
        const auto text = [](auto value) { return std::string(trainscope::toString(value)); };
        QCOMPARE(text(RunKind::Predicted), std::string("predicted"));
        QCOMPARE(text(RunKind::Measured), std::string("measured"));
        QCOMPARE(text(RunStatus::Oom), std::string("oom"));
        std::set<std::string> words;
        for (int kind = 0; kind <= static_cast<int>(SpanKind::Other); ++kind)
            words.insert(text(static_cast<SpanKind>(kind)));
        QCOMPARE(words.size(), static_cast<std::size_t>(SpanKind::Other) + 1);
        QVERIFY(words.contains("gpu_annotation") && words.contains("cpu_op"));
        QCOMPARE(text(TrackKind::StreamAnnotation), std::string("stream_annotation"));
    }
};

TRAINSCOPE_TEST(tst_Metric)
#include "tst_Metric.moc"
