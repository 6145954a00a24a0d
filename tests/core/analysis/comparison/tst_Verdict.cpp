// Verdicts on pairs of planted measures.

#include <QtTest>

#include "core/analysis/comparison/MemoryHeadroom.h"
#include "core/analysis/comparison/PlantedMeasures.h"
#include "core/analysis/comparison/ThrottleLoss.h"
#include "core/analysis/comparison/Turning.h"
#include "core/analysis/comparison/Verdict.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::analysis::test;

namespace {

const Statement* find(const Verdict& verdict, std::string_view quantity) {
    const auto found = std::find_if(verdict.statements.begin(), verdict.statements.end(),
        [&](const Statement& one) { return one.quantity == quantity; });
    return found == verdict.statements.end() ? nullptr : &*found;
}

bool mentions(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

bool isAbout(std::optional<double> value, double expected) {
    return value && std::abs(*value - expected) <= 1e-9 * std::abs(expected);
}

// A trace of whole steps: shares of the step, and what is exposed between nodes.
void trace(RunMeasures& run, double exposed, double idle, double betweenNodes) {
    TraceMeasures traced;
    traced.basis = TraceBasis::Iterations;
    traced.shares.exposedCommunication = exposed;
    traced.shares.idle = idle;
    traced.all.seconds = *run.value("step_time_s");
    traced.exposed = {{"pp", LinkClass::ScaleOut, "send_recv", betweenNodes * traced.all.seconds},
        {"tp", LinkClass::ScaleUp, "all_reduce", (exposed - betweenNodes) * traced.all.seconds}};
    run.traced = traced;
    set(run, "exposed_communication_fraction", exposed);
}

} // namespace

class TstVerdict : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 8 s on 32 GPUs against 5 s on 64: per GPU and per joule few make 1.25 × as much, in all many
    // make 1.6 ×.
    void scaleUpWins() {
        const Verdict verdict = verdictOf(measured(few()), measured(many()));
        QVERIFY(verdict.winner == Winner::ScaleUp);
        QCOMPARE(verdict.by, std::string("tokens_per_j"));
        QCOMPARE(verdict.scaleUp, std::optional<std::size_t>(0));
        QVERIFY2(mentions(verdict.headline,
                     "Scale-up wins per joule and per GPU, scale-out per "
                     "second"),
            verdict.headline.c_str());
        QVERIFY2(mentions(verdict.reason, "1.25 ×"), verdict.reason.c_str());
        const Statement* all = find(verdict, "tokens_per_s");
        QVERIFY(all && mentions(all->text, "1.60 ×") && mentions(all->text, "80 % scaling"));
        QVERIFY(isAbout(all->a, 32768.0));
    }

    void theOrderOfTheRunsDoesNotMatter() {
        const Verdict verdict = verdictOf(measured(many()), measured(few()));
        QVERIFY(verdict.winner == Winner::ScaleUp);
        QCOMPARE(verdict.scaleUp, std::optional<std::size_t>(1));
        QVERIFY(isAbout(find(verdict, "tokens_per_s")->b, 32768.0));
    }

    void scaleOutWins() {
        Plan fast = many();
        fast.stepS = 3.2;
        const Verdict verdict = verdictOf(measured(few()), measured(fast));
        QVERIFY(verdict.winner == Winner::ScaleOut);
        QVERIFY(mentions(verdict.headline, "Scale-out wins per joule, per GPU and per second"));
    }

    void alikeIsATie() {
        Plan alike = many();
        alike.stepS = 4.0; // half the time on twice the GPUs
        const Verdict verdict = verdictOf(measured(few()), measured(alike));
        QVERIFY(verdict.winner == Winner::Tie);
        alike.stepS = 4.02; // half a per cent: told apart without noise, but no win
        alike.noise = 0.0;
        Plan still = few();
        still.noise = 0.0;
        QVERIFY(verdictOf(measured(still), measured(alike)).winner == Winner::Tie);
    }

    void noiseThatHidesTheDifferenceIsUndecided() {
        Plan a = few();
        Plan b = many();
        a.noise = b.noise = 0.5;
        const Verdict verdict = verdictOf(measured(a), measured(b));
        QVERIFY(verdict.winner == Winner::Undecided);
        QVERIFY(mentions(verdict.headline, "spread over iterations"));
        QVERIFY(verdict.by.empty());
    }

    void tooFewIterationsAreUndecided() {
        for (const std::int64_t count : {1, 2}) {
            Plan short_ = many();
            short_.iterations = count;
            const Verdict verdict = verdictOf(measured(few()), measured(short_));
            QVERIFY(verdict.winner == Winner::Undecided);
            QVERIFY(mentions(verdict.headline, "too few iterations"));
        }
    }

