// Splits of layers against all there are, and the two that were tried on real machines.

#include "core/analysis/cluster/PlacementModel.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;

namespace {

// The best of all splits, by trying each.
double bruteForce(const SplitRequest& request) {
    const std::size_t stages = request.speeds.size();
    std::vector<int> split(stages, 1);
    double best = 1e300;
    const auto fill = [&](auto&& self, std::size_t stage, int left) -> void {
        if (stage + 1 == stages) {
            split[stage] = left;
            if (left >= 1 && left <= request.most[stage])
                best = std::min(best, slowestStage(request, split));
            return;
        }
        for (int n = 1; n <= std::min(left, request.most[stage]); ++n) {
            split[stage] = n;
            self(self, stage + 1, left - n);
        }
    };
    fill(fill, 0, request.layers);
    return best;
}

} // namespace

class tst_LayerSplit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asGoodAsAnySplit() {
        std::mt19937 dice(3);
        std::uniform_real_distribution<double> speed(0.5, 1.0);
        std::uniform_real_distribution<double> extra(0.0, 2.0);
        int fitting = 0;
        for (int i = 0; i < 400; ++i) {
            const auto stages = static_cast<std::size_t>(2 + i % 3);
            SplitRequest request;
            request.layers = static_cast<int>(stages) + static_cast<int>(dice() % 18U);
            for (std::size_t stage = 0; stage < stages; ++stage) {
                request.speeds.push_back(i % 5 == 0 ? 1.0 : speed(dice));
                request.extra.push_back(i % 2 == 0 ? 0.0 : extra(dice));
                request.most.push_back(i % 3 == 0 ? 3 + static_cast<int>(dice() % 8U) : 100);
            }
            const auto split = bestSplit(request);
            const double best = bruteForce(request);
            QCOMPARE(split.has_value(), best < 1e299);
            if (!split)
                continue;
            ++fitting;
            QCOMPARE(std::accumulate(split->begin(), split->end(), 0), request.layers);
            for (std::size_t stage = 0; stage < stages; ++stage)
                QVERIFY((*split)[stage] >= 1 && (*split)[stage] <= request.most[stage]);
            QVERIFY(std::abs(slowestStage(request, *split) - best) < 1e-12);
        }
        QVERIFY(fitting > 300);
    }

    void slowerStagesNeverGetMore() {
        std::mt19937 dice(8);
        std::uniform_real_distribution<double> speed(0.6, 1.0);
        for (int i = 0; i < 500; ++i) {
            SplitRequest request;
            request.layers = 96;
            for (int stage = 0; stage < 8; ++stage)
                request.speeds.push_back(speed(dice));
            request.extra.assign(8, 0.0);
            request.most.assign(8, 96);
            const auto split = bestSplit(request).value();
            for (std::size_t a = 0; a < 8; ++a) {
                for (std::size_t b = 0; b < 8; ++b)
                    QVERIFY(request.speeds[a] < request.speeds[b] ? split[a] <= split[b] : true);
            }
        }
    }

    // Llama3-70B on 4 stages with hot GPUs at 19/21 of the speed, GPT3-175B on 8 at 11/13.
    void thePapersSplits() {
        const double hot = 19.0 / 21.0;
        QCOMPARE(bestSplit({80, {1.0, hot, 1.0, hot}, {0, 0, 0, 0}, {80, 80, 80, 80}}).value(),
            (std::vector<int>{21, 19, 21, 19}));
        const double hotter = 11.0 / 13.0;
        const std::vector<double> none(8, 0.0);
        const std::vector<int> all(8, 96);
        QCOMPARE(bestSplit({96, {1, hotter, 1, hotter, 1, hotter, 1, hotter}, none, all}).value(),
            (std::vector<int>{13, 11, 13, 11, 13, 11, 13, 11}));
    }

    void theLossCounts() {
        QCOMPARE(bestSplit({8, {1.0, 1.0}, {0.0, 2.0}, {8, 8}}).value(), (std::vector<int>{5, 3}));
        QVERIFY(!bestSplit({3, {1, 1, 1, 1}, {0, 0, 0, 0}, {9, 9, 9, 9}}).has_value());
        QVERIFY(!bestSplit({9, {1, 1}, {0, 0}, {4, 4}}).has_value());
    }
};

TRAINSCOPE_TEST(tst_LayerSplit)
#include "tst_LayerSplit.moc"
