// Files that are traces, their ranks, and the runs that they make together.

#include "importers/kineto/SharedFiles.h"
#include "importers/kineto/TraceText.h"
#include "importers/trace/TraceName.h"
#include "support/TestProgram.h"

using namespace trainscope::test;
using importers::ImportUnit;

namespace {

std::string trace(int rank, int worldSize, const std::string& ts = "1") {
    const std::string whole = traceText({kernelText("k", ts, "1")});
    return "{\"distributedInfo\": {\"rank\": " + std::to_string(rank)
        + ", \"world_size\": " + std::to_string(worldSize) + "}, " + whole.substr(1);
}

std::map<std::string, ImportUnit> plan(std::vector<std::pair<std::string, std::string>> files) {
    const auto tree = importers::memoryTree(std::move(files));
    std::map<std::string, ImportUnit> units;
    for (ImportUnit& unit : importers::kineto::kImporter.plan(*tree, tree->files()))
        units[unit.path] = unit;
    return units;
}

// A kernel from `begin` for 400 us, launched by that process.
std::string captureText(int begin, const char* process, std::string members = {}) {
    const std::string at = std::to_string(begin);
    const std::string launch = "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": "
                               "\"cudaLaunchKernel\", \"pid\": "
        + std::string(process) + ", \"tid\": 1, \"ts\": " + at + ", \"dur\": 1}";
    return traceText({launch, kernelText("k", at.c_str(), "400")}, std::move(members));
}

} // namespace

