// Verdicts on pairs of planted measures.

#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/comparison/Reasons.h"
#include "core/analysis/comparison/RunMeasures.h"
#include "core/analysis/comparison/Verdict.h"
#include "core/analysis/telemetry/Throttling.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

void set(RunMeasures& run, std::string_view key, std::optional<double> value, double noise = 0.0,
    std::int64_t count = 10) {
    const std::size_t at = quantityIndex(key).value();
    run.values[at] = value
        ? std::optional(Measure{*value, Spread{count, *value, noise * std::abs(*value), 0.0}})
        : std::nullopt;
    run.absentWhy[at] = value ? "" : "It was taken away.";
}

// A step of that length and power on that many GPUs; all of its figures follow.
struct Plan {
    std::string name;
    std::string gpu = "H200 SXM";
    int gpus = 32;
    int perNode = 8;
    double memory = 141e9;
    double flops = 989e12;
    double stepS = 8.0;
    double wattsPerGpu = 600.0;
    double noise = 0.005; // std. dev. / mean over the iterations
    std::int64_t iterations = 10;
};

void setStep(RunMeasures& run, const Plan& plan) {
    const double tokens = *run.tokensPerStep;
    const double watts = plan.wattsPerGpu * plan.gpus;
    const auto with = [&](std::string_view key, double value) {
        set(run, key, value, plan.noise, plan.iterations);
    };
    with("step_time_s", plan.stepS);
    with("tokens_per_s", tokens / plan.stepS);
    with("tokens_per_s_per_gpu", tokens / plan.stepS / plan.gpus);
    with("energy_per_step_j", watts * plan.stepS);
    with("tokens_per_j", tokens / (watts * plan.stepS));
    with("mean_power_w", watts);
    with("peak_power_w", watts * 1.2);
}

RunMeasures measured(const Plan& plan) {
    RunMeasures run;
    run.values.assign(comparedQuantities().size(), std::nullopt);
    run.absentWhy.assign(comparedQuantities().size(), "Not planted.");
    run.run.id = {static_cast<std::int64_t>(std::hash<std::string>{}(plan.name) % 1000 + 1)};
    run.run.name = plan.name;
    run.gpus = plan.gpus;
    run.nodes = plan.gpus / plan.perNode;
    run.gpu = {plan.gpu, "recorded", plan.memory, plan.flops, 700.0, {}};
    run.cluster = std::to_string(plan.gpus) + " × " + plan.gpu;
    auto& launch = run.run.launch;
    launch.model = "gpt3-175b";
    launch.precision = "bf16";
    launch.workload = Workload::Training;
    launch.globalBatch = 128;
    launch.microBatch = 1;
    launch.sequenceLength = 2048;
    layout::LayoutRequest request;
    request.worldSize = plan.gpus;
    request.gpusPerNode = plan.perNode;
    request.tensor = 8;
    request.pipeline = plan.gpus / 8;
    if (auto layout = layout::makeLayout(request); layout.hasValue())
        run.layout = std::move(layout).value();
    run.tokensPerStep = 128.0 * 2048.0;
    setStep(run, plan);
    return run;
}

// As in the published study: few large GPUs against twice as many smaller ones.
Plan few() {
    return {"few"};
}
Plan many() {
    return {"many", "H100 SXM5", 64, 8, 80e9, 989e12, 5.0};
}

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
    traced.exposed
        = {{"pp", LinkClass::ScaleOut, "send_recv", betweenNodes * traced.all.seconds, {}},
            {"tp", LinkClass::ScaleUp, "all_reduce", (exposed - betweenNodes) * traced.all.seconds,
                {}}};
    run.traced = traced;
    set(run, "exposed_communication_fraction", exposed);
}

} // namespace

