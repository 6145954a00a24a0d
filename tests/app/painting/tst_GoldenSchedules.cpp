// The scenes of a small schedule and of a placement; see support/Golden.h.

#include <QTest>

#include "app/painting/support/Golden.h"
#include "core/plot/layout/PlacementFigure.h"
#include "core/plot/layout/support/DemoSchedule.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

namespace {

plot::FigureStyle styleOf(const char* themeName, double width) {
    plot::FigureStyle style;
    style.theme = plot::findTheme(themeName);
    style.width = width;
    style.measure = goldenPitch(*style.theme);
    return style;
}

plot::PlacementFigureData placement() {
    plot::PlacementFigureData data;
    data.title = "Placement · job";
    data.caption = "An estimate.";
    analysis::Placement placed;
    placed.helps = true;
    placed.stages = {{20, 21, 1.0, 1.0, 60.0, 0}, {20, 19, 0.9, 0.9, 76.0, 0}};
    for (int rank = 0; rank < 16; ++rank) {
        analysis::GpuPlace gpu;
        gpu.node = rank / 8;
        gpu.local = gpu.slot = rank % 8;
        gpu.isRear = gpu.slot >= 4;
        gpu.rankBefore = gpu.rankAfter = rank;
        gpu.stageBefore = rank / 8;
        gpu.stageAfter = gpu.isRear ? 1 : 0;
        placed.gpus.push_back(gpu);
    }
    data.placement = placed;
    return data;
}

} // namespace

class tst_GoldenSchedules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void drawings_data() {
        QTest::addColumn<QByteArray>("scene");
        const auto schedule = [](bool isTraced, const char* theme) {
            const auto style = styleOf(theme, 420.0);
            return sceneText(
                plot::buildScheduleFigure(demoSchedule(isTraced), style).scene, style.measure);
        };
        QTest::newRow("paper-schedule") << schedule(true, "paper");
        QTest::newRow("dark-schedule-plan") << schedule(false, "dark");
        const auto style = styleOf("light", 420.0);
        QTest::newRow("light-placement")
            << sceneText(plot::buildPlacementFigure(placement(), style).scene, style.measure);
    }

    void drawings() {
        QFETCH(const QByteArray, scene);
        const QString difference = differenceFromGolden(
            QString::fromLatin1(QTest::currentDataTag()) + QStringLiteral(".txt"), scene);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};

TRAINSCOPE_GUI_TEST(tst_GoldenSchedules)
#include "tst_GoldenSchedules.moc"
