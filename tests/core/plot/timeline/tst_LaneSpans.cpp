// Kernel and thread lanes: places, colours, names, nesting. 100 px for 100 ns.

#include "core/plot/Palette.h"
#include "core/plot/timeline/LaneFrame.h"
#include "core/plot/timeline/SpanMix.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

TimelineData named(LaneData lane) {
    TimelineData data = emptyData(100);
    data.names = {{NameId{1}, {"ampere_gemm", "gemm"}},
        {NameId{2}, {"ncclDevKernel_AllReduce", "all_reduce"}}, {NameId{3}, {"aten::linear", ""}}};
    data.lanes.push_back(std::move(lane));
    return data;
}

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

class tst_LaneSpans : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Two captures of one rank: their parts of a stream share its row.
    void capturesShareARow() {
        auto data = test::emptyData(4);
        auto lane = test::kernelLane({{test::span(10, 20, 1)}, {test::span(60, 80, 1)}});
        lane.spans[1].rank = 0;
        lane.spans[1].label = lane.spans[0].label;
        data.lanes = {lane};
        const auto geometry = plot::buildTimeline(data, data.window, test::smallStyle());
        const auto& rows = geometry.lanes[0].rows;
        QCOMPARE(rows.size(), std::size_t{2});
        QCOMPARE(rows[0].rect.y, rows[1].rect.y);
        const auto bars = test::barsOf(geometry.scene);
        QCOMPARE(bars.size(), std::size_t{2});
        QCOMPARE(bars[0].rect.y, bars[1].rect.y);
        QCOMPARE(bars[0].rect.x, 122.0);
        QCOMPARE(bars[1].rect.x, 172.0);
    }

    // 4,096 streams of two captures: a look at each pair would take 33 million comparisons.
    void manyStreamsAreComparedFewTimes() {
        constexpr std::size_t streams = 4096;
        std::vector<LaneSpans> tracks;
        for (std::size_t i = 0; i < 2 * streams; ++i) {
            LaneSpans track;
            track.rank = 0;
            track.label = "rank 0 · stream " + std::to_string(i % streams);
            tracks.push_back(std::move(track));
        }
        std::size_t comparisons = 0;
        const auto rows = tracksByRow(std::span<const LaneSpans>(tracks),
            [&comparisons](const LaneSpans& a, const LaneSpans& b) {
                ++comparisons;
                return TrackOrder()(a, b);
            });
        QCOMPARE(rows.size(), streams);
        for (std::size_t i = 0; i < streams; ++i)
            QCOMPARE(rows[i], (std::vector<std::size_t>{i, i + streams}));
        QVERIFY(comparisons <= 16 * 2 * streams); // log2 of the tracks is 13
    }

    void placesAndColours() {
        const auto data = named(kernelLane({{span(10, 20, 1), span(30, 60, 2)}}));
        const auto geometry = buildTimeline(data, data.window, smallStyle());
        const auto found = barsOf(geometry.scene);
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].rect.x, 122.0);
        QCOMPARE(found[0].rect.width, 10.0);
        QVERIFY(found[0].fill == categoryColor("gemm"));
        QCOMPARE(found[1].rect.x, 142.0);
        QCOMPARE(found[1].rect.width, 29.5); // half a line apart from the next
        QVERIFY(found[1].fill == categoryColor("all_reduce"));
        QCOMPARE(geometry.lanes.front().rows.size(), std::size_t{1});
    }

    void namesAppearWhereThereIsRoom() {
        const auto data = named(kernelLane({{span(0, 10, 1), span(20, 100, 1)}}));
        const auto geometry = buildTimeline(data, data.window, smallStyle());
        QVERIFY(hasLabel(geometry.scene, "ampere_gemm")); // 66 px in 80
        int names = 0;
        for (const auto& label : itemsOf<Label>(geometry.scene))
            names += label.text.starts_with("amp") ? 1 : 0;
        QCOMPARE(names, 1);
    }

    void namesAreElided() {
        const auto data = named(kernelLane({{span(0, 50, 1)}}));
        const auto geometry = buildTimeline(data, data.window, smallStyle());
        // 49.5 px less 3 px on either side: seven characters, one of them the ellipsis.
        QVERIFY(hasLabel(geometry.scene, "ampere…"));
    }

    void spansAreCutAtTheWindow() {
        const auto data = named(kernelLane({{span(0, 100, 1)}}));
        const auto geometry = buildTimeline(data, {{40}, {60}}, smallStyle());
        for (const auto& fill : barsOf(geometry.scene)) {
            QVERIFY(fill.rect.x >= 0.0);
            QVERIFY(fill.rect.right() <= 212.0);
        }
        QCOMPARE(barsOf(geometry.scene).front().rect.x, 112.0);
    }

    void coarserSpansFillWhatIsMissing() {
        auto data = named(kernelLane({{span(50, 60, 1)}}));
        data.window = {{50}, {100}};
        data.behind = std::make_shared<TimelineData>(
            named(kernelLane({{span(10, 30, 2), span(40, 60, 2)}})));
        const auto geometry = buildTimeline(data, {{0}, {100}}, smallStyle());
        const auto found = barsOf(geometry.scene);
        QCOMPARE(found.size(), std::size_t{3});
        QCOMPARE(found[0].rect.x, 122.0);
        QCOMPARE(found[1].rect.x, 152.0);
        QVERIFY(found[1].rect.right() <= 162.0); // cut where the finer data begins
        QVERIFY(found[2].fill == categoryColor("gemm"));
    }

    void busyGroupsArePaler() {
        const auto data = named(kernelLane({{span(10, 20, 1, 40, 0.5F)}}));
        const auto geometry = buildTimeline(data, data.window, smallStyle());
        const auto found = barsOf(geometry.scene);
        QVERIFY(found[0].fill == blend(darkTheme().window, categoryColor("gemm"), 0.3 + 0.7 * 0.5));
    }

    // Three kernels in a group: 30 + 30 of GEMM and 20 of all-reduce in 100
    // ns, which are 75 % and 25 % of its busy time, 80 % of the whole.
    void theMixOfAGroup() {
        const std::vector<store::LodNode> groups{span(0, 100, 1, 3, 0.8F), span(100, 400, 1)};
        const std::vector<store::LodNode> single{
            span(0, 30, 1), span(40, 60, 2), span(70, 100, 1), span(100, 400, 1)};
        const auto mixes = mixesOf(groups, single, {200});
        QCOMPARE(mixes.size(), std::size_t{1});
        QCOMPARE(mixes[0].group, std::size_t{0});
        QCOMPARE(mixes[0].parts.size(), std::size_t{2});
        QVERIFY(mixes[0].parts[0].name == NameId{1});
        QCOMPARE(mixes[0].parts[0].share, 0.75F);
        QVERIFY(mixes[0].parts[1].name == NameId{2});
        QCOMPARE(mixes[0].parts[1].share, 0.25F);
    }

    // A wide span between narrow ones is a group of its own: the narrow ones are one nevertheless.
    void wideSpansAreNotInTheMix() {
        const std::vector<store::LodNode> groups{span(0, 180, 1, 2, 0.2F), span(10, 170, 2)};
        const std::vector<store::LodNode> single{
            span(0, 9, 1), span(10, 170, 2), span(171, 180, 1)};
        const auto mixes = mixesOf(groups, single, {100});
        QCOMPARE(mixes.size(), std::size_t{1});
        QCOMPARE(mixes[0].parts.size(), std::size_t{1});
        QVERIFY(mixes[0].parts[0].name == NameId{1});
    }

    void namesOfOneCategoryAreOnePart() {
        auto data = named(kernelLane({{span(0, 100, 1, 9)}}));
        data.names.emplace(NameId{4}, TimelineData::Name{"other_gemm", "gemm"});
        data.lanes[0].spans[0].mixes = {{0,
            {{NameId{2}, SpanKind::Kernel, 0.5F}, {NameId{1}, SpanKind::Kernel, 0.2F},
                {NameId{4}, SpanKind::Kernel, 0.3F}}}};
        joinCategories(data);
        const auto& parts = data.lanes[0].spans[0].mixes[0].parts;
        QCOMPARE(parts.size(), std::size_t{2});
        QVERIFY(parts[0].name == NameId{4}); // GEMM comes first in legends
        QCOMPARE(parts[0].share, 0.5F);
        QVERIFY(parts[1].name == NameId{2});
    }

    // A quarter of the time of a merged bar was exposed communication, which looked like GEMM.
    void mergedKernelsKeepTheirMix() {
        auto data = named(kernelLane({{span(10, 20, 1, 40, 0.8F)}}));
        data.lanes[0].spec.height = 120.0; // with room for a legend
        data.lanes[0].spans[0].mixes
            = {{0, {{NameId{1}, SpanKind::Kernel, 0.75F}, {NameId{2}, SpanKind::Kernel, 0.25F}}}};
        joinCategories(data);
        const auto geometry = buildTimeline(data, data.window, smallStyle());
        const auto found = barsOf(geometry.scene);
        const Rect row = geometry.lanes[0].rows[0].rect;
        QCOMPARE(found.size(), std::size_t{2});
        QVERIFY(found[0].fill == categoryColor("gemm"));
        QVERIFY(found[1].fill == categoryColor("all_reduce"));
        QVERIFY(std::abs(found[0].rect.height - 0.6 * row.height) < 1e-5);
        QVERIFY(std::abs(found[1].rect.height - 0.2 * row.height) < 1e-5);
        QVERIFY(std::abs(found[0].rect.bottom() - row.bottom()) < 1e-5);
        QVERIFY(std::abs(found[1].rect.bottom() - found[0].rect.y) < 1e-5);
        QCOMPARE(found[0].rect.x, 122.0);
        QCOMPARE(found[0].rect.width, 10.0);
        QCOMPARE(found[1].rect.x, 122.0);
        QVERIFY(hasLabel(geometry.scene, "AllReduce")); // in the legend of the lane
    }

    // Twenty ranks leave each 2.2 px: the colours stand beside each other instead, one in four.
    void lowRowsKeepTheirMixToo() {
        std::vector<store::LodNode> groups;
        for (std::int64_t i = 0; i < 100; ++i)
            groups.push_back(span(i, i + 1, 1, 40));
        auto data = named(kernelLane(std::vector<std::vector<store::LodNode>>(20, groups)));
        auto& first = data.lanes[0].spans[0];
        for (std::size_t i = 0; i < 100; ++i)
            first.mixes.push_back(
                {i, {{NameId{1}, SpanKind::Kernel, 0.75F}, {NameId{2}, SpanKind::Kernel, 0.25F}}});
        const auto geometry = buildTimeline(data, data.window, smallStyle());
        const double top = geometry.lanes[0].rows[0].rect.y;
        double gemm = 0.0;
        double reduce = 0.0;
        for (const auto& bar : barsOf(geometry.scene)) {
            if (bar.rect.y > top + 0.1)
                continue;
            gemm += bar.fill == categoryColor("gemm") ? bar.rect.width : 0.0;
            reduce += bar.fill == categoryColor("all_reduce") ? bar.rect.width : 0.0;
        }
        QCOMPARE(gemm, 75.0);
        QCOMPARE(reduce, 25.0);
    }

    // Streams that share a row share its height where they run at once: from 0 to 40 ns GEMM alone,
    // to 60 ns both, to 80 ns the all-reduce alone.
    void streamsOfARankShareItsRow() {
        std::vector<std::vector<store::LodNode>> tracks(12);
        tracks[0] = {span(0, 60, 1)};
        tracks[1] = {span(40, 80, 2)};
        LaneData lane = kernelLane(tracks);
        for (std::size_t i = 0; i < lane.spans.size(); ++i)
            lane.spans[i].rank = static_cast<int>(i / 6);
        const auto data = named(lane);
        const auto geometry = buildTimeline(data, data.window, smallStyle());
        const Rect row = geometry.lanes[0].rows[0].rect;
        const auto found = barsOf(geometry.scene);
        QCOMPARE(found.size(), std::size_t{4});
        const auto expect
            = [&](std::size_t i, const char* category, double x, double width, double height) {
                  QVERIFY(found[i].fill == categoryColor(category));
                  QVERIFY(std::abs(found[i].rect.x - 112.0 - x) < 1e-9);
                  QVERIFY(std::abs(found[i].rect.width - width) < 1e-9);
                  QVERIFY(std::abs(found[i].rect.height - height * row.height) < 1e-5);
              };
        expect(0, "gemm", 0.0, 40.0, 1.0);
        expect(1, "gemm", 40.0, 20.0, 0.5);
        expect(2, "all_reduce", 40.0, 20.0, 0.5);
        expect(3, "all_reduce", 60.0, 20.0, 1.0);
    }

    void equalNeighboursBecomeOneRectangle() {
        const auto data = named(
            kernelLane({{span(10, 11, 1), span(11, 12, 1), span(12, 13, 1), span(50, 51, 1)}}));
        const auto geometry = buildTimeline(data, data.window, smallStyle());
        const auto found = barsOf(geometry.scene);
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].rect.width, 3.0);
    }

    void theShortestKernelIsSeen() {
        const auto data = named(kernelLane({{span(500, 501, 1)}}));
        TimelineData wide = data;
        wide.window = {{0}, {1'000'000}};
        const auto geometry = buildTimeline(wide, wide.window, smallStyle());
        QCOMPARE(barsOf(geometry.scene).front().rect.width, 1.0);
    }

    void streamsFoldIntoRanksWithoutRoom() {
        LaneData lane = kernelLane(std::vector<std::vector<store::LodNode>>(12, {span(10, 20, 1)}));
        for (std::size_t i = 0; i < lane.spans.size(); ++i)
            lane.spans[i].rank = static_cast<int>(i / 6);
        const auto geometry = buildTimeline(named(lane), {{0}, {100}}, smallStyle());
        const auto& rows = geometry.lanes.front().rows;
        QCOMPARE(rows.size(), std::size_t{12});
        QCOMPARE(rows[0].rect.y, rows[5].rect.y);
        QVERIFY(rows[6].rect.y > rows[5].rect.bottom() - 0.001);
        QVERIFY(hasLabel(geometry.scene, "r1")); // the name column is narrow
    }

    void threadsNest() {
        LaneData lane = kernelLane({{span(0, 100, 3, 1, 1.0F, 0), span(10, 90, 3, 1, 1.0F, 1)}});
        lane.spec.style = LaneStyle::Thread;
        lane.spans[0].depth = 2;
        for (auto& group : lane.spans[0].spans)
            group.kind = SpanKind::CpuOp;
        const auto geometry = buildTimeline(named(lane), {{0}, {100}}, smallStyle());
        std::vector<FillRect> found;
        for (const auto& fill : barsOf(geometry.scene)) {
            if (fill.fill == spanKindColor(SpanKind::CpuOp))
                found.push_back(fill);
        }
        QCOMPARE(found.size(), std::size_t{2});
        QVERIFY(found[1].rect.y >= found[0].rect.bottom());
        QCOMPARE(found[1].rect.x, 122.0);
        QVERIFY(hasLabel(geometry.scene, "linear"));
    }

    // Nothing of the data is drawn outside the plot, whatever part of it is shown: vector files
    // have no clipping.
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

TRAINSCOPE_TEST(tst_LaneSpans)
#include "tst_LaneSpans.moc"