class tst_Verdict : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // No part of one run is scale-up: the verdict says which takes longer, and if beyond the
    // spread. 6 s of 8 are a quarter less.
    void partsOfOneRun() {
        RunMeasures a = measured(few());
        RunMeasures b = measured(few());
        a.capture = "eager";
        b.capture = "compiled";
        set(b, "step_time_s", 6.0, 0.005, 10); // instead of 8 s
        const Verdict found = verdictOf(a, b);
        QVERIFY(found.winner == Winner::Undecided);
        QCOMPARE(found.headline, std::string("compiled takes 25.0 % less time per step"));
        QCOMPARE(found.first, found.headline);
        VERIFY_SAYS(found.reason, "beyond the spread");
        b.capture.clear();
        set(b, "step_time_s", std::nullopt, 0.0, 0);
        const Verdict unknown = verdictOf(a, b);
        QCOMPARE(unknown.headline,
            std::string("The step time of the whole run is not known; the mean power is 19.2 kW "
                        "and 19.2 kW"));
        QVERIFY(!unknown.reason.empty());
    }
    // Before and after a change on one machine: 8 s and 8.8 s, of which 0.6 s more are elementwise
    // kernels and 0.2 s more idle.
    void beforeAndAfter() {
        RunMeasures a = measured(few());
        Plan slower = few();
        slower.name = "after";
        slower.stepS = 8.8;
        RunMeasures b = measured(slower);
        const auto partsOf = [](RunMeasures& run, double elementwise, double idle) {
            trace(run, 0.0, 0.0, 0.0);
            run.traced->all.parts = {
                {"gemm", 6.0, false}, {"elementwise", elementwise, false}, {"idle", idle, false}};
        };
        partsOf(a, 1.6, 0.4);
        partsOf(b, 2.2, 0.6);
        const Verdict found = verdictOf(a, b);
        QVERIFY(found.winner == Winner::Undecided && !found.scaleUp);
        QCOMPARE(found.headline,
            std::string("after takes 10.0 % more time per step: Elementwise 2.2 s against 1.6 s"));
        VERIFY_SAYS(found.reason, "8 s and 8.8 s per step, a difference beyond the spread");
        const Statement* parts = find(found, "step_by_category");
        QVERIFY(parts
            && mentions(parts->text, "Elementwise 2.2 s against 1.6 s, Idle 600 ms against 400"));
        // The other way round it is as much less: 0.8 of 8.8.
        QCOMPARE(verdictOf(b, a).headline,
            std::string("few takes 9.1 % less time per step: Elementwise 1.6 s against 2.2 s"));
    }

    void withinTheSpreadIsNoDifference() {
        Plan noisy = few();
        noisy.noise = 0.1;
        Plan other = noisy;
        other.name = "other";
        other.stepS = 8.1;
        const Verdict found = verdictOf(measured(noisy), measured(other));
        QCOMPARE(
            found.headline, std::string("No difference beyond the spread: 8 s and 8.1 s per step"));
        VERIFY_SAYS(found.reason, "They differ by 1.2 %");
    }

    // Twice the batch in 1.5 × the time: a token takes 0.75 × as long.
    void unequalBatchesAreComparedByTheToken() {
        RunMeasures b = measured(few());
        b.run.id.value += 1;
        b.run.name = "larger";
        b.run.launch.globalBatch = 256;
        b.tokensPerStep = 2 * 128.0 * 2048.0;
        set(b, "step_time_s", 12.0, 0.005);
        set(b, "tokens_per_s", 2 * 128.0 * 2048.0 / 12.0, 0.005);
        const Verdict found = verdictOf(measured(few()), b);
        QCOMPARE(found.headline, std::string("larger takes 25.0 % less time per token"));
        VERIFY_SAYS(found.reason, "global batch (128 against 256)");
    }

    // One reason for two figures of two runs is told once.
    void theUnknownIsToldOnce() {
        RunMeasures a = measured(few());
        RunMeasures b = measured(many());
        for (RunMeasures* run : {&a, &b}) {
            for (const char* key : {"tokens_per_s", "tokens_per_s_per_gpu", "tokens_per_j"})
                set(*run, key, std::nullopt);
        }
        const Verdict found = verdictOf(a, b);
        int told = 0;
        for (const Statement& one : found.statements)
            told += mentions(one.text, "It was taken away.") ? 1 : 0;
        QCOMPARE(told, 1);
        VERIFY_SAYS(find(found, "tokens_per_s")->text,
            "Throughput and energy of a token of 32 × H200 SXM and 64 × H100 SXM5 are not known");
        // 600 W on 32 GPUs for 8 s against 64 for 5 s: 153.6 and 192 kJ.
        QVERIFY(isAbout(find(found, "energy_per_step_j")->a, 153600.0));
        VERIFY_SAYS(find(found, "energy_per_step_j")->text, "1.25 ×");
    }

    // 8 s on 32 GPUs against 5 s on 64: per GPU and per joule few make 1.25 × as much, in all many
    // make 1.6 ×.
    void scaleUpWins() {
        const Verdict verdict = verdictOf(measured(few()), measured(many()));
        QVERIFY(verdict.winner == Winner::ScaleUp);
        QCOMPARE(verdict.by, std::string("tokens_per_j"));
        QCOMPARE(verdict.scaleUp, std::optional<std::size_t>(0));
        VERIFY_SAYS(verdict.headline, "Scale-up wins per joule and per GPU, scale-out per second");
        VERIFY_SAYS(verdict.reason, "1.25 × the tokens per joule");
        VERIFY_SAYS(verdict.reason, ", and 1.25 × per second and GPU.");
        const Statement* all = find(verdict, "tokens_per_s");
        QVERIFY(all && mentions(all->text, "1.60 ×") && mentions(all->text, "80 % scaling"));
        QVERIFY(isAbout(all->a, 32768.0));
    }

    // No launch configuration states them: 4 and 8 stages of 8 ranks.
    void degreesOfTheLayoutDiffer() {
        const RunMeasures a = measured(few());
        const RunMeasures b = measured(many());
        const auto differences = configDifferences(std::array{&a, &b});
        const auto pipeline
            = std::ranges::find(differences, "pipeline_parallel", &ConfigDifference::key);
        QVERIFY(pipeline != differences.end());
        QVERIFY(pipeline->values == (std::vector<std::optional<std::string>>{"4", "8"}));
        QVERIFY(std::ranges::find(differences, "tensor_parallel", &ConfigDifference::key)
            == differences.end());
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
        VERIFY_SAYS(verdict.headline, "Scale-out wins per joule, per GPU and per second");
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
        VERIFY_SAYS(verdict.headline, "spread over iterations");
        QVERIFY(verdict.by.empty());
    }

    void tooFewIterationsAreUndecided() {
        for (const std::int64_t count : {1, 2}) {
            Plan short_ = many();
            short_.iterations = count;
            const Verdict verdict = verdictOf(measured(few()), measured(short_));
            QVERIFY(verdict.winner == Winner::Undecided);
            VERIFY_SAYS(verdict.headline, "too few iterations");
        }
    }

    void otherWorkIsUndecided_data() {
        const auto row = columns<QString>("what");
        for (const char* what :
            {"model", "global batch", "sequence length", "precision", "workload"})
            row(what, QString::fromUtf8(what));
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
        VERIFY_SAYS(verdict.reason, what.toStdString());
    }

    void oneModelUnderTwoNamesIsOne() {
        RunMeasures other = measured(many());
        other.run.launch.model = "GPT3-175B";
        other.run.launch.precision = "bf16-mixed";
        QVERIFY(verdictOf(measured(few()), other).winner == Winner::ScaleUp);
    }

    // A run without the quantity comes last, whichever is better.
    void unknownComesLast() {
        const RunMeasures known = measured(few());
        for (const char* key : {"step_time_s", "tokens_per_s"}) {
            const std::size_t quantity = quantityIndex(key).value();
            QVERIFY(known.normalised(quantity, Normalisation::Absolute));
            QVERIFY(comesBefore(known, {}, quantity, Normalisation::Absolute));
            QVERIFY(!comesBefore({}, known, quantity, Normalisation::Absolute));
        }
    }

    void workThatIsNotStated() {
        RunMeasures a = measured(few());
        RunMeasures b = measured(many());
        b.run.launch.precision.reset();
        const Verdict assumed = verdictOf(a, b);
        QVERIFY(assumed.winner == Winner::ScaleUp);
        VERIFY_SAYS(assumed.reason, "precision (bf16 against not stated)");
        b.run.launch.precision = "bf16-mixed"; // as it was written
        a.run.launch.precision.reset();
        VERIFY_SAYS(verdictOf(a, b).reason, "precision (not stated against bf16-mixed)");
        // Nothing names b's model, but its shape is that of a's.
        b.run.launch.model.reset();
        b.run.launch.layers = 96;
        b.run.launch.hiddenSize = 12288;
        QVERIFY(verdictOf(a, b).winner == Winner::ScaleUp);
        b.run.launch.layers = 48;
        VERIFY_SAYS(verdictOf(a, b).headline, "different work");
        b.run.launch.layers.reset();
        const Verdict unknown = verdictOf(a, b);
        QVERIFY(unknown.winner == Winner::Undecided);
        VERIFY_SAYS(unknown.headline, "is not known");
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
        VERIFY_SAYS(verdict.headline, "many ran out of memory");
    }

    void energyAndGpusMayDisagree() {
        Plan hot = few();
        hot.wattsPerGpu = 1000.0; // faster per GPU, dearer per token
        const Verdict verdict = verdictOf(measured(hot), measured(many()));
        QVERIFY(verdict.winner == Winner::Undecided);
        VERIFY_SAYS(verdict.headline, "scale-out wins per joule, scale-up per GPU");
    }

    void withoutEnergyTheGpusDecide() {
        RunMeasures dark = measured(many());
        for (const char* key : {"tokens_per_j", "energy_per_step_j", "mean_power_w"})
            set(dark, key, std::nullopt);
        const Verdict verdict = verdictOf(measured(few()), dark);
        QVERIFY(verdict.winner == Winner::ScaleUp);
        QCOMPARE(verdict.by, std::string("tokens_per_s_per_gpu"));
        VERIFY_SAYS(verdict.reason, "It was taken away.");
        const Statement* joule = find(verdict, "tokens_per_j");
        QVERIFY(joule && joule->a && !joule->b);
    }

    void withoutThroughputNothingIsSaid() {
        RunMeasures blind = measured(many());
        for (const char* key : {"tokens_per_s", "tokens_per_s_per_gpu", "tokens_per_j"})
            set(blind, key, std::nullopt);
        const Verdict verdict = verdictOf(measured(few()), blind);
        QVERIFY(verdict.winner == Winner::Undecided);
        VERIFY_SAYS(verdict.headline, "the throughput is not known");
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
        VERIFY_SAYS(verdict.reason, "kind of the GPUs is not known");
    }

    // The reasons of verdicts on pairs of planted measures: causes, memory, turning points,
    // predictions.

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
        VERIFY_SAYS(find(verdict, "exposed_communication_fraction")->text, "PP between nodes");
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
        VERIFY_SAYS(find(verdictOf(a, b), "throttled_fraction")->text, "50 % (all by heat)");
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
        VERIFY_SAYS(difference().why, "from clocks in the other");
        const std::string text = find(verdictOf(a, b), "throttled_fraction")->text;
        VERIFY_SAYS(text, "the first is told by the driver's reasons, the second from clocks");
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
        VERIFY_SAYS(verdict.statements.front().text, "1.50 × the power");
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
        VERIFY_RATIO(memory->used, states + logits + 0.8e9, 0.03);
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

    // The formula of Reasons.h holds for the costs themselves, and on either side of it another
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
        VERIFY_RATIO(*batch->a, at * 128.0, 1e-9);
        VERIFY_SAYS(batch->text, "beyond that the verdict turns");
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
        VERIFY_RATIO(*batch->a, at * 128.0, 1e-9);
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
        VERIFY_SAYS(verdict.statements.front().text, "140 % of that is pipeline bubbles");
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
        VERIFY_SAYS(find(verdict, "inter_node_bandwidth")->text, "whole steps");
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
        VERIFY_SAYS(far.headline, "one of them predicted");
        VERIFY_SAYS(far.reason, "many is predicted, not measured");
        VERIFY_SAYS(verdictOf(predicted(few()), predicted(many())).headline, "both predicted");
        Plan near = many();
        near.stepS = 4.4; // 1.1 ×: within what predictions are off by
        const Verdict close = verdictOf(measured(few()), predicted(near));
        QVERIFY(close.winner == Winner::Undecided);
        VERIFY_SAYS(close.headline, "what predictions are off by");
        for (const Difference& one : differencesOf(measured(few()), predicted(many()))) {
            QVERIFY(one.weight == Difference::Weight::Unknown);
            if (one.a && one.b)
                VERIFY_SAYS(one.why, "many is predicted");
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

TRAINSCOPE_TEST(tst_Verdict)
#include "tst_Verdict.moc"