class tst_KinetoPlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sniffs_data() {
        const auto row = columns<QByteArray, bool>("head", "isMine");
        row("trace", "{\"schemaVersion\": 1, \"traceEvents\" : [", true);
        row("bare array", "[ {\"name\": \"a\", \"ph\": \"X\", \"ts\": 1", true);
        row("events behind a long header",
            "{\"schemaVersion\": 1, \"deviceProperties\": [{}], \"distributedInfo\": {\"ranks\": "
            "[1,2",
            true);
        row("execution trace", "{\"schema\": \"1.0.2-chakra.0.0.4\", \"pid\": 1, \"nodes\": [",
            false);
        row("other JSON", "{\"traces\": [1, 2]}", false);
        row("array of others", "[{\"rank\": 1}]", false);
        row("CSV", "timestamp, index\n1, 2\n", false);
        row("empty", QByteArray(), false);
    }
    void sniffs() {
        QFETCH(QByteArray, head);
        QFETCH(bool, isMine);
        QCOMPARE(importers::kineto::kImporter.sniff(head.toStdString(), "x.txt") > 0, isMine);
    }
    void rankFromName_data() {
        const auto row = test::keyed<QByteArray, int>("path", "rank");
        row("rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz", 34);
        row("inference_rank_1.json.gz", 1);
        row("rank0_9c44bd29b3f0_1375.1724066820235157909.pt.trace.json", 0);
        row("megatron_kineto_3.json", -1); // nobody says what the number is
        row("eager-16.json.gz", -1);
        row("profile_gpu3.json", 3);
        row("8gpu_16.json", -1);
        row("worker0.1623143089861.pt.trace.json.gz", 0);
        row("modded-nanogpt-hook-gpu-rank-00-chrome-trace.json.gz", 0);
        row("a/b/trace-12.json", -1);
        row("9c44bd29b3f0_1375.1724066820235157909.pt.trace.json", -1);
        row("Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", -1);
        row("trace.json", -1);
        row("crank.json", -1);
    }
    void rankFromName() {
        QFETCH(QByteArray, path);
        QFETCH(int, rank);
        const auto named = importers::rankInStem(importers::traceStem(path.toStdString()));
        QCOMPARE(named ? named->rank : -1, rank);
    }
    void ranksOfOneFolderAreOneRun() {
        const auto units
            = plan({{"job/node-a_11.json", trace(0, 2)}, {"job/node-b_12.json", trace(1, 2)}});
        QCOMPARE(units.size(), std::size_t{2});
        for (const auto& [path, unit] : units) {
            QCOMPARE(unit.runName, std::string("job"));
            QCOMPARE(unit.worldSize, 2);
            QVERIFY(unit.enabled);
            QCOMPARE(unit.files, std::vector<std::string>{path});
        }
        QCOMPARE(units.at("job/node-a_11.json").rank.value_or(-1), 0);
        QCOMPARE(units.at("job/node-b_12.json").rank.value_or(-1), 1);
    }
    void numberedFoldersAreNoRanks() {
        const auto units = plan({{"job/result/0/host_7.1724066820235157909.pt.trace.json",
                                     traceText({kernelText("k", "1", "5")})},
            {"job/result/1/host_8.1724066820235157910.pt.trace.json",
                traceText({kernelText("k", "2", "5")})}});
        // No word says that the numbers are ranks.
        std::set<std::string> runs;
        for (const auto& [path, unit] : units)
            runs.insert(unit.runName);
        QCOMPARE(runs.size(), std::size_t{2});
    }
    void sameRankTwiceIsTwoRuns() {
        const auto units = plan({{"job/a_0.json", trace(0, 8)}, {"job/b_0.json", trace(0, 8)}});
        QCOMPARE(units.at("job/a_0.json").runName, std::string("job/a_0"));
        QCOMPARE(units.at("job/b_0.json").runName, std::string("job/b_0"));
    }
    void packedCopyOfARankIsLeftOut() {
        const auto units = plan({{"job/rank0.json", trace(0, 2)},
            {"job/rank0.json.gz", trace(0, 2)}, {"job/rank1.json.zst", trace(1, 2)}});
        QCOMPARE(units.size(), std::size_t{3});
        for (const auto& [path, unit] : units) {
            QCOMPARE(unit.runName, std::string("job"));
            QCOMPARE(unit.files, std::vector<std::string>{path});
        }
        QVERIFY(units.at("job/rank0.json").enabled);
        QVERIFY(units.at("job/rank1.json.zst").enabled);
        const ImportUnit& copy = units.at("job/rank0.json.gz");
        QVERIFY(!copy.enabled);
        QCOMPARE(copy.rank.value_or(-1), 0);
        QCOMPARE(
            copy.notes, std::vector<std::string>{"Left out: rank0.json holds the same trace."});
    }
    void differentWorldsAreDifferentRuns() {
        const auto units = plan({{"job/t_0.json", trace(0, 2)}, {"job/t_1.json", trace(1, 8)}});
        QVERIFY(units.at("job/t_0.json").runName != units.at("job/t_1.json").runName);
    }
    void headerBehindTheEventsIsFound() {
        const std::string text = traceText(
            {kernelText("k", "1", "1")}, ", \"distributedInfo\": {\"rank\": 5, \"world_size\": 8}");
        const auto units = plan({{"job/some.json", text}, {"job/other.txt", "x"}});
        QCOMPARE(units.at("job/some.json").rank.value_or(-1), 5);
        QCOMPARE(units.at("job/some.json").worldSize, 8);
    }
    // Two processes that ran at one time: of one job or of two, nothing says.
    void timeAloneJoinsNothing() {
        const std::string early = traceText({kernelText("k", "1000", "1500")});
        const std::string late = traceText({kernelText("k", "2000", "1500")});
        const std::string first = "job/host_11.1724066820235.pt.trace.json";
        const std::string second = "job/host_12.1724066820236.pt.trace.json";
        const auto units = plan({{first, early}, {second, late}});
        QVERIFY(units.at(first).runName != units.at(second).runName);
        QCOMPARE(units.at(first).rank.value_or(-1), 0);
        QCOMPARE(units.at(second).rank.value_or(-1), 0);
    }
    void runFolderTakesItsHighestKineto() {
        const auto units = plan({{"sweep/gpt3_3_00/2_kineto/a_0.json", trace(0, 2)},
            {"sweep/gpt3_3_00/10_kineto/a_0.json", trace(0, 2)},
            {"sweep/gpt3_3_00/10_kineto/a_1.json", trace(1, 2)}});
        for (const auto& [path, unit] : units)
            QCOMPARE(unit.runName, std::string("sweep/gpt3_3_00"));
        QVERIFY(!units.at("sweep/gpt3_3_00/2_kineto/a_0.json").enabled);
        QVERIFY(!units.at("sweep/gpt3_3_00/2_kineto/a_0.json").notes.empty());
        QVERIFY(units.at("sweep/gpt3_3_00/10_kineto/a_1.json").enabled);
    }
    void theRealFolderIsSplit() {
        const auto small = importers::openDiskTree(standIns() + "/data/kineto");
        QVERIFY(small.hasValue());
        const auto pair = importers::kineto::kImporter.plan(*small.value(), small.value()->files());
        QCOMPARE(pair.size(), std::size_t{2});
        for (std::size_t i = 0; i < 2; ++i) {
            QCOMPARE(pair[i].runName, std::string("pair"));
            QCOMPARE(pair[i].rank.value_or(-1), static_cast<int>(i));
        }
        if (!hasSharedTraces())
            QSKIP("the real traces are not here");
        const auto tree
            = importers::openDiskTree((sharedData() + QStringLiteral("/kineto")).toStdString());
        QVERIFY(tree.hasValue());
        std::map<std::string, std::vector<ImportUnit>> runs;
        for (const ImportUnit& unit :
            importers::kineto::kImporter.plan(*tree.value(), tree.value()->files()))
            runs[unit.runName].push_back(unit);
        QCOMPARE(runs["astra_megatron_tp8"].size(), std::size_t{8});
        QCOMPARE(runs["megatron_tp2_v100"].size(), std::size_t{2});
        QCOMPARE(runs["hta_sampled"].size(), std::size_t{2});
        // Everything else is alone in its run.
        for (const auto& [name, units] : runs) {
            if (name != "astra_megatron_tp8" && name != "megatron_tp2_v100"
                && name != "hta_sampled")
                QVERIFY2(units.size() == 1, name.c_str());
        }
        // A run for each file, but one for those three.
        QCOMPARE(runs.size(), tree.value()->files().size() - 7 - 1 - 1);
    }
    // A script that profiles batches of 4, 16 and 64, one after the other.
    void tracesOfAProcessAreCaptures() {
        const auto units = plan({{"job/eager-4.json", captureText(1000, "4077")},
            {"job/eager-16.json", captureText(2000, "4077")},
            {"job/compiled-64.json", captureText(3000, "4077")}});
        for (const auto& [path, unit] : units) {
            QCOMPARE(unit.runName, std::string("job"));
            QCOMPARE(unit.rank.value_or(-1), 0);
            VERIFY_SAYS(unit.notes.back(), "3 captures of rank 0");
        }
    }
    // As numbers of processes are in containers.
    void smallNumbersOfProcessesComeAgain() {
        const auto units = plan({{"job/before.json", captureText(1000, "77")},
            {"job/after.json", captureText(2000, "77")}});
        QCOMPARE(units.at("job/before.json").runName, std::string("job/before"));
        QCOMPARE(units.at("job/after.json").runName, std::string("job/after"));
    }
    void tracesThatOverlapAreNoRanks() {
        const auto units = plan({{"job/before.json", captureText(1000, "77")},
            {"job/after.json", captureText(1000, "91")}});
        QCOMPARE(units.at("job/before.json").runName, std::string("job/before"));
        QCOMPARE(units.at("job/after.json").runName, std::string("job/after"));
    }
    void tracesOfTwoProcessesOneAfterTheOtherAreTwoRuns() {
        const auto units = plan({{"job/before.json", captureText(1000, "77")},
            {"job/after.json", captureText(2000, "91")}});
        QCOMPARE(units.at("job/before.json").runName, std::string("job/before"));
        QCOMPARE(units.at("job/after.json").runName, std::string("job/after"));
    }
    // As many as their world has.
    void numbersAreRanksWhereTheWorldHasAsMany() {
        const std::string world = R"(, "distributedInfo": {"world_size": 2})";
        const auto units = plan({{"job/trace_1.json", captureText(1000, "77", world)},
            {"job/trace_0.json", captureText(1100, "78", world)}});
        QCOMPARE(units.at("job/trace_1.json").rank.value_or(-1), 1);
        QCOMPARE(units.at("job/trace_0.json").rank.value_or(-1), 0);
        QCOMPARE(units.at("job/trace_0.json").runName, std::string("job"));
        const auto unsaid = plan({{"job/trace_1.json", captureText(1000, "77")},
            {"job/trace_0.json", captureText(1100, "78")}});
        QCOMPARE(unsaid.at("job/trace_1.json").runName, std::string("job/trace_1"));
        QCOMPARE(unsaid.at("job/trace_0.json").runName, std::string("job/trace_0"));
    }
    void numbersAreNoRanksWhereTheyFollow() {
        const auto units = plan({{"job/trace_0.json", captureText(1000, "77")},
            {"job/trace_1.json", captureText(2000, "77")}});
        for (const auto& [path, unit] : units)
            QCOMPARE(unit.rank.value_or(-1), 0);
    }
    void everyRankHasItsCaptures() {
        const auto world = [](int rank) {
            return ", \"distributedInfo\": {\"rank\": " + std::to_string(rank)
                + ", \"world_size\": 2}";
        };
        const auto units = plan({{"job/rank0_step10.json", captureText(1000, "77", world(0))},
            {"job/rank1_step10.json", captureText(1001, "78", world(1))},
            {"job/rank0_step20.json", captureText(5000, "77", world(0))},
            {"job/rank1_step20.json", captureText(5001, "78", world(1))}});
        for (const auto& [path, unit] : units) {
            QCOMPARE(unit.runName, std::string("job"));
            QCOMPARE(unit.rank.value_or(-1), path.find("rank0") == std::string::npos ? 1 : 0);
        }
    }
    void captureNames() {
        using importers::captureName;
        QCOMPARE(captureName("a/eager-16-recompute.json.gz"), std::string("eager-16-recompute"));
        QCOMPARE(captureName("rank0_step20.pt.trace.json"), std::string("step20"));
        QCOMPARE(captureName("warm-up.rank-3.json"), std::string("warm-up"));
        QCOMPARE(captureName("job_rank3_late.json"), std::string("job_late"));
        QCOMPARE(captureName("rank-3.json"), std::string("rank-3"));
        // The moment of writing tells captures of a rank apart where no step does.
        QCOMPARE(
            captureName("worker1_step_12.1769000001108.pt.trace.json"), std::string("step_12"));
        QCOMPARE(captureName("rank0_trace.1769000001108.pt.trace.json"),
            std::string("trace.1769000001108"));
        QCOMPARE(captureName("rank0.1769000001108.pt.trace.json"), std::string("1769000001108"));
    }
    // Four traces of one process on one GPU, whose names have batch sizes.
    void theRecordingIsOneRank() {
        const auto folder
            = (sharedData() + QStringLiteral("/h100_recording/training/traces")).toStdString();
        if (!std::filesystem::exists(folder))
            QSKIP("the real recording is not here");
        const auto tree = importers::openDiskTree(folder);
        QVERIFY(tree.hasValue());
        const auto units = importers::kineto::kImporter.plan(*tree.value(), tree.value()->files());
        QCOMPARE(units.size(), std::size_t{4});
        for (const ImportUnit& unit : units) {
            QCOMPARE(unit.runName, std::string("traces"));
            QCOMPARE(unit.rank.value_or(-1), 0);
        }
    }
};

TRAINSCOPE_TEST(tst_KinetoPlan)
#include "tst_KinetoPlan.moc"
