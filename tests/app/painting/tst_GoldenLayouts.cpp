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
        data.edges.push_back({node - 1, node, "pp", 6e9 + 1e8 * node, "6.1 GB / step"});
    return data;
}

QByteArray drawn(const plot::LayoutFigureData& data, const char* themeName, double width) {
    plot::FigureStyle style;
    style.theme = plot::findTheme(themeName);
    style.width = width;
    style.measure = test::goldenPitch(*style.theme);
    return test::sceneText(plot::buildLayoutFigure(data, style).scene, style.measure);
}

} // namespace

class tst_GoldenLayouts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layouts_data() {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<double>("width");
        QTest::newRow("light-layout") << QStringLiteral("light") << 2 << 620.0;
        QTest::newRow("paper-layout-small") << QStringLiteral("paper") << 4 << 241.0;
    }
    void layouts() {
        QFETCH(const QString, theme);
        QFETCH(const int, nodes);
        QFETCH(const double, width);
        auto data = dataOf(nodes, {nodes, 4, 2, nodes});
        data.query.rank = 5;
        data.colours.values[2] = std::nullopt;
        const QString difference = test::differenceFromGolden(
            QString::fromLatin1(QTest::currentDataTag()) + QStringLiteral(".txt"),
            drawn(data, theme.toLatin1().constData(), width));
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};

TRAINSCOPE_GUI_TEST(tst_GoldenLayouts)
#include "tst_GoldenLayouts.moc"
