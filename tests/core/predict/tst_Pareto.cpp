// Dominance among offers with two costs.

#include <QtTest>

#include "core/predict/search/Pareto.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;
using Places = std::vector<std::size_t>;

class tst_Pareto : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void betterInOneAndWorseInNone() {
        QVERIFY((Costs{1, 2}.dominates({2, 3})));
        QVERIFY((Costs{1, 2}.dominates({1, 3})));
        QVERIFY((Costs{1, 2}.dominates({2, 2})));
        QVERIFY(!(Costs{1, 2}.dominates({1, 2})));
        QVERIFY(!(Costs{1, 2}.dominates({2, 1})));
    }

    void frontByFirstCost() {
        //     2 dominates 0; 3 dominates 4; 1, 2 and 3 trade one cost for the other.
        const std::vector<Costs> offers{{3, 4}, {5, 1}, {2, 3}, {1, 6}, {1, 7}};
        QVERIFY(paretoFront(offers) == (Places{3, 2, 1}));
    }

    void equalOffersStandTogether() {
        const std::vector<Costs> offers{{1, 1}, {2, 2}, {1, 1}};
        QVERIFY(paretoFront(offers) == (Places{0, 2}));
    }

    void ofNoneAndOfOne() {
        QVERIFY(paretoFront({}).empty());
        const std::vector<Costs> one{{1, 1}};
        QVERIFY(paretoFront(one) == Places{0});
    }

    // Every offer is on the front or dominated by one that is, and by none otherwise.
    void frontIsThatOfTheDefinition() {
        std::vector<Costs> offers;
        unsigned state = 1;
        const auto next = [&state] {
            state = state * 1664525U + 1013904223U;
            return static_cast<double>(state >> 24U);
        };
        for (int i = 0; i < 500; ++i)
            offers.push_back({next(), next()});
        const Places front = paretoFront(offers);
        for (std::size_t i = 0; i < offers.size(); ++i) {
            bool isDominated = false;
            for (const Costs& other : offers)
                isDominated = isDominated || other.dominates(offers[i]);
            const bool isOnFront = std::find(front.begin(), front.end(), i) != front.end();
            QCOMPARE(isOnFront, !isDominated);
        }
    }
};

TRAINSCOPE_TEST(tst_Pareto)
#include "tst_Pareto.moc"
