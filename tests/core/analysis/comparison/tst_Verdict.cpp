// Verdicts on pairs of planted measures.

#include "core/analysis/comparison/PlantedMeasures.h"
#include "core/analysis/comparison/Verdict.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

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
        QVERIFY2(mentions(found.reason, "beyond the spread"), found.reason.c_str());
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
        QVERIFY2(mentions(found.reason, "8 s and 8.8 s per step, a difference beyond the spread"),
            found.reason.c_str());
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
        QVERIFY2(mentions(found.reason, "They differ by 1.2 %"), found.reason.c_str());
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
        QVERIFY2(mentions(found.reason, "global batch (128 against 256)"), found.reason.c_str());
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
        QVERIFY(mentions(find(found, "tokens_per_s")->text,
            "Throughput and energy of a token of 32 × H200 SXM and 64 × H100 SXM5 are not known"));
        // 600 W on 32 GPUs for 8 s against 64 for 5 s: 153.6 and 192 kJ.
        QVERIFY(isAbout(find(found, "energy_per_step_j")->a, 153600.0));
        QVERIFY(mentions(find(found, "energy_per_step_j")->text, "1.25 ×"));
    }

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
};

TRAINSCOPE_TEST(tst_Verdict)
#include "tst_Verdict.moc"
