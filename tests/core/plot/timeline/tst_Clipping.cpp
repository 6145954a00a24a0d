// Nothing of the data is drawn outside the plot, whatever part of it is shown: vector files have no
// clipping.

#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

TimelineData everything() {
    TimelineData data = emptyData(50);
    std::vector<Bucket> buckets;
    for (int i = 0; i < 50; ++i)
        buckets.push_back(
            i % 10 == 3 ? hole() : sample(static_cast<float>(i), static_cast<float>(2 * i)));
    for (const LaneStyle style : {LaneStyle::Lines, LaneStyle::Band, LaneStyle::Heat})
        data.lanes.push_back(metricLane(style, "gpu_power", {buckets, buckets}));
    std::vector<store::LodNode> spans;
    for (int i = 0; i < 20; ++i)
        spans.push_back(span(5 * i, 5 * i + 4, 1));
    data.lanes.push_back(kernelLane({spans, spans}));
    data.names = {{NameId{1}, {"gemm", "gemm"}}};
    for (int i = 0; i < 10; ++i)
        data.iterations[0].push_back({i, {{1000 + 10 * i}, {1010 + 10 * i}}, -1, false});
    return data;
}

constexpr double kLeft = 112.0;
constexpr double kRight = 212.0;
constexpr double kSlack = 1e-6;

bool within(double from, double to) {
    // The name column has colour bars; everything else lies in the plot.
    return (from >= kLeft - 6.0 - kSlack && to <= kRight + kSlack) || to <= kLeft;
}

} // namespace

class tst_Clipping : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingLeavesThePlot_data() {
        const auto row = columns<int, int>("begin", "end");
        row("all", 0, 100);
        row("inside", 33, 41);
        row("one nanosecond", 33, 34);
        row("over the left edge", -50, 20);
        row("over the right edge", 80, 130);
        row("far out", -1000, 5000);
        row("beside", 300, 400);
    }
    void nothingLeavesThePlot() {
        QFETCH(int, begin);
        QFETCH(int, end);
        const auto geometry = buildTimeline(everything(), {{begin}, {end}}, smallStyle());
        for (const auto& fill : itemsOf<FillRect>(geometry.scene))
            QVERIFY(within(fill.rect.x, fill.rect.right()));
        for (const auto& columns : itemsOf<Columns>(geometry.scene))
            QVERIFY(within(columns.area.x, columns.area.right()));
        for (const auto& bar : barsOf(geometry.scene))
            QVERIFY(within(bar.rect.x, bar.rect.right()));
        for (const auto& strip : itemsOf<HeatStrip>(geometry.scene))
            QVERIFY(within(strip.area.x, strip.area.right()));
        for (const auto& line : itemsOf<Line>(geometry.scene))
            QVERIFY(line.from.x >= 0.0 && line.to.x <= kRight + kSlack);
    }

    void scrolledLanesGoUnderTheAxis() {
        TimelineStyle style = smallStyle();
        style.height = 200.0;
        style.scroll = 40.0;
        const auto geometry = buildTimeline(everything(), {{0}, {100}}, style);
        QCOMPARE(geometry.scene.height, 200.0);
        QCOMPARE(geometry.lanes.size(), std::size_t{4});
        QCOMPARE(geometry.lanes[0].area.y, geometry.plot.y - 40.0 + 8.0);
        // The head covers what is scrolled under it: its background comes after the last lane's
        // data.
        std::size_t lastColumns = 0;
        std::size_t cover = 0;
        for (std::size_t i = 0; i < geometry.scene.items.size(); ++i) {
            const auto* fill = std::get_if<FillRect>(&geometry.scene.items[i]);
            if (std::holds_alternative<Columns>(geometry.scene.items[i]))
                lastColumns = i;
            if (fill != nullptr && fill->rect.width == style.width && fill->rect.y == 0.0)
                cover = i;
        }
        QVERIFY(cover > lastColumns);
    }

    void lanesOutsideTheViewCostNothing() {
        TimelineStyle style = smallStyle();
        style.height = 60.0;
        const auto geometry = buildTimeline(everything(), {{0}, {100}}, style);
        QCOMPARE(itemsOf<HeatStrip>(geometry.scene).size(), std::size_t{0});
        QCOMPARE(geometry.lanes.size(), std::size_t{4});
    }

    void iterationsAreNamedWhereThereIsRoom() {
        TimelineData data = everything();
        const auto geometry = buildTimeline(data, {{20}, {40}}, smallStyle());
        int full = 0;
        int numbers = 0;
        for (const auto& label : itemsOf<Label>(geometry.scene)) {
            full += label.text == "iteration 2" || label.text == "iteration 3" ? 1 : 0;
            numbers += label.text == "2" ? 1 : 0;
        }
        // 50 px each: 66 px of "iteration 2" do not fit, the number does.
        QCOMPARE(full, 0);
        QCOMPARE(numbers, 1);
    }

    // 1 px each, in two stretches: a number of 12 px and its 6 px of margins leave room for every
    // twentieth; the first of each stretch is told, the last would leave the plot.
    void narrowIterationsAreNumberedWhereThereIsRoom() {
        TimelineData data = emptyData(100);
        for (std::int64_t i = 0; i < 70; ++i) {
            const std::int64_t begin = 1000 + i + (i < 30 ? 0 : 30);
            data.iterations[0].push_back({11 + i, {{begin}, {begin + 1}}, -1, false});
        }
        const auto geometry = buildTimeline(data, data.window, smallStyle());
        std::vector<std::pair<std::string, double>> numbers;
        for (const auto& label : itemsOf<Label>(geometry.scene)) {
            if (label.anchor.x >= kLeft && label.text.find(' ') == std::string::npos)
                numbers.emplace_back(label.text, label.anchor.x - kLeft);
        }
        const std::vector<std::pair<std::string, double>> expected{
            {"11", 2.0}, {"40", 31.0}, {"41", 62.0}, {"60", 81.0}};
        QCOMPARE(numbers, expected);
    }
};

TRAINSCOPE_TEST(tst_Clipping)
#include "tst_Clipping.moc"
