// Layouts that a prediction cannot tell apart, planted, and those of a real search.

#include <QtTest>

#include "core/predict/search/Ties.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <string>

using namespace trainscope;
using namespace trainscope::predict;

namespace {

LayoutChoice choiceWith(int tensor, int pipeline, int microBatch) {
    LayoutChoice choice;
    choice.tensor = tensor;
    choice.pipeline = pipeline;
    choice.microBatch = microBatch;
    return choice;
}

Job eightH100() {
    JobRequest request;
    request.model = *catalogue::modelCatalogue().byName("llama3-8b");
    request.cluster = clusterFrom("1x8xH100").value();
    request.layout = layoutFrom("tp=8").value();
    request.globalBatch = 16;
    return jobOf(request).value();
}

// Its own error is a standard deviation of 3 %; two of different software, as their choices say
// here, have errors that correlate by exp(-1), so that the ratio of two has
// 0.03 sqrt(2 (1 - exp(-1))) = 0.0337, and 5.7 % apart is no tie.
RankedLayout planted(LayoutChoice choice, double seconds) {
    RankedLayout one{choice, eightH100(), {}, 0.0};
    one.job.stack = std::to_string(choice.tensor) + " " + std::to_string(choice.pipeline) + " "
        + std::to_string(choice.microBatch);
    one.prediction.seconds = seconds;
    one.prediction.spread.own = 0.03;
    return one;
}

// As estimates, each as predicted.
std::vector<LayoutEstimate> estimatesOf(const std::vector<RankedLayout>& ranked) {
    std::vector<LayoutEstimate> all;
    for (const RankedLayout& one : ranked)
        all.push_back({one.choice, one.prediction.seconds, 0.0, 0.0, 0.0, 0.0, 0.0});
    return all;
}

Result<RankedLayout> notAsked(const LayoutChoice&) {
    return usageError("All of them were predicted.");
}

} // namespace

