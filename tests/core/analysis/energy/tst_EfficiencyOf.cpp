// Efficiency of runs in a database: which iterations, whose energy.

#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStart = 1'700'000'000 * kSecond;

// Two GPUs at 100 W and 300 W for ten seconds; from the second on five steps, the first of 2 s
// (warm-up), then of 1, 1.5, 1 and 1 s.
struct Plan {
    Run run = runNamed("run");
    bool hasIterations = true;
    double pauseS = 0.0; // behind the second step
    int gpusWithPower = 2;
    double powerFromS = 0.0; // on, as nothing else of the run
    bool goesOn = false; // for ten seconds more, in which there is no power
    std::vector<double> tokens; // marked at the begin of each step
    bool byRanks = false; // each has half of them
};

Plan plan() {
    Plan plan;
    plan.run.gpuModel = "NVIDIA H100 80GB HBM3";
    auto& launch = plan.run.launch;
    launch.model = "llama3-8b";
    launch.precision = "bf16";
    launch.workload = Workload::Training;
    launch.globalBatch = 4;
    launch.sequenceLength = 1024;
    return plan;
}

void addIterations(PlantedTrace& trace, double pauseS) {
    std::int64_t begin = kStart + kSecond;
    const std::vector<std::int64_t> halfSeconds{4, 2, 3, 2, 2};
    for (std::size_t i = 0; i < halfSeconds.size(); ++i) {
        const std::int64_t end = begin + halfSeconds[i] * kSecond / 2;
        trace.iterations.push_back({static_cast<std::int64_t>(i), {{begin}, {end}}, -1, i == 0});
        begin = end + (i == 1 ? std::llround(pauseS * kSecond) : 0);
    }
}

// At the begins of the steps: 1, 3, 4, 5.5 and 6.5 s.
void addTokens(PlantedTrace& trace, const Plan& plan) {
    std::vector<std::int64_t> begins;
    for (const std::int64_t halfSecond : {2, 6, 8, 11, 13})
        begins.push_back(kStart + halfSecond * kSecond / 2);
    for (int rank = plan.byRanks ? 0 : -1; rank < (plan.byRanks ? 2 : 0); ++rank) {
        auto description = gauge("step_tokens", rank);
        description.subject.kind = plan.byRanks ? SubjectKind::Gpu : SubjectKind::Run;
        std::vector<double> values = plan.tokens;
        for (double& value : values)
            value /= plan.byRanks ? 2.0 : 1.0;
        begins.resize(values.size());
        trace.series(description, times(begins), values);
    }
}

using Ask = Result<Efficiency> (*)(const RunStudy& study, TimeRange window);

Efficiency made(const Plan& plan, TimeRange window = kAllTime, Ask ask = efficiencyOf) {
    PlantedTrace trace;
    trace.run = plan.run;
    for (int rank = 0; rank < 2; ++rank)
        trace.gpus.push_back({rank, 0, rank, plan.run.gpuModel, {}});
    const auto from = std::llround(plan.powerFromS * 10.0);
    for (int rank = 0; rank < plan.gpusWithPower; ++rank)
        trace.series("gpu_power", rank, kStart + from * kSecond / 10, kSecond / 10,
            std::vector<double>(static_cast<std::size_t>(101 - from), rank == 0 ? 100.0 : 300.0));
    if (plan.hasIterations)
        addIterations(trace, plan.pauseS);
    if (!plan.tokens.empty())
        addTokens(trace, plan);
    if (plan.goesOn)
        trace.series("gpu_temperature", 0, kStart, 20 * kSecond, {50.0, 50.0});
    const auto store = trace.store();
    return got(ask(studyOf(store), window));
}

bool isAbout(std::optional<double> value, double expected) {
    return value && std::abs(*value - expected) <= 1e-6 * std::abs(expected);
}

const catalogue::ModelCatalogue& built() {
    static const catalogue::ModelCatalogue catalogue{catalogue::builtInModels(), {}};
    return catalogue;
}

