// Which files are traces, which rank they are, and which of them are one run.

#include "importers/kineto/SharedFiles.h"
#include "importers/kineto/TraceText.h"
#include "importers/trace/TraceName.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <map>

using namespace trainscope;
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
    for (ImportUnit& unit : importers::kineto::importer().plan(*tree, tree->files()))
        units[unit.path] = unit;
    return units;
}

} // namespace

class tst_KinetoPlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sniffs_data();
    void sniffs();
    void rankFromName_data();
    void rankFromName();
    void ranksOfOneFolderAreOneRun();
    void oneFolderPerRank();
    void sameRankTwiceIsTwoRuns();
    void packedCopyOfARankIsLeftOut();
    void differentWorldsAreDifferentRuns();
    void headerBehindTheEventsIsFound();
    void ranklessFilesGetTheNextFreeRank();
    void runFolderTakesItsHighestKineto();
    void theRealFolderIsSplit();
};

void tst_KinetoPlan::sniffs_data() {
    QTest::addColumn<QByteArray>("head");
    QTest::addColumn<bool>("isMine");
    QTest::newRow("trace") << QByteArray("{\"schemaVersion\": 1, \"traceEvents\" : [") << true;
    QTest::newRow("bare array") << QByteArray("[ {\"name\": \"a\", \"ph\": \"X\", \"ts\": 1")
                                << true;
    QTest::newRow("events behind a long header") << QByteArray(
        "{\"schemaVersion\": 1, \"deviceProperties\": [{}], \"distributedInfo\": {\"ranks\": [1,2")
                                                 << true;
    QTest::newRow("execution trace")
        << QByteArray("{\"schema\": \"1.0.2-chakra.0.0.4\", \"pid\": 1, \"nodes\": [") << false;
    QTest::newRow("other JSON") << QByteArray("{\"traces\": [1, 2]}") << false;
    QTest::newRow("array of others") << QByteArray("[{\"rank\": 1}]") << false;
    QTest::newRow("CSV") << QByteArray("timestamp, index\n1, 2\n") << false;
    QTest::newRow("empty") << QByteArray() << false;
}

void tst_KinetoPlan::sniffs() {
    QFETCH(QByteArray, head);
    QFETCH(bool, isMine);
    QCOMPARE(importers::kineto::importer().sniff(head.toStdString(), "x.txt") > 0, isMine);
}

void tst_KinetoPlan::rankFromName_data() {
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<int>("rank");
    const auto row
        = [](const char* path, int rank) { QTest::newRow(path) << QByteArray(path) << rank; };
    row("rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz", 34);
    row("inference_rank_1.json.gz", 1);
    row("rank0_9c44bd29b3f0_1375.1724066820235157909.pt.trace.json", 0);
    row("megatron_kineto_3.json", 3);
    row("worker0.1623143089861.pt.trace.json.gz", 0);
    row("modded-nanogpt-hook-gpu-rank-00-chrome-trace.json.gz", 0);
    row("a/b/trace-12.json", 12);
    row("9c44bd29b3f0_1375.1724066820235157909.pt.trace.json", -1);
    row("Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz", -1);
    row("trace.json", -1);
    row("crank.json", -1);
}

void tst_KinetoPlan::rankFromName() {
    QFETCH(QByteArray, path);
    QFETCH(int, rank);
    const auto named = importers::rankInStem(importers::traceStem(path.toStdString()));
    QCOMPARE(named ? named->rank : -1, rank);
}

