// The rows of captures and phases: where their stretches stand, what they are called, and what lies
// under a point.

#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope;
using plot::StretchKind;

namespace {

// Run 0 of emptyData() begins at 1000 ns; the plot shows 0 … 100 ns in 100 px from x = 112.
Capture capture(const char* name, int rank, std::int64_t begin, std::int64_t end) {
    return {name, rank, {{1000 + begin}, {1000 + end}}};
}

plot::TimelineGeometry build(const plot::TimelineData& data) {
    return plot::buildTimeline(data, data.window, test::smallStyle());
}

bool says(const plot::PlotScene& scene, std::string_view text) {
    const auto labels = test::itemsOf<plot::Label>(scene);
    return std::any_of(labels.begin(), labels.end(),
        [text](const plot::Label& label) { return label.text == text; });
}

StretchKind kindOf(const plot::TimelineGeometry& geometry, const plot::StretchPlace& place) {
    return geometry.strips[place.strip].kind;
}

} // namespace

class tst_CaptureStrip : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void stretchesStandWhereTheyWereRecorded() {
        auto data = test::emptyData(4);
        data.captures = {{capture("eager-4", 0, 10, 40), capture("compiled-16", 0, 90, 91)}};
        const auto geometry = build(data);
        QCOMPARE(geometry.stretches.size(), std::size_t{2});
        QCOMPARE(geometry.stretches[0].rect.x, 122.0);
        QCOMPARE(geometry.stretches[0].rect.width, 30.0);
        QCOMPARE(geometry.stretches[1].rect.x, 202.0);
        QCOMPARE(geometry.stretches[1].rect.width, 2.0); // 1 px wide: still seen
        QVERIFY(says(geometry.scene, "captures"));
        // 42 px wide, beside its 30 px, before the next one 50 px further.
        QVERIFY(says(geometry.scene, "eager-4"));
        QVERIFY(!says(geometry.scene, "compiled-16")); // no room for 66 px
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
        QVERIFY(says(geometry.scene, "phases") && says(geometry.scene, "train"));
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

TRAINSCOPE_TEST(tst_CaptureStrip)
#include "tst_CaptureStrip.moc"
