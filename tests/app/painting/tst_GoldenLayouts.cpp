// The scenes of small layouts; see support/Golden.h.

#include <QTest>

#include "app/painting/support/Golden.h"
#include "core/plot/layout/LayoutFigure.h"
#include "core/plot/layout/support/DemoLayout.h"
#include "support/TestProgram.h"

using namespace trainscope;

namespace {

plot::LayoutFigureData dataOf(int nodes, const test::Shape& shape) {
    plot::LayoutFigureData data;
    data.title = "run";
    data.caption = "Over the whole run.";
    data.notes = {"Layout from the launch configuration."};
    data.layout = test::demoLayout(shape);
    data.cluster = test::demoCluster(nodes, shape.gpus);
    data.colours = test::demoHeat(nodes * shape.gpus);
    for (int node = 0; node < nodes; ++node)
        data.nodes.push_back(
            {"stage " + std::to_string(node) + " · 3.6 kW", "NVSwitch 174 GB/s", 0.4});
    for (int node = 1; node < nodes; ++node)
        data.edges.push_back({{node - 1, node, "pp", {}, {}}, 6e9 + 1e8 * node, "6.1 GB / step"});
    return data;
}

} // namespace

class tst_GoldenLayouts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layout() {
        auto data = dataOf(2, {2, 4, 2, 2});
        data.query.rank = 5;
        data.colours.values[2] = std::nullopt;
        plot::FigureStyle style;
        style.theme = plot::findTheme("light");
        style.width = 620.0;
        style.measure = test::goldenPitch(*style.theme);
        const auto scene = plot::buildLayoutFigure(data, style).scene;
        const QString difference = test::differenceFromGolden(
            QStringLiteral("light-layout.txt"), test::sceneText(scene, style.measure));
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};

TRAINSCOPE_GUI_TEST(tst_GoldenLayouts)
#include "tst_GoldenLayouts.moc"
