// The figures from facts that are chosen so that each comes out by hand.

#include <QtTest>

#include "core/analysis/energy/Efficiency.h"
#include "support/TestProgram.h"

#include <array>
#include <functional>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

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

class tst_Efficiency : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        QTest::addColumn<int>("without");
        QTest::addColumn<QStringList>("absent");
        const QStringList all{QStringLiteral("step_time_s"), QStringLiteral("samples_per_s"),
            QStringLiteral("tokens_per_s"), QStringLiteral("tokens_per_s_per_gpu"),
            QStringLiteral("tokens_per_j"), QStringLiteral("samples_per_s_per_mj"),
            QStringLiteral("tflops_per_gpu"), QStringLiteral("mfu")};
        QTest::newRow("step") << 0 << all;
        QTest::newRow("batch") << 1 << all.mid(1);
        QTest::newRow("sequence") << 2 << QStringList{all[2], all[3], all[4], all[6], all[7]};
        QTest::newRow("energy") << 3 << QStringList{all[4], all[5]};
        QTest::newRow("precision") << 4 << QStringList{all[7]};
        QTest::newRow("GPU") << 5 << QStringList{all[7]};
        QTest::newRow("model") << 6 << QStringList{all[6], all[7]};
        QTest::newRow("workload") << 7 << QStringList{all[6], all[7]};
        QTest::newRow("number of GPUs") << 8 << QStringList{all[3], all[6], all[7]};
        QTest::newRow("precision without a peak") << 9 << QStringList{all[7]};
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
    void marksSayTheWork() {
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

TRAINSCOPE_TEST(tst_Efficiency)
#include "tst_Efficiency.moc"
