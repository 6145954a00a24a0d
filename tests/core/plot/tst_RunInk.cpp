// Runs that are laid over each other stay apart in grey print.

#include "core/plot/Palette.h"
#include "core/plot/RunInk.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

const Color kWhite = rgb(0xFFFFFF);

// Rec. 709 luma, as a printer that has no colours makes of it: 0 … 255.
double greyOf(Color color) {
    return 0.2126 * color.r + 0.7152 * color.g + 0.0722 * color.b;
}

TimelineData twoRuns(int columns) {
    TimelineData data = emptyData(columns);
    data.runs.push_back(data.runs.front());
    data.iterations.emplace_back();
    data.runs[1].name = "other";
    data.runs[1].color = 1;
    const std::vector<Bucket> level(static_cast<std::size_t>(columns), sample(50.0F, 50.0F));
    LaneData lane = metricLane(LaneStyle::Lines, "gpu_power", {level, level}, 8);
    lane.series[1].run = 1;
    data.lanes.push_back(lane);
    return data;
}

} // namespace

class tst_RunInk : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // As far apart as a tenth of the greys, and legible.
    void neighboursDifferInGrey() {
        for (std::size_t first = 0; first < 8; ++first) {
            for (std::size_t second = 0; second < 8; ++second) {
                const Color a = runInk(seriesColor(first), 0, paperTheme(), kWhite);
                const Color b = runInk(seriesColor(second), 1, paperTheme(), kWhite);
                QVERIFY(greyOf(b) - greyOf(a) > 50.0);
                QVERIFY(contrast(a, kWhite) >= 3.0);
                QVERIFY(contrast(b, kWhite) >= 3.0);
            }
        }
    }

    void theScreenHasItsColours() {
        QCOMPARE(
            runInk(seriesColor(0), 1, lightTheme(), kWhite), legibleOn(seriesColor(0), kWhite));
        QVERIFY(!isPrinted(lightTheme()));
        QVERIFY(!isPrinted(darkTheme()));
        QVERIFY(isPrinted(paperTheme()));
    }

    void patterns() {
        for (const double along : {0.0, 3.3, 100.0})
            QVERIFY(isInked(0, along));
        // Dashes: 9 on, 5 off.
        QVERIFY(isInked(1, 0.0));
        QVERIFY(isInked(1, 8.9));
        QVERIFY(!isInked(1, 9.1));
        QVERIFY(!isInked(1, 13.9));
        QVERIFY(isInked(1, 14.1));
        // Dots: 2 on, 3 off. Dash and dot: 9, 3, 2, 3.
        QVERIFY(isInked(2, 1.9) && !isInked(2, 2.1) && isInked(2, 5.1));
        QVERIFY(isInked(3, 8.9) && !isInked(3, 11.9) && isInked(3, 12.1) && !isInked(3, 14.1));
    }

    // 100 columns of 1 pt are 200 widths of the line: of 14 widths 9 are drawn.
    void linesOfTheSecondRunAreDashedInPrint() {
        const TimelineData data = twoRuns(100);
        TimelineStyle style = smallStyle();
        style.theme = &paperTheme();
        const auto columns = itemsOf<Columns>(buildTimeline(data, data.window, style).scene);
        QCOMPARE(columns.size(), std::size_t{2});
        const auto drawn = [](const Columns& of) {
            return std::count_if(
                of.top.begin(), of.top.end(), [](float top) { return !std::isnan(top); });
        };
        QCOMPARE(drawn(columns[0]), std::ptrdiff_t{100});
        QVERIFY(drawn(columns[1]) > 55 && drawn(columns[1]) < 73);
        // On the screen both are whole.
        const auto shown = itemsOf<Columns>(buildTimeline(data, data.window, smallStyle()).scene);
        QCOMPARE(drawn(shown[1]), std::ptrdiff_t{100});
    }
};

TRAINSCOPE_TEST(tst_RunInk)
#include "tst_RunInk.moc"