class tst_Ties : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Intervals of their own do not matter: what is not known of both alike cancels.
    void byTheirRatio() {
        auto a = planted(choiceWith(1, 1, 1), 10.0);
        auto b = planted(choiceWith(2, 1, 1), 10.55);
        QVERIFY(areTied(a, b, SearchObjective::Time) && areTied(b, a, SearchObjective::Time));
        b.prediction.seconds = 10.6;
        a.prediction.low = b.prediction.low = 5.0;
        a.prediction.high = b.prediction.high = 20.0;
        a.prediction.spread.constants["gemm"] = b.prediction.spread.constants["gemm"] = 0.2;
        QVERIFY(!areTied(a, b, SearchObjective::Time) && !areTied(b, a, SearchObjective::Time));
        // One depends on the link, 5 % of its step: sqrt(0.0337² + 0.05²) = 0.0603, 10.4 % apart.
        b.prediction.spread.constants["link"] = 0.05;
        b.prediction.seconds = 11.0;
        QVERIFY(areTied(a, b, SearchObjective::Time));
        b.prediction.seconds = 11.1;
        QVERIFY(!areTied(a, b, SearchObjective::Time));
        // The same job, however little it is known, is a tie with what is as long.
        auto c = a;
        QVERIFY(areTied(a, c, SearchObjective::Time));
        c.prediction.seconds = 10.001;
        QVERIFY(!areTied(a, c, SearchObjective::Time));
    }

    // The power has 8 % of its own in each: 0.08 · 1.124 = 0.0899, 16 % apart. In the energy the
    // step's 0.0337 counts besides, at most whole.
    void byWhatTheyAreRankedBy() {
        auto a = planted(choiceWith(1, 1, 1), 10.0);
        auto b = planted(choiceWith(2, 1, 1), 20.0);
        a.prediction.energyJ = 100.0;
        b.prediction.energyJ = 115.0;
        QVERIFY(areTied(a, b, SearchObjective::Energy));
        QVERIFY(!areTied(a, b, SearchObjective::Time));
        b.prediction.energyJ = 118.0;
        QVERIFY(!areTied(a, b, SearchObjective::Energy));
        a.peakW = 4000.0;
        b.peakW = 4600.0;
        QVERIFY(areTied(a, b, SearchObjective::PeakPower));
        b.peakW = 4700.0;
        QVERIFY(!areTied(a, b, SearchObjective::PeakPower));
        // The limiter keeps both within 3 %: 5.7 % apart.
        a.prediction.outlook.limit = b.prediction.outlook.limit = ClockLimit::Power;
        b.peakW = 4250.0;
        QVERIFY(!areTied(a, b, SearchObjective::PeakPower));
    }

    // 10, 10.1 and 10.4 are ties; of the two that take 12 the one that divides as the best does
    // comes later; 12.2 is a tie with it; 15 is the third. Six are ranked, so six are listed.
    void threeTrulyDiffer() {
        const std::vector<RankedLayout> ranked{planted(choiceWith(4, 2, 1), 10.0),
            planted(choiceWith(4, 2, 2), 10.1), planted(choiceWith(2, 4, 1), 10.4),
            planted(choiceWith(4, 2, 4), 12.0), planted(choiceWith(8, 1, 1), 12.0),
            planted(choiceWith(1, 8, 1), 12.2), planted(choiceWith(2, 2, 1), 15.0),
            planted(choiceWith(1, 1, 1), 19.0)};
        SearchResult found;
        found.apart
            = layoutsApart(ranked, estimatesOf(ranked), SearchObjective::Time, notAsked).value();
        QCOMPARE(found.apart.size(), std::size_t{3});
        QVERIFY(found.apart[0].choice == choiceWith(4, 2, 1));
        QVERIFY(found.apart[1].choice == choiceWith(8, 1, 1));
        QVERIFY(found.apart[2].choice == choiceWith(2, 2, 1));
        found.top.assign(ranked.begin(), ranked.begin() + 6);
        const auto listed = listedLayouts(found);
        std::vector<std::size_t> groups;
        std::vector<double> seconds;
        for (const ListedLayout& one : listed) {
            groups.push_back(one.group);
            seconds.push_back(one.layout->prediction.seconds);
        }
        QCOMPARE(groups, (std::vector<std::size_t>{1, 1, 1, 2, 2, 3}));
        QCOMPARE(seconds, (std::vector<double>{10.0, 10.1, 10.4, 12.0, 12.0, 15.0}));
        QVERIFY(listed[0].isBest() && !listed[1].isBest() && !listed[1].isFirst);
        QVERIFY(listed[3].isFirst && !listed[4].isFirst && listed[5].isFirst);
    }

    // One GPU divides nothing: those that differ otherwise are taken.
    void whereNothingIsDivided() {
        const std::vector<RankedLayout> ranked{planted(choiceWith(1, 1, 8), 10.0),
            planted(choiceWith(1, 1, 4), 10.5), planted(choiceWith(1, 1, 2), 13.0)};
        const auto apart
            = layoutsApart(ranked, estimatesOf(ranked), SearchObjective::Time, notAsked).value();
        QCOMPARE(apart.size(), std::size_t{2});
        QVERIFY(apart[1].choice == choiceWith(1, 1, 2));
        QVERIFY(layoutsApart({}, {}, SearchObjective::Time, notAsked).value().empty());
    }

    // The first of a search is the best, no two are ties, and the divisions differ.
    void ofASearch() {
        SearchRequest request;
        request.model = *catalogue::modelCatalogue().byName("llama3-8b");
        request.cluster = clusterFrom("2x8xH100").value();
        request.globalBatch = 64;
        const auto found = searchLayouts(request).value();
        QCOMPARE(found.apart.size(), kMostApart);
        QVERIFY(found.apart.front().choice == found.top.front().choice);
        for (std::size_t a = 0; a < found.apart.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                const LayoutChoice& one = found.apart[a].choice;
                const LayoutChoice& other = found.apart[b].choice;
                QVERIFY(!areTied(found.apart[a], found.apart[b], SearchObjective::Time));
                QVERIFY(one.tensor != other.tensor || one.pipeline != other.pipeline
                    || one.context != other.context || one.data != other.data);
                QVERIFY(found.apart[b].prediction.seconds < found.apart[a].prediction.seconds);
            }
        }
        for (const ListedLayout& one : listedLayouts(found)) {
            if (one.group > 0 && !one.isFirst)
                QVERIFY(areTied(*one.layout, found.apart[one.group - 1], SearchObjective::Time));
        }
    }
};

TRAINSCOPE_TEST(tst_Ties)
#include "tst_Ties.moc"
