// Heat strips: rows, node borders, one scale, missing cells.

#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

TimelineGeometry built(std::vector<std::vector<Bucket>> series, int columns, int perNode) {
    TimelineData data = emptyData(columns);
    data.lanes.push_back(
        metricLane(LaneStyle::Heat, "gpu_temperature", std::move(series), perNode));
    return buildTimeline(data, data.window, smallStyle());
}

// Without the colour bar, which is one row high.
std::vector<HeatStrip> strips(const TimelineGeometry& geometry) {
    std::vector<HeatStrip> found;
    for (auto& strip : itemsOf<HeatStrip>(geometry.scene)) {
        if (strip.area.x >= 112.0)
            found.push_back(strip);
    }
    return found;
}

} // namespace

class tst_LaneHeat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneStripANode() {
        const std::vector<std::vector<Bucket>> series(4, {sample(0, 0), sample(84, 84)});
        const auto geometry = built(series, 2, 2);
        const auto found = strips(geometry);
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].rows, 2);
        QCOMPARE(found[0].columns, 2);
        // 84 px less a border of 2 px, halved.
        QCOMPARE(found[0].area.height, 41.0);
        QCOMPARE(found[1].area.y, found[0].area.y + 43.0);
        QVERIFY(found[0].cells[0] == inferno(0.0));
        QVERIFY(found[0].cells[1] == inferno(1.0));
        QCOMPARE(geometry.lanes.front().rows.size(), std::size_t{4});
        QCOMPARE(geometry.lanes.front().rows[3].item, std::size_t{3});
        QCOMPARE(geometry.lanes.front().rows[3].rect.height, 20.5);
    }

    void missingCellsAreTransparentAndHatched() {
        const auto geometry = built({{sample(0, 0), hole()}}, 2, 8);
        const auto found = strips(geometry);
        QCOMPARE(int{found[0].cells[1].a}, 0);
        std::vector<Rect> hatched;
        for (const auto& fill : itemsOf<FillRect>(geometry.scene)) {
            if (fill.hatch == Hatch::Diagonal)
                hatched.push_back(fill.rect);
        }
        QCOMPARE(hatched.size(), std::size_t{1});
        QCOMPARE(hatched[0].x, 162.0);
        QCOMPARE(hatched[0].width, 50.0);
    }

    void aThousandRowsCostAsManyAsThePixels() {
        const std::vector<std::vector<Bucket>> series(1024, {sample(42, 42)});
        const auto geometry = built(series, 1, 1024);
        const auto found = strips(geometry);
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].rows, 84);
        QVERIFY(found[0].cells[0] == inferno(0.5));
    }

    void rowsAreAveragedWhereTheyShareAPixel() {
        // 168 rows in 84 px: pairs of 0 and 42, of which the mean is 21, a quarter of the scale.
        std::vector<std::vector<Bucket>> series;
        for (int i = 0; i < 168; ++i)
            series.push_back({i % 2 == 0 ? sample(0, 0) : sample(42, 42)});
        const auto found = strips(built(series, 1, 168));
        QCOMPARE(found[0].rows, 84);
        for (const auto& cell : found[0].cells)
            QVERIFY(cell == inferno(0.25));
    }
};

TRAINSCOPE_TEST(tst_LaneHeat)
#include "tst_LaneHeat.moc"
