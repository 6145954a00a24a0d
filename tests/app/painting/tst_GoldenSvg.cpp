// The scenes of a small timeline, of figures and of comparisons, and what the painter makes of a
// scene as SVG; see support/Golden.h.

#include "app/painting/support/DemoTimeline.h"
#include "app/painting/support/Golden.h"
#include "core/plot/comparison/Comparison.h"
#include "core/plot/comparison/support/DemoComparison.h"
#include "core/plot/figures/Figure.h"
#include "core/plot/figures/support/DemoFigures.h"
#include "core/plot/timeline/Timeline.h"
#include "support/TestProgram.h"

using namespace trainscope::app;

namespace {

QByteArray drawnTimeline() {
    auto data = test::demoTimeline({2, 2, 60, 2});
    for (auto& lane : data.lanes)
        lane.spec.height *= 0.8;
    plot::TimelineStyle style;
    style.theme = plot::findTheme("light");
    style.width = 20.0 * style.theme->size(plot::TextRole::Body) + 240.0;
    style.nameWidth = 11.0 * style.theme->size(plot::TextRole::Body);
    style.legend = true;
    style.measure = test::goldenPitch(*style.theme);
    const auto scene = plot::buildTimeline(data, data.window, style).scene;
    return test::sceneText(scene, style.measure);
}

plot::FigureData heatmap() {
    plot::FigureData data;
    data.caption = "Over the whole of each run.";
    plot::FigureHeatmap map;
    map.scale = test::demoAxis("GPU temperature, mean", "°C", 80.0);
    map.scale.range.low = 40.0;
    map.scale.metric = "gpu_temperature";
    for (int rank = 0; rank < 8; ++rank)
        map.columns.push_back(rank);
    for (int k = 0; k < 3; ++k) {
        plot::FigureRun run;
        run.label = "TP" + std::to_string(1 << k) + "-PP" + std::to_string(8 >> k);
        run.status = k == 2 ? RunStatus::Oom : RunStatus::Ok;
        plot::FigureHeatmap::Row row;
        row.run = data.runs.size();
        row.note = "30.0 s";
        for (int rank = 0; rank < 8; ++rank) {
            row.nodes.push_back(rank / 4);
            const bool isKnown = k != 1 || rank != 5;
            row.values.push_back(isKnown ? std::optional(40.0 + 5.0 * rank + k) : std::nullopt);
        }
        data.runs.push_back(run);
        map.rows.push_back(row);
    }
    data.heatmaps.push_back(map);
    return data;
}

QByteArray drawnFigure(const plot::FigureData& data, const char* themeName) {
    plot::FigureStyle style;
    style.theme = plot::findTheme(themeName);
    style.width = 45.0 * style.theme->size(plot::TextRole::Body);
    style.measure = test::goldenPitch(*style.theme);
    return test::sceneText(plot::buildFigure(data, style).scene, style.measure);
}

QByteArray drawnComparison(std::vector<plot::ComparisonPanel> panels, const char* themeName) {
    plot::FigureStyle style;
    style.theme = plot::findTheme(themeName);
    style.width = 60.0 * style.theme->size(plot::TextRole::Body);
    style.measure = test::goldenPitch(*style.theme);
    return test::sceneText(
        plot::buildComparison(test::demoComparison(), style, {std::move(panels)}).scene,
        style.measure);
}

// Every kind of item, in every style that the painter knows.
plot::PlotScene everyItem() {
    using namespace plot;
    constexpr Color kRed = rgb(0xC0392B);
    constexpr Color kBlue = rgb(0x2E6DA4);
    const float nothing = std::nanf("");
    PlotScene scene;
    scene.width = 120.0;
    scene.height = 90.0;
    scene.background = rgb(0xFFFFFF);
    scene.items = {FillRect{{5.0, 5.0, 20.0, 10.0}, kRed},
        FillRect{{30.0, 5.0, 20.0, 10.0}, withAlpha(kBlue, 128), 3.0},
        FillRect{{55.0, 5.0, 8.0, 6.0}, kRed, 0.0, Hatch::Diagonal},
        Line{{5.0, 20.0}, {60.0, 20.0}, kBlue}, Line{{5.0, 22.0}, {60.0, 22.0}, kRed, 0.5, true},
        Polyline{{{5.0, 30.0}, {10.0, 25.0}, {15.0, 30.0}}, kBlue, 1.5},
        Columns{{20.0, 25.0, 8.0, 10.0}, {26.0F, 27.0F, nothing, 30.0F},
            {28.0F, 29.0F, nothing, 35.0F}, kRed},
        HeatStrip{{30.0, 25.0, 8.0, 4.0}, 1, 4, {kRed, kRed, kBlue, Color{0, 0, 0, 0}}},
        Bars{{40.0, 25.0, 20.0, 5.0}, {{40.0, 45.0, kRed}, {50.0, 60.0, kBlue}}},
        Label{{5.0, 45.0}, "left & <small>", kRed, TextRole::Small},
        Label{{115.0, 55.0}, "right", kBlue, TextRole::Body, Align::Right},
        Label{{60.0, 65.0}, "µs, centred", kRed, TextRole::Secondary, Align::Centre},
        Label{{5.0, 75.0}, "title", kBlue, TextRole::Title, Align::Left, true},
        Label{{110.0, 40.0}, "up", kRed, TextRole::Small, Align::Left, false, -90.0}};
    return scene;
}

// Bars on the left axis, a line with markers on the right one.
plot::PlotScene smallChart() {
    using namespace plot;
    Chart chart;
    chart.area = {10.0, 10.0, 60.0, 40.0};
    chart.x = {-0.5, 1.5, false, 0.0, 0.0};
    chart.left = {0.0, 10.0, false, 0.0, 5.0};
    chart.right = ChartAxis{0.0, 1.0, false, 0.0, 0.0};
    chart.bars.width = 0.5;
    chart.bars.colors = {rgb(0x56B4E9), rgb(0xE69F00)};
    chart.bars.values = {{5.0, 10.0}, {2.0, 0.0}};
    chart.curves.push_back({{{0.0, 0.25}, {1.0, 0.75}}, rgb(0x009E73), 1.0, 3.0, true});
    chart.grid = rgb(0xCCCCCC);
    chart.lineWidth = 0.5;
    PlotScene scene;
    scene.width = 80.0;
    scene.height = 60.0;
    scene.background = rgb(0xFFFFFF);
    scene.items = {chart};
    return scene;
}

} // namespace

