// Recomputed work: its FLOP against Narayanan et al. 2021, its time and its memory from nothing to
// everything. Operators cost here what they multiply, and exchanges nothing.

#include <QtTest>

#include "core/analysis/machine/MemoryNeed.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"
#include "support/TestProgram.h"

#include <cmath>

using namespace trainscope;
using namespace trainscope::predict;

namespace {

constexpr double kLayers = 24;
constexpr double kHidden = 2048;
constexpr double kTokens = 1024; // per sample
constexpr double kWords = 50304;
constexpr double kScores = 4.0 * kTokens * kTokens * kHidden; // forward FLOP of a layer's scores
constexpr double kWeights = 24.0 * kTokens * kHidden * kHidden; // its products

class CountedFlop : public OperatorCosts, public CollectiveCosts {
public:
    [[nodiscard]] OperatorTime timeOf(const Operator& work) const override {
        return {forwardWork(work).flop * work.count, backwardWork(work).flop * work.count, 0.0};
    }
    [[nodiscard]] double secondsOf(const Collective&) const override { return 0.0; }
};

JobRequest plainGpt() {
    JobRequest request;
    request.model.name = "gpt";
    request.model.layers = kLayers;
    request.model.hidden = kHidden;
    request.model.heads = request.model.kvHeads = 16;
    request.model.headSize = 128;
    request.model.ffn = 4 * kHidden;
    request.model.vocabulary = kWords;
    request.cluster = clusterFrom("1x1xH100").value();
    request.sequence = kTokens;
    request.attention = AttentionKind::Unfused; // all s × s, as the paper counts
    return request;
}

// FLOP of a micro-batch, and those that are done again.
std::pair<double, double> flopOf(const JobRequest& request) {
    const Job job = jobOf(request).value();
    const CountedFlop costs;
    Rates rates = RateTable::builtIn().ratesOf(job).value();
    rates.gapSeconds = rates.stepSeconds = 0.0;
    const PieceCost piece = predictStep(job, rates, costs, costs).value().pieces.front();
    return {
        piece.forward.total() + piece.backward.total(), piece.backward[StepPart::Recomputation]};
}

bool isFlopNear(double a, double b) {
    return std::abs(a / b - 1.0) < 1e-9;
}

} // namespace

class tst_Recomputation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Their equation 3: 96·B·s·l·h²·(1 + s/(6h) + V/(16·l·h)) with all activations done again; the
    // 96 and the 16 are 72 and 12 without.
    void narayanan() {
        JobRequest request = plainGpt();
        const double all = kTokens * kLayers * kHidden * kHidden;
        const double scores = kTokens / (6.0 * kHidden);
        QVERIFY(isFlopNear(flopOf(request).first,
            72.0 * all * (1.0 + scores + kWords / (12.0 * kLayers * kHidden))));
        request.recompute = Recompute::Full;
        QVERIFY(isFlopNear(flopOf(request).first,
            96.0 * all * (1.0 + scores + kWords / (16.0 * kLayers * kHidden))));
    }

    void blocks() {
        JobRequest request = plainGpt();
        request.recompute = Recompute::Full;
        for (const int layers : {1, 6, 23, 24}) {
            request.recomputedLayers = layers;
            QVERIFY(isFlopNear(flopOf(request).second, layers * (kWeights + kScores)));
        }
        request.recompute = Recompute::Selective;
        request.recomputedLayers = 0;
        QVERIFY(isFlopNear(flopOf(request).second, kLayers * kScores));
    }

    // A block is one of each stage, whatever pieces it has.
    void blocksOfStages() {
        JobRequest request = plainGpt();
        request.cluster = clusterFrom("1x4xH100").value();
        request.layout = layoutFrom("pp=4,vpp=3").value();
        request.globalBatch = 8;
        request.recompute = Recompute::Full;
        request.recomputedLayers = 3; // out of 6
        const Job job = jobOf(request).value();
        const CountedFlop costs;
        const Rates rates = RateTable::builtIn().ratesOf(job).value();
        const auto pieces = predictStep(job, rates, costs, costs).value().pieces;
        QCOMPARE(pieces.size(), std::size_t{12});
        for (const PieceCost& piece : pieces)
            QVERIFY(isFlopNear(
                piece.backward[StepPart::Recomputation], 0.5 * 2 * (kWeights + kScores)));
    }

    // Time rises and memory falls with each layer that is done again, in equal steps: a layer
    // leaves its 2·s·b·h B of 34·s·b·h + 5·a·s²·b (Korthikanti et al. 2022, table 2).
    void fromNoneToFull() {
        JobRequest request = plainGpt();
        const auto need = [](const JobRequest& asked) {
            return analysis::stageNeedOf(memoryRequestOf(jobOf(asked).value()), 0);
        };
        const auto seconds = [](const JobRequest& asked) {
            return Predictor().predict(jobOf(asked).value()).value().seconds;
        };
        double held = need(request).held;
        double time = seconds(request);
        const double whole = 32.0 * kTokens * kHidden + 5.0 * 16 * kTokens * kTokens; // no masks
        QVERIFY(isFlopNear(held, kLayers * whole));
        const double first = time;
        request.recompute = Recompute::Full;
        double stride = 0.0;
        for (int layers = 1; layers <= kLayers; ++layers) {
            request.recomputedLayers = layers;
            const double heldNow = need(request).held;
            const double timeNow = seconds(request);
            QVERIFY(isFlopNear(held - heldNow, whole - 2.0 * kTokens * kHidden));
            QVERIFY(timeNow > time);
            if (layers > 1)
                QVERIFY(std::abs((timeNow - time) / stride - 1.0) < 1e-6);
            stride = timeNow - time;
            held = heldNow;
            time = timeNow;
        }
        request.recomputedLayers = 0;
        QVERIFY(isFlopNear(need(request).held, held));
        QVERIFY(isFlopNear(seconds(request), time));
        request.recompute = Recompute::Selective;
        const double selective = seconds(request);
        QVERIFY(first < selective && selective < time);
        QVERIFY(isFlopNear(need(request).held, kLayers * 32.0 * kTokens * kHidden));
    }
};

TRAINSCOPE_TEST(tst_Recomputation)
#include "tst_Recomputation.moc"
