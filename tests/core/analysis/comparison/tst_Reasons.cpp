// The reasons of verdicts on pairs of planted measures: causes, memory, turning points,
// predictions.

#include "core/analysis/comparison/BreakEven.h"
#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/comparison/PlantedMeasures.h"
#include "core/analysis/comparison/RunMeasures.h"
#include "core/analysis/comparison/Verdict.h"
#include "core/analysis/telemetry/Throttling.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

class tst_Reasons : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
            set(*run, "slowest_gpu_clock_lost_fraction", run == &b ? 0.2 : 0.0);
        }
        QCOMPARE(verdictOf(a, b).cause, std::string("thermal_throttling"));
        QVERIFY(mentions(find(verdictOf(a, b), "throttled_fraction")->text, "50 % (all by heat)"));
    }

    // A driver's flag is no multiple of a share of low clocks.
    void throttlingByDifferentMeansIsNotCompared() {
        RunMeasures a = measured(few());
        RunMeasures b = measured(many());
        set(a, "throttled_fraction", 0.4);
        set(b, "throttled_fraction", 0.2);
        const auto difference
            = [&a, &b] { return differencesOf(a, b).at(*quantityIndex("throttled_fraction")); };
        a.throttleBasis = b.throttleBasis = ThrottleBasis::Reasons;
        QCOMPARE(difference().ratio, std::optional(0.5));
        b.throttleBasis = ThrottleBasis::Clocks;
        QVERIFY(!difference().ratio);
        QVERIFY(mentions(difference().why, "from clocks in the other"));
        const std::string text = find(verdictOf(a, b), "throttled_fraction")->text;
        QVERIFY(
            mentions(text, "the first is told by the driver's reasons, the second from clocks"));
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

    // Nemotron-3 8B with full recomputation in 4 stages: the first holds 4 micro-batches of 8
    // layers, the last 1, and 6 B for each of 4 · 2048 tokens and 256,000 words, which is more.
    void memoryOfTheFullestStage() {
        RunMeasures run = measured(few());
        auto& launch = run.run.launch;
        launch.model = "nemotron-3-8b";
        launch.recompute = true;
        launch.microBatch = 4;
        layout::LayoutRequest request;
        request.nodes = 1;
        request.gpusPerNode = 4;
        request.pipeline = 4;
        request.layers = 32;
        request.microbatches = 32;
        run.layout = layout::makeLayout(request).value();
        const auto memory = memoryHeadroomOf(run);
        QVERIFY(memory && memory->isUsedEstimated);
        // 18 B of 8 layers of 12 h² and a table.
        const double states = 18.0 * (8 * 12.0 * 4096 * 4096 + 256'000.0 * 4096);
        const double logits = 6.0 * 4 * 2048 * 256'000;
        QVERIFY2(std::abs(memory->used / (states + logits + 0.8e9) - 1.0) < 0.03,
            qPrintable(QString::number(memory->used)));
        // As many more samples as its logits leave room for; the first stage would take far more.
        const double most = 4.0 + memory->free() / (logits / 4);
        QVERIFY(memory->microBatch && *memory->microBatch <= most);
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

    // The formula of BreakEven.h holds for the costs themselves, and on either side of it another
    // run is the cheaper one.
    void turningPointsAreEven() {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> number(0.1, 1.0);
        int found = 0;
        for (int i = 0; i < 500; ++i) {
            const ShrinkingCost a{number(random), number(random)};
            const ShrinkingCost b{number(random), number(random)};
            const auto x = breakEvenAt(a, b);
            const auto isFirst = [&](double at) { return a.cost(at) < b.cost(at); };
            found += x ? 1 : 0;
            if (x) {
                QVERIFY(std::abs(a.cost(*x) / b.cost(*x) - 1.0) < 1e-9);
                QVERIFY(isFirst(*x * 1.01) != isFirst(*x / 1.01));
                QVERIFY(isFirst(*x * 2.0) == isFirst(*x * 50.0)); // at one place only
            } else {
                QVERIFY(isFirst(1e-9) == isFirst(1e9));
            }
        }
        QVERIFY(found > 50 && found < 450);
        QVERIFY(!breakEvenAt({1.0, 0.5}, {1.0, 0.2})); // equal without what shrinks: never even
    }

    // 32 GPUs in 4 stages and 64 in 8, 32 micro-batches: a step of few takes 35 passes, one of
    // many 39. Few take 256 GPU-seconds, of which 256·32/35 are busy; many 220·39/32, 220 of them
    // busy. With k times the batch a step's bubbles stay, so that what they add a token is 1/k.
    void batchesThatAreEven() {
        const auto planned = [](const Plan& plan) {
            RunMeasures run = measured(plan);
            run.run.launch.microBatch = 4;
            for (const char* key : {"tokens_per_j", "energy_per_step_j", "mean_power_w"})
                set(run, key, std::nullopt);
            return run;
        };
        const double fewBusy = 256.0 * 32.0 / 35.0;
        Plan cheap = many();
        cheap.stepS = 220.0 / 64.0 * 39.0 / 32.0; // 268.1 now, 220 without bubbles
        const Verdict turning = verdictOf(planned(few()), planned(cheap));
        const double at = (220.0 * 7.0 / 32.0 - 256.0 * 3.0 / 35.0) / (fewBusy - 220.0);
        QVERIFY(at > 1.0 && turning.winner == Winner::ScaleUp);
        const Statement* batch = find(turning, "global_batch");
        QVERIFY(batch && batch->a);
        QVERIFY2(std::abs(*batch->a / (at * 128.0) - 1.0) < 1e-9,
            qPrintable(QString::number(*batch->a / 128.0)));
        QVERIFY(mentions(batch->text, "beyond that the verdict turns"));
    }

    // A tenth and a fifth of the steps are exchanges of gradients; of what else they take, 3/35 and
    // 7/39 are bubbles. 256 and 64 · 4.9 = 313.6 GPU-seconds.
    void whatAStepTakesOnceIsNoBubble() {
        const auto planned = [](const Plan& plan, double once) {
            RunMeasures run = measured(plan);
            run.run.launch.microBatch = 4;
            for (const char* key : {"tokens_per_j", "energy_per_step_j", "mean_power_w"})
                set(run, key, std::nullopt);
            trace(run, once, 0.05, once);
            run.traced->exposed.front().dimension = "dp";
            return run;
        };
        Plan slow = many();
        slow.stepS = 4.9;
        const Verdict verdict = verdictOf(planned(few(), 0.1), planned(slow, 0.2));
        QVERIFY(verdict.winner == Winner::ScaleUp);
        const double first = 0.1 + 0.9 * 3.0 / 35.0;
        const double second = 0.2 + 0.8 * 7.0 / 39.0;
        const double at
            = (313.6 * second - 256.0 * first) / (256.0 * (1.0 - first) - 313.6 * (1.0 - second));
        const Statement* batch = find(verdict, "global_batch");
        QVERIFY(batch && batch->a);
        QVERIFY2(std::abs(*batch->a / (at * 128.0) - 1.0) < 1e-9,
            qPrintable(QString::number(*batch->a / 128.0)));
    }

    void noTrafficBetweenNodesTurnsNothing() {
        RunMeasures a = measured(few());
        RunMeasures b = measured(many());
        trace(a, 0.1, 0.05, 0.0);
        trace(b, 0.3, 0.05, 0.0);
        const Verdict verdict = verdictOf(a, b);
        const Statement* turn = find(verdict, "inter_node_bandwidth");
        QVERIFY(turn && !turn->a && mentions(turn->text, "neither run waits for a transfer"));
    }

    // Half of what many expose between nodes waits: for a neighbour, in a pipeline.
    void waitingIsNoTransfer() {
        RunMeasures a = measured(few());
        RunMeasures b = measured(many());
        trace(a, 0.05, 0.05, 0.0);
        trace(b, 0.35, 0.05, 0.30);
        b.traced->exposed.front().waitS = 0.9 * b.traced->exposed.front().seconds;
        // 320 GPU-seconds against 256: bubbles 320·(0.27 + 0.05) − 256·0.05 = 89.6.
        const Verdict verdict = verdictOf(a, b);
        QCOMPARE(verdict.cause, std::string("pipeline_bubble"));
        const double tokens = 128.0 * 2048.0;
        QVERIFY(isAbout(verdict.statements.front().b, 102.4 / tokens));
        QVERIFY(mentions(verdict.statements.front().text, "140 % of that is pipeline bubbles"));
        b.traced->exposed.front().category = "all_reduce";
        b.traced->exposed.front().dimension = "dp";
        QCOMPARE(verdictOf(a, b).cause, std::string("waiting"));
    }

    void partsOfAStepGiveNoCause() {
        RunMeasures a = measured(few());
        RunMeasures b = measured(many());
        trace(a, 0.05, 0.05, 0.0);
        trace(b, 0.45, 0.05, 0.3);
        b.traced->basis = TraceBasis::Trace;
        const Verdict verdict = verdictOf(a, b);
        QVERIFY2(verdict.cause.empty(), verdict.cause.c_str());
        QVERIFY(mentions(find(verdict, "inter_node_bandwidth")->text, "whole steps"));
    }

    void predictionsAreNamed() {
        const auto predicted = [](const Plan& plan) {
            RunMeasures run = measured(plan);
            run.run.kind = RunKind::Predicted;
            for (auto& value : run.values) {
                if (value)
                    value->spread.reset();
            }
            return run;
        };
        const Verdict far = verdictOf(measured(few()), predicted(many())); // 1.25 ×
        QVERIFY(far.winner == Winner::ScaleUp);
        QVERIFY2(mentions(far.headline, "one of them predicted"), far.headline.c_str());
        QVERIFY2(mentions(far.reason, "many is predicted, not measured"), far.reason.c_str());
        QVERIFY(
            mentions(verdictOf(predicted(few()), predicted(many())).headline, "both predicted"));
        Plan near = many();
        near.stepS = 4.4; // 1.1 ×: within what predictions are off by
        const Verdict close = verdictOf(measured(few()), predicted(near));
        QVERIFY(close.winner == Winner::Undecided);
        QVERIFY2(mentions(close.headline, "what predictions are off by"), close.headline.c_str());
        for (const Difference& one : differencesOf(measured(few()), predicted(many()))) {
            QVERIFY(one.weight == Difference::Weight::Unknown);
            if (one.a && one.b)
                QVERIFY2(mentions(one.why, "many is predicted"), one.why.c_str());
        }
    }

    void anImplausibleMfuIsSaid() {
        RunMeasures a = measured(few());
        set(a, "mfu", 1.43);
        const Verdict verdict = verdictOf(a, measured(many()));
        const Statement* warning = find(verdict, "mfu");
        QVERIFY(warning
            && mentions(warning->text, "143 % (32 × H200 SXM) is more than the GPUs can do"));
        set(a, "mfu", 0.99);
        QVERIFY(!find(verdictOf(a, measured(many())), "mfu"));
    }
};

TRAINSCOPE_TEST(tst_Reasons)
#include "tst_Reasons.moc"