class tst_GoldenSvg : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void files_data() {
        const auto row = test::columns<QByteArray>("text");
        const auto& theme = plot::paperTheme();
        const auto measure = test::goldenPitch(theme);
        row("every-item.svg", test::sceneSvg(everyItem(), theme, measure));
        row("chart.svg", test::sceneSvg(smallChart(), theme, measure));
        row("light-two-runs.txt", drawnTimeline());
        row("paper-heatmap.txt", drawnFigure(heatmap(), "paper"));
        row("paper-sweep.txt", drawnFigure(test::demoSweep(2, 8), "paper"));
        row("dark-stages.txt", drawnFigure(test::demoStages(4), "dark"));
        using enum plot::ComparisonPanel;
        row("light-comparison.txt",
            drawnComparison({Verdict, Cards, Reasons, Configuration, Bars}, "light"));
        row("paper-comparison-breakdown.txt", drawnComparison({Breakdown, Kernels}, "paper"));
        row("dark-comparison-timeline.txt", drawnComparison({Curves}, "dark"));
    }
    void files() {
        QFETCH(QByteArray, text);
        const QString difference
            = test::differenceFromGolden(QString::fromLatin1(QTest::currentDataTag()), text);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};

TRAINSCOPE_GUI_TEST(tst_GoldenSvg)
#include "tst_GoldenSvg.moc"
