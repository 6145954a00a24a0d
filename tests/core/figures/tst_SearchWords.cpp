// What a search of layouts says of those that cannot be.

#include <QTest>

#include "core/figures/prediction/RankedLayouts.h"
#include "support/TestProgram.h"

#include <string>

using namespace trainscope;
using predict::Refusal;

class tst_SearchWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 4 + 40 + 30 + 20 + 5 + 1 = 100: what is told adds up to all that was looked at.
    void theyAddUp() {
        predict::SearchResult found;
        found.searched = 100;
        found.feasible.resize(4);
        const auto refuse = [&found](Refusal reason, std::int64_t count) {
            found.refused[static_cast<std::size_t>(reason)] = count;
        };
        refuse(Refusal::Memory, 40);
        refuse(Refusal::Ranks, 30);
        refuse(Refusal::Batch, 20);
        QCOMPARE(figures::searchWords(found),
            std::string(
                "4 of 100 layouts can be; refused: 40 by memory, 30 by ranks, 20 by batch"));
        refuse(Refusal::Heads, 5);
        refuse(Refusal::Slow, 1);
        QCOMPARE(figures::searchWords(found),
            std::string("4 of 100 layouts can be; refused: 40 by memory, 30 by ranks, 20 by batch "
                        "and 6 by other limits"));
    }
};

TRAINSCOPE_TEST(tst_SearchWords)
#include "tst_SearchWords.moc"
