// Places of bars, points and texts of charts; no text is cut or lies over another.

#include "core/plot/figures/ColumnChart.h"
#include "core/plot/figures/support/DemoFigures.h"
#include "core/plot/support/Targets.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

FigureStyle style(double width, double height = 0.0) {
    const auto measure = [](std::string_view text, TextRole, bool) {
        return 0.6 * fixedPitch(text, TextRole::Small, false);
    };
    return styleWith(measure, paperTheme(), width, height);
}

Rect boxOf(const Label& label, const FigureStyle& of) {
    const double width = of.measure(label.text, label.role, label.bold);
    const double size = of.theme->size(label.role);
    const double shift = label.align == Align::Right ? width
        : label.align == Align::Centre               ? width / 2
                                                     : 0.0;
    // Capitals, without the air above and below.
    if (label.rotation == 0.0)
        return {label.anchor.x - shift, label.anchor.y - 0.7 * size, width, 0.7 * size};
    return {label.anchor.x - 0.7 * size, label.anchor.y - (width - shift), 0.7 * size, width};
}

// The first of those words.
std::optional<Hit> targetOf(
    const Picture& picture, const std::string& title, const std::string& label) {
    for (const Target& target : picture.targets) {
        Hit hit = told(target);
        if (hit.title == title && hit.facts.front().first == label)
            return hit;
    }
    return std::nullopt;
}

FigureStyle styleOf(double width, double height) {
    FigureStyle result = styleWith(lettersOf(6.0), lightTheme(), width, height);
    result.title = false;
    return result;
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

} // namespace

