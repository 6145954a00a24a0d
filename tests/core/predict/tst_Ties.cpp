// Layouts that a prediction cannot tell apart, planted, and those of a real search.

#include <QtTest>

#include "core/predict/search/Ties.h"
#include "support/TestProgram.h"

#include <algorithm>

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

RankedLayout planted(LayoutChoice choice, double seconds, double low, double high) {
    RankedLayout one{choice, eightH100(), {}, 0.0};
    one.prediction.seconds = seconds;
    one.prediction.low = low;
    one.prediction.high = high;
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
    // 10 (9 to 11) and 10.5 (9.5 to 11.5) are inside each other; 10.9 (10.2 to 12) is inside the
    // first, which is not inside it.
    void insideEachOther() {
        const auto a = planted({}, 10.0, 9.0, 11.0);
        const auto b = planted({}, 10.5, 9.5, 11.5);
        const auto c = planted({}, 10.9, 10.2, 12.0);
        QVERIFY(areTied(a, b, SearchObjective::Time));
        QVERIFY(!areTied(a, c, SearchObjective::Time));
        QVERIFY(areTied(b, c, SearchObjective::Time));
        QVERIFY(areTied(b, a, SearchObjective::Time));
    }

    // By energy, and by the power of all GPUs, whose interval is told of one.
    void byWhatTheyAreRankedBy() {
        auto a = planted({}, 10.0, 9.9, 10.1);
        auto b = planted({}, 20.0, 19.9, 20.1);
        a.prediction.energyJ = 100.0;
        a.prediction.intervals.energyJ = {80.0, 120.0};
        b.prediction.energyJ = 110.0;
        b.prediction.intervals.energyJ = {90.0, 130.0};
        QVERIFY(areTied(a, b, SearchObjective::Energy));
        QVERIFY(!areTied(a, b, SearchObjective::Time));
        a.peakW = 4000.0;
        a.prediction.intervals.peakW = {450.0, 560.0};
        b.peakW = 4400.0;
        b.prediction.intervals.peakW = {490.0, 620.0};
        QVERIFY(areTied(a, b, SearchObjective::PeakPower)); // 3920 to 4960 has 4000
        b.prediction.intervals.peakW.low = 510.0;
        QVERIFY(!areTied(a, b, SearchObjective::PeakPower));
    }

    // 10, 10.1 and 10.4 are ties; of the two that take 12 the one that divides as the best does
    // comes later; 12.2 is a tie with it; 15 is the third. Six are ranked, so six are listed.
    void threeTrulyDiffer() {
        const std::vector<RankedLayout> ranked{planted(choiceWith(4, 2, 1), 10.0, 9.0, 11.1),
            planted(choiceWith(4, 2, 2), 10.1, 9.1, 11.2),
            planted(choiceWith(2, 4, 1), 10.4, 9.4, 11.5),
            planted(choiceWith(4, 2, 4), 12.0, 10.8, 13.3),
            planted(choiceWith(8, 1, 1), 12.0, 10.8, 13.3),
            planted(choiceWith(1, 8, 1), 12.2, 11.0, 13.5),
            planted(choiceWith(2, 2, 1), 15.0, 13.5, 16.7),
            planted(choiceWith(1, 1, 1), 19.0, 17.0, 21.0)};
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
        QCOMPARE(groups, (std::vector<std::size_t>{1, 2, 3, 1, 1, 2}));
        QCOMPARE(seconds, (std::vector<double>{10.0, 12.0, 15.0, 10.1, 10.4, 12.0}));
        QVERIFY(listed[0].isBest() && !listed[1].isBest() && listed[2].isFirst);
        QVERIFY(!listed[3].isFirst && !listed[3].isBest());
    }

    // One GPU divides nothing: those that differ otherwise are taken.
    void whereNothingIsDivided() {
        const std::vector<RankedLayout> ranked{planted(choiceWith(1, 1, 8), 10.0, 9.0, 11.0),
            planted(choiceWith(1, 1, 4), 10.5, 9.5, 11.5),
            planted(choiceWith(1, 1, 2), 13.0, 12.0, 14.0)};
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
