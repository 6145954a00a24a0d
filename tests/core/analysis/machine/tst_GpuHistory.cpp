// GPUs over runs: changes by hand, planted drifts that are found, noise that is not, and runs that
// are not compared.

#include "core/analysis/findings/CleanRun.h"
#include "core/analysis/findings/Findings.h"
#include "core/analysis/machine/GpuHistory.h"
#include "core/analysis/machine/PlantedPast.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

#include <random>

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

std::string uuidOf(int gpu) {
    return "GPU-" + std::to_string(gpu) + "fa1c2d4-0000";
}

// Runs of that value alone, values[run][gpu].
std::vector<PastRun> pastRunsWith(
    HistoryValue value, const std::vector<std::vector<double>>& values) {
    std::vector<PastRun> runs;
    for (const auto& of : values) {
        const auto id = std::ssize(runs) + 1;
        PastRun run{pastJob(id, static_cast<int>(of.size())), SteadyBasis::Iterations, {}};
        for (const double one : of) {
            const int rank = static_cast<int>(run.gpus.size());
            PastGpu& gpu = run.gpus.emplace_back(PastGpu{{rank, 0, rank, {}, uuidOf(rank)}});
            gpu.values[value] = one;
        }
        runs.push_back(std::move(run));
    }
    return runs;
}

// The last of the runs, against those before.
PastRun lastOfPast(const std::vector<PastRun>& runs) {
    PastRun now = runs.back();
    fillChanges(now, runs);
    return now;
}
PastRun lastWith(HistoryValue value, const std::vector<std::vector<double>>& values) {
    return lastOfPast(pastRunsWith(value, values));
}

// Random runs: a level of each GPU, a part that all GPUs of a run share, and noise. All relative.
struct PastNoise {
    double spread = 0.05; // between levels
    double ofRun = 0.01;
    double ofGpu = 0.005;
};
template <typename Drift>
std::vector<PastRun> noisyPast(std::mt19937& random, HistoryValue value, std::size_t runs,
    std::size_t gpus, double level, const PastNoise& noise, Drift drift) {
    std::normal_distribution<double> normal;
    std::vector<double> levels;
    for (std::size_t gpu = 0; gpu < gpus; ++gpu)
        levels.push_back(level * (1.0 + noise.spread * normal(random)));
    std::vector<std::vector<double>> values(runs);
    for (std::size_t run = 0; run < runs; ++run) {
        const double shared = noise.ofRun * normal(random);
        for (std::size_t gpu = 0; gpu < gpus; ++gpu)
            values[run].push_back(
                levels[gpu] * (1.0 + shared + noise.ofGpu * normal(random) + drift(run, gpu)));
    }
    return pastRunsWith(value, values);
}
double noDrift(std::size_t, std::size_t) {
    return 0.0;
}

bool isOwnBeyond(const PastGpu& gpu, HistoryValue value = HistoryValue::Power) {
    return gpu.changes[value] && gpu.changes[value]->isBeyond;
}
bool isAnyBeyond(const PastRun& run, HistoryValue value = HistoryValue::Power) {
    return run.areAllBeyond[value] || std::ranges::any_of(run.gpus, [value](const PastGpu& gpu) {
        return isOwnBeyond(gpu, value);
    });
}

} // namespace

