// The letters of compared runs.

#include <QTest>

#include "core/analysis/comparison/Comparison.h"
#include "support/TestProgram.h"

#include <array>

using namespace trainscope::analysis;

class tst_RunMarks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void letters() {
        QCOMPARE(runMark(0), std::string("A"));
        QCOMPARE(runMark(25), std::string("Z"));
        QCOMPARE(runMark(26), std::string("AA"));
        QCOMPARE(runMark(51), std::string("AZ"));
        QCOMPARE(runMark(52), std::string("BA"));
        QCOMPARE(runMark(26 + 26 * 26), std::string("AAA"));
    }
    void ranges() {
        QCOMPARE(runMarks(std::array<std::size_t, 1>{2}), std::string("C"));
        QCOMPARE(runMarks(std::array<std::size_t, 2>{0, 1}), std::string("A, B"));
        QCOMPARE(runMarks(std::array<std::size_t, 5>{0, 2, 3, 4, 6}), std::string("A, C–E, G"));
        QCOMPARE(runMarks(std::span<const std::size_t>()), std::string());
    }
};

TRAINSCOPE_TEST(tst_RunMarks)
#include "tst_RunMarks.moc"
