// Dates in the forms of several countries, and back.

#include "core/text/DateForm.h"
#include "support/TestProgram.h"

using trainscope::text::DateForm;

class tst_DateForm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thereAndBack_data() {
        const auto row = trainscope::test::columns<QString, QString>("pattern", "shown");

        row("Germany", "dd.MM.yy", "09.03.2026");
        row("United States", "M/d/yy", "3/9/2026");
        row("Finland", "d.M.yyyy", "9.3.2026");
        row("Croatia", "dd. MM. yyyy.", "09. 03. 2026.");
        row("Hungary", "yyyy. MM. dd.", "2026. 03. 09.");
        row("Netherlands", "dd-MM-yyyy", "09-03-2026");
        row("Japan", "yyyy/MM/dd", "2026/03/09");
        row("with signs", "yy年M月d日", "2026年3月9日");
        row("Sweden", "yyyy-MM-dd", "2026-03-09");
    }
    void thereAndBack() {
        QFETCH(QString, pattern);
        QFETCH(QString, shown);
        const auto form = DateForm::of(pattern.toStdString());
        QVERIFY(form.has_value());
        const auto written = DateForm().rewritten("2026-03-09", *form);
        QVERIFY(written.has_value());
        QCOMPARE(QString::fromStdString(*written), shown);
        QCOMPARE(form->rewritten(*written, DateForm()).value_or("none"), std::string("2026-03-09"));
    }

    void patternsOfNames_data() {
        trainscope::test::columns<QString>("pattern");
        for (const char* pattern :
            {"d MMM yyyy", "dddd d/M/yy", "d 'de' M yy", "dd.MM.", "M/M/yy", "yyyy-MM-dd G", ""})
            QTest::addRow("'%s'", pattern) << QString::fromUtf8(pattern);
    }
    void patternsOfNames() {
        QFETCH(QString, pattern);
        QVERIFY(!DateForm::of(pattern.toStdString()));
    }

    void otherTextsAreNoDates() {
        for (const char* text :
            {"", "2026", "2026-03", "2026-03-09 ", "x2026-03-09", "2026/03/09", "-2026-03-09"})
            QVERIFY2(!DateForm().rewritten(text, DateForm()), text);
    }
};

TRAINSCOPE_TEST(tst_DateForm)
#include "tst_DateForm.moc"