class tst_GpuHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 600 W in three runs, 624 W in the fourth: 24 / 600.
    void changesByHand() {
        const PastRun now = lastWith(HistoryValue::Power, {{600}, {600}, {600}, {624}});
        const auto& change = now.gpus[0].changes[HistoryValue::Power];
        QVERIFY(change.has_value());
        QCOMPARE(change->earlier, std::size_t{3});
        QCOMPARE(change->before, 600.0);
        QVERIFY(std::abs(change->change - 0.04) < 1e-12);
        QVERIFY(now.areAllBeyond[HistoryValue::Power]);
        QVERIFY(!now.areAllBeyond[HistoryValue::Clock]);
        const auto told = statementOf(HistoryValue::Power, now);
        QVERIFY(told.has_value());
        QCOMPARE(told->text,
            std::string("GPU-0fa1c2d4 took 4 % more power for the same work than in 3 runs before: "
                        "624 W against 600 W."));
    }

    void wordsOfEachValue_data() {
        const auto row = columns<int, double, double, QString>("value", "before", "now", "text");
        row("temperature", int(HistoryValue::Temperature), 60.0, 64.5,
            QStringLiteral("GPU-0fa1c2d4 was 4.5 °C hotter at the same work than in 3 runs before: "
                           "64.5 °C against 60 °C."));
        row("clock", int(HistoryValue::Clock), 2e9, 1.9e9,
            QStringLiteral("GPU-0fa1c2d4 ran at a clock lower by 5 % at the same work than in 3 "
                           "runs before: 1.9 GHz against 2 GHz."));
        row("throttled", int(HistoryValue::Throttled), 0.0, 0.12,
            QStringLiteral("GPU-0fa1c2d4 throttled 12 % more of the time at the same work than in "
                           "3 runs before: 12 % against 0 %."));
    }
    void wordsOfEachValue() {
        QFETCH(const int, value);
        QFETCH(const double, before);
        QFETCH(const double, now);
        QFETCH(const QString, text);
        const auto of = static_cast<HistoryValue>(value);
        const auto told = statementOf(of, lastWith(of, {{before}, {before}, {before}, {now}}));
        QVERIFY(told.has_value());
        QCOMPARE(QString::fromStdString(told->text), text);
        // For the better is no defect.
        QVERIFY(!statementOf(of, lastWith(of, {{now}, {now}, {now}, {before}})));
    }

    void smallChangesAreNone() {
        const auto isBeyond = [](HistoryValue value, double before, double now) {
            return isAnyBeyond(lastWith(value, {{before}, {before}, {before}, {now}}), value);
        };
        QVERIFY(!isBeyond(HistoryValue::Power, 600.0, 611.9));
        QVERIFY(isBeyond(HistoryValue::Power, 600.0, 612.1));
        QVERIFY(!isBeyond(HistoryValue::Clock, 2e9, 1.961e9));
        QVERIFY(isBeyond(HistoryValue::Clock, 2e9, 1.959e9));
        QVERIFY(!isBeyond(HistoryValue::Temperature, 60.0, 62.9));
        QVERIFY(isBeyond(HistoryValue::Temperature, 60.0, 63.1));
        QVERIFY(!isBeyond(HistoryValue::Throttled, 0.1, 0.149));
        QVERIFY(isBeyond(HistoryValue::Throttled, 0.1, 0.151));
    }

    // The same change within what the runs before differ by is chance.
    void changesWithinTheSpreadAreNone() {
        const PastRun now
            = lastWith(HistoryValue::Power, {{580}, {620}, {590}, {610}, {600}, {624}});
        QVERIFY(!isAnyBeyond(now));
        QCOMPARE(now.gpus[0].changes[HistoryValue::Power]->before, 600.0);
    }

    // One of four takes 5 % more; the others stay. Then all do.
    void oneGpuAndAllOfThem() {
        std::vector<std::vector<double>> values(5, {600, 610, 590, 600});
        values.push_back({600, 610, 590, 630});
        PastRun now = lastWith(HistoryValue::Power, values);
        QVERIFY(!now.areAllBeyond[HistoryValue::Power]);
        QVERIFY(isOwnBeyond(now.gpus[3]));
        QVERIFY(!isOwnBeyond(now.gpus[0]));
        auto told = statementOf(HistoryValue::Power, now);
        QVERIFY(told->text.starts_with("GPU-3fa1c2d4 took 5 % more power"));
        QVERIFY(told->text.ends_with("630 W against 600 W; 1 of 4 GPUs changed so."));
        values.back() = {630, 640.5, 619.5, 630};
        now = lastWith(HistoryValue::Power, values);
        QVERIFY(now.areAllBeyond[HistoryValue::Power]);
        QVERIFY(
            std::ranges::none_of(now.gpus, [](const PastGpu& gpu) { return isOwnBeyond(gpu); }));
        told = statementOf(HistoryValue::Power, now);
        QVERIFY(told->text.ends_with("4 of 4 GPUs changed so."));
        QCOMPARE(told->gpus, std::size_t{4});
    }

    void likeWithLike_data() {
        const auto row = columns<int, int>("difference", "earlier");
        int number = 0;
        row("nothing", number++, 3);
        row("steps", number++, 3);
        for (const char* difference : {"model", "batch", "GPU model", "number of GPUs",
                 "part of the run", "power limit", "GPU", "later run", "model that is not stated",
                 "batch that is not stated", "stage", "recomputation"})
            row(difference, number++, 0);
    }
    void likeWithLike() {
        QFETCH(const int, difference);
        QFETCH(const int, earlier);
        auto runs = pastRunsWith(HistoryValue::Power, {{600}, {600}, {600}, {624}});
        PastRun& now = runs.back();
        const auto inAll = [&runs](const std::function<void(LaunchConfig&)>& change) {
            for (PastRun& one : runs)
                change(one.run.launch);
        };
        const std::vector<std::function<void()>> all{[] {}, [&] { now.run.launch.maxSteps = 7; },
            [&] { now.run.launch.model = "gpt3"; }, [&] { now.run.launch.globalBatch = 128; },
            [&] { now.run.gpuModel = "NVIDIA H200"; }, [&] { now.run.gpuCount = 2; },
            [&] { now.basis = SteadyBasis::WholeRun; }, [&] { now.gpus[0].powerLimitW = 500.0; },
            [&] { now.gpus[0].gpu.uuid = "GPU-other"; }, [&] { now.run.range.begin = {0}; },
            [&] { inAll([](LaunchConfig& launch) { launch.model.reset(); }); },
            [&] { inAll([](LaunchConfig& launch) { launch.globalBatch.reset(); }); },
            [&] {
                inAll([](LaunchConfig& launch) { launch.pipelineParallel = 2; });
                now.gpus[0].gpu.rank = 1;
            },
            [&] { now.run.launch.recompute = true; }};
        all.at(static_cast<std::size_t>(difference))();
        const PastRun last = lastOfPast(runs);
        const auto& change = last.gpus[0].changes[HistoryValue::Power];
        QCOMPARE(change ? int(change->earlier) : 0, earlier);
        QCOMPARE(isAnyBeyond(last), earlier > 0);
        QCOMPARE(whyIncomparable(now.run),
            std::string(difference == 10 ? "its model is not stated"
                    : difference == 11   ? "its batch is not stated"
                                         : ""));
    }

    void fewRunsTellNothing() {
        const auto isCompared = [](const PastRun& run) {
            return run.gpus[0].changes[HistoryValue::Power].has_value();
        };
        QVERIFY(!isCompared(lastWith(HistoryValue::Power, {{600}, {600}, {700}})));
        QVERIFY(isCompared(lastWith(HistoryValue::Power, {{600}, {600}, {600}, {700}})));
        // Nor do values that are absent.
        auto runs = pastRunsWith(HistoryValue::Power, {{600}, {600}, {600}, {700}});
        runs[1].gpus[0].values = {};
        QVERIFY(!isCompared(lastOfPast(runs)));
        QVERIFY(!isAnyBeyond(lastOfPast({runs.back()})));
    }

    // Levels of GPUs differ by 5 %, runs and GPUs by noise: nothing ever changes. Fewer than 1 of
    // 100 runs are called changed in any of four values, so 1 of 250 in one.
    void falseAlarms_data() {
        const auto row = columns<int, int, double>("runs", "gpus", "noise");
        row("eight GPUs", 6, 8, 0.005);
        row("eight noisy GPUs", 6, 8, 0.03);
        row("four runs of noisy GPUs", 4, 8, 0.03);
        row("64 noisy GPUs", 8, 64, 0.03);
        row("one noisy GPU", 6, 1, 0.03);
        row("two noisy GPUs", 4, 2, 0.03);
    }
    void falseAlarms() {
        QFETCH(const int, runs);
        QFETCH(const int, gpus);
        QFETCH(const double, noise);
        std::mt19937 random(7);
        constexpr int kSeries = 2000;
        int alarms = 0;
        for (int i = 0; i < kSeries; ++i) {
            const auto made = noisyPast(random, HistoryValue::Power, std::size_t(runs),
                std::size_t(gpus), 600.0, {0.05, noise, noise}, noDrift);
            alarms += isAnyBeyond(lastOfPast(made)) ? 1 : 0;
        }
        qInfo("%d of %d", alarms, kSeries);
        QVERIFY2(alarms <= kSeries / 250, qPrintable(QString::number(alarms)));
    }

    // One GPU of eight takes 1 % more in each run: 4.5 % above its mean before the ninth.
    void driftOfOneGpuIsFound() {
        std::mt19937 random(11);
        int found = 0;
        int others = 0;
        for (int i = 0; i < 200; ++i) {
            const PastRun now = lastOfPast(noisyPast(
                random, HistoryValue::Power, 9, 8, 600.0, {}, [](std::size_t run, std::size_t gpu) {
                    return gpu == 5 ? 0.01 * static_cast<double>(run) : 0.0;
                }));
            for (const PastGpu& gpu : now.gpus)
                (gpu.gpu.rank == 5 ? found : others) += isOwnBeyond(gpu) ? 1 : 0;
        }
        qInfo("found %d of 200, others %d", found, others);
        QVERIFY2(found >= 195, qPrintable(QString::number(found)));
        QVERIFY(others <= 1);
    }

    // A GPU that stands alone: runs differ by 0.3 %, the ninth takes 4 % more; or each 1 % more.
    void changeOfALoneGpuIsFound() {
        std::mt19937 random(13);
        const auto isFound = [&random](std::size_t runs, auto drift) {
            return isAnyBeyond(lastOfPast(
                noisyPast(random, HistoryValue::Power, runs, 1, 600.0, {0.0, 0.003, 0.0}, drift)));
        };
        int jumps = 0;
        int drifts = 0;
        for (int i = 0; i < 200; ++i) {
            jumps += isFound(9, [](std::size_t run, std::size_t) { return run == 8 ? 0.04 : 0.0; });
            drifts += isFound(13, [](std::size_t run, std::size_t) { return 0.01 * double(run); });
        }
        qInfo("jumps %d, drifts %d of 200", jumps, drifts);
        QVERIFY2(jumps >= 190, qPrintable(QString::number(jumps)));
        QVERIFY2(drifts >= 150, qPrintable(QString::number(drifts)));
    }

    void uuidsAreShortened() {
        QCOMPARE(shortUuid("GPU-3fa1c2d4-1111-2222"), std::string("GPU-3fa1c2d4"));
        // AMD's begin alike.
        QCOMPARE(shortUuid("b0ff74b5-0000-1000-80aa"), std::string("b0ff74b5-0000-1000-80aa"));
    }

    // Four runs of one database: power of the second GPU 600 W, then 630 W; 60 °C throughout.
    void findingOfADatabase() {
        FreshStore store;
        for (int number = 1; number <= 4; ++number)
            ok(recordedRun(number, "GPU-3fa1c2d", number == 4 ? 630.0 : 600.0, 60.0)
                    .addTo(store, std::to_string(number)));
        const auto findings = [&store](const char* name) {
            return got(findingsOf(RunStudy(store, got(store.findRun(name)))));
        };
        const auto of = [](const std::vector<Finding>& all) {
            std::vector<Finding> found;
            for (const Finding& one : all) {
                if (one.rule == "gpu_history")
                    found.push_back(one);
            }
            return found;
        };
        const auto found = of(findings("run 4"));
        QCOMPARE(found.size(), std::size_t{1});
        // 30 W of 600 W is the larger share than of 650 W.
        QCOMPARE(found[0].text,
            std::string("GPU-3fa1c2d1 took 5 % more power for the same work than in 3 runs before: "
                        "630 W against 600 W; 2 of 2 GPUs changed so."));
        QCOMPARE(found[0].values.at("power_w"), 630.0);
        QCOMPARE(found[0].values.at("before_power_w"), 600.0);
        QCOMPARE(found[0].values.at("earlier_runs"), 3.0);
        QCOMPARE(found[0].values.at("gpus"), 2.0);
        QCOMPARE(found[0].evidence.rank, 1);
        QCOMPARE(found[0].evidence.metric, std::string("gpu_power"));
        QVERIFY(of(findings("run 3")).empty());
        QVERIFY(!got(pastOf(RunStudy(store, got(store.findRun("run 3"))))));
        // By time, whatever the order of the names.
        const auto all = got(pastRunsOf({store}, got(store.runs())));
        QCOMPARE(all.size(), std::size_t{4});
        QCOMPARE(all.front().run.name, std::string("run 1"));
        QCOMPARE(*all.back().gpus[1].values[HistoryValue::Temperature], 60.0);
        QVERIFY(!all.back().gpus[1].values[HistoryValue::Clock]);
    }

    // Without UUIDs nothing is read of other runs, nor of the run.
    void unknownGpusCostNothing() {
        FreshStore store;
        for (int number = 1; number <= 4; ++number)
            ok(recordedRun(number, {}, 600.0, 60.0).addTo(store, std::to_string(number)));
        int steps = 0;
        const RunStudy study(store, got(store.findRun("run 4")), [&steps](const ProgressState&) {
            ++steps;
            return true;
        });
        QVERIFY(!got(pastOf(study)));
        QVERIFY(got(pastRunsOf({store, study.progress}, got(store.runs()))).empty());
        QCOMPARE(steps, 0);
    }
};

TRAINSCOPE_TEST(tst_GpuHistory)
#include "tst_GpuHistory.moc"