    void otherWorkIsUndecided_data() {
        QTest::addColumn<QString>("what");
        for (const char* what :
            {"model", "global batch", "sequence length", "precision", "workload"})
            QTest::newRow(what) << QString::fromUtf8(what);
    }
    void otherWorkIsUndecided() {
        QFETCH(QString, what);
        RunMeasures other = measured(many());
        auto& launch = other.run.launch;
        if (what == QLatin1String("model"))
            launch.model = "llama3-70b";
        else if (what == QLatin1String("global batch"))
            launch.globalBatch = 64;
        else if (what == QLatin1String("sequence length"))
            launch.sequenceLength = 4096;
        else if (what == QLatin1String("precision"))
            launch.precision = "fp8";
        else
            launch.workload = Workload::Inference;
        const Verdict verdict = verdictOf(measured(few()), other);
        QVERIFY(verdict.winner == Winner::Undecided);
        QVERIFY2(mentions(verdict.reason, what.toStdString()), verdict.reason.c_str());
    }

    void oneModelUnderTwoNamesIsOne() {
        RunMeasures other = measured(many());
        other.run.launch.model = "GPT3-175B";
        other.run.launch.precision = "bf16-mixed";
        QVERIFY(verdictOf(measured(few()), other).winner == Winner::ScaleUp);
    }

    void workThatIsNotStated() {
        RunMeasures a = measured(few());
        RunMeasures b = measured(many());
        b.run.launch.precision.reset();
        const Verdict assumed = verdictOf(a, b);
        QVERIFY(assumed.winner == Winner::ScaleUp);
        QVERIFY2(mentions(assumed.reason, "precision (bf16 against not stated)"),
            assumed.reason.c_str());
        // Nothing names b's model, but its shape is that of a's.
        b.run.launch.model.reset();
        b.run.launch.layers = 96;
        b.run.launch.hiddenSize = 12288;
        QVERIFY(verdictOf(a, b).winner == Winner::ScaleUp);
        b.run.launch.layers = 48;
        QVERIFY(mentions(verdictOf(a, b).headline, "different work"));
        b.run.launch.layers.reset();
        const Verdict unknown = verdictOf(a, b);
        QVERIFY(unknown.winner == Winner::Undecided);
        QVERIFY(mentions(unknown.headline, "is not known"));
    }

    // Runs that do not differ, of any length and noise: a winner in one of fifty at most, since
    // either quantity may decide.
    void chanceHardlyEverDecides() {
        std::mt19937 random(11);
        std::uniform_int_distribution<int> count(3, 60);
        std::uniform_real_distribution<double> noise(0.001, 0.1);
        int winners = 0;
        constexpr int trials = 600;
        for (int i = 0; i < trials; ++i) {
            Plan alike = many();
            alike.stepS = 4.0;
            RunMeasures a = measured(few());
            RunMeasures b = measured(alike);
            const double std = noise(random);
            for (RunMeasures* run : {&a, &b}) {
                std::normal_distribution<double> iteration(1.0, std);
                std::vector<double> times(static_cast<std::size_t>(count(random)));
                for (double& one : times)
                    one = 1.0 / iteration(random);
                for (const char* key : {"tokens_per_j", "tokens_per_s_per_gpu"}) {
                    Measure& measure = *run->values[quantityIndex(key).value()];
                    std::vector<double> values = times;
                    for (double& one : values)
                        one *= measure.value;
                    measure.spread = spreadOf(values);
                    measure.value = measure.spread->mean;
                }
            }
            const Winner winner = verdictOf(a, b).winner;
            winners += winner == Winner::ScaleUp || winner == Winner::ScaleOut ? 1 : 0;
        }
        QVERIFY2(winners < trials / 50, qPrintable(QString::number(winners)));
        QVERIFY(winners > 0); // or the noise was none
    }

    void outOfMemoryIsUndecided() {
        RunMeasures oom = measured(many());
        oom.run.status = RunStatus::Oom;
        const Verdict verdict = verdictOf(measured(few()), oom);
        QVERIFY(verdict.winner == Winner::Undecided);
        QVERIFY(mentions(verdict.headline, "many ran out of memory"));
    }

    void energyAndGpusMayDisagree() {
        Plan hot = few();
        hot.wattsPerGpu = 1000.0; // faster per GPU, dearer per token
        const Verdict verdict = verdictOf(measured(hot), measured(many()));
        QVERIFY(verdict.winner == Winner::Undecided);
        QVERIFY2(mentions(verdict.headline, "scale-out wins per joule, scale-up per GPU"),
            verdict.headline.c_str());
    }

