// Two runs laid over each other, rendered as they are printed and turned to grey: their lines have
// greys far apart, and the second one is broken.

#include "app/painting/ScenePainter.h"
#include "core/plot/timeline/support/PrepareLane.h"
#include "support/TestProgram.h"

#include <QImage>
#include <QPainter>
#include <QtTest>

#include <algorithm>
#include <vector>

using namespace trainscope::plot;

namespace {

constexpr int kColumns = 200;
constexpr double kRatio = 8.0; // pixels a point

LaneSeries levelOf(std::size_t run, float level) {
    LaneSeries series;
    series.run = run;
    series.subject.rank = 0;
    series.buckets.assign(kColumns, {level, level, level, level, level, 1, false});
    return series;
}

// One lane from 0 to 100 W with a level line of each run, at 25 and at 75 W.
TimelineData twoLevels() {
    TimelineData data;
    data.window = {{0}, {1000}};
    data.columns = kColumns;
    data.runs = {{RunId{1}, "a", TimeNs{0}, 0}, {RunId{2}, "b", TimeNs{0}, 1}};
    data.iterations.resize(2);
    LaneData lane;
    lane.spec = {LaneStyle::Lines, "gpu_power", std::nullopt, 100.0};
    lane.high = 100.0;
    lane.series = {levelOf(0, 25.0F), levelOf(1, 75.0F)};
    prepareLane(lane, kColumns);
    data.lanes.push_back(lane);
    return data;
}

// The greys along a row of the lane at that share of its height.
std::vector<int> greysAt(const QImage& image, const Rect& area, double share) {
    const int y = static_cast<int>((area.bottom() - share * area.height) * kRatio);
    std::vector<int> greys;
    for (int x = static_cast<int>(area.x * kRatio) + 1; x < static_cast<int>(area.right() * kRatio);
         ++x)
        greys.push_back(qGray(image.pixel(x, y)));
    return greys;
}

} // namespace

class tst_GreyPrint : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoRunsStayApart() {
        const TimelineData data = twoLevels();
        TimelineStyle style;
        style.theme = &paperTheme();
        style.width = 300.0;
        style.measure = app::measureWith(paperTheme());
        const auto geometry = buildTimeline(data, data.window, style);
        QImage image(static_cast<int>(300 * kRatio),
            static_cast<int>(geometry.scene.height * kRatio), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        painter.scale(kRatio, kRatio);
        app::paintScene(geometry.scene, paperTheme(), painter, app::PaintTarget::Vector);
        painter.end();

        const Rect area = geometry.lanes.front().area;
        const auto first = greysAt(image, area, 0.25);
        const auto second = greysAt(image, area, 0.75);
        const int firstInk = *std::min_element(first.begin(), first.end());
        const int secondInk = *std::min_element(second.begin(), second.end());
        QVERIFY2(secondInk - firstInk > 40,
            qPrintable(QStringLiteral("%1 and %2").arg(firstInk).arg(secondInk)));
        // The second line leaves out 5 of 14 of its widths, the first nothing.
        const auto paper = [](const std::vector<int>& greys) {
            return static_cast<double>(std::count_if(greys.begin(), greys.end(), [](int grey) {
                return grey > 220;
            })) / static_cast<double>(greys.size());
        };
        QVERIFY2(paper(first) < 0.02, qPrintable(QString::number(paper(first))));
        QVERIFY2(
            paper(second) > 0.2 && paper(second) < 0.5, qPrintable(QString::number(paper(second))));
    }
};

TRAINSCOPE_GUI_TEST(tst_GreyPrint)
#include "tst_GreyPrint.moc"
