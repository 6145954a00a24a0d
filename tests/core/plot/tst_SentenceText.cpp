// Sentences with bold numbers, measured with a font of fixed pitch: 6 a character.

#include "core/plot/SentenceText.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

using namespace trainscope::plot;
using trainscope::test::fixedPitch;

namespace {

struct FlowedSentence {
    PlotScene scene;
    int lines = 0;

    FlowedSentence(const char* text, double width, int most = 64, bool isDrawn = true) {
        const MeasureText measure = fixedPitch;
        const Canvas canvas{lightTheme(), measure, scene};
        lines = flowSentence(canvas, text, {{10.0, 20.0}, width, 15.0, most}, isDrawn);
    }
    // "[bold]" and plain labels by line.
    [[nodiscard]] QString told() const {
        QString all;
        double y = 20.0;
        for (const auto& item : scene.items) {
            const auto& label = std::get<Label>(item);
            all += label.anchor.y > y ? QStringLiteral(" / ") : QStringLiteral(" ");
            y = label.anchor.y;
            const QString text = QString::fromStdString(label.text);
            all += label.bold ? QLatin1Char('[') + text + QLatin1Char(']') : text;
        }
        return all.trimmed();
    }
};

} // namespace

class tst_SentenceText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbers_data() {
        const auto row = trainscope::test::columns<QByteArray, QString>("text", "told");
        row("unit", "took 5.34 MJ.", "took [5.34 MJ] .");
        row("brackets", "(4 and 95 %).", "( [4] and [95 %] ).");
        row("names", "rank0 of gpt3-175b", "rank0 of gpt3-175b");
        row("cluster", "32 × H200 took 2 ×", "32 × H200 took [2 ×]");
        row("end of a clause", "last in 32, ms later", "last in [32] , ms later");
    }
    void numbers() {
        QFETCH(QByteArray, text);
        QFETCH(QString, told);
        QCOMPARE(FlowedSentence(text.constData(), 1e4).told(), told);
    }

    // "took 5.34 MJ" is 12 characters: at 11 the number goes to the next line with its unit.
    void lines() {
        QCOMPARE(FlowedSentence("took 5.34 MJ", 12 * 6.0).lines, 1);
        const FlowedSentence two("took 5.34 MJ", 11 * 6.0);
        QCOMPARE(two.lines, 2);
        QCOMPARE(two.told(), QStringLiteral("took / [5.34 MJ]"));
        QCOMPARE(FlowedSentence("a b c d", 6.0, 2).lines, 2);
    }

    void measuredAlone() {
        const FlowedSentence measured("took 5.34 MJ", 11 * 6.0, 64, false);
        QCOMPARE(measured.lines, 2);
        QVERIFY(measured.scene.items.empty());
    }
};

TRAINSCOPE_TEST(tst_SentenceText)
#include "tst_SentenceText.moc"
