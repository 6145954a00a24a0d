// The chart of two columns: where points lie, what is thinned out, and what the pointer finds.

#include "core/plot/figures/ColumnChart.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;

namespace {

FigureStyle styleOf(double width, double height) {
    static const Theme& theme = lightTheme();
    return {&theme, width, height,
        [](std::string_view text, TextRole, bool) {
            return 6.0 * static_cast<double>(text.size());
        },
        false, true};
}

ColumnChart chartOf(std::vector<Point> points, bool isLine) {
    std::vector<double> xs;
    std::vector<double> ys;
    for (const Point& point : points) {
        xs.push_back(point.x);
        ys.push_back(point.y);
    }
    ColumnChart chart;
    chart.points = std::move(points);
    chart.isLine = isLine;
    chart.x = columnAxis("x", "", xs);
    chart.y = columnAxis("y", "", ys);
    return chart;
}

template <typename Item>
std::vector<Item> drawnOf(const PlotScene& scene) {
    std::vector<Item> found;
    for (const SceneItem& item : scene.items) {
        if (const auto* one = std::get_if<Item>(&item))
            found.push_back(*one);
    }
    return found;
}

} // namespace

class tst_ColumnChart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Axes from 0 to 10 and 0 to 100: the middle of both is the middle of the area.
    void pointsLieWhereTheirNumbersSay() {
        const auto chart = chartOf({{0, 0}, {5, 50}, {10, 100}}, false);
        const auto geometry = buildColumnChart(chart, styleOf(600, 400));
        const Rect& area = geometry.areas.front();
        const auto dots = drawnOf<FillRect>(geometry.scene);
        QCOMPARE(dots.size(), std::size_t{3});
        const auto centre = [](const FillRect& dot) {
            return Point{dot.rect.x + dot.rect.width / 2, dot.rect.y + dot.rect.height / 2};
        };
        QVERIFY(std::abs(centre(dots[1]).x - (area.x + area.width / 2)) < 1e-9);
        QVERIFY(std::abs(centre(dots[1]).y - (area.y + area.height / 2)) < 1e-9);
        QVERIFY(std::abs(centre(dots[0]).y - area.bottom()) < 1e-9);
        QVERIFY(std::abs(centre(dots[2]).x - area.right()) < 1e-9);
        QVERIFY(area.right() <= 600 && area.bottom() < 400);
        const auto hit = geometry.hitAt({centre(dots[1]).x + 3, centre(dots[1]).y});
        QVERIFY(hit.has_value());
        QCOMPARE(hit->facts[0].second, std::string("5"));
        QCOMPARE(hit->facts[1].second, std::string("50"));
        QVERIFY(!geometry.hitAt({area.x + area.width / 2, area.y + 2}));
    }

    // Numbers of twelve digits, 72 wide: five of them stand beside each other in 560, not in 220.
    void numbersOfTheAxisDoNotTouch() {
        for (const double width : {600.0, 260.0}) {
            const auto geometry
                = buildColumnChart(chartOf({{0, 0}, {4e11, 100}}, true), styleOf(width, 300));
            std::vector<double> middles;
            for (const auto& label : drawnOf<Label>(geometry.scene)) {
                const bool isNumber
                    = label.text.find_first_not_of("0123456789") == std::string::npos;
                if (isNumber && label.align == Align::Centre)
                    middles.push_back(label.anchor.x);
            }
            QVERIFY(middles.size() >= 2);
            for (std::size_t i = 1; i < middles.size(); ++i)
                QVERIFY(middles[i] - middles[i - 1] > 72.0);
        }
    }

    // A saw of 100,000 teeth: the line keeps the least and the greatest of each pixel.
    void linesKeepTheirExtremes() {
        std::vector<Point> points;
        for (int i = 0; i < 200'000; ++i)
            points.push_back({static_cast<double>(i), i % 2 == 0 ? -1.0 : 1.0});
        const auto geometry = buildColumnChart(chartOf(points, true), styleOf(500, 300));
        const auto lines = drawnOf<Polyline>(geometry.scene);
        QCOMPARE(lines.size(), std::size_t{1});
        QVERIFY(lines[0].points.size() <= 4 * 501);
        const auto [low, high] = std::minmax_element(lines[0].points.begin(), lines[0].points.end(),
            [](const Point& a, const Point& b) { return a.y < b.y; });
        QVERIFY(high->y - low->y > 0.3 * geometry.areas.front().height);
        QVERIFY(std::is_sorted(lines[0].points.begin(), lines[0].points.end(),
            [](const Point& a, const Point& b) { return std::floor(a.x) < std::floor(b.x); }));
    }

    void pointsOnOneAnotherAreDrawnOnce() {
        std::vector<Point> points(50'000, Point{1, 1});
        points.push_back({2, 2});
        const auto geometry = buildColumnChart(chartOf(points, false), styleOf(500, 300));
        QCOMPARE(drawnOf<FillRect>(geometry.scene).size(), std::size_t{2});
    }

    void degenerateDataIsDrawn() {
        for (const bool isLine : {false, true}) {
            const auto one = buildColumnChart(chartOf({{3, 3}}, isLine), styleOf(200, 100));
            QCOMPARE(drawnOf<FillRect>(one.scene).size(), std::size_t{1});
            const auto none = buildColumnChart(chartOf({}, isLine), styleOf(1, 1));
            QVERIFY(none.scene.height > 0);
        }
    }

    void csvHasBothColumns() {
        const auto chart = chartOf({{0.1, 2}, {1e300, -3}}, false);
        QCOMPARE(columnChartCsv(chart), std::string("x,y\n0.1,2\n1e+300,-3\n"));
    }
};

TRAINSCOPE_TEST(tst_ColumnChart)
#include "tst_ColumnChart.moc"