    void withoutEnergyTheGpusDecide() {
        RunMeasures dark = measured(many());
        for (const char* key : {"tokens_per_j", "energy_per_step_j", "mean_power_w"})
            set(dark, key, std::nullopt);
        const Verdict verdict = verdictOf(measured(few()), dark);
        QVERIFY(verdict.winner == Winner::ScaleUp);
        QCOMPARE(verdict.by, std::string("tokens_per_s_per_gpu"));
        QVERIFY(mentions(verdict.reason, "It was taken away."));
        const Statement* joule = find(verdict, "tokens_per_j");
        QVERIFY(joule && joule->a && !joule->b);
    }

    void withoutThroughputNothingIsSaid() {
        RunMeasures blind = measured(many());
        for (const char* key : {"tokens_per_s", "tokens_per_s_per_gpu", "tokens_per_j"})
            set(blind, key, std::nullopt);
        const Verdict verdict = verdictOf(measured(few()), blind);
        QVERIFY(verdict.winner == Winner::Undecided);
        QVERIFY(mentions(verdict.headline, "the throughput is not known"));
    }

    void whichOneIsScaleUp() {
        const auto role = [](const Plan& a, const Plan& b) {
            return verdictOf(measured(a), measured(b)).scaleUp;
        };
        const std::optional<std::size_t> none;
        QCOMPARE(role(few(), few()), none); // one cluster
        Plan twice = few();
        twice.gpus = 64;
        QCOMPARE(role(few(), twice), none); // more of the same
        Plan domains = few();
        domains.perNode = 32;
        QCOMPARE(role(few(), domains), std::optional<std::size_t>(1)); // larger nodes
        Plan small = few();
        small.memory = 64e9;
        small.flops = 181e12;
        small.gpu = "MI250";
        QCOMPARE(role(small, many()), none); // fewer and smaller
        Plan strange = few();
        strange.gpu.clear();
        strange.memory = 0.0;
        RunMeasures unknown = measured(strange);
        unknown.gpu = {};
        RunMeasures other = measured(many());
        other.gpu = {};
        const Verdict verdict = verdictOf(unknown, other);
        QCOMPARE(verdict.scaleUp, std::optional<std::size_t>(0)); // by their number
        QVERIFY(verdict.winner == Winner::ScaleUp);
        QVERIFY(mentions(verdict.reason, "kind of the GPUs is not known"));
    }

    // Per token few take 32 · 8 = 256, many 64 · 5 = 320 GPU-seconds: 64 more. Exposed, few
    // 25.6, many 112: 86.4 more.
    void theCauseIsNamed() {
        RunMeasures a = measured(few());
        RunMeasures b = measured(many());
        trace(a, 0.10, 0.05, 0.02);
        trace(b, 0.35, 0.05, 0.25);
        const Verdict verdict = verdictOf(a, b);
        QCOMPARE(verdict.cause, std::string("exposed_communication"));
        QCOMPARE(verdict.statements.front().quantity,
            std::string("gpu_seconds_per_token_exposed_communication"));
        const double tokens = 128.0 * 2048.0;
        QVERIFY(isAbout(verdict.statements.front().a, 25.6 / tokens));
        QVERIFY(isAbout(verdict.statements.front().b, 112.0 / tokens));
        QVERIFY(
            mentions(find(verdict, "exposed_communication_fraction")->text, "PP between nodes"));
        // GPU-seconds: 32·(8 − 8·0.02) + 32·0.16/x = 64·(5 − 1.25) + 64·1.25/x
        const Statement* turn = find(verdict, "inter_node_bandwidth_factor");
        QVERIFY(turn && turn->a && turn->isEstimate);
        const double x = *turn->a;
        QVERIFY(std::abs((250.88 + 5.12 / x) / (240.0 + 80.0 / x) - 1.0) < 1e-9);
    }

    void heatIsNamed() {
        RunMeasures a = measured(few());
        RunMeasures b = measured(many());
        for (RunMeasures* run : {&a, &b}) {
            set(*run, "throttled_fraction", run == &b ? 0.5 : 0.0);
            set(*run, "thermally_throttled_fraction", run == &b ? 0.5 : 0.0);
            set(*run, "slowest_gpu_lost_fraction", run == &b ? 0.2 : 0.0);
        }
        QCOMPARE(verdictOf(a, b).cause, std::string("thermal_throttling"));
        QVERIFY(mentions(find(verdictOf(a, b), "throttled_fraction")->text, "50 % (all by heat)"));
    }

