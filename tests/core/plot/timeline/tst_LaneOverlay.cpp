
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using plot::FillRect;
using plot::LaneStyle;
using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

// Run 0 of emptyData() begins at 1000 ns; the plot shows 0 … 100 ns in 100 px from x = 112.
plot::ThrottleMark mark(int rank, std::int64_t begin, std::int64_t end) {
    return {rank, {{1000 + begin}, {1000 + end}}, "thermal", 0.5};
}

std::vector<FillRect> hatched(const plot::PlotScene& scene, const plot::Theme& theme) {
    std::vector<FillRect> found;
    for (const auto& item : scene.items) {
        const auto* fill = std::get_if<FillRect>(&item);
        if (fill != nullptr && fill->hatch == plot::Hatch::Diagonal
            && fill->fill.r == theme.warning.r && fill->fill.g == theme.warning.g)
            found.push_back(*fill);
    }
    return found;
}

plot::TimelineData clockData(LaneStyle style, std::size_t gpus) {
    auto data = test::emptyData(4);
    data.lanes.push_back(test::metricLane(style, "sm_clock",
        std::vector<std::vector<Bucket>>(gpus, std::vector<Bucket>(4, test::sample(10, 20)))));
    return data;
}

std::vector<plot::Rect> throttleStrips(const plot::TimelineGeometry& geometry) {
    std::vector<plot::Rect> strips;
    for (const auto& strip : geometry.strips) {
        if (strip.kind == plot::StretchKind::Throttle)
            strips.push_back(strip.rect);
    }
    return strips;
}

// Drawn in the middle of a strip's height.
bool isIn(const plot::Rect& strip, const FillRect& fill) {
    const double apart = fill.rect.y + fill.rect.height / 2.0 - strip.y - strip.height / 2.0;
    return std::abs(apart) < 0.01;
}

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

