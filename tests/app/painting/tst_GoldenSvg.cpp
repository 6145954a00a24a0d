// The drawings of a small timeline and of small figures, as SVG text; see support/GoldenSvg.h.

#include <QTest>

#include "app/painting/support/DemoTimeline.h"
#include "app/painting/support/GoldenSvg.h"
#include "core/plot/comparison/ComparisonGeometry.h"
#include "core/plot/comparison/support/DemoComparison.h"
#include "core/plot/figures/FigureGeometry.h"
#include "core/plot/figures/support/DemoFigures.h"
#include "core/plot/timeline/Timeline.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;

namespace {

QByteArray drawn(const char* themeName, int runs) {
    auto data = test::demoTimeline({2, 2, 60, runs});
    for (auto& lane : data.lanes)
        lane.spec.height *= runs == 1 ? 0.5 : 0.8;
    plot::TimelineStyle style;
    style.theme = plot::findTheme(themeName);
    style.width = 20.0 * style.theme->size(plot::TextRole::Body) + 240.0;
    style.nameWidth = 11.0 * style.theme->size(plot::TextRole::Body);
    style.legend = true;
    style.measure = test::goldenPitch(*style.theme);
    const auto scene = plot::buildTimeline(data, data.window, style).scene;
    return test::goldenSvg(scene, *style.theme, style.measure);
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
    return test::goldenSvg(plot::buildFigure(data, style).scene, *style.theme, style.measure);
}

QByteArray drawnComparison(std::vector<plot::ComparisonPanel> panels, const char* themeName) {
    plot::ComparisonStyle style;
    style.theme = plot::findTheme(themeName);
    style.width = 60.0 * style.theme->size(plot::TextRole::Body);
    style.measure = test::goldenPitch(*style.theme);
    style.panels = std::move(panels);
    return test::goldenSvg(
        plot::buildComparison(test::demoComparison(), style).scene, *style.theme, style.measure);
}

} // namespace

class tst_GoldenSvg : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void timelines_data() {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<int>("runs");
        QTest::newRow("paper-one-run") << QStringLiteral("paper") << 1;
        QTest::newRow("light-two-runs") << QStringLiteral("light") << 2;
    }
    void timelines() {
        QFETCH(QString, theme);
        QFETCH(int, runs);
        const QString difference
            = test::differenceFromGolden(QString::fromLatin1(QTest::currentDataTag()),
                drawn(theme.toLatin1().constData(), runs));
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void figures_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("theme");
        QTest::newRow("paper-heatmap") << 0 << QStringLiteral("paper");
        QTest::newRow("paper-sweep") << 1 << QStringLiteral("paper");
        QTest::newRow("dark-stages") << 2 << QStringLiteral("dark");
    }
    void figures() {
        QFETCH(int, kind);
        QFETCH(QString, theme);
        const plot::FigureData data = kind == 0 ? heatmap()
            : kind == 1                         ? test::demoSweep(2, 8)
                                                : test::demoStages(4);
        const QString difference
            = test::differenceFromGolden(QString::fromLatin1(QTest::currentDataTag()),
                drawnFigure(data, theme.toLatin1().constData()));
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    void comparisons_data() {
        QTest::addColumn<QString>("panels");
        QTest::addColumn<QString>("theme");
        QTest::newRow("light-comparison")
            << QStringLiteral("verdict cards reasons configuration bars")
            << QStringLiteral("light");
        QTest::newRow("paper-comparison-breakdown")
            << QStringLiteral("breakdown kernels") << QStringLiteral("paper");
        QTest::newRow("dark-comparison-timeline")
            << QStringLiteral("curves tracks") << QStringLiteral("dark");
        QTest::newRow("paper-comparison-heatmap")
            << QStringLiteral("heatmap") << QStringLiteral("paper");
    }
    void comparisons() {
        QFETCH(QString, panels);
        QFETCH(QString, theme);
        std::vector<plot::ComparisonPanel> chosen;
        for (const auto& panel : panels.split(QLatin1Char(' ')))
            chosen.push_back(plot::comparisonPanelFromString(panel.toStdString()).value());
        const QString difference
            = test::differenceFromGolden(QString::fromLatin1(QTest::currentDataTag()),
                drawnComparison(chosen, theme.toLatin1().constData()));
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};

TRAINSCOPE_GUI_TEST(tst_GoldenSvg)
#include "tst_GoldenSvg.moc"