EfficiencyFacts facts() {
    EfficiencyFacts facts;
    facts.launch.model = "gpt3-175b";
    facts.launch.precision = "bf16";
    facts.launch.workload = Workload::Training;
    facts.launch.globalBatch = 128;
    facts.launch.sequenceLength = 2048;
    facts.gpuModel = "NVIDIA H200";
    facts.gpus = 32;
    facts.stepTimeS = 16.0;
    facts.steps = 10;
    facts.stepTimeOrigin = "ProfilerStep";
    facts.energyPerStepJ = 262144.0;
    facts.windowEnergyJ = 4e6;
    facts.runDurationS = 200.0;
    facts.runEnergyJ = 4e6;
    return facts;
}

const std::vector<const char*> kAll{"step_time_s", "samples_per_s", "tokens_per_s",
    "tokens_per_s_per_gpu", "tokens_per_j", "samples_per_s_per_mj", "tflops_per_gpu", "mfu"};

} // namespace

class tst_EfficiencyOf : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void overTheWholeRun() {
        const Efficiency found = made(plan());
        QCOMPARE(found.steps, 4);
        QCOMPARE(found.gpus, 2);
        QVERIFY(isAbout(found.stepTimeS, 1.0)); // median of 1, 1.5, 1, 1
        QVERIFY(isAbout(found.samplesPerS, 4.0));
        QVERIFY(isAbout(found.tokensPerSPerGpu, 2048.0));
        // 4 steps in 4.5 s of 400 W: 450 J a step of 4096 tokens.
        QVERIFY(isAbout(found.energyPerStepJ, 450.0));
        QVERIFY(isAbout(found.tokensPerJ, 4096.0 / 450.0));
        // The run takes 10 s: 4 kJ.
        QVERIFY(isAbout(found.samplesPerSPerMj, 4.0 / 0.004));
        QVERIFY(isAbout(found.asCharllm->samplesPerS, 0.4));
        QVERIFY(isAbout(found.asCharllm->samplesPerSPerMj, 0.4 / 0.004));
        QVERIFY(found.mfu.has_value());
        QVERIFY(found.missing.empty());
    }

    // A second of 400 W behind the first step that counts is of none of the four.
    void pausesAreNotOfSteps() {
        Plan paused = plan();
        paused.pauseS = 1.0;
        const Efficiency found = made(paused);
        QVERIFY(isAbout(found.energyPerStepJ, 450.0));
        QVERIFY(isAbout(found.energyBetweenStepsJ, 100.0));
        QVERIFY(isAbout(found.stepPowerW, 400.0));
        QVERIFY(isAbout(found.tokensPerJ, 4096.0 / 450.0));
        QVERIFY(!made(plan()).energyBetweenStepsJ);
        // 4 ms lie between: 1.6 J of 1800.
        paused.pauseS = 0.004;
        QVERIFY(!made(paused).energyBetweenStepsJ);
        // Only what lies behind the pause is asked for.
        paused.pauseS = 1.0;
        const Efficiency behind = made(paused, {{kStart + 4 * kSecond}, {kStart + 10 * kSecond}});
        QCOMPARE(behind.steps, 3);
        QVERIFY(isAbout(behind.energyPerStepJ, 400.0 * 3.5 / 3.0));
        QVERIFY(!behind.energyBetweenStepsJ);
    }

    void inAWindow() {
        // Holds the steps of 1.5 s and 1 s whole.
        const Efficiency found
            = made(plan(), {{kStart + 35 * kSecond / 10}, {kStart + 7 * kSecond}});
        QCOMPARE(found.steps, 2);
        QVERIFY(isAbout(found.stepTimeS, 1.25));
        QVERIFY(isAbout(found.energyPerStepJ, 500.0));
        QVERIFY(isAbout(found.samplesPerSPerMj, 3.2 / (400.0 * 3.5 / 1e6)));
    }

    // The steps of 1.5 s and 1 s from 4 s on: a log tells of the first before power was read.
    void aStepThatBeganBeforeTheFirstReadingCounts() {
        Plan late = plan();
        late.powerFromS = 4.1;
        const TimeRange window{{kStart + 4 * kSecond}, {kStart + 13 * kSecond / 2}};
        const Efficiency found = made(late, window);
        QCOMPARE(found.steps, 2);
        QCOMPARE(found.stepWindow, std::string("the median of iterations 2 to 3"));
        QVERIFY(isAbout(found.stepTimeS, 1.25));
        QCOMPARE(made(late).steps, 4);
        // 400 W over 2.4 of the 2.5 s; over 2 s, too little to speak for them.
        QVERIFY(isAbout(found.energyPerStepJ, 480.0));
        late.powerFromS = 4.5;
        QVERIFY(isAbout(made(late, window).stepTimeS, 1.25));
        QVERIFY(!made(late, window).energyPerStepJ);
    }

    void withoutEnergy() {
        const TimeRange window{{kStart + 35 * kSecond / 10}, {kStart + 7 * kSecond}};
        const Efficiency found = made(plan(), window, timeEfficiencyOf);
        QVERIFY(isAbout(found.stepTimeS, 1.25));
        QCOMPARE(found.mfu, made(plan(), window).mfu);
        QVERIFY(!found.energyPerStepJ && !found.tokensPerJ && !found.samplesPerSPerMj);
    }

    void warmupCountsWhereThereIsNothingElse() {
        const Efficiency found = made(plan(), {{kStart}, {kStart + 3 * kSecond}});
        QCOMPARE(found.steps, 1);
        QVERIFY(isAbout(found.stepTimeS, 2.0));
    }

    void withoutIterationsThereIsNoRate() {
        Plan without = plan();
        without.hasIterations = false;
        const Efficiency found = made(without);
        QVERIFY(!found.stepTimeS && !found.samplesPerS && !found.tokensPerJ && !found.mfu);
        VERIFY_SAYS(found.missing.at("step_time_s"), "iterations");
        QVERIFY(isAbout(found.asCharllm->samplesPerS, 0.4)); // needs none
        QVERIFY(found.parameters.has_value());
    }

    void energyOfSomeGpusIsNotTheEnergyOfAll() {
        Plan one = plan();
        one.gpusWithPower = 1;
        Plan more = plan();
        more.run.worldSize = 4;
        for (const Plan& less : {one, more}) {
            const Efficiency found = made(less);
            QVERIFY(found.samplesPerS && !found.tokensPerJ && !found.samplesPerSPerMj);
            VERIFY_SAYS(found.missing.at("tokens_per_j"), "GPUs only");
        }
        QVERIFY(isAbout(made(more).tokensPerSPerGpu, 1024.0));
    }

    // Half of the run has power, the steps all of theirs.
    void stepsAreCoveredWhereTheRunIsNot() {
        Plan half = plan();
        half.goesOn = true;
        const Efficiency found = made(half);
        QVERIFY(isAbout(found.energyPerStepJ, 450.0)); // 400 W for 4.5 s over 4 steps
        QVERIFY(isAbout(found.tokensPerJ, 4096.0 / 450.0));
        QVERIFY(!found.samplesPerSPerMj && !found.asCharllm);
        QCOMPARE(found.missing.size(), std::size_t{1});
        VERIFY_SAYS(found.missing.at("samples_per_s_per_mj"), "of the time only");
        const Efficiency steady = made(half, {{kStart + 3 * kSecond}, {kStart + 15 * kSecond / 2}});
        QVERIFY(isAbout(steady.samplesPerSPerMj, 4.0 / (400.0 * 4.5 / 1e6)));
        QVERIFY(steady.missing.empty());
    }

    void outOfMemory() {
        Plan oom = plan();
        oom.run.status = RunStatus::Oom;
        const Efficiency found = made(oom);
        QVERIFY(!found.stepTimeS);
        VERIFY_SAYS(found.missing.at("step_time_s"), "out-of-memory");
    }

    // Steps of 1, 1.5, 1 and 1 s count, the first does not. Equal work is divided by the median, 1
    // s; different work by the mean, 4.5 s of four.
    void marksSayTheWork() {
        Plan marked = plan();
        marked.run.launch.globalBatch = {};
        marked.run.launch.sequenceLength = {};
        marked.tokens = {999.0, 4096.0, 4096.0, 4096.0, 4096.0};
        QCOMPARE(*made(marked).tokensPerS, 4096.0);
        // 400 W for 4.5 s
        QCOMPARE(*made(marked).tokensPerJ, 4.0 * 4096.0 / 1800.0);
        marked.byRanks = true;
        QCOMPARE(*made(marked).tokensPerS, 4096.0);
        marked.tokens = {999.0, 4096.0, 8192.0, 4096.0, 2048.0};
        QCOMPARE(*made(marked).tokensPerS, 18432.0 / 4.5);
        // Said once, it holds; said for the first time behind the first step that counts, it does
        // not say the work of all.
        marked.byRanks = false;
        marked.tokens = {2048.0};
        QCOMPARE(*made(marked).tokensPerS, 2048.0);
    }

    // The figures from facts that are chosen so that each comes out by hand.
    void everythingByHand() {
        const Efficiency made = efficiencyFrom(facts(), built());
        QVERIFY(made.missing.empty());
        QCOMPARE(*made.stepTimeS, 16.0);
        QCOMPARE(*made.samplesPerS, 8.0); // 128 / 16
        QCOMPARE(*made.tokensPerS, 16384.0);
        QCOMPARE(*made.tokensPerSPerGpu, 512.0);
        QCOMPARE(*made.tokensPerJ, 1.0); // 128·2048 / 262144
        QCOMPARE(*made.samplesPerSPerMj, 2.0); // 8 / 4
        // 72·B·s·l·h²·(1 + s/6h + V/12lh)
        const double flop = 72.0 * 128 * 2048 * 96 * 12288.0 * 12288.0
            * (1.0 + 1.0 / 36.0 + 51200.0 / 14155776.0);
        QCOMPARE(*made.flopPerStep, flop);
        QCOMPARE(*made.flopsPerGpu, flop / 16 / 32);
        QCOMPARE(*made.mfu, flop / 16 / 32 / 989e12);
        QCOMPARE(made.asCharllm->samplesPerS, 0.64); // 128 / 200
        QCOMPARE(made.asCharllm->samplesPerSPerMj, 0.16); // 0.64 / 4
    }

    void recomputationIsNoWorkOfTheModel() {
        EfficiencyFacts again = facts();
        again.launch.recompute = true;
        QCOMPARE(*efficiencyFrom(again, built()).mfu, *efficiencyFrom(facts(), built()).mfu);
    }

    void whatIsAbsentHasAReason_data() {
        const auto row = columns<int, QStringList>("without", "absent");
        const QStringList all{QStringLiteral("step_time_s"), QStringLiteral("samples_per_s"),
            QStringLiteral("tokens_per_s"), QStringLiteral("tokens_per_s_per_gpu"),
            QStringLiteral("tokens_per_j"), QStringLiteral("samples_per_s_per_mj"),
            QStringLiteral("tflops_per_gpu"), QStringLiteral("mfu")};
        row("step", 0, all);
        row("batch", 1, all.mid(1));
        row("sequence", 2, QStringList{all[2], all[3], all[4], all[6], all[7]});
        row("energy", 3, QStringList{all[4], all[5]});
        row("precision", 4, QStringList{all[7]});
        row("GPU", 5, QStringList{all[7]});
        row("model", 6, QStringList{all[6], all[7]});
        row("workload", 7, QStringList{all[6], all[7]});
        row("number of GPUs", 8, QStringList{all[3], all[6], all[7]});
        row("precision without a peak", 9, QStringList{all[7]});
    }
    void whatIsAbsentHasAReason() {
        QFETCH(const int, without);
        QFETCH(const QStringList, absent);
        EfficiencyFacts less = facts();
        const auto drop = std::to_array<std::function<void()>>({[&] {
                                                                    less.stepTimeS = {};
                                                                    less.energyPerStepJ = {};
                                                                },
            [&] { less.launch.globalBatch = {}; }, [&] { less.launch.sequenceLength = {}; },
            [&] {
                less.windowEnergyJ = {};
                less.energyPerStepJ = {};
            },
            [&] { less.launch.precision = {}; }, [&] { less.gpuModel.clear(); },
            [&] { less.launch.model = {}; }, [&] { less.launch.workload = {}; },
            [&] { less.gpus = 0; }, [&] { less.launch.precision = "int8"; }});
        drop.at(static_cast<std::size_t>(without))();
        const Efficiency made = efficiencyFrom(less, built());
        const std::map<std::string, std::optional<double>> figures{{"step_time_s", made.stepTimeS},
            {"samples_per_s", made.samplesPerS}, {"tokens_per_s", made.tokensPerS},
            {"tokens_per_s_per_gpu", made.tokensPerSPerGpu}, {"tokens_per_j", made.tokensPerJ},
            {"samples_per_s_per_mj", made.samplesPerSPerMj}, {"tflops_per_gpu", made.flopsPerGpu},
            {"mfu", made.mfu}};
        for (const char* key : kAll) {
            const bool isAbsent = absent.contains(QString::fromLatin1(key));
            QVERIFY2(figures.at(key).has_value() != isAbsent, key);
            QVERIFY2(made.missing.contains(key) == isAbsent, key);
            if (isAbsent)
                QVERIFY2(made.missing.at(key).size() > 10, key);
        }
    }

    // 64 samples of 65536 tokens in 0.5 s at 250 J, of a script without a launch file: the sequence
    // is their ratio.
    void marksSayTheWorkOfEfficiency() {
        EfficiencyFacts marked = facts();
        marked.launch.globalBatch = {};
        marked.launch.sequenceLength = {};
        marked.stepTimeS = 0.5;
        marked.energyPerStepJ = 250.0;
        marked.samplesPerStep = 64.0;
        marked.tokensPerStep = 65536.0;
        const Efficiency made = efficiencyFrom(marked, built());
        QVERIFY(made.missing.empty());
        QCOMPARE(*made.samplesPerS, 128.0);
        QCOMPARE(*made.tokensPerS, 131072.0);
        QCOMPARE(*made.tokensPerSPerGpu, 4096.0); // for each of 32
        QCOMPARE(*made.tokensPerJ, 262.144);
        QCOMPARE(*made.samplesPerSPerMj, 32.0); // 128 / 4
        const double flop = 72.0 * 64 * 1024 * 96 * 12288.0 * 12288.0
            * (1.0 + 1024.0 / (6 * 12288.0) + 51200.0 / 14155776.0);
        QCOMPARE(*made.flopPerStep, flop);
        // Marks go before what the launch states, and steps of different work over their mean time.
        marked.launch.globalBatch = 1;
        marked.launch.sequenceLength = 1024;
        marked.meanStepTimeS = 0.64;
        QCOMPARE(*efficiencyFrom(marked, built()).samplesPerS, 100.0);
        QCOMPARE(*efficiencyFrom(marked, built()).flopsPerGpu, flop / 0.64 / 32);
        // Tokens alone, with the batch of the options.
        marked.samplesPerStep = {};
        marked.launch.globalBatch = 32;
        marked.launch.sequenceLength = {};
        marked.meanStepTimeS = {};
        QCOMPARE(*efficiencyFrom(marked, built()).samplesPerS, 64.0);
    }

    // Figures from the log need neither a batch nor the length of a step.
    void whatTheLogSaysIsNotMissing() {
        EfficiencyFacts logged = facts();
        logged.stepTimeS = {};
        logged.energyPerStepJ = {};
        logged.launch.globalBatch = {};
        logged.loggedTokensPerS = 3200.0;
        const Efficiency made = efficiencyFrom(logged, built());
        QCOMPARE(*made.tokensPerS, 3200.0);
        QCOMPARE(*made.tokensPerSPerGpu, 100.0); // for each of 32
        QVERIFY(!made.missing.contains("tokens_per_s"));
        QVERIFY(!made.missing.contains("tokens_per_s_per_gpu"));
        QVERIFY(made.missing.contains("tokens_per_j"));
    }

    // A card of two dies shows as two GPUs.
    // By the data sheets: an H200 has 989 TFLOP/s in bf16 and 1979 in fp8, and nothing in fp4.
    void thePeakIsThatOfThePrecision() {
        EfficiencyFacts run = facts();
        run.launch.precision = "bf16-mixed";
        QCOMPARE(*efficiencyFrom(run, built()).peakFlops, 989e12);
        for (const char* name : {"fp8", "mxfp8", "bf16 with fp8"}) {
            run.launch.precision = name;
            const Efficiency made = efficiencyFrom(run, built());
            QCOMPARE(*made.peakFlops, 1979e12);
            QCOMPARE(*made.mfu, *made.flopsPerGpu / 1979e12);
        }
        run.launch.precision = "nvfp4";
        QVERIFY(!efficiencyFrom(run, built()).mfu);
    }

    void aCardOfTwoDies() {
        EfficiencyFacts amd = facts();
        amd.gpuModel = "AMD Instinct MI250";
        QCOMPARE(*efficiencyFrom(amd, built()).peakFlops, 181e12);
    }
};

TRAINSCOPE_TEST(tst_EfficiencyOf)
#include "tst_EfficiencyOf.moc"
