// Steps of placements: splits against all there are, by a simulation of their own, and what moving
// ranks between nodes costs, by hand.

#include "core/analysis/cluster/PlacementModel.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;

namespace {

// A GPU per stage, of which each loses its share.
PlacementInput inputOf(const std::vector<double>& lost, int layers, int microbatches,
    layout::ScheduleKind kind = layout::ScheduleKind::OneForwardOneBackward) {
    const int stages = static_cast<int>(lost.size());
    layout::LayoutRequest request;
    request.nodes = 1;
    request.gpusPerNode = stages;
    request.pipeline = stages;
    request.stageLayers.assign(lost.size(), layers / stages);
    request.microbatches = microbatches;
    request.schedule = kind;
    PlacementInput input{layout::makeLayout(request).value(), {}, layers, request.stageLayers,
        std::vector<double>(lost.size(), 0.0), std::vector<int>(lost.size(), layers), std::nullopt,
        true};
    for (int rank = 0; rank < stages; ++rank) {
        GpuPlace gpu;
        gpu.local = gpu.slot = rank;
        gpu.lost = lost[static_cast<std::size_t>(rank)];
        gpu.rankBefore = rank;
        input.gpus.push_back(gpu);
    }
    return input;
}

std::vector<double> speedsOf(const PlacementInput& input) {
    std::vector<double> speeds;
    for (const GpuPlace& gpu : input.gpus)
        speeds.push_back(1.0 - gpu.lost);
    return speeds;
}

GpuMapping stay(std::size_t ranks) {
    GpuMapping mapping(ranks);
    std::iota(mapping.begin(), mapping.end(), 0);
    return mapping;
}

// The end of 1F1B with a pass of t[s] forward and 2·t[s] backward on stage s: every pass begins
// when the one before it on its stage and the one it needs are over. By recursion over the orders
// of Narayanan et al. 2021, fig. 4.
class Recursion {
public:
    Recursion(std::vector<double> times, int microbatches)
        : m_times(std::move(times))
        , m_count(microbatches)
        , m_forward(m_times.size(), std::vector<double>(static_cast<std::size_t>(microbatches), -1))
        , m_backward(m_forward) { }

    double end() {
        double last = 0.0;
        for (std::size_t stage = 0; stage < m_times.size(); ++stage)
            last = std::max(last, backward(stage, m_count - 1));
        return last;
    }

private:
    [[nodiscard]] int warmup(std::size_t stage) const {
        return std::min(static_cast<int>(m_times.size() - stage) - 1, m_count);
    }
    double forward(std::size_t stage, int k) {
        double& end = m_forward[stage][static_cast<std::size_t>(k)];
        if (end >= 0.0)
            return end;
        double start = stage == 0 ? 0.0 : forward(stage - 1, k);
        // Before it: the forward pass before in the warm-up and right after it, else a backward.
        if (k > 0)
            start = std::max(start,
                k <= warmup(stage) ? forward(stage, k - 1)
                                   : backward(stage, k - 1 - warmup(stage)));
        return end = start + m_times[stage];
    }
    double backward(std::size_t stage, int k) {
        double& end = m_backward[stage][static_cast<std::size_t>(k)];
        if (end >= 0.0)
            return end;
        double start = stage + 1 == m_times.size() ? forward(stage, k) : backward(stage + 1, k);
        const int partner = k + warmup(stage);
        start = std::max(start,
            partner < m_count
                ? forward(stage, partner)
                : std::max(forward(stage, m_count - 1), k > 0 ? backward(stage, k - 1) : 0.0));
        return end = start + 2.0 * m_times[stage];
    }

    std::vector<double> m_times;
    int m_count;
    std::vector<std::vector<double>> m_forward;
    std::vector<std::vector<double>> m_backward;
};

double stepOf(const std::vector<int>& split, const std::vector<double>& speeds, int microbatches) {
    std::vector<double> times;
    for (std::size_t stage = 0; stage < split.size(); ++stage)
        times.push_back(split[stage] / speeds[stage]);
    return Recursion(times, microbatches).end();
}

double bestOfAll(int layers, const std::vector<double>& speeds, int microbatches) {
    std::vector<int> split(speeds.size(), 1);
    double best = 1e300;
    const auto fill = [&](auto&& self, std::size_t stage, int left) -> void {
        if (stage + 1 == speeds.size()) {
            split[stage] = left;
            best = std::min(best, stepOf(split, speeds, microbatches));
            return;
        }
        for (int n = 1; n + static_cast<int>(speeds.size() - stage) - 1 <= left; ++n) {
            split[stage] = n;
            self(self, stage + 1, left - n);
        }
    };
    fill(fill, 0, layers);
    return best;
}

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

class tst_PlacementSteps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Few micro-batches too, where the slowest stage alone does not decide.
    void noSplitIsMuchBetter() {
        std::mt19937 dice(4);
        std::uniform_real_distribution<double> lost(0.0, 0.3);
        for (int i = 0; i < 60; ++i) {
            const int microbatches = 1 + static_cast<int>(dice() % 12U);
            std::vector<double> losses{lost(dice), lost(dice), lost(dice), lost(dice)};
            const auto input = inputOf(losses, 20, microbatches);
            const PlacementSteps steps(input);
            const auto speeds = speedsOf(input);
            const auto split = steps.bestSplitFor(stay(4), speeds).value();
            QCOMPARE(std::accumulate(split.begin(), split.end(), 0), 20);
            const double own = steps.of(stay(4), split, speeds);
            QVERIFY(std::abs(own - stepOf(split, speeds, microbatches)) < 1e-9 * own);
            const double best = bestOfAll(20, speeds, microbatches);
            QVERIFY2(own <= best * 1.01,
                qPrintable(QStringLiteral("%1 instead of %2").arg(own).arg(best)));
        }
    }

