// Lines and bands, worked out by hand: an area of 84 px for values from 0 to 84, so that y = bottom
// − value.

#include "core/plot/support/PlotFixture.h"

#include <QTest>

#include <cmath>

using namespace trainscope;
using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

TimelineGeometry built(
    LaneStyle style, std::vector<std::vector<Bucket>> series, int columns, int perNode = 8) {
    TimelineData data = emptyData(columns);
    data.lanes.push_back(metricLane(style, "gpu_power", std::move(series), perNode));
    return buildTimeline(data, data.window, smallStyle());
}

} // namespace

class LaneLinesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void areaAndColumns() {
        const auto geometry
            = built(LaneStyle::Lines, {{sample(10.0F, 30.0F), sample(20.0F, 50.0F)}}, 2);
        const Rect area = geometry.lanes.front().area;
        QCOMPARE(area.x, 112.0);
        QCOMPARE(area.width, 100.0);
        QCOMPARE(area.height, 84.0);
        const auto columns = itemsOf<Columns>(geometry.scene);
        QCOMPARE(columns.size(), std::size_t{1});
        QCOMPARE(columns[0].area.x, 112.0);
        QCOMPARE(columns[0].area.width, 100.0);
        const auto bottom = static_cast<float>(area.bottom());
        QCOMPARE(columns[0].top[0], bottom - 30.0F);
        QCOMPARE(columns[0].bottom[0], bottom - 10.0F);
        QCOMPARE(columns[0].top[1], bottom - 50.0F);
        QCOMPARE(columns[0].bottom[1], bottom - 20.0F); // what held before, 30, lies inside
    }

    void stepsAreJoined() {
        const auto geometry = built(
            LaneStyle::Lines, {{sample(10.0F, 10.0F), held(10.0F), sample(60.0F, 60.0F)}}, 3);
        const auto columns = itemsOf<Columns>(geometry.scene).front();
        const auto bottom = static_cast<float>(geometry.lanes.front().area.bottom());
        // One unit thick around the value.
        QCOMPARE(columns.top[1], bottom - 10.5F);
        QCOMPARE(columns.bottom[1], bottom - 9.5F);
        QCOMPARE(columns.top[2], bottom - 60.0F);
        QCOMPARE(columns.bottom[2], bottom - 10.0F);
    }

    void missingIsAGap() {
        const auto geometry
            = built(LaneStyle::Lines, {{sample(10.0F, 10.0F), hole(), sample(60.0F, 60.0F)}}, 3);
        const auto columns = itemsOf<Columns>(geometry.scene).front();
        QVERIFY(std::isnan(columns.top[1]));
        QVERIFY(std::isnan(columns.bottom[1]));
        // Not joined across the gap.
        const auto bottom = static_cast<float>(geometry.lanes.front().area.bottom());
        QCOMPARE(columns.bottom[2], bottom - 59.5F);
    }

    void aHoleOfAllIsHatchedOnce() {
        const auto geometry = built(LaneStyle::Lines,
            {{sample(1, 1), hole(), hole(), sample(1, 1)},
                {sample(1, 1), hole(), hole(), sample(1, 1)}},
            4);
        std::vector<FillRect> hatches;
        for (const auto& fill : itemsOf<FillRect>(geometry.scene)) {
            if (fill.hatch == Hatch::Diagonal)
                hatches.push_back(fill);
        }
        QCOMPARE(hatches.size(), std::size_t{1});
        QCOMPARE(hatches[0].rect.x, 137.0);
        QCOMPARE(hatches[0].rect.width, 50.0);
    }

    void aHoleOfOneIsNotHatched() {
        const auto geometry
            = built(LaneStyle::Lines, {{sample(1, 1), hole()}, {sample(1, 1), sample(1, 1)}}, 2);
        for (const auto& fill : itemsOf<FillRect>(geometry.scene))
            QVERIFY(fill.hatch == Hatch::None);
    }

    void valuesBeyondTheAxisAreClamped() {
        const auto geometry = built(LaneStyle::Lines, {{sample(-50.0F, 500.0F)}}, 1);
        const auto columns = itemsOf<Columns>(geometry.scene).front();
        const Rect area = geometry.lanes.front().area;
        QCOMPARE(columns.top[0], static_cast<float>(area.y));
        QCOMPARE(columns.bottom[0], static_cast<float>(area.bottom()));
    }

    void nodesHaveColours() {
        const auto geometry = built(LaneStyle::Lines, {{sample(1, 1)}, {sample(1, 1)}}, 1, 1);
        const auto columns = itemsOf<Columns>(geometry.scene);
        QCOMPARE(columns.size(), std::size_t{2});
        QVERIFY(withAlpha(columns[0].color, 255) == seriesColor(0));
        QVERIFY(withAlpha(columns[1].color, 255) == seriesColor(1));
    }

    void bandIsRangeAndMean() {
        const auto geometry
            = built(LaneStyle::Band, {{sample(10.0F, 20.0F)}, {sample(40.0F, 50.0F)}}, 1);
        const auto columns = itemsOf<Columns>(geometry.scene);
        QCOMPARE(columns.size(), std::size_t{2});
        const auto bottom = static_cast<float>(geometry.lanes.front().area.bottom());
        QCOMPARE(columns[0].top[0], bottom - 50.0F);
        QCOMPARE(columns[0].bottom[0], bottom - 10.0F);
        // Mean of the means 15 and 45.
        QCOMPARE(columns[1].top[0], bottom - 30.5F);
        QCOMPARE(columns[1].bottom[0], bottom - 29.5F);
    }

    void manySeriesBecomeABand() {
        const std::vector<std::vector<Bucket>> series(kMostOverlaidSeries + 1, {sample(1, 2)});
        QCOMPARE(itemsOf<Columns>(built(LaneStyle::Lines, series, 1).scene).size(), std::size_t{2});
    }

    void staleDataIsDrawnWhereItBelongs() {
        TimelineData data = emptyData(4); // 25 ns a column
        data.lanes.push_back(metricLane(LaneStyle::Lines, "gpu_power",
            {{sample(1, 1), sample(2, 2), sample(3, 3), sample(4, 4)}}));
        // The window moved right by half: the data's last two columns fill the left half of the
        // plot.
        const auto geometry = buildTimeline(data, {{50}, {150}}, smallStyle());
        const auto columns = itemsOf<Columns>(geometry.scene).front();
        QCOMPARE(columns.area.x, 112.0);
        QCOMPARE(columns.area.width, 50.0);
        QCOMPARE(columns.top.size(), std::size_t{50});
        const auto bottom = static_cast<float>(geometry.lanes.front().area.bottom());
        QCOMPARE(columns.top[0], bottom - 3.5F);
        QCOMPARE(columns.top[49], bottom - 4.5F);
    }

    void dataOutsideTheWindowIsNotDrawn() {
        TimelineData data = emptyData(1);
        data.lanes.push_back(metricLane(LaneStyle::Lines, "gpu_power", {{sample(1, 1)}}));
        const auto geometry = buildTimeline(data, {{200}, {300}}, smallStyle());
        QVERIFY(itemsOf<Columns>(geometry.scene).empty());
    }
};

QTEST_GUILESS_MAIN(LaneLinesTest)
#include "tst_LaneLines.moc"