void tst_KinetoPlan::ranksOfOneFolderAreOneRun() {
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

void tst_KinetoPlan::oneFolderPerRank() {
    const std::string text = traceText({kernelText("k", "1", "1")});
    const auto units = plan({{"job/result/0/host_7.1724066820235157909.pt.trace.json", text},
        {"job/result/1/host_8.1724066820235157910.pt.trace.json", text}});
    for (const auto& [path, unit] : units)
        QCOMPARE(unit.runName, std::string("job/result"));
    QCOMPARE(
        units.at("job/result/1/host_8.1724066820235157910.pt.trace.json").rank.value_or(-1), 1);
}

void tst_KinetoPlan::sameRankTwiceIsTwoRuns() {
    const auto units = plan({{"job/a_0.json", trace(0, 8)}, {"job/b_0.json", trace(0, 8)}});
    QCOMPARE(units.at("job/a_0.json").runName, std::string("job/a_0"));
    QCOMPARE(units.at("job/b_0.json").runName, std::string("job/b_0"));
}

void tst_KinetoPlan::packedCopyOfARankIsLeftOut() {
    const auto units = plan({{"job/rank0.json", trace(0, 2)}, {"job/rank0.json.gz", trace(0, 2)},
        {"job/rank1.json.zst", trace(1, 2)}});
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
    QCOMPARE(copy.notes, std::vector<std::string>{"Left out: rank0.json holds the same trace."});
}

void tst_KinetoPlan::differentWorldsAreDifferentRuns() {
    const auto units = plan({{"job/t_0.json", trace(0, 2)}, {"job/t_1.json", trace(1, 8)}});
    QVERIFY(units.at("job/t_0.json").runName != units.at("job/t_1.json").runName);
}

void tst_KinetoPlan::headerBehindTheEventsIsFound() {
    const std::string text = traceText(
        {kernelText("k", "1", "1")}, ", \"distributedInfo\": {\"rank\": 5, \"world_size\": 8}");
    const auto units = plan({{"job/some.json", text}, {"job/other.txt", "x"}});
    QCOMPARE(units.at("job/some.json").rank.value_or(-1), 5);
    QCOMPARE(units.at("job/some.json").worldSize, 8);
}

void tst_KinetoPlan::ranklessFilesGetTheNextFreeRank() {
    const std::string early = traceText({kernelText("k", "1000", "1")});
    const std::string late = traceText({kernelText("k", "2000", "1")});
    const auto units
        = plan({{"job/host_11.99.pt.trace.json", early}, {"job/host_12.98.pt.trace.json", late}});
    QCOMPARE(units.at("job/host_11.99.pt.trace.json").runName, std::string("job"));
    QCOMPARE(units.at("job/host_11.99.pt.trace.json").rank.value_or(-1), 0);
    QCOMPARE(units.at("job/host_12.98.pt.trace.json").rank.value_or(-1), 1);
    QVERIFY(!units.at("job/host_12.98.pt.trace.json").notes.empty());
}

void tst_KinetoPlan::runFolderTakesItsHighestKineto() {
    const auto units = plan({{"sweep/gpt3_3_00/2_kineto/a_0.json", trace(0, 2)},
        {"sweep/gpt3_3_00/10_kineto/a_0.json", trace(0, 2)},
        {"sweep/gpt3_3_00/10_kineto/a_1.json", trace(1, 2)}});
    for (const auto& [path, unit] : units)
        QCOMPARE(unit.runName, std::string("sweep/gpt3_3_00"));
    QVERIFY(!units.at("sweep/gpt3_3_00/2_kineto/a_0.json").enabled);
    QVERIFY(!units.at("sweep/gpt3_3_00/2_kineto/a_0.json").notes.empty());
    QVERIFY(units.at("sweep/gpt3_3_00/10_kineto/a_1.json").enabled);
}

void tst_KinetoPlan::theRealFolderIsSplit() {
    const auto small = importers::openDiskTree(standIns() + "/data/kineto");
    QVERIFY(small.hasValue());
    const auto pair = importers::kineto::importer().plan(*small.value(), small.value()->files());
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
        importers::kineto::importer().plan(*tree.value(), tree.value()->files()))
        runs[unit.runName].push_back(unit);
    QCOMPARE(runs["astra_megatron_tp8"].size(), std::size_t{8});
    QCOMPARE(runs["megatron_tp2_v100"].size(), std::size_t{2});
    QCOMPARE(runs["hta_sampled"].size(), std::size_t{2});
    // Everything else is alone in its run.
    for (const auto& [name, units] : runs) {
        if (name != "astra_megatron_tp8" && name != "megatron_tp2_v100" && name != "hta_sampled")
            QVERIFY2(units.size() == 1, name.c_str());
    }
    // A run for each file, but one for those three.
    QCOMPARE(runs.size(), tree.value()->files().size() - 7 - 1 - 1);
}

TRAINSCOPE_TEST(tst_KinetoPlan)
#include "tst_KinetoPlan.moc"
