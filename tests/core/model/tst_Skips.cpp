// A skip that nobody listed fails its test.

#include "support/Skips.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

class tst_Skips : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlyListedOnesPass_data() {
        const auto row = columns<std::string, int>("log", "unlisted");
        row("listed", "SKIP   : tst_A::one() it is dark", 0);
        row("its row of data", "SKIP   : tst_A::one(row) so it is dark outside", 0);
        row("another reason", "SKIP   : tst_A::one() it is cold", 1);
        row("another class", "SKIP   : tst_AB::one() it is dark", 1);
        row("a condition that does not hold", "SKIP   : tst_B::one() it is dark", 1);
        row("a condition that holds", "SKIP   : tst_C::one() anything", 0);
        row("no skip", "PASS   : tst_B::one()\nTotals: 1 passed, 0 skipped", 0);
        row("two", "SKIP   : tst_B::one() a\nSKIP   : tst_D::two() b", 2);
    }
    void onlyListedOnesPass() {
        QFETCH(std::string, log);
        QFETCH(int, unlisted);
        const std::string list = "# a comment tst_D\nany tst_A is dark\nwithout:sh tst_B\n"
                                 "without:no-such-program tst_C\n";
        QCOMPARE(unlistedSkips(log, list).size(), static_cast<std::size_t>(unlisted));
    }

    void whoRunsTheTests() { QVERIFY(holdsHere("root") != holdsHere("user")); }
};

TRAINSCOPE_TEST(tst_Skips)
#include "tst_Skips.moc"
