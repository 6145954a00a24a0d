// Results, time, units and ids: the small types that everything else is made of.

// Qt first: moc cannot read <compare> when nothing of the library came before it.

#include "core/model/Id.h"
#include "core/model/Import.h"
#include "core/model/LaunchConfig.h"
#include "core/model/Result.h"
#include "core/model/Time.h"
#include "core/model/WholeNumber.h"
#include "support/TestProgram.h"

#include <type_traits>

using namespace trainscope;

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

    // The nearest doubles below and at the ends of the types.
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
};

TRAINSCOPE_TEST(tst_Values)
#include "tst_Values.moc"
