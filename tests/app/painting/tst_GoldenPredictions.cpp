// The scenes of a small prediction; see support/Golden.h.

#include <QTest>

#include "app/painting/support/Golden.h"
#include "core/plot/prediction/support/DemoPrediction.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

class tst_GoldenPredictions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void board() {
        plot::FigureStyle style;
        style.theme = plot::findTheme("paper");
        style.width = 500.0;
        style.measure = goldenPitch(*style.theme);
        const auto made = plot::buildPrediction(demoPrediction(), style,
            {plot::kPredictionPanels.begin(), plot::kPredictionPanels.end()});
        const QString difference = differenceFromGolden(
            QStringLiteral("paper-prediction.txt"), sceneText(made.scene, style.measure));
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};

TRAINSCOPE_GUI_TEST(tst_GoldenPredictions)
#include "tst_GoldenPredictions.moc"