class tst_ChartGeometry : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 40 words of 6 characters in a narrow figure: more lines than a figure of less height has for
    // them, and none is lost where the height is free.
    void captionsAreWholeWhereTheHeightIsFree() {
        auto data = demoSweep(1, 4);
        data.caption.clear();
        for (int i = 0; i < 40; ++i)
            data.caption += (i == 0 ? "word" : " word") + std::to_string(10 + i);
        const auto captionIn = [&](const FigureStyle& of) {
            std::string text;
            for (const auto& item : buildFigure(data, of).scene.items) {
                const auto* label = std::get_if<Label>(&item);
                if (label != nullptr && label->text.starts_with("word"))
                    text += (text.empty() ? "" : " ") + label->text;
            }
            return text;
        };
        FigureStyle narrow = style(150.0);
        const double wanted = buildFigure(data, narrow).preferredHeight;
        QCOMPARE(captionIn(narrow), data.caption);
        narrow.height = wanted;
        QCOMPARE(captionIn(narrow), data.caption);
        narrow.height = wanted - 1.0;
        QVERIFY(captionIn(narrow).ends_with("…"));
    }

    void barsAreWhereTheirValuesAre() {
        const auto data = demoSweep(1, 4);
        const auto geometry = buildFigure(data, style(400.0));
        const Chart chart = itemsOf<Chart>(geometry.scene).front();
        const double category = chart.area.width / 4.0;
        // Mean of place 1 (101 of 204 W): the left half of 72 % of the second category.
        const auto target = targetOf(geometry, "run 1", "GPU power, average");
        QVERIFY(target.has_value());
        QVERIFY(std::abs(target->outline.x - (chart.area.x + category * 1.14)) < 1e-9);
        QVERIFY(std::abs(target->outline.width - category * 0.36) < 1e-9);
        QVERIFY(std::abs(target->outline.bottom() - chart.area.bottom()) < 1e-9);
        QVERIFY(std::abs(target->outline.height - chart.area.height * 101.0 / 204.0) < 1e-9);
        // Nothing to point at where a run ended out of memory.
        QVERIFY(std::none_of(geometry.targets.begin(), geometry.targets.end(),
            [](const auto& t) { return told(t).title == "run 2"; }));
    }

    void stacksStandOnEachOther() {
        const auto data = demoStages(3);
        const auto geometry = buildFigure(data, style(500.0));
        const auto rectOf
            = [&](const char* set) { return targetOf(geometry, "mbs4 · stage 2", set)->outline; };
        QVERIFY(std::abs(rectOf("all_reduce").bottom() - rectOf("gemm").y) < 1e-9);
        QVERIFY(std::abs(rectOf("send_recv").bottom() - rectOf("all_reduce").y) < 1e-9);
        // 4.2 ms of 20 ms.
        const Chart chart = itemsOf<Chart>(geometry.scene).front();
        QVERIFY(std::abs(rectOf("gemm").height - chart.area.height * 0.21) < 1e-9);
        QVERIFY(chart.bars.stacked);
        QVERIFY(std::abs(chart.bars.values[0][5] - 4.2) < 1e-12); // in the unit of the axis
    }

    void plotAreasAreInLine() {
        const auto geometry = buildFigure(demoSweep(3, 6), style(400.0));
        const auto charts = itemsOf<Chart>(geometry.scene);
        QCOMPARE(charts.size(), std::size_t{3});
        for (const Chart& chart : charts) {
            QCOMPARE(chart.area.x, charts[0].area.x);
            QCOMPARE(chart.area.width, charts[0].area.width);
            QCOMPARE(chart.area.height, charts[0].area.height);
        }
    }

    // Also where there is room for more ticks than the usual height has.
    void labelsStayInside() {
        for (const double height : {200.0, 400.0, 700.0, 1100.0, 1700.0}) {
            const FigureStyle of = style(400.0, height);
            auto data = demoSweep(3, 6);
            // 0, 1, 2 in a low plot area, 0.0, 0.5, … in a high one.
            for (auto& panel : data.panels)
                panel.right = demoAxis("efficiency", "samples/(s·MJ)", 2.0);
            const auto geometry = buildFigure(data, of);
            for (const Label& label : itemsOf<Label>(geometry.scene)) {
                if (label.rotation != 0.0)
                    continue;
                const Rect box = boxOf(label, of);
                QVERIFY2(box.x >= 0.0 && box.right() <= 400.0, label.text.c_str());
            }
        }
    }

    void linesEndWithTheirGroup() {
        const auto geometry = buildFigure(demoSweep(1, 8), style(400.0));
        // Places 0, 1 | 3 (2 is out of memory) | 4 … 7.
        const auto curves = itemsOf<Chart>(geometry.scene).front().curves;
        QCOMPARE(curves.size(), std::size_t{3});
        QCOMPARE(curves[0].points.size(), std::size_t{2});
        QCOMPARE(curves[1].points.size(), std::size_t{1});
        QCOMPARE(curves[2].points.size(), std::size_t{4});
    }

    void whatThePointerFinds() {
        const auto data = demoSweep(2, 4);
        const auto geometry = buildFigure(data, style(400.0));
        const auto target = targetOf(geometry, "run 3", "GPU power, peak");
        const auto hit = geometry.hitAt({target->outline.x + 1.0, target->outline.bottom() - 1.0});
        QVERIFY(hit.has_value());
        QCOMPARE(hit->title, std::string("run 3"));
        QCOMPARE(hit->facts[0].first, std::string("GPU power, peak"));
        QCOMPARE(hit->facts[0].second, std::string("153 W"));
        QVERIFY(!geometry.hitAt({1.0, 1.0}));
    }

    void textsNeitherTouchNorLeave_data() {
        columns<std::size_t, double, bool>("places", "width", "stages");
        for (const std::size_t places : {1U, 3U, 8U, 20U, 64U}) {
            for (const double width : {240.0, 504.0, 1200.0}) {
                QTest::addRow("%zu places, %g", places, width) << places << width << false;
                QTest::addRow("%zu stages, %g", places, width) << places << width << true;
            }
        }
    }
    void textsNeitherTouchNorLeave() {
        QFETCH(std::size_t, places);
        QFETCH(double, width);
        QFETCH(bool, stages);
        const auto data = stages ? demoStages(places) : demoSweep(3, places);
        const FigureStyle of = style(width);
        const auto geometry = buildFigure(data, of);
        std::vector<std::pair<Rect, std::string>> boxes;
        for (const Label& label : itemsOf<Label>(geometry.scene))
            boxes.emplace_back(boxOf(label, of), label.text);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            const auto& [a, text] = boxes[i];
            const bool inside = a.x >= -0.01 && a.right() <= width + 0.01 && a.y >= -0.01
                && a.bottom() <= geometry.scene.height + 0.01;
            QVERIFY2(inside, text.c_str());
            for (std::size_t k = i + 1; k < boxes.size(); ++k) {
                const auto& [b, other] = boxes[k];
                const bool touch = a.x < b.right() - 0.01 && b.x < a.right() - 0.01
                    && a.y < b.bottom() - 0.01 && b.y < a.bottom() - 0.01;
                QVERIFY2(!touch, (text + " | " + other).c_str());
            }
        }
    }

    void outOfMemoryIsMarked() {
        const auto geometry = buildFigure(demoSweep(2, 4), style(400.0));
        const auto marks = std::count_if(
            geometry.scene.items.begin(), geometry.scene.items.end(), [](const auto& item) {
                const auto* label = std::get_if<Label>(&item);
                return label != nullptr && label->text == "OOM";
            });
        QCOMPARE(marks, std::ptrdiff_t{2});
    }

    // The chart of two columns: where points lie, what is thinned out, and what the pointer finds.

    // Axes from 0 to 10 and 0 to 100: the middle of both is the middle of the area.
    void pointsLieWhereTheirNumbersSay() {
        const auto chart = chartOf({{0, 0}, {5, 50}, {10, 100}}, false);
        const auto geometry = buildColumnChart(chart, styleOf(600, 400));
        const Rect& area = geometry.areas.front();
        const auto dots = itemsOf<FillRect>(geometry.scene);
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
            for (const auto& label : itemsOf<Label>(geometry.scene)) {
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
        const auto lines = itemsOf<Polyline>(geometry.scene);
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
        QCOMPARE(itemsOf<FillRect>(geometry.scene).size(), std::size_t{2});
    }

    void degenerateDataIsDrawn() {
        for (const bool isLine : {false, true}) {
            const auto one = buildColumnChart(chartOf({{3, 3}}, isLine), styleOf(200, 100));
            QCOMPARE(itemsOf<FillRect>(one.scene).size(), std::size_t{1});
            const auto none = buildColumnChart(chartOf({}, isLine), styleOf(1, 1));
            QVERIFY(none.scene.height > 0);
        }
    }

    void csvHasBothColumns() {
        const auto chart = chartOf({{0.1, 2}, {1e300, -3}}, false);
        QCOMPARE(columnChartCsv(chart), std::string("x,y\n0.1,2\n1e+300,-3\n"));
    }
};

TRAINSCOPE_TEST(tst_ChartGeometry)
#include "tst_ChartGeometry.moc"
