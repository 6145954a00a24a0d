// Words on the layouts of a search that cannot be.

#include "core/plot/prediction/PredictionWords.h"
#include "support/TestProgram.h"

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
        QCOMPARE(plot::searchWords(found),
            std::string("4 of 100 layouts are possible; ruled out: 40 by memory, 30 by ranks, 20 "
                        "by batch"));
        refuse(Refusal::Heads, 5);
        refuse(Refusal::Slow, 1);
        QCOMPARE(plot::searchWords(found),
            std::string("4 of 100 layouts are possible; ruled out: 40 by memory, 30 by ranks, 20 "
                        "by batch and 6 by other limits"));
    }
    void theyCountAsPeopleDo_data() {
        const auto row = test::columns<int, int, QString>("searched", "possible", "words");
        row("one", 1, 1, "1 layout was tried and is possible");
        row("one of many", 5310, 1, "1 of 5,310 layouts is possible");
        row("many", 115240, 10352, "10,352 of 115,240 layouts are possible");
    }
    void theyCountAsPeopleDo() {
        QFETCH(int, searched);
        QFETCH(int, possible);
        predict::SearchResult found;
        found.searched = searched;
        found.feasible.resize(static_cast<std::size_t>(possible));
        QTEST(QString::fromStdString(plot::searchWords(found)), "words");
    }
};

TRAINSCOPE_TEST(tst_SearchWords)
#include "tst_SearchWords.moc"
