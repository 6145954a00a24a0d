// Which telemetry and traces become one run: by time, model, number and readings, on small files
// whose stamps are written by hand, and on real files.

#include "importers/kineto/TraceText.h"
#include "importers/registry/Registry.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <QTemporaryDir>

#include <fmt/format.h>

#include <filesystem>
#include <set>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

constexpr std::int64_t kLogMidnight = 1'776'816'000; // 2026-04-22, UTC

// A trace of a millisecond that begins so many seconds after midnight.
std::string kernelAt(int second, const char* model = "NVIDIA H100 80GB HBM3") {
    return test::traceText(
        {test::kernelText("k", std::to_string((kLogMidnight + second) * 1'000'000), "1000")},
        fmt::format(", \"deviceProperties\": [{{\"id\": 0, \"name\": \"{}\"}}]", model));
}

// A minute of readings, one a second, from so many seconds after midnight.
std::string smiAt(int second, int gpus, double watts, const char* model) {
    std::string text = "timestamp, index, name, power.draw [W]\n";
    for (int i = second; i < second + 60; ++i) {
        for (int gpu = 0; gpu < gpus; ++gpu)
            text += fmt::format("2026/04/22 {:02}:{:02}:{:02}.000, {}, {}, {:.1f} W\n", i / 3600,
                i / 60 % 60, i % 60, gpu, model, watts + 10.0 * gpu);
    }
    return text;
}
std::string smiAt(int second, int gpus = 1, double watts = 300.0) {
    return smiAt(second, gpus, watts, "NVIDIA H100 80GB HBM3");
}

std::set<std::string> joinedRuns(std::vector<std::pair<std::string, std::string>> files) {
    const auto tree = memoryTree(std::move(files));
    std::set<std::string> names;
    for (const ImportUnit& unit : planImport(*tree, {}).valueOr(ImportPlan{}).units)
        names.insert(unit.runName);
    return names;
}

std::set<std::string> plannedRuns(const std::filesystem::path& folder) {
    const auto tree = openDiskTree(folder.string());
    std::set<std::string> names;
    for (const ImportUnit& unit : planImport(*tree.value(), {}).valueOr(ImportPlan{}).units)
        names.insert(unit.runName);
    return names;
}

using RunNames = std::set<std::string>;

} // namespace

class tst_OneMachine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aTraceIsOfTheLogOfItsMinutes() {
        QCOMPARE(
            joinedRuns({{"job/prof/trace.json", kernelAt(30)}, {"job/smi.csv", smiAt(0)}}).size(),
            std::size_t{1});
    }
    void aLogOfAnotherHourIsAnotherRun() {
        QCOMPARE(
            joinedRuns({{"job/trace.json", kernelAt(30)}, {"job/smi.csv", smiAt(7200)}}).size(),
            std::size_t{2});
    }
    void otherGpusAreAnotherRun() {
        QCOMPARE(joinedRuns({{"job/trace.json", kernelAt(30)},
                                {"job/smi.csv", smiAt(0, 1, 300.0, "NVIDIA A100-SXM4-80GB")}})
                     .size(),
            std::size_t{2});
        QCOMPARE(joinedRuns({{"job/trace.json", kernelAt(30, "AMD Instinct MI250X")},
                                {"job/smi.csv", smiAt(0)}})
                     .size(),
            std::size_t{2});
    }
    // GPU 0 of eight.
    void aTraceOfOneOfItsGpusIsOfANode() {
        QCOMPARE(
            joinedRuns({{"job/trace.json", kernelAt(30)}, {"job/smi.csv", smiAt(0, 8)}}).size(),
            std::size_t{1});
    }
    // Two logs of one program alone may be of two jobs.
    void logsWithoutATraceStayApart() {
        QCOMPARE(joinedRuns({{"job/smi.csv", smiAt(0)}, {"job/other.csv", smiAt(0)}}).size(),
            std::size_t{2});
    }
    void logsThatReadAlikeAreOfOneGpu() {
        const auto with = [](double watts) {
            return joinedRuns({{"job/trace.json", kernelAt(30)},
                {"job/smi.csv", smiAt(0, 1, 300.0)}, {"job/other.csv", smiAt(1, 1, watts)}});
        };
        QCOMPARE(with(301.0).size(), std::size_t{1});
        QCOMPARE(with(400.0).size(), std::size_t{3});
    }
    // Two jobs at one time: whose log is it?
    void aLogOfTwoJobsStaysAlone() {
        QCOMPARE(joinedRuns({{"a/trace.json", kernelAt(30)}, {"b/trace.json", kernelAt(31)},
                     {"smi.csv", smiAt(0)}}),
            (RunNames{"a", "b", "smi"}));
    }
    void aTraceOfTwoLogsStaysAlone() {
        QCOMPARE(joinedRuns({{"job/trace.json", kernelAt(30)}, {"job/smi.csv", smiAt(0, 1, 300.0)},
                                {"job/other.csv", smiAt(0, 1, 600.0)}})
                     .size(),
            std::size_t{3});
    }

    void theRealRecordingIsOneRun() {
        const std::string root = test::realFiles();
        if (root.empty())
            QSKIP("SKIPPED: no real files");
        QCOMPARE(plannedRuns(root + "/data/h100_recording/training"), RunNames{"training"});
    }
    // Four answers of one metric each, of the same 16 GPUs; the log of GPUs and that of the
    // training.
    void realFilesOfOneMachine() {
        const std::string root = test::realFiles();
        if (root.empty())
            QSKIP("SKIPPED: no real files");
        QTemporaryDir folder;
        const auto place = [&](const char* below, const char* file) {
            const auto to = std::filesystem::path(folder.path().toStdString()) / below;
            std::filesystem::create_directories(to);
            const std::filesystem::path from = root + "/data/" + file;
            std::filesystem::create_symlink(from, to / from.filename());
            return to;
        };
        std::filesystem::path answers;
        for (const char* file : {"prometheus/aicr_accelerator-metrics_gpu-node-1_promapi_0.json",
                 "prometheus/aicr_accelerator-metrics_gpu-node-1_promapi_1.json",
                 "prometheus/aicr_accelerator-metrics_gpu-node-1_promapi_2.json",
                 "prometheus/aicr_accelerator-metrics_gpu-node-1_promapi_3.json"})
            answers = place("answers", file);
        QCOMPARE(plannedRuns(answers), RunNames{"aicr_accelerator-metrics_gpu-node-1_promapi"});
        place("pair", "nvidia_smi/pgolf_8xH100_019b_diag_nvsmi.csv");
        QCOMPARE(plannedRuns(place("pair", "train_logs/pgolf_8xH100_019b_train.txt")),
            RunNames{"pgolf_8xH100_019b"});
    }
};

TRAINSCOPE_TEST(tst_OneMachine)
#include "tst_OneMachine.moc"
