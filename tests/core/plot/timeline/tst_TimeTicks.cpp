// The time axis: steps and labels from days to single nanoseconds, in every display.

#include "core/plot/timeline/TimeScale.h"
#include "core/plot/timeline/TimeTicks.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "core/text/Times.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using plot::StretchKind;

namespace {

constexpr std::int64_t kS = 1'000'000'000;
// 2024-02-29 12:34:56.5 UTC: a leap day; seconds by `date -u -d ... +%s`.
constexpr std::int64_t kLeap = 1'709'210'096 * kS + kS / 2;

std::vector<Iteration> fiveIterations() {
    std::vector<Iteration> iterations;
    for (int i = 0; i < 5; ++i)
        iterations.push_back({i + 3, {{i * 2 * kS}, {(i + 1) * 2 * kS}}, -1, false});
    return iterations;
}

QString joined(const TimeTicks& axis) {
    QStringList labels;
    for (const auto& tick : axis.ticks)
        labels.append(QString::fromStdString(tick.label));
    return labels.join(QStringLiteral(" | "));
}

// Run 0 of emptyData() begins at 1000 ns; the plot shows 0 … 100 ns in 100 px from x = 112.
Capture capture(const char* name, int rank, std::int64_t begin, std::int64_t end) {
    return {name, rank, {{1000 + begin}, {1000 + end}}};
}

plot::TimelineGeometry build(const plot::TimelineData& data) {
    return plot::buildTimeline(data, data.window, test::smallStyle());
}

StretchKind kindOf(const plot::TimelineGeometry& geometry, const plot::StretchPlace& place) {
    return geometry.strips[place.strip].kind;
}

} // namespace

