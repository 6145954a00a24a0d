// Names of runs: their order, and what a list of them has in common.

#include "core/text/Names.h"
#include "core/text/Table.h"
#include "support/TestProgram.h"

using namespace trainscope::text;

class tst_Names : public QObject {
    Q_OBJECT

    using Names = std::vector<std::string>;

    static Names shortened(const Names& names) { return tellingNames(names); }
    // As wide as that many characters.
    static Names fitted(const Names& names, std::size_t width) {
        return fittedNames(
            names, [width](std::string_view name) { return displayWidth(name) <= width; });
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

    void wordsThatAllShareAreLeftOut() {
        QCOMPARE(
            shortened({"sweep/gpt3_base.log", "sweep/llama3_base.log"}), (Names{"gpt3", "llama3"}));
        QCOMPARE(
            shortened({"h100_train_eager", "h100_train_compiled"}), (Names{"eager", "compiled"}));
        QCOMPARE(shortened({"gpt3_base", "gpt3_base_cc"}), (Names{"base", "base_cc"}));
        // The same words begin and end the shorter name.
        QCOMPARE(
            shortened({"long_word_x_long_word", "long_word_long_word"}), (Names{"x_long", "long"}));
        // "1" begins 10 and 11, but is a part of their words.
        QCOMPARE(shortened({"sweep/tp10", "sweep/tp11"}), (Names{"tp10", "tp11"}));
    }

    // "0" and "d" say nothing: the word before them stays, or behind them.
    void whatIsLeftSaysSomething() {
        QCOMPARE(shortened({"h100/job_node_0", "h100/job_node_1"}), (Names{"node_0", "node_1"}));
        QCOMPARE(shortened({"sweep/gpt3-175b_1_00000.log", "sweep/gpt3-175b_12_10000.log"}),
            (Names{"gpt3-175b_1_00000", "gpt3-175b_12_10000"}));
        QCOMPARE(shortened({"/home/me/runs/d", "/home/me/runs/e"}), (Names{"runs/d", "runs/e"}));
        QCOMPARE(shortened({"a tp8 h200", "b tp8 h200"}), (Names{"a tp8", "b tp8"}));
        QCOMPARE(
            shortened({"runs_2024_05", "runs_2024_06"}), (Names{"runs_2024_05", "runs_2024_06"}));
        // Whole names that say nothing keep the others from nothing.
        QCOMPARE(shortened({"7", "8"}), (Names{"7", "8"}));
    }

    void nothingToShare() {
        QCOMPARE(shortened({}), Names());
        QCOMPARE(shortened({"alone_in_the_list"}), Names{"alone_in_the_list"});
        QCOMPARE(shortened({"r1", "r10"}), (Names{"r1", "r10"}));
        QCOMPARE(shortened({"a_one", "a_two"}), (Names{"a_one", "a_two"})); // too little to save
        QCOMPARE(shortened({"sweep_", "sweep_1"}), (Names{"sweep_", "sweep_1"}));
        QCOMPARE(shortened({"", "sweep_1"}), (Names{"", "sweep_1"}));
    }

    void namesInASentence() {
        QCOMPARE(joined(Names{}), std::string());
        QCOMPARE(joined(Names{"a"}), std::string("a"));
        QCOMPARE(joined(Names{"a", "b"}), std::string("a and b"));
        QCOMPARE(joined(Names{"a", "b", "c"}), std::string("a, b and c"));
    }

    void bytesOfOneCharacterStayTogether() {
        // ä is C3 A4, ö is C3 B6: they share a byte, and no word.
        QCOMPARE(shortened({"lauf_äh", "lauf_öh"}), (Names{"äh", "öh"}));
        QCOMPARE(fitted({"ääääää1", "ääääää2"}, 4), (Names{"ä…ä1", "ä…ä2"}));
    }

    void equalNamesGetWhatDiffers() {
        const std::vector<Named> byStart{{"train", {"22:37:00", "8 × H100"}},
            {"train", {"22:40:45", "8 × H100"}}, {"other", {"22:37:00", "8 × H100"}}};
        QCOMPARE(tellingNames(byStart), (Names{"train · 22:37:00", "train · 22:40:45", "other"}));
        const std::vector<Named> byMachine{
            {"train", {"22:37:00", "8 × H100"}}, {"train", {"22:37:00", "8 × H200"}}};
        QCOMPARE(tellingNames(byMachine), (Names{"train · 8 × H100", "train · 8 × H200"}));
        // Neither alone tells all three apart.
        const std::vector<Named> byBoth{
            {"t", {"1 h", "A"}}, {"t", {"1 h", "B"}}, {"t", {"2 h", "A"}}};
        QCOMPARE(tellingNames(byBoth), (Names{"t · 1 h · A", "t · 1 h · B", "t · 2 h · A"}));
        QCOMPARE(shortened({"train", "train"}), (Names{"train", "train (2)"}));
        // A database names a second run of a name by a number.
        const std::vector<Named> numbered{{"train", {"22:37:00"}}, {"train (2)", {"22:40:45"}},
            {"train 3", {"22:50:00"}}, {"phase 2", {"1:00:00"}}};
        QCOMPARE(toldApart(numbered),
            (Names{"train · 22:37:00", "train (2) · 22:40:45", "train 3 · 22:50:00", "phase 2"}));
    }

    void noTwoReadAlikeWhereThereIsNoRoom() {
        // Cut in the middle both would be "exper…batch".
        const Names names{"experiment_current_eager_batch", "experiment_current_fused_batch"};
        QCOMPARE(fitted(names, 11), (Names{"…eager_bat…", "…fused_bat…"}));
        QCOMPARE(fitted(names, 30), names);
        QCOMPARE(fitted({"a_long_name_of_a_run", "short"}, 9), (Names{"a_lo…_run", "short"}));
        // Two of three differ behind what the third does not have.
        const auto three = fitted({"kernel_aaaa_1_tail", "kernel_aaaa_2_tail", "kernel_b"}, 8);
        QCOMPARE(std::set<std::string>(three.begin(), three.end()).size(), 3U);
        for (const auto& name : three)
            QVERIFY2(displayWidth(name) <= 8, name.c_str());
        // Nothing fits.
        QCOMPARE(fitted({"one", "two"}, 0), (Names{"one", "two"}));
    }
};

TRAINSCOPE_TEST(tst_Names)
#include "tst_Names.moc"
