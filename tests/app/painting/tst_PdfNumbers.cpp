// Coordinates of a PDF page lose the digits that nobody can see, and nothing else changes.

#include "app/painting/PdfNumbers.h"
#include "support/TestProgram.h"

#include <QtTest>

using trainscope::app::withShortCoordinates;

class tst_PdfNumbers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 0.01 pt: two decimals of points, one of twelve-hundredths of an inch (0.06 pt).
    void asFineAsTheScaleAsks() {
        QCOMPARE(
            withShortCoordinates("2605.86856 834.946505 l\n"), std::string("2605.87 834.95 l\n"));
        QCOMPARE(withShortCoordinates("0.060000000 0 0 -0.060000000 0 458 cm\n"
                                      "2605.86856 834.946505 l\n"),
            std::string("0.060000000 0 0 -0.060000000 0 458 cm\n2605.9 834.9 l\n"));
    }

    void scalesEndWithTheirState() {
        QCOMPARE(
            withShortCoordinates("0.06 0 0 -0.06 0 458 cm\nq\n16.6666666 0 0 16.6666666 0 0 cm\n"
                                 "91.0769230 39.1640000 m\nQ\n91.0769230 39.1640000 m\n"),
            std::string("0.06 0 0 -0.06 0 458 cm\nq\n16.6666666 0 0 16.6666666 0 0 cm\n"
                        "91.08 39.16 m\nQ\n91.1 39.2 m\n"));
        // A quarter turn has its scale beside the diagonal.
        QCOMPARE(withShortCoordinates("0 -0.06 0.06 0 0 0 cm\n1.2345 2.0000 3 4 re\n"),
            std::string("0 -0.06 0.06 0 0 0 cm\n1.2 2 3 4 re\n"));
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