    // The splits that were tried on machines (arXiv 2509.10371): no other of all there are takes a
    // shorter step. 10 and 5 % of the layers at a time, since all splits of 80 are too many.
    void splitsOfTheMachines() {
        const double hot = 19.0 / 21.0;
        const auto llama = inputOf({0.0, 1.0 - hot, 0.0, 1.0 - hot}, 80, 32);
        const PlacementSteps steps(llama);
        const auto split = steps.bestSplitFor(stay(4), speedsOf(llama)).value();
        QCOMPARE(split, (std::vector<int>{21, 19, 21, 19}));
        const double step = stepOf(split, speedsOf(llama), 32);
        for (int a = 15; a <= 25; ++a) {
            for (int b = 15; b <= 25; ++b) {
                for (int c = 15; c <= 25; ++c) {
                    if (a + b + c > 65 || a + b + c < 55)
                        continue;
                    QVERIFY(stepOf({a, b, c, 80 - a - b - c}, speedsOf(llama), 32)
                        >= step * (1.0 - 1e-9));
                }
            }
        }
    }

    // The schedule is the run's: GPipe and 1F1B take as long, zero-bubble less.
    void scheduleOfTheRun() {
        const std::vector<double> losses{0.0, 0.1, 0.0, 0.1};
        const std::vector<int> split{21, 19, 21, 19};
        const auto stepOfKind = [&](layout::ScheduleKind kind) {
            const auto input = inputOf(losses, 80, 8, kind);
            return PlacementSteps(input).of(stay(4), split, speedsOf(input));
        };
        const double plain = stepOfKind(layout::ScheduleKind::OneForwardOneBackward);
        QVERIFY(std::abs(stepOfKind(layout::ScheduleKind::GPipe) - plain) < 1e-6 * plain);
        QVERIFY(stepOfKind(layout::ScheduleKind::ZeroBubble) < 0.95 * plain);
    }

    // Two nodes of two GPUs, groups (0, 1) and (2, 3) of 10 GB each. Inside a node at 100 GB/s each
    // takes 0.1 s, between nodes at 10 GB/s 1 s.
    void movingBetweenNodes() {
        auto input = inputOf({0.0, 0.0, 0.0, 0.0}, 20, 4);
        for (std::size_t gpu = 0; gpu < 4; ++gpu)
            input.gpus[gpu].node = static_cast<int>(gpu / 2);
        input.loads = {{{0, 1}, 10e9}, {{2, 3}, 10e9}};
        input.scaleUp = 100e9;
        input.scaleOut = 10e9;
        QVERIFY(!PlacementSteps(input).movingCost(stay(4)));
        // 7 rounds of 5 layers forward and twice that backward are 105 layer passes: 0.1 s each.
        input.stepSeconds = 10.5;
        const PlacementSteps steps(input);
        QCOMPARE(steps.movingCost(stay(4)).value(), 0.0);
        QCOMPARE(steps.movingCost({1, 0, 2, 3}).value(), 0.0);
        QVERIFY(std::abs(steps.movingCost({0, 2, 1, 3}).value() - 0.9) < 1e-12);
        const std::vector<double> speeds(4, 1.0);
        const std::vector<int> split(4, 5);
        QVERIFY(std::abs(steps.of(stay(4), split, speeds) - 105.0) < 1e-9);
        QVERIFY(std::abs(steps.of({0, 2, 1, 3}, split, speeds) - 114.0) < 1e-9);
    }

    // Splits of layers against all there are, and the two that were tried on real machines.
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

TRAINSCOPE_TEST(tst_PlacementSteps)
#include "tst_PlacementSteps.moc"
