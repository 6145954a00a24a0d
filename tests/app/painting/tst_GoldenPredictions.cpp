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
    void drawings_data() {
        QTest::addColumn<QByteArray>("scene");
        const auto board = [](const char* theme, double width) {
            plot::FigureStyle style;
            style.theme = plot::findTheme(theme);
            style.width = width;
            style.measure = goldenPitch(*style.theme);
            const auto geometry = plot::buildPrediction(demoPrediction(), style,
                {plot::kPredictionPanels.begin(), plot::kPredictionPanels.end()});
            return sceneText(geometry.scene, style.measure);
        };
        QTest::newRow("paper-prediction") << board("paper", 500.0);
        QTest::newRow("dark-prediction") << board("dark", 700.0);
    }

    void drawings() {
        QFETCH(const QByteArray, scene);
        const QString difference = differenceFromGolden(
            QString::fromLatin1(QTest::currentDataTag()) + QStringLiteral(".txt"), scene);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};

TRAINSCOPE_GUI_TEST(tst_GoldenPredictions)
#include "tst_GoldenPredictions.moc"
