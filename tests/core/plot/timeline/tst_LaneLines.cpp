// Lines and bands, worked out by hand: an area of 84 px for values from 0 to 84, so that y = bottom
// − value.

#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

TimelineGeometry built(
    LaneStyle style, std::vector<std::vector<Bucket>> series, int columns, int perNode = 8) {
    TimelineData data = emptyData(columns);
    data.lanes.push_back(metricLane(style, "gpu_power", std::move(series), perNode));
    return buildTimeline(data, data.window, smallStyle());
}

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

class tst_LaneLines : public QObject {
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
        QCOMPARE(columns[0].bottom[1], bottom - 20.0F); // the value before, 30, lies inside
    }

    // Steps within each column: the block is pale and the means stand before it. A slope is one
    // line, and so are two columns alone.
    void blocksShowTheirMeans() {
        constexpr int count = 50;
        std::vector<Bucket> steps(count, sample(10.0F, 70.0F));
        for (Bucket& bucket : steps)
            bucket.mean = 30.0F;
        steps[40].mean = 50.0F;
        const auto geometry = built(LaneStyle::Lines, {steps}, count);
        const auto columns = itemsOf<Columns>(geometry.scene);
        QCOMPARE(columns.size(), std::size_t{2});
        const auto bottom = static_cast<float>(geometry.lanes.front().area.bottom());
        QCOMPARE(columns[0].top[20], bottom - 70.0F);
        QCOMPARE(columns[0].bottom[20], bottom - 10.0F);
        QCOMPARE(columns[1].top[20], bottom - 30.5F);
        QCOMPARE(columns[1].bottom[20], bottom - 29.5F);
        QCOMPARE(columns[1].top[40], bottom - 50.0F);
        QCOMPARE(columns[1].bottom[40], bottom - 30.0F); // joined to the one before
        QVERIFY(columns[0].color.a < columns[1].color.a);
        std::vector<Bucket> slope;
        for (int i = 0; i < count; ++i)
            slope.push_back(sample(static_cast<float>(i), static_cast<float>(i + 1)));
        QCOMPARE(
            itemsOf<Columns>(built(LaneStyle::Lines, {slope}, count).scene).size(), std::size_t{1});
    }

    // A limit of 40: the second column reaches from 20 to 50, the first stays below.
    void whatIsAboveTheLimitIsTinted() {
        TimelineData data = emptyData(2);
        data.lanes.push_back(metricLane(
            LaneStyle::Lines, "gpu_power", {{sample(10.0F, 30.0F), sample(20.0F, 50.0F)}}));
        data.lanes.front().limits.push_back({0, {40.0F, 40.0F}});
        data.lanes.front().unit = "W";
        const auto geometry = buildTimeline(data, data.window, smallStyle());
        const auto bottom = static_cast<float>(geometry.lanes.front().area.bottom());
        const auto columns = itemsOf<Columns>(geometry.scene);
        QCOMPARE(columns.size(), std::size_t{2});
        QVERIFY(std::isnan(columns[1].top[0]));
        QCOMPARE(columns[1].top[1], bottom - 50.0F);
        QCOMPARE(columns[1].bottom[1], bottom - 40.0F);
        QVERIFY(columns[1].color != columns[0].color);
        std::vector<std::string> texts;
        for (const auto& text : itemsOf<Label>(geometry.scene))
            texts.push_back(text.text);
        QVERIFY(std::find(texts.begin(), texts.end(), "limit 40 W") != texts.end());
        data.lanes.front().limits.front().values = {60.0F, 60.0F};
        QCOMPARE(itemsOf<Columns>(buildTimeline(data, data.window, smallStyle()).scene).size(),
            std::size_t{1});
    }

    // Half of the GPUs in the first column, none in the second.
    void statesAreRows() {
        TimelineData data = emptyData(2);
        data.lanes.push_back(metricLane(
            LaneStyle::Lines, "throttle_reasons", {{sample(4.0F, 4.0F), sample(0.0F, 0.0F)}}));
        const float nothing = std::numeric_limits<float>::quiet_NaN();
        data.lanes.front().states
            = {{0, "Software power cap", {0.5F, 0.0F}}, {0, "None", {nothing, 1.0F}}};
        const auto geometry = buildTimeline(data, data.window, smallStyle());
        QVERIFY(itemsOf<Columns>(geometry.scene).empty());
        std::vector<Rect> filled;
        for (const auto& fill : itemsOf<FillRect>(geometry.scene)) {
            if (fill.rect.width == 50.0 && fill.rect.x >= 112.0)
                filled.push_back(fill.rect);
        }
        QCOMPARE(filled.size(), std::size_t{2});
        QCOMPARE(filled[0].x, 112.0);
        QCOMPARE(filled[1].x, 162.0);
        QVERIFY(filled[0].bottom() <= filled[1].y);
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

    void bandIsRangeQuantilesAndMedian() {
        // Means 0, 2 … 40; nearest ranks of 21 values: 5 % is the second, 25 % the sixth.
        std::vector<std::vector<Bucket>> series;
        for (int i = 0; i <= 20; ++i)
            series.push_back(
                {sample(2.0F * static_cast<float>(i) - 1.0F, 2.0F * static_cast<float>(i) + 1.0F)});
        series.front().front().min = -20.0F; // a spike that no quantile sees
        series.back().front().max = 80.0F;
        for (auto& one : series)
            one.front().min = std::max(one.front().min, 0.0F);
        const auto geometry = built(LaneStyle::Band, series, 1);
        const auto columns = itemsOf<Columns>(geometry.scene);
        QCOMPARE(columns.size(), std::size_t{4});
        const auto bottom = static_cast<float>(geometry.lanes.front().area.bottom());
        const auto extent = [&](std::size_t i) {
            return std::pair{bottom - columns[i].bottom[0], bottom - columns[i].top[0]};
        };
        QCOMPARE(extent(0), (std::pair{0.0F, 80.0F}));
        QCOMPARE(extent(1), (std::pair{2.0F, 38.0F}));
        QCOMPARE(extent(2), (std::pair{10.0F, 30.0F}));
        QCOMPARE(extent(3), (std::pair{19.5F, 20.5F}));
    }

    void bandsContainEverySeries() {
        std::vector<std::vector<Bucket>> series;
        for (int i = 0; i < 97; ++i) {
            const auto low = static_cast<float>((i * 37) % 60);
            series.push_back({sample(low, low + 5.0F), i % 3 == 0 ? hole() : held(low)});
        }
        TimelineData data = emptyData(2);
        data.lanes.push_back(metricLane(LaneStyle::Lines, "gpu_power", series));
        const LaneBand& band = data.lanes.front().bands.front();
        for (std::size_t column = 0; column < 2; ++column) {
            for (const auto& one : series) {
                if (std::isnan(one[column].mean))
                    continue;
                QVERIFY(band.range.low[column] <= one[column].min);
                QVERIFY(band.range.high[column] >= one[column].max);
            }
            QVERIFY(band.range.low[column] <= band.most.low[column]);
            QVERIFY(band.most.low[column] <= band.half.low[column]);
            QVERIFY(band.half.low[column] <= band.median.low[column]);
            QVERIFY(band.median.high[column] <= band.half.high[column]);
            QVERIFY(band.half.high[column] <= band.most.high[column]);
            QVERIFY(band.most.high[column] <= band.range.high[column]);
        }
    }

    void manySeriesBecomeABand() {
        std::vector<std::vector<Bucket>> series(12, {sample(1, 2)});
        QCOMPARE(
            itemsOf<Columns>(built(LaneStyle::Lines, series, 1).scene).size(), std::size_t{12});
        series.push_back({sample(1, 2)});
        QCOMPARE(itemsOf<Columns>(built(LaneStyle::Lines, series, 1).scene).size(), std::size_t{2});
    }

    // 21 values 20, 21 … 40 and one of 70: of 22 the place of 5 % is 1.05 and that of 95 % 19.95,
    // so that the band goes from 21.05 to 39.95, and half of its height above it ends at 49.4. The
    // median lies between the 11th and the 12th: 30.5.
    void thoseFarFromTheBandHaveTheirNames() {
        std::vector<std::vector<Bucket>> series;
        for (int i = 0; i <= 20; ++i)
            series.push_back({sample(20 + static_cast<float>(i), 20 + static_cast<float>(i))});
        series.insert(series.begin() + 5, {sample(70, 70)});
        const auto geometry = built(LaneStyle::Lines, series, 1);
        const auto columns = itemsOf<Columns>(geometry.scene);
        QCOMPARE(columns.size(), std::size_t{3});
        const auto bottom = static_cast<float>(geometry.lanes.front().area.bottom());
        const auto near = [](float a, float b) { return std::abs(a - b) < 0.01F; };
        QVERIFY(near(bottom - columns[0].bottom[0], 21.05F));
        QVERIFY(near(bottom - columns[0].top[0], 39.95F));
        QVERIFY(near(bottom - columns[1].top[0], 31.0F)); // a line of 1 px about 30.5
        QVERIFY(near(bottom - columns[2].top[0], 70.5F));
        const auto texts = itemsOf<Label>(geometry.scene);
        QCOMPARE(std::ranges::count(texts, "rank 5", &Label::text), 1);
    }

    // Two columns of six are a good part of it, one is not.
    void anOutlierLeavesTheBandForAThird() {
        std::vector<float> usual(6, 30.0F);
        std::vector<std::span<const float>> lines(13, usual);
        std::vector<float> twice{30, 30, 60, 60, 30, 30};
        std::vector<float> once{30, 30, 60, 30, 30, 30};
        lines.emplace_back(once);
        QVERIFY(analysis::outliersOf(lines, usual, usual).empty());
        lines.emplace_back(twice);
        QCOMPARE(analysis::outliersOf(lines, usual, usual), std::vector<std::size_t>{14});
    }

    void logsOfManyRunsStayLines() {
        QCOMPARE(drawnStyle(LaneStyle::Lines, 20, SubjectKind::Run), LaneStyle::Lines);
        QCOMPARE(drawnStyle(LaneStyle::Lines, 20, SubjectKind::Node), LaneStyle::Band);
        QCOMPARE(drawnStyle(LaneStyle::Heat, 20, SubjectKind::Gpu), LaneStyle::Heat);
    }

    void drawnDataKeepsNoBucketsOfABand() {
        LaneData lane = metricLane(LaneStyle::Band, "gpu_power", {{sample(1, 2)}, {sample(3, 4)}});
        prepareLane(lane, 1, LoadDetail::Drawn);
        QVERIFY(lane.series[0].buckets.empty());
        QCOMPARE(lane.series[0].means.size(), std::size_t{1}); // told under the pointer
        QCOMPARE(lane.bands.size(), std::size_t{1});
        QCOMPARE(lane.bands[0].range.high[0], 4.0F);
    }

    void coarserDataFillsWhatIsMissing() {
        // Fine data covers 50 to 100 of a window from 0 to 100; behind it two columns of 50.
        auto behind = std::make_shared<TimelineData>(emptyData(2));
        behind->lanes.push_back(
            metricLane(LaneStyle::Lines, "gpu_power", {{sample(10, 10), sample(20, 20)}}));
        TimelineData data = emptyData(50);
        data.window = {{50}, {100}};
        data.lanes.push_back(
            metricLane(LaneStyle::Lines, "gpu_power", {std::vector<Bucket>(50, sample(40, 40))}));
        data.behind = behind;
        const auto geometry = buildTimeline(data, {{0}, {100}}, smallStyle());
        const auto columns = itemsOf<Columns>(geometry.scene).front();
        QCOMPARE(columns.area.x, 112.0);
        QCOMPARE(columns.area.width, 100.0);
        QCOMPARE(columns.top.size(), std::size_t{100});
        const auto bottom = static_cast<float>(geometry.lanes.front().area.bottom());
        QCOMPARE(columns.top[0], bottom - 10.5F);
        QCOMPARE(columns.top[49], bottom - 10.5F);
        QCOMPARE(columns.top[50], bottom - 40.5F);
        QCOMPARE(columns.top[99], bottom - 40.5F);
    }

    void aPanOfOnePixelMovesTheColumns() {
        TimelineData data = emptyData(300); // 100 ns in 300 columns
        data.serial = 7;
        std::vector<Bucket> buckets;
        for (int i = 0; i < 300; ++i)
            buckets.push_back(sample(static_cast<float>(i % 80), static_cast<float>(i % 80 + 3)));
        data.window = {{0}, {300'000}};
        data.lanes.push_back(metricLane(LaneStyle::Lines, "gpu_power", {buckets}));
        const auto at = [&](std::int64_t begin) {
            const auto geometry = buildTimeline(data, {{begin}, {begin + 100'000}}, smallStyle());
            return itemsOf<Columns>(geometry.scene).front();
        };
        const Columns before = at(100'000);
        const Columns after = at(101'000);
        QVERIFY(before.content != 0);
        QCOMPARE(after.content, before.content);
        QCOMPARE(after.firstColumn, before.firstColumn + 1);
        for (std::size_t i = 0; i + 1 < before.top.size(); ++i) {
            QCOMPARE(after.top[i], before.top[i + 1]);
            QCOMPARE(after.bottom[i], before.bottom[i + 1]);
        }
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
        // Each begins joined to what was held before.
        QCOMPARE(columns.top[0], bottom - 3.0F);
        QCOMPARE(columns.bottom[0], bottom - 2.0F);
        QCOMPARE(columns.top[1], bottom - 3.5F);
        QCOMPARE(columns.bottom[24], bottom - 2.5F);
        QCOMPARE(columns.top[25], bottom - 4.0F);
        QCOMPARE(columns.top[49], bottom - 4.5F);
    }

    void dataOutsideTheWindowIsNotDrawn() {
        TimelineData data = emptyData(1);
        data.lanes.push_back(metricLane(LaneStyle::Lines, "gpu_power", {{sample(1, 1)}}));
        const auto geometry = buildTimeline(data, {{200}, {300}}, smallStyle());
        QVERIFY(itemsOf<Columns>(geometry.scene).empty());
    }

    // The numbers behind the figure.
    void linesOfSeriesAndSpans() {
        TimelineData data = emptyData(2);
        data.runs[0].name = "a, \"b\"";
        data.lanes.push_back(
            metricLane(LaneStyle::Lines, "gpu_power", {{sample(10.5F, 12.5F), hole()}}));
        data.lanes.push_back(kernelLane({{span(10, 20, 1)}}));
        data.names = {{NameId{1}, {"void k<1, 2>()", "other"}}};
        const QString expected = QStringLiteral(
            "lane,metric,run,rank,node,device,start_ns,end_ns,mean,min,max,count,name,category\n"
            "lines,gpu_power,\"a, \"\"b\"\"\",0,0,,1000,1050,11.5,10.5,12.5,1,,\n"
            "kernels,,\"a, \"\"b\"\"\",0,,rank 0 · stream 7,1010,1020,1,,,1,\"void k<1, "
            "2>()\",other\n");
        QCOMPARE(QString::fromStdString(timelineCsv(data)), expected);
    }

    // Heat strips: rows, node borders, one scale, missing cells.

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

TRAINSCOPE_TEST(tst_LaneLines)
#include "tst_LaneLines.moc"