class tst_LaneOverlay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        m_overlays.assign(1, {});
        m_overlays[0].gpus = 2;
    }

    void clockLanesAreHatchedWhereAnyGpuIsThrottled() {
        m_overlays[0].throttles = {mark(0, 10, 20), mark(1, 15, 40), mark(0, 60, 70)};
        const auto data = clockData(LaneStyle::Lines, 2);
        const auto geometry = build(data);
        const auto bands = hatched(geometry.scene, plot::darkTheme());
        QCOMPARE(bands.size(), std::size_t{2});
        QCOMPARE(bands[0].rect, (plot::Rect{122, geometry.lanes[0].area.y, 30, 84}));
        QCOMPARE(bands[1].rect, (plot::Rect{172, geometry.lanes[0].area.y, 10, 84}));
    }

    void aLaneOfOneGpuShowsItsOwn() {
        m_overlays[0].throttles = {mark(0, 10, 20), mark(1, 50, 60)};
        auto data = clockData(LaneStyle::Lines, 1);
        data.lanes[0].spec.rank = 1;
        const auto bands = hatched(build(data).scene, plot::darkTheme());
        QCOMPARE(bands.size(), std::size_t{1});
        QCOMPARE(bands[0].rect.x, 162.0);
    }

    void heatRowsAreHatchedByTheirOwnEpisodes() {
        m_overlays[0].throttles = {mark(1, 0, 50)};
        const auto geometry = build(clockData(LaneStyle::Heat, 2));
        const auto bands = hatched(geometry.scene, plot::darkTheme());
        QCOMPARE(bands.size(), std::size_t{1});
        QCOMPARE(bands[0].rect.y, geometry.lanes[0].rows[1].rect.y);
        QCOMPARE(bands[0].rect.width, 50.0);
    }

    // Two runs: thin bands in the colour of each below the lane's upper edge, no hatch.
    void severalRunsAreThinBandsInTheirColours() {
        m_overlays[0].throttles = {mark(0, 10, 30)};
        m_overlays.push_back(m_overlays[0]);
        m_overlays[1].throttles = {mark(0, 20, 90)};
        auto data = clockData(LaneStyle::Lines, 1);
        data.runs.push_back({RunId{2}, "other", TimeNs{1000}, 1});
        data.iterations.emplace_back();
        const auto geometry = build(data);
        QVERIFY(hatched(geometry.scene, plot::darkTheme()).empty());
        const plot::Rect area = geometry.lanes[0].area;
        std::vector<FillRect> bands;
        for (const auto& item : geometry.scene.items) {
            const auto* fill = std::get_if<FillRect>(&item);
            if (fill != nullptr && (fill->rect.width == 20.0 || fill->rect.width == 70.0)
                && fill->rect.y >= geometry.plot.y)
                bands.push_back(*fill);
        }
        QCOMPARE(bands.size(), std::size_t{2});
        QCOMPARE(bands[0].rect.x, 122.0);
        QCOMPARE(bands[1].rect.x, 132.0);
        QVERIFY(bands[0].fill.r != bands[1].fill.r || bands[0].fill.g != bands[1].fill.g);
        QVERIFY(bands[1].rect.y >= bands[0].rect.bottom());
        QVERIFY(bands[1].rect.bottom() <= area.y); // above the curves
        // The strips of the head have the same colours.
        for (std::size_t run = 0; run < 2; ++run) {
            const auto strip = throttleStrips(geometry).at(run);
            const auto isOfRun = [&](const plot::SceneItem& item) {
                const auto* fill = std::get_if<FillRect>(&item);
                return fill != nullptr && isIn(strip, *fill)
                    && fill->rect.width == bands[run].rect.width
                    && fill->fill.r == bands[run].fill.r && fill->fill.g == bands[run].fill.g;
            };
            QVERIFY(std::any_of(geometry.scene.items.begin(), geometry.scene.items.end(), isOfRun));
        }
    }

    void otherLanesAndSwitchedOffOverlaysStayClean() {
        m_overlays[0].throttles = {mark(0, 10, 20)};
        auto data = clockData(LaneStyle::Lines, 1);
        data.lanes[0].spec.metric = "gpu_power";
        QVERIFY(hatched(build(data).scene, plot::darkTheme()).empty());
        const auto off
            = plot::buildTimeline(clockData(LaneStyle::Lines, 1), data.window, test::smallStyle());
        QVERIFY(hatched(off.scene, plot::darkTheme()).empty());
        QVERIFY(throttleStrips(off).empty());
    }

    void theStripIsDarkerTheMoreGpusAreThrottled() {
        m_overlays[0].throttles = {mark(0, 10, 30), mark(1, 20, 30)};
        const auto geometry = build(clockData(LaneStyle::Lines, 2));
        QCOMPARE(throttleStrips(geometry).size(), std::size_t{1});
        const auto strip = throttleStrips(geometry)[0];
        std::vector<FillRect> fills;
        for (const auto& item : geometry.scene.items) {
            const auto* fill = std::get_if<FillRect>(&item);
            if (fill != nullptr && isIn(strip, *fill) && fill->hatch == plot::Hatch::None
                && fill->fill.r == plot::darkTheme().warning.r)
                fills.push_back(*fill);
        }
        QCOMPARE(fills.size(), std::size_t{2});
        QCOMPARE(fills[0].rect.x, 122.0);
        QCOMPARE(fills[0].rect.width, 10.0);
        QCOMPARE(fills[1].rect.width, 10.0);
        QCOMPARE(int(fills[0].fill.a), 157); // 60 + 195 / 2
        QCOMPARE(int(fills[1].fill.a), 255); // both of two
        // The lanes begin under it.
        QVERIFY(geometry.plot.y > strip.bottom());
        // A click finds the shorter one of two episodes, and the other one where it is alone.
        const double middle = strip.y + strip.height / 2.0;
        QCOMPARE(plot::stretchUnder(geometry, {127.0, middle})->item, std::size_t{0});
        QCOMPARE(plot::stretchUnder(geometry, {137.0, middle})->item, std::size_t{1});
    }

    // Two marks 2 px apart need rows of their own; the third one lies behind the
    // first one's flag of 4 characters, 24 px and the space around.
    void flagsOfMarksStandApart() {
        auto data = clockData(LaneStyle::Lines, 1);
        auto style = test::smallStyle();
        style.marks = {{"run", {{1020}, {1020}}, "heat"}, {"run", {{1022}, {1030}}, "cool"},
            {"run", {{1070}, {1070}}, "end"}, {"other", {{1070}, {1070}}, "of no run"},
            {"run", {{1200}, {1200}}, "not in view"}};
        const auto geometry = plot::buildTimeline(data, data.window, style);
        QCOMPARE(geometry.flags.size(), std::size_t{3});
        const auto flag = [&](std::size_t i) { return geometry.flags[i].second; };
        QCOMPARE(flag(0).x, 132.0);
        QCOMPARE(flag(1).x, 134.0);
        QVERIFY(flag(1).bottom() <= flag(0).y);
        QCOMPARE(flag(2).y, flag(0).y);
        QVERIFY(flag(2).x >= flag(0).right());
        QVERIFY(flag(0).bottom() < geometry.plot.y);
        // Lines down to the foot at 20, 22, 30 and 70.
        std::vector<double> lines;
        for (const auto& line : itemsOf<Line>(geometry.scene)) {
            if (line.to.y == geometry.scene.height && line.from.y == geometry.plot.y)
                lines.push_back(line.from.x);
        }
        QVERIFY(std::ranges::includes(lines, std::vector{132.0, 134.0, 142.0, 182.0}));
    }

    // From the foot of a call of the second level to the top of its kernel, with a head.
    void anArrowLeadsFromACallToItsKernel() {
        auto data = test::emptyData(1);
        data.lanes.push_back(threadLane({2}));
        data.lanes.push_back(test::kernelLane({{test::span(60, 90, 4)}}));
        data.lanes.back().spans.front().track = TrackId{9};
        auto style = test::smallStyle();
        style.launches = {{0, 0, {TrackId{1}, 1, TimeNs{1010}}, {TrackId{9}, 0, TimeNs{1060}}}};
        const auto geometry = plot::buildTimeline(data, data.window, style);
        const auto arrows = itemsOf<Polyline>(geometry.scene);
        QCOMPARE(arrows.size(), std::size_t{1});
        QCOMPARE(arrows[0].points.size(), std::size_t{5});
        QCOMPARE(arrows[0].points[0].x, 122.0);
        QCOMPARE(arrows[0].points[0].y, geometry.lanes[0].rows[0].rect.bottom());
        QCOMPARE(arrows[0].points[1].x, 172.0);
        QCOMPARE(arrows[0].points[1].y, geometry.lanes[1].rows[0].rect.y);
    }

    void unsettledTimeIsShadedForASingleRun() {
        m_overlays[0].unsettled = TimeRange{{1000}, {1040}};
        const auto shaded = [](const plot::TimelineGeometry& geometry) {
            return std::count_if(geometry.scene.items.begin(), geometry.scene.items.end(),
                [](const plot::SceneItem& item) {
                    const auto* fill = std::get_if<FillRect>(&item);
                    return fill != nullptr && fill->rect.width == 40.0 && fill->fill.a < 64;
                });
        };
        auto data = clockData(LaneStyle::Lines, 1);
        QCOMPARE(shaded(build(data)), 1);
        data.runs.push_back({RunId{2}, "other", TimeNs{1000}, 1});
        data.iterations.emplace_back();
        m_overlays.emplace_back();
        QCOMPARE(shaded(build(data)), 0);
    }

    void momentsFindTheirEpisodes() {
        m_overlays[0].throttles = {mark(0, 10, 30), mark(1, 20, 25)};
        const auto count = [this](std::int64_t at, std::optional<int> rank) {
            return plot::throttlesAt(m_overlays[0], {1000 + at}, rank).size();
        };
        QCOMPARE(count(9, {}), std::size_t{0});
        QCOMPARE(count(10, {}), std::size_t{1});
        QCOMPARE(count(22, {}), std::size_t{2});
        QCOMPARE(count(22, 1), std::size_t{1});
        QCOMPARE(count(25, 1), std::size_t{0}); // the end is not part of it
    }

    // The bands cover exactly the columns in which some episode lies, whatever the episodes.
    void bandsAgreeWithCountingByColumn() {
        std::mt19937 random(7);
        for (int round = 0; round < 200; ++round) {
            std::vector<bool> covered(100, false);
            m_overlays[0].throttles.clear();
            for (int i = 0; i < 12; ++i) {
                const auto begin = static_cast<std::int64_t>(random() % 98);
                const auto end = begin + 1 + static_cast<std::int64_t>(random() % 10);
                m_overlays[0].throttles.push_back(mark(i % 2, begin, end));
                for (auto at = begin; at < std::min<std::int64_t>(end, 100); ++at)
                    covered[static_cast<std::size_t>(at)] = true;
            }
            std::sort(m_overlays[0].throttles.begin(), m_overlays[0].throttles.end(),
                [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; });
            double width = 0.0;
            for (const auto& band :
                hatched(build(clockData(LaneStyle::Lines, 1)).scene, plot::darkTheme()))
                width += band.rect.width;
            VERIFY_NEAR(width, double(std::count(covered.begin(), covered.end(), true)), 1e-6);
        }
    }

    void warmupIterationsAreHatched() {
        auto data = clockData(LaneStyle::Lines, 1);
        const auto hatches = [&] {
            const auto geometry = build(data);
            return std::count_if(geometry.scene.items.begin(), geometry.scene.items.end(),
                [](const plot::SceneItem& item) {
                    const auto* fill = std::get_if<FillRect>(&item);
                    return fill != nullptr && fill->hatch == plot::Hatch::Diagonal;
                });
        };
        data.iterations[0] = {{1, {{1000}, {1050}}, -1, false}, {2, {{1050}, {1100}}, -1, false}};
        QCOMPARE(hatches(), 0);
        data.iterations[0][0].warmup = true;
        QCOMPARE(hatches(), 1);
        // Found by analysis, not told by the source.
        m_overlays[0].warmup = {2};
        QCOMPARE(hatches(), 2);
        // Iterations that were found stand in for recorded ones, never beside them.
        const double recorded = build(data).plot.y;
        m_overlays[0].iterations = {{7, {{1000}, {1100}}, -1, true}};
        QCOMPARE(hatches(), 2);
        data.iterations[0].clear();
        QCOMPARE(hatches(), 1);
        QCOMPARE(build(data).plot.y, recorded);
    }

    // 10 to 40 ns on one track, to 80 on another, 10 on one that is not shown, and back: a line
    // through the middles of both rows.
    void thePathGoesFromTrackToTrack() {
        auto data = test::emptyData(1);
        data.lanes.push_back(threadLane({1, 1}));
        const auto on = [](std::int64_t track, std::int64_t begin, std::int64_t end) {
            return plot::PathMark{TrackId{track}, 0, {{1000 + begin}, {1000 + end}}};
        };
        QVERIFY(itemsOf<Polyline>(build(data).scene).empty());
        m_overlays[0].path = {on(1, 10, 40), on(2, 40, 80), on(9, 80, 90), on(1, 90, 130)};
        const auto geometry = build(data);
        const auto lines = itemsOf<Polyline>(geometry.scene);
        QCOMPARE(lines.size(), std::size_t{1});
        const auto& rows = geometry.lanes[0].rows;
        const double first = centreOf(rows[0].rect).y;
        const double second = centreOf(rows[1].rect).y;
        QVERIFY(first < second);
        QVERIFY((lines[0].points
            == std::vector<Point>{{122, first}, {152, first}, {152, second}, {192, second},
                {202, first}, {212, first}}));
        // Nothing leads from one capture to the next.
        m_overlays[0].path = {on(1, 10, 40), {}, on(2, 40, 80)};
        const auto apart = itemsOf<Polyline>(build(data).scene);
        QCOMPARE(apart.size(), std::size_t{2});
        QVERIFY((apart[0].points == std::vector<Point>{{122, first}, {152, first}}));
        QVERIFY((apart[1].points == std::vector<Point>{{152, second}, {192, second}}));
    }

    // Lanes share the height of the window: in proportion to their wishes, between what their rows
    // need and what they can fill. Texts of the dark theme are 13 (body) and 11 px (small), a step
    // is 4 px.

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

private:
    std::vector<plot::RunOverlay> m_overlays{1};

    plot::TimelineGeometry build(const plot::TimelineData& data) {
        auto style = test::smallStyle();
        style.overlays = &m_overlays;
        return plot::buildTimeline(data, data.window, style);
    }
};

TRAINSCOPE_TEST(tst_LaneOverlay)
#include "tst_LaneOverlay.moc"