class tst_TimeTicks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void relative_data() {
        const auto row
            = test::columns<qint64, qint64, QString, QString>("begin", "end", "base", "labels");
        row("a run", 0, 50 * kS, "", "0 s | 10 s | 20 s | 30 s | 40 s | 50 s");
        row("before the start", -10 * kS, 10 * kS, "", "−10 s | −5 s | 0 s | 5 s | 10 s");
        row("half an hour", 0, 1800 * kS, "", "0:00:00 | 0:10:00 | 0:20:00 | 0:30:00");
        row("milliseconds of a second", 39 * kS + 600'000'000, 39 * kS + 650'000'000, "",
            "39.60 s | 39.61 s | 39.62 s | 39.63 s | 39.64 s | 39.65 s");
        row("microseconds of a second", 39 * kS + 604'100'000, 39 * kS + 604'150'000, "39.604 s +",
            "100 µs | 110 µs | 120 µs | 130 µs | 140 µs | 150 µs");
        row("single nanoseconds", 39 * kS + 604'123'456, 39 * kS + 604'123'461, "39.604123 s +",
            "456 ns | 457 ns | 458 ns | 459 ns | 460 ns | 461 ns");
        row("from zero, small", 0, 500, "", "0 ns | 100 ns | 200 ns | 300 ns | 400 ns | 500 ns");
        row("milliseconds from zero", 0, 50'000'000, "",
            "0 ms | 10 ms | 20 ms | 30 ms | 40 ms | 50 ms");
    }
    void relative() {
        QFETCH(qint64, begin);
        QFETCH(qint64, end);
        QFETCH(QString, base);
        QFETCH(QString, labels);
        const TimeTicks axis = timeTicks({{begin}, {end}}, 0.2, {});
        QCOMPARE(joined(axis), labels);
        QCOMPARE(QString::fromStdString(axis.base), base);
    }

    void steps_data() {
        const auto row = test::columns<qint64, qint64>("least", "step");
        row("1 ns", 1, 1);
        row("3 ns", 3, 5);
        row("0.6 s", 600'000'000, qint64{kS});
        row("11 s", qint64{11 * kS}, qint64{15 * kS});
        row("31 s", qint64{31 * kS}, qint64{60 * kS});
        row("4 h", qint64{4 * 3600 * kS}, qint64{6 * 3600 * kS});
        row("3 d", qint64{3 * 86400 * kS}, qint64{5 * 86400 * kS});
    }
    void steps() {
        QFETCH(qint64, least);
        QFETCH(qint64, step);
        QCOMPARE(roundTimeStep({least}).ns, step);
    }

    void utcAlignsToTheClock() {
        TimeContext context;
        context.display = TimeDisplay::Utc;
        context.origin = {kLeap};
        const TimeTicks axis = timeTicks({{0}, {20 * kS}}, 0.25, context);
        QCOMPARE(QString::fromStdString(axis.base), QStringLiteral("2024-02-29 UTC"));
        QCOMPARE(joined(axis), QStringLiteral("12:35:00 | 12:35:05 | 12:35:10 | 12:35:15"));
        QCOMPARE(axis.ticks.front().time.ns, 3 * kS + kS / 2);
    }

    void localShiftsTheClock() {
        TimeContext context;
        context.display = TimeDisplay::Local;
        context.origin = {kLeap};
        context.utcOffsetSeconds = 5 * 3600 + 1800;
        const TimeTicks axis = timeTicks({{0}, {20 * kS}}, 0.25, context);
        QCOMPARE(QString::fromStdString(axis.base), QStringLiteral("2024-02-29 UTC+05:30"));
        QCOMPARE(joined(axis), QStringLiteral("18:05:00 | 18:05:05 | 18:05:10 | 18:05:15"));
    }

    void utcDownToNanoseconds() {
        TimeContext context;
        context.display = TimeDisplay::Utc;
        context.origin = {kLeap};
        const TimeTicks axis = timeTicks({{7}, {12}}, 0.2, context);
        QCOMPARE(
            QString::fromStdString(axis.base), QStringLiteral("2024-02-29 12:34:56.500000 UTC +"));
        QCOMPARE(joined(axis), QStringLiteral("7 ns | 8 ns | 9 ns | 10 ns | 11 ns | 12 ns"));
    }

    void daysShowDates() {
        TimeContext context;
        context.display = TimeDisplay::Utc;
        context.origin = {kLeap};
        const TimeTicks axis = timeTicks({{0}, {3 * 86400 * kS}}, 0.3, context);
        QCOMPARE(joined(axis), QStringLiteral("2024-03-01 | 2024-03-02 | 2024-03-03"));
    }

    void iterationsAreTheTicks() {
        const auto iterations = fiveIterations();
        TimeContext context{TimeDisplay::Iteration, {0}, 0, &iterations};
        QCOMPARE(
            joined(timeTicks({{0}, {10 * kS}}, 0.1, context)), QStringLiteral("3 | 4 | 5 | 6 | 7"));
        QCOMPARE(joined(timeTicks({{0}, {10 * kS}}, 0.4, context)), QStringLiteral("3 | 5 | 7"));
    }

    void insideAnIterationTimeCountsFromItsStart() {
        const auto iterations = fiveIterations();
        TimeContext context{TimeDisplay::Iteration, {0}, 0, &iterations};
        const TimeTicks axis = timeTicks({{4 * kS + 500'000'000}, {5 * kS}}, 0.2, context);
        QCOMPARE(QString::fromStdString(axis.base), QStringLiteral("iteration 5"));
        QCOMPARE(joined(axis), QStringLiteral("0.5 s | 0.6 s | 0.7 s | 0.8 s | 0.9 s | 1.0 s"));
    }

    void texts_data() {
        const auto row
            = test::columns<int, qint64, qint64, QString>("display", "time", "resolution", "text");
        row("ms", TimeDisplay::Relative, 39'604'123'456, 1'000'000, "39.604 s");
        row("ns", TimeDisplay::Relative, 39'604'123'456, 1, "39.604123456 s");
        row("s", TimeDisplay::Relative, 39'604'123'456, kS, "39 s");
        row("hours", TimeDisplay::Relative, 37'581 * kS, kS, "10:26:21");
        row("of hours a part", TimeDisplay::Relative, 37'569'250'000'000, 10'000'000,
            "10:26:09.25");
        row("finer", TimeDisplay::Relative, 37'581'250'000'000, 1'000'000, "37581.250 s");
        row("hours before", TimeDisplay::Relative, -3'605 * kS, kS, "−1:00:05");
        row("negative", TimeDisplay::Relative, -1'500'000'000, 100'000'000, "−1.5 s");
        row("iteration", TimeDisplay::Iteration, 5'250'000'000, 10'000'000, "iteration 5 + 1.25 s");
        row("utc", TimeDisplay::Utc, 0, 1'000'000, "00:00:00.000 UTC");
    }
    void texts() {
        QFETCH(int, display);
        QFETCH(qint64, time);
        QFETCH(qint64, resolution);
        QFETCH(QString, text);
        const auto iterations = fiveIterations();
        const TimeContext context{static_cast<TimeDisplay>(display), {0}, 0, &iterations};
        QCOMPARE(QString::fromStdString(timeText({time}, {resolution}, context)), text);
    }

    // Under an axis of an hour, which says 0:15:00, a reading says minutes too; under one of ten
    // minutes both say seconds.
    void readingsHaveTheFormOfTheAxis() {
        const TimeTicks hour = timeTicks({{0}, {3600 * kS}}, 0.2, {});
        QCOMPARE(hour.ticks.at(1).label, std::string("0:15:00"));
        TimeContext context;
        context.farthest = {3600 * kS};
        QCOMPARE(timeText({871 * kS}, {kS}, context), std::string("0:14:31"));
        const TimeTicks minutes = timeTicks({{0}, {600 * kS}}, 0.2, {});
        QCOMPARE(minutes.ticks.at(1).label, std::string("120 s"));
        context.farthest = {600 * kS};
        QCOMPARE(timeText({571 * kS}, {kS}, context), std::string("571 s"));
    }

    void durations_data() {
        const auto row = test::columns<qint64, QString>("ns", "text");
        row("ns", 640, "640 ns");
        row("us", 1840, "1.84 µs");
        row("ms", 1'840'000, "1.84 ms");
        row("s", 7'210'000'000, "7.21 s");
        row("min", qint64{754 * kS}, "12 min 34 s");
        row("h", qint64{(2 * 3600 + 180) * kS}, "2 h 3 min");
        row("zero", 0, "0 ns");
    }
    void durations() {
        QFETCH(qint64, ns);
        QFETCH(QString, text);
        QCOMPARE(QString::fromStdString(text::duration({ns})), text);
    }

    void absurdWindows() {
        QVERIFY(timeTicks({{5}, {5}}, 0.1, {}).ticks.empty());
        QVERIFY(timeTicks({{0}, {10}}, 0.0, {}).ticks.empty());
        QVERIFY(timeTicks({{0}, {1'000'000'000 * kS}}, 0.0001, {}).ticks.size() <= 400);
    }

    void wholeRunIterationsComeFirst() {
        std::vector<Iteration> all{{1, {{20}, {30}}, 4, false}, {1, {{0}, {10}}, -1, false},
            {0, {{-10}, {0}}, -1, false}, {1, {{1}, {9}}, 0, false}};
        const auto chosen = mainIterations(all);
        QCOMPARE(chosen.size(), std::size_t{2});
        QCOMPARE(chosen[0].range.begin.ns, -10);
        QCOMPARE(chosen[1].rank, -1);
        all.erase(all.begin() + 1, all.begin() + 3);
        QCOMPARE(mainIterations(all).front().rank, 0);
    }

    // View time to position and back.
    void edges() {
        const TimeScale scale{100.0, 50.0, {{10}, {20}}};
        QCOMPARE(scale.toX({10}), 100.0);
        QCOMPARE(scale.toX({15}), 125.0);
        QCOMPARE(scale.toX({20}), 150.0);
        QCOMPARE(scale.toX({0}), 50.0); // not clamped
        QCOMPARE(scale.toTime(125.0).ns, 15);
        QCOMPARE(scale.right(), 150.0);
    }

    void emptyWindowsAndPlots() {
        QCOMPARE((TimeScale{100.0, 50.0, {{10}, {10}}}).toX({12}), 100.0);
        QCOMPARE((TimeScale{100.0, 0.0, {{10}, {20}}}).toTime(105.0).ns, 10);
    }

    void roundTrip_data() {
        const auto row = test::columns<qint64, qint64>("begin", "length");
        row("1 us at 0", 0, 1'000);
        row("1 us after a day", 86'400'000'000'000, 1'000);
        row("1000 ns before 0", -500, 1'000);
        row("1 s after 100 days", 8'640'000'000'000'000, 1'000'000'000);
    }
    void roundTrip() {
        QFETCH(qint64, begin);
        QFETCH(qint64, length);
        const TimeScale scale{148.0, 1772.0, {{begin}, {begin + length}}};
        for (int i = 0; i <= 1000; ++i) {
            const DurationNs time{begin + length / 1000 * i};
            QVERIFY(std::abs((scale.toTime(scale.toX(time)) - time).ns) <= 1);
        }
    }

    // The rows of captures and phases: where their stretches stand, what they are called, and what
    // lies under a point.

    void stretchesStandWhereTheyWereRecorded() {
        auto data = test::emptyData(4);
        data.captures = {{capture("eager-4", 0, 10, 40), capture("compiled-16", 0, 90, 91)}};
        const auto geometry = build(data);
        QCOMPARE(geometry.stretches.size(), std::size_t{2});
        QCOMPARE(geometry.stretches[0].rect.x, 122.0);
        QCOMPARE(geometry.stretches[0].rect.width, 30.0);
        QCOMPARE(geometry.stretches[1].rect.x, 202.0);
        QCOMPARE(geometry.stretches[1].rect.width, 2.0); // 1 px wide: still seen
        QVERIFY(test::hasLabel(geometry.scene, "captures"));
        // 42 px wide, beside its 30 px, before the next one 50 px further.
        QVERIFY(test::hasLabel(geometry.scene, "eager-4"));
        QVERIFY(!test::hasLabel(geometry.scene, "compiled-16")); // no room for 66 px
    }

    void theRowTakesRoomOnlyWhereThereAreCaptures() {
        auto data = test::emptyData(4);
        const double without = build(data).plot.y;
        data.captures = {{capture("a", 0, 10, 40)}};
        const double with = build(data).plot.y;
        QVERIFY(with > without + 10.0);
        data.captures = {{}};
        QCOMPARE(build(data).plot.y, without);
    }

    void outsideTheWindowThereIsNothing() {
        auto data = test::emptyData(4);
        data.captures = {{capture("before", 0, -50, -10), capture("across", 0, -5, 5),
            capture("behind", 0, 200, 300)}};
        const auto geometry = build(data);
        QCOMPARE(geometry.stretches.size(), std::size_t{1});
        QCOMPARE(geometry.stretches[0].item, std::size_t{1});
        QCOMPARE(geometry.stretches[0].rect.x, 112.0);
        QCOMPARE(geometry.stretches[0].rect.width, 5.0);
    }

    // Phases have a row of their own above the captures of the run; a phase that comes twice is
    // two.
    void phasesStandAboveCaptures() {
        auto data = test::emptyData(4);
        data.captures = {{capture("trace", 0, 20, 30)}};
        const double with = build(data).plot.y;
        data.phases = {
            {{"train", {{1000}, {1050}}}, {"eval", {{1050}, {1060}}}, {"train", {{1060}, {1100}}}}};
        const auto geometry = build(data);
        QVERIFY(geometry.plot.y > with + 10.0);
        QCOMPARE(geometry.stretches.size(), std::size_t{4});
        QVERIFY(
            test::hasLabel(geometry.scene, "phases") && test::hasLabel(geometry.scene, "train"));
        const auto* eval
            = plot::stretchUnder(geometry, {163.0, geometry.stretches[0].rect.y + 1.0});
        QVERIFY(
            eval != nullptr && kindOf(geometry, *eval) == StretchKind::Phase && eval->item == 1);
        const auto* trace
            = plot::stretchUnder(geometry, {135.0, geometry.stretches[3].rect.y + 1.0});
        QVERIFY(trace != nullptr && kindOf(geometry, *trace) == StretchKind::Capture
            && trace->item == 0);
        QVERIFY(geometry.stretches[3].rect.y > geometry.stretches[0].rect.bottom());
    }

    // A thin one is hit beside it too.
    void whatLiesUnderAPoint() {
        auto data = test::emptyData(4);
        data.captures = {{capture("a", 0, 10, 40), capture("b", 0, 60, 61)}};
        const auto geometry = build(data);
        const double y = geometry.stretches[0].rect.y + 1.0;
        const auto* first = plot::stretchUnder(geometry, {130.0, y});
        QVERIFY(first != nullptr && first->item == 0);
        const auto* second = plot::stretchUnder(geometry, {175.5, y});
        QVERIFY(second != nullptr && second->item == 1);
        QVERIFY(plot::stretchUnder(geometry, {160.0, y}) == nullptr);
        QVERIFY(plot::stretchUnder(geometry, {130.0, geometry.stretches[0].rect.bottom() + 2.0})
            == nullptr);
    }

    // Iterations are stretches too, below the captures; those found in the power stand in for
    // recorded ones. The window cuts what it shows, not what the stretch is.
    void iterationsAreStretches() {
        auto data = test::emptyData(4);
        data.captures = {{capture("a", 0, 10, 40)}};
        data.iterations = {{{7, {{980}, {1040}}, -1, true}, {8, {{1040}, {1090}}, -1, false}}};
        const auto geometry = build(data);
        QCOMPARE(geometry.strips.size(), std::size_t{2});
        const plot::StretchStrip& strip = geometry.strips[1];
        QCOMPARE(strip.kind, StretchKind::Iteration);
        QCOMPARE(plot::stretchCount(data, nullptr, strip), std::size_t{2});
        QCOMPARE(geometry.stretches.size(), std::size_t{3});
        QCOMPARE(geometry.stretches[1].rect.x, 112.0);
        QCOMPARE(geometry.stretches[2].rect.x, 152.0);
        const auto* under = plot::stretchUnder(geometry, {160.0, strip.rect.y + 1.0});
        QVERIFY(under != nullptr && under->item == 1);
        const NamedPhase first = plot::stretchAt(data, nullptr, strip, 0);
        QCOMPARE(first.name, std::string("7"));
        QCOMPARE(first.range, (TimeRange{{980}, {1040}}));

        std::vector<plot::RunOverlay> overlays(1);
        overlays[0].iterations = {{0, {{1005}, {1015}}, -1, false}};
        QCOMPARE(plot::stretchCount(data, &overlays, strip), std::size_t{2});
        data.iterations = {{}};
        QCOMPARE(plot::stretchCount(data, &overlays, strip), std::size_t{1});
        QCOMPARE(plot::stretchAt(data, &overlays, strip, 0).range, (TimeRange{{1005}, {1015}}));
    }
};

TRAINSCOPE_TEST(tst_TimeTicks)
#include "tst_TimeTicks.moc"
