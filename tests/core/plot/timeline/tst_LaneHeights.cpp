// Lanes share the height of the window: in proportion to their wishes, between what their rows need
// and what they can fill. Texts of the dark theme are 13 (body) and 11 px (small), a step is 4 px.

#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

using Heights = std::vector<double>;

LaneData lineLane(double wish) {
    LaneData lane = metricLane(LaneStyle::Lines, "gpu_power", {{sample(1, 2)}});
    lane.spec.height = wish;
    return lane;
}

// One rank's threads; a number is the depth of a thread's calls.
LaneData threadLane(const std::vector<int>& depths) {
    LaneData lane;
    lane.spec = {LaneStyle::Thread, {}, 0, 220.0};
    lane.title = "Host threads";
    for (const int depth : depths)
        lane.spans.push_back({0, 0, TrackId{static_cast<std::int64_t>(lane.spans.size()) + 1},
            "rank 0 · thread " + std::to_string(lane.spans.size() + 1) + " (python)", depth,
            {span(0, 100, 3)}});
    return lane;
}

Heights shared(std::vector<LaneData> lanes, double room) {
    TimelineData data = emptyData(1);
    data.lanes = std::move(lanes);
    return sharedHeights(data, room, darkTheme());
}

} // namespace

class tst_LaneHeights : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theRoomIsFilledByWishes() {
        QCOMPARE(shared({lineLane(140), lineLane(70)}, 600), (Heights{400, 200}));
        QCOMPARE(shared({lineLane(140), lineLane(70)}, 180), (Heights{120, 60}));
        QCOMPARE(shared({}, 600), Heights());
    }
    // Nothing is lost by whole pixels.
    void pixelsAreWholeAndSumUp() {
        const auto heights = shared({lineLane(100), lineLane(100), lineLane(100)}, 500);
        QCOMPARE(std::accumulate(heights.begin(), heights.end(), 0.0), 500.0);
        for (const double height : heights)
            QCOMPARE(height, std::round(height));
    }
    // 4.6 × 13 px is the least of a lane of lines: the page scrolls.
    void lanesThatDoNotFitKeepTheirLeast() {
        const auto heights = shared(std::vector<LaneData>(10, lineLane(100)), 300);
        QCOMPARE(std::accumulate(heights.begin(), heights.end(), 0.0), std::round(10 * 59.8));
    }
    void aChosenHeightStays() {
        LaneData fixed = lineLane(100);
        fixed.spec.isFixed = true;
        QCOMPARE(shared({fixed, lineLane(50), lineLane(150)}, 500), (Heights{100, 100, 300}));
        fixed.spec.height = 33;
        QCOMPARE(shared({fixed, lineLane(50)}, 500), (Heights{33, 467}));
    }
    // 20 levels of 1.25 × 13 px and 16 px around them, whatever the room, and even where a lower
    // height was chosen: each has its name.
    void callsOfTheHostAreNeverTooLowForNames() {
        QCOMPARE(shared({threadLane({12, 5, 3})}, 100), Heights{341});
        QCOMPARE(shared({threadLane({12, 5, 3}), lineLane(100)}, 200).front(), 341.0);
        LaneData fixed = threadLane({12, 5, 3});
        fixed.spec.height = 50;
        fixed.spec.isFixed = true;
        QCOMPARE(shared({fixed, lineLane(100)}, 200).front(), 341.0);
    }
    // No level is higher than 4 × 13 px: two take 104 px and 16 px around them.
    void fewRowsLeaveTheRoomToOthers() {
        QCOMPARE(shared({threadLane({2}), lineLane(100)}, 800), (Heights{120, 680}));
        // One rank's row and the legend of 1.6 × 11 px.
        const auto kernels = shared({kernelLane({{span(0, 50, 1)}}), lineLane(100)}, 800);
        QCOMPARE(kernels.front(), std::round(16 + 17.6 + 52));
        QCOMPARE(kernels.back(), 800 - kernels.front());
    }
    // Without others they stretch.
    void nothingIsLeftEmpty() {
        QCOMPARE(shared({threadLane({2})}, 800), Heights{800});
        const auto two = shared({threadLane({2}), kernelLane({{span(0, 50, 1)}})}, 800);
        QCOMPARE(two[0] + two[1], 800.0);
        TimelineData data = emptyData(1);
        data.lanes = {kernelLane({{span(0, 50, 1)}, {span(0, 50, 1)}})};
        TimelineStyle style = smallStyle();
        style.height = 600.0;
        style.sharesHeight = true;
        const auto geometry = buildTimeline(data, data.window, style);
        const auto& rows = geometry.lanes[0].rows;
        // The legend is below the rows.
        QVERIFY(geometry.lanes[0].area.bottom() - rows.back().rect.bottom() < 30);
    }
    void thePictureHasThem() {
        TimelineData data = emptyData(1);
        data.lanes = {lineLane(140), lineLane(70)};
        TimelineStyle style = smallStyle();
        style.height = 600.0;
        style.sharesHeight = true;
        const auto geometry = buildTimeline(data, data.window, style);
        const double top = geometry.plot.y;
        const auto& lanes = geometry.lanes;
        QCOMPARE(lanes[0].lane.y, top);
        QCOMPARE(lanes[0].lane.height, std::round((600 - top) / 3 * 2));
        QCOMPARE(lanes[1].lane.y, lanes[0].lane.bottom());
        QVERIFY(std::abs(lanes[1].lane.bottom() - 600.0) <= 0.5);
        QCOMPARE(lanes[1].area.y, lanes[1].lane.y + 8);
        // Without sharing every lane has what it wishes.
        style.sharesHeight = false;
        QCOMPARE(buildTimeline(data, data.window, style).lanes[0].lane.height, 140.0);
    }
    // Below the lane's own name, which the first thread's rows stand beside, labels are whole.
    void threadsAreNamedInFull() {
        TimelineData data = emptyData(1);
        data.names = {{NameId{3}, {"aten::linear", ""}}};
        data.lanes = {threadLane({6, 1})};
        TimelineStyle style = smallStyle();
        style.nameWidth = 190.0;
        style.height = 300.0;
        style.sharesHeight = true;
        const auto scene = buildTimeline(data, data.window, style).scene;
        int whole = 0;
        for (const auto& label : itemsOf<Label>(scene))
            whole += label.text.ends_with("(python)") ? 1 : 0;
        QCOMPARE(whole, 2);
    }
};

TRAINSCOPE_TEST(tst_LaneHeights)
#include "tst_LaneHeights.moc"
