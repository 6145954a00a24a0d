// Names of runs: their order, and what a list of them has in common.

#include <QtTest>

#include "core/text/NaturalOrder.h"
#include "core/text/SharedWords.h"
#include "support/TestProgram.h"

#include <algorithm>

using namespace trainscope;
using namespace trainscope::text;

class tst_Names : public QObject {
    Q_OBJECT

    using Names = std::vector<std::string>;

    static Names shortened(const Names& names) {
        const SharedWords shared = sharedWords(names);
        Names left;
        for (const std::string& name : names)
            left.push_back(withoutShared(name, shared));
        return left;
    }

private Q_SLOTS:
    void numbersInNames() {
        QVERIFY(naturalOrder("TP2", "TP16") < 0);
        QVERIFY(naturalOrder("TP16", "TP2") > 0);
        QVERIFY(naturalOrder("a007", "a7") == 0);
        QVERIFY(naturalOrder("EP8-TP1-PP4", "EP8-TP2-PP2") < 0);
        QVERIFY(naturalOrder("run", "run2") < 0);
        QVERIFY(naturalOrder("99999999999999999999", "100000000000000000000") < 0);
    }

    void sortedAsPeopleDo() {
        Names names{"r10", "r2", "r1", "r11", "r1_10", "r1_9"};
        std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return naturalOrder(a, b) < 0; });
        QCOMPARE(names, (Names{"r1", "r1_9", "r1_10", "r2", "r10", "r11"}));
    }

    void wholeWordsAreShared() {
        // "1" begins 10 and 11, but is a part of their words.
        QCOMPARE(sharedWords(Names{"sweep/gpt3_10", "sweep/gpt3_11"}), (SharedWords{11, 0}));
        QCOMPARE(shortened({"sweep/gpt3_10", "sweep/gpt3_11"}), (Names{"…10", "…11"}));
        QCOMPARE(shortened({"gpt3-175b_1_00000.log", "gpt3-175b_12_10000.log"}),
            (Names{"…1_00000…", "…12_10000…"}));
        QCOMPARE(shortened({"a tp8 h200", "b tp8 h200"}), (Names{"a…", "b…"}));
    }

    void somethingIsLeftOfEveryName() {
        QCOMPARE(shortened({"gpt3_base", "gpt3_base_cc"}), (Names{"…base", "…base_cc"}));
        // The same words begin and end the shorter name.
        QCOMPARE(shortened({"long_word_x_long_word", "long_word_long_word"}),
            (Names{"…x_long…", "…long…"}));
        QCOMPARE(shortened({"sweep_", "sweep_1"}), (Names{"sweep_", "sweep_1"}));
    }

    void nothingToShare() {
        QCOMPARE(sharedWords(Names{}), SharedWords());
        QCOMPARE(sharedWords(Names{"alone_in_the_list"}), SharedWords());
        QCOMPARE(shortened({"r1", "r10"}), (Names{"r1", "r10"}));
        QCOMPARE(shortened({"a_1", "a_2"}), (Names{"a_1", "a_2"})); // too little to save
        QCOMPARE(shortened({"", "sweep_1"}), (Names{"", "sweep_1"}));
    }

    void bytesOfOneCharacterStayTogether() {
        // ä is C3 A4, ö is C3 B6: they share a byte, and no word.
        QCOMPARE(shortened({"lauf_ä", "lauf_ö"}), (Names{"…ä", "…ö"}));
    }
};

TRAINSCOPE_TEST(tst_Names)
#include "tst_Names.moc"