    // As fast per GPU, but at 600 W against 400 W: 1.5 × the energy.
    void powerIsNamed() {
        Plan thrifty = many();
        thrifty.stepS = 4.0;
        thrifty.wattsPerGpu = 400.0;
        const Verdict verdict = verdictOf(measured(few()), measured(thrifty));
        QVERIFY(verdict.winner == Winner::ScaleOut);
        QCOMPARE(verdict.cause, std::string("power"));
        QVERIFY(isAbout(verdict.statements.front().a, 600.0));
        QVERIFY(isAbout(verdict.statements.front().b, 400.0));
        QVERIFY2(mentions(verdict.statements.front().text, "1.50 × the power"),
            verdict.statements.front().text.c_str());
    }

    // GPT-3 175B, TP8-PP4, micro-batch 1: on a stage 24 layers of 12·12288²/8 weights with 18 B
    // each and the embedding, and four micro-batches of 34·2048·12288/8 B a layer.
    void memoryByHand() {
        const auto memory = memoryHeadroomOf(measured(few()));
        QVERIFY(memory && memory->isUsedEstimated);
        const double states = 24 * 12.0 * 12288 * 12288 / 8 * 18;
        const double activations = 24 * 4 * 34.0 * 2048 * 12288 / 8;
        QVERIFY2(std::abs(memory->used - states - activations) < 0.03 * states,
            qPrintable(QString::number(memory->used)));
        // 141 GB − 109 GB − 10 GB leave room for two more, and two divide a batch of 128.
        const double most = 1.0 + memory->free() / activations;
        QVERIFY(
            memory->microBatch && *memory->microBatch <= most && *memory->microBatch * 2 > most);
        RunMeasures recorded = measured(few());
        set(recorded, "peak_memory_used_b", 139e9);
        QCOMPARE(memoryHeadroomOf(recorded)->free(), 2e9);
        QCOMPARE(memoryHeadroomOf(recorded)->microBatch, std::optional(1));
    }

    // At each moment the GPU that lacks most of its clock: 20 % over 0–10 s, 40 % over 5–8 s of
    // another, 10 % over 20–30 s.
    void theSlowestGpuDecides() {
        const auto episode = [](int rank, std::int64_t begin, std::int64_t end, double share) {
            constexpr std::int64_t second = 1'000'000'000;
            ThrottleEpisode one;
            one.range = {{begin * second}, {end * second}};
            one.lostSeconds = share * static_cast<double>(end - begin);
            return RankEpisode{rank, one};
        };
        QCOMPARE(lostToSlowest({}), 0.0);
        const double lost = lostToSlowest(
            {episode(0, 0, 10, 0.2), episode(1, 5, 8, 0.4), episode(2, 20, 30, 0.1)});
        QVERIFY(std::abs(lost - (7 * 0.2 + 3 * 0.4 + 10 * 0.1)) < 1e-9);
        // Equal shares that end one after the other.
        QVERIFY(
            std::abs(lostToSlowest({episode(0, 0, 4, 0.5), episode(1, 0, 6, 0.5)}) - 3.0) < 1e-9);
    }

    // What the formulas of Turning.h say holds for the costs themselves.
    void turningPointsAreEven() {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> number(0.1, 1.0);
        int found = 0;
        for (int i = 0; i < 500; ++i) {
            BandwidthSide a{number(random) * 100, 0.0, number(random)};
            BandwidthSide b{number(random) * 100, 0.0, number(random)};
            a.stepS = a.exposedBetweenNodesS + number(random);
            b.stepS = b.exposedBetweenNodesS + number(random);
            const auto cost = [](const BandwidthSide& side, double x) {
                return side.weight
                    * (side.stepS - side.exposedBetweenNodesS + side.exposedBetweenNodesS / x);
            };
            const auto x = evenBandwidth(a, b);
            found += x ? 1 : 0;
            if (x)
                QVERIFY(std::abs(cost(a, *x) / cost(b, *x) - 1.0) < 1e-9);
            else // the same side is dearer on no network at all and on a perfect one
                QVERIFY((cost(a, 1e-9) < cost(b, 1e-9)) == (cost(a, 1e9) < cost(b, 1e9)));
        }
        QVERIFY(found > 50 && found < 450);
    }

    void batchesThatAreEven() {
        // 4 stages of 16 micro-batches against 8 of 16: with k batches their pipelines are busy
        // 16k/(16k+3) and 16k/(16k+7).
        const BatchSide a{1.0 * 16 / 19.0, 16.0, 4.0};
        const BatchSide b{1.1 * 16 / 23.0, 16.0, 8.0};
        const auto k = evenBatch(a, b); // 1.1 (16k+3) = 16k+7 → k = 3.7/1.6
        QVERIFY(isAbout(k, 3.7 / 1.6));
        QVERIFY(!evenBatch({1.0, 16.0, 4.0}, {0.5, 16.0, 4.0})); // equal bubbles
    }
};

QTEST_GUILESS_MAIN(TstVerdict)
#include "tst_Verdict.moc"
