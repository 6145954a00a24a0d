// Coordinates of a PDF page lose the digits that nobody can see, and nothing else changes.

#include "app/painting/PdfNumbers.h"
#include "support/TestProgram.h"

#include <QtTest>

using trainscope::app::withShortCoordinates;

class tst_PdfNumbers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoDecimals() {
        QCOMPARE(
            withShortCoordinates("2605.86856 834.946505 l\n"), std::string("2605.87 834.95 l\n"));
        QCOMPARE(withShortCoordinates("0.06 0 0 -0.06 0 458 cm\nq\n91.0769230 39.1640000 m\nQ\n"
                                      "1.2345 2.0000 3 4 re\n100 20.5 l\n"),
            std::string("0.06 0 0 -0.06 0 458 cm\nq\n91.08 39.16 m\nQ\n1.23 2 3 4 re\n"
                        "100 20.5 l\n"));
    }

    void onlyPathsChange() {
        const std::string other = "q q\n/CSp cs 0.972549021 0.560784339 0.054901961 scn\n/GSa gs\n"
                                  "0.500000000 w 0 J 2 j []0  d\n"
                                  "8.00000000 0 0 -8.00000000 10.5555555 20 Tm\n<0012> Tj\nf\n";
        QCOMPARE(withShortCoordinates(other), other);
    }

    void zeroHasNoSign() {
        QCOMPARE(withShortCoordinates("-0.0001 -1.50 l\n"), std::string("0 -1.5 l\n"));
    }
};

TRAINSCOPE_TEST(tst_PdfNumbers)
#include "tst_PdfNumbers.moc"
