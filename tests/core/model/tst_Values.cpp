// Results, time, units and ids: the small types that everything else is made of.

#include "core/model/AsciiText.h"
#include "core/model/Id.h"
#include "core/model/Import.h"
#include "core/model/LaunchConfig.h"
#include "core/model/Metric.h"
#include "core/model/Result.h"
#include "core/model/Run.h"
#include "core/model/Span.h"
#include "core/model/Time.h"
#include "core/model/WholeNumber.h"
#include "support/TestProgram.h"

#include <type_traits>

namespace {

enum class NamedWell { First, Second };
constexpr auto namesOf(NamedWell) {
    return enumNames("first", "second");
}
enum class NamedTooFew { First, Second };
constexpr auto namesOf(NamedTooFew) {
    return enumNames("first");
}
enum class NamedTooMany { First, Second };
constexpr auto namesOf(NamedTooMany) {
    return enumNames("first", "second", "third");
}

} // namespace

class tst_Values : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void resultHoldsValueOrError() {
        const Result<int> five(5);
        QVERIFY(five.hasValue());
        QCOMPARE(five.value(), 5);
        QCOMPARE(five.valueOr(7), 5);
        const Result<int> none(Error{ErrorCode::NotFound, "There is none.", "here"});
        QVERIFY(!none.hasValue());
        QCOMPARE(none.valueOr(7), 7);
        QVERIFY(none.error().code == ErrorCode::NotFound);
        QCOMPARE(none.error().describe(), std::string("here: There is none."));
        QCOMPARE((Error{ErrorCode::Io, "Full.", {}}).describe(), std::string("Full."));
    }

    // toString() does not compile of the others.
    void everyValueHasAName() {
        QVERIFY(hasNameForEach<NamedWell>());
        QVERIFY(!hasNameForEach<NamedTooFew>());
        QVERIFY(!hasNameForEach<NamedTooMany>());
        QCOMPARE(toString(NamedWell::Second), std::string_view("second"));
    }

    // The nearest doubles below and at the ends of the types.
    // Letters of ASCII alone: those of UTF-8 stay.
    void lettersChangeTheirCase() {
        QCOMPARE(inCapitals("h100 pcie é"), std::string("H100 PCIE é"));
        QCOMPARE(lowered("H100 PCIe É"), std::string("h100 pcie É"));
        QCOMPARE(capitalised("power limit"), std::string("Power limit"));
        QCOMPARE(capitalised("9 of 10"), std::string("9 of 10"));
        QCOMPARE(capitalised(""), std::string());
    }
    void doublesAsWholeNumbers() {
        QCOMPARE(wholeNumber<int>(3.9), std::optional(3));
        QCOMPARE(wholeNumber<int>(-3.9), std::optional(-3));
        QCOMPARE(wholeNumber<int>(2147483647.5), std::optional(2147483647));
        QVERIFY(!wholeNumber<int>(2147483648.0));
        QCOMPARE(wholeNumber<int>(-2147483648.5), std::optional(-2147483647 - 1));
        QVERIFY(!wholeNumber<int>(-2147483649.0));
        using Limits = std::numeric_limits<std::int64_t>;
        QCOMPARE(wholeNumber<std::int64_t>(9223372036854774784.0),
            std::optional<std::int64_t>(9223372036854774784));
        QVERIFY(!wholeNumber<std::int64_t>(9223372036854775808.0));
        QCOMPARE(wholeNumber<std::int64_t>(-9223372036854775808.0), std::optional(Limits::min()));
        QVERIFY(!wholeNumber<std::int64_t>(-9223372036854777856.0));
        QCOMPARE(wholeNumber<std::uint64_t>(18446744073709549568.0),
            std::optional<std::uint64_t>(18446744073709549568U));
        QVERIFY(!wholeNumber<std::uint64_t>(18446744073709551616.0));
        QCOMPARE(wholeNumber<std::uint64_t>(-0.5), std::optional<std::uint64_t>(0));
        QVERIFY(!wholeNumber<std::uint64_t>(-1.0));
        for (const double none : {std::nan(""), HUGE_VAL, -HUGE_VAL})
            QVERIFY(!wholeNumber<std::int64_t>(none));
        QCOMPARE(nearestWhole<std::int64_t>(2.5), std::int64_t{3});
        QCOMPARE(nearestWhole<std::int64_t>(1e30), Limits::max());
        QCOMPARE(nearestWhole<std::int64_t>(-HUGE_VAL), Limits::min());
        QCOMPARE(nearestWhole<int>(std::nan("")), 0);
    }

    void sameWarningsAreFolded() {
        ImportReport report;
        for (int rank = 0; rank < 320; ++rank)
            report.warn("gpu_power_" + std::to_string(rank), 0, "There is nothing in this file.");
        report.warn("gpu_power_0", 0, "There is nothing in this file."); // said already
        report.warn("gpu_power_0", 3, "Skipped.");
        report.warn("gpu_power_1", 3, "Skipped.");
        QCOMPARE(report.warnings.size(), std::size_t{3});
        QCOMPARE(report.warningCount, std::int64_t{322});
        QCOMPARE(report.warnings[0].files, std::int64_t{320});
    }

    // As of times at both ends of what a file can say.
    void timesStayWhereTheyFit() {
        constexpr std::int64_t kLeast = kAllTime.begin.ns;
        constexpr std::int64_t kMost = kAllTime.end.ns;
        QCOMPARE(kAllTime.length().ns, kMost);
        QCOMPARE((kAllTime.begin - kAllTime.end).ns, kLeast);
        QCOMPARE((TimeNs{0} - kAllTime.begin).ns, kMost);
        QCOMPARE((TimeNs{-1} - kAllTime.begin).ns, kMost); // is right
        QCOMPARE((kAllTime.end + DurationNs{1}).ns, kMost);
        QCOMPARE((kAllTime.begin + DurationNs{-1}).ns, kLeast);
        QCOMPARE((kAllTime.begin - DurationNs{1}).ns, kLeast);
        QCOMPARE((kAllTime.end - DurationNs{-1}).ns, kMost);
        QCOMPARE((DurationNs{kMost} + DurationNs{kMost}).ns, kMost);
        QCOMPARE((DurationNs{kLeast} - DurationNs{kMost}).ns, kLeast);
    }

    void resultMovesItsValueOut() {
        Result<std::unique_ptr<int>> result(std::make_unique<int>(3));
        const std::unique_ptr<int> taken = std::move(result).value();
        QCOMPARE(*taken, 3);
    }

    void statusIsSuccessByDefault() {
        QVERIFY(Status().hasValue());
        const Status failed(Error{ErrorCode::Io, "Full.", {}});
        QVERIFY(!failed.hasValue());
        QCOMPARE(failed.error().message, std::string("Full."));
    }

    void timeIsExact() {
        // 2^62 ns apart from an odd nanosecond: a double would lose it.
        const TimeNs t{4611686018427387905};
        QCOMPARE((t - TimeNs{4611686018427387904}).ns, 1);
        QCOMPARE((t + DurationNs{2}).ns, 4611686018427387907);
        QCOMPARE((t - DurationNs{5}).ns, 4611686018427387900);
        QCOMPARE((DurationNs{1500000000}).seconds(), 1.5);
        QCOMPARE((DurationNs{1500}).microseconds(), 1.5);
    }

    void rangesAreHalfOpen_data() {
        const auto row = test::columns<int, int, bool>("begin", "end", "overlaps");
        row("before", 0, 9, false);
        row("touching in front", 0, 10, false);
        row("over the begin", 0, 11, true);
        row("inside", 12, 13, true);
        row("around", 0, 100, true);
        row("over the end", 19, 30, true);
        row("touching behind", 20, 30, false);
    }
    void rangesAreHalfOpen() {
        QFETCH(int, begin);
        QFETCH(int, end);
        QFETCH(bool, overlaps);
        const TimeRange range{{10}, {20}};
        QCOMPARE(range.overlaps({{begin}, {end}}), overlaps);
        QVERIFY(range.contains({10}) && range.contains({19}));
        QVERIFY(!range.contains({9}) && !range.contains({20}));
        QVERIFY((TimeRange{{5}, {5}}.isEmpty()) && !range.isEmpty());
        QCOMPARE(range.length().ns, 10);
    }

    void idsDoNotMix() {
        static_assert(!std::is_convertible_v<RunId, SeriesId>);
        QVERIFY(!RunId{}.isValid() && RunId{1}.isValid());
    }

    void clustersBeyondAnyAreNotBelieved() {
        const auto launched = [](std::optional<int> nodes, std::optional<int> gpusPerNode) {
            LaunchConfig launch;
            launch.nodes = nodes;
            launch.gpusPerNode = gpusPerNode;
            return launchedGpus(launch);
        };
        QCOMPARE(launched(4, 8), 32);
        QCOMPARE(launched(125'000, 8), 1'000'000);
        QCOMPARE(launched(125'001, 8), 0);
        QCOMPARE(launched(2'000'000'000, 2'000'000'000), 0);
        QCOMPARE(launched(-4, -8), 0);
        QCOMPARE(launched(4, std::nullopt), 0);
        QCOMPARE(launched(std::nullopt, 8), 0);
    }

    void degreesTellHowManyGpus() {
        LaunchConfig launch;
        launch.tensorParallel = 2;
        launch.contextParallel = 2;
        launch.pipelineParallel = 3;
        QCOMPARE(launchedGpus(launch), 0); // the number of replicas is not known
        launch.dataParallel = 5;
        QCOMPARE(launchedGpus(launch), 60);
        launch.nodes = 4; // the GPUs of a node are not known
        QCOMPARE(launchedGpus(launch), 60);
        launch.gpusPerNode = 8;
        QCOMPARE(launchedGpus(launch), 32);
        launch.nodes.reset();
        launch.dataParallel = 100'000'000;
        launch.tensorParallel = 100'000'000;
        QCOMPARE(launchedGpus(launch), 0);
    }

    void sensorsHaveNames() {
        for (const SensorKind kind :
            {SensorKind::Unknown, SensorKind::Instant, SensorKind::Averaged})
            QVERIFY(fromString<SensorKind>(toString(kind)) == kind);
        QVERIFY(toString(SensorKind::Averaged) == "averaged");
        QVERIFY(!fromString<SensorKind>("something"));
    }

    void warningsAreCountedButNotAllKept() {
        ImportReport report;
        for (int i = 0; i < 60; ++i)
            report.warn("f", i, "text");
        QCOMPARE(report.warningCount, 60);
        QCOMPARE(report.warnings.size(), ImportReport::kMaxWarnings);
        QCOMPARE(report.warnings.back().line, 49);
        QVERIFY(cancelled().code == ErrorCode::Cancelled);
    }

    // The registry: the names that the design lists are there, once, with SI units.

    void designNames_data() {
        const auto row = test::columns<QString, int>("unit", "kind");
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

TRAINSCOPE_TEST(tst_Values)
#include "tst_Values.moc"
