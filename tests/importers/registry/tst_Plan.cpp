// What a folder is taken for: units, joined logs, and the reasons for what is left out.
#include "importers/registry/HashingTree.h"
#include "importers/registry/Registry.h"
#include "support/TestProgram.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

using namespace std::string_literals;

const std::string kLog = "timestamp, index, power.draw [W]\n2026/04/22 00:00:00.000, 0, 70 W\n";
const std::string kTrace
    = R"({"schemaVersion":1,"distributedInfo":{"backend":"nccl","rank":0,"world_size":1},"traceEvents":[
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1700000000000000,"dur":5,"args":{"device":0,"stream":7}}]})";

ImportPlan planOf(
    std::vector<std::pair<std::string, std::string>> files, std::string_view only = {}) {
    const auto tree = memoryTree(std::move(files));
    return planImport(*tree, {}, only).valueOr(ImportPlan{});
}

const ImportUnit* unitOf(const ImportPlan& plan, std::string_view importer) {
    const auto found = std::find_if(plan.units.begin(), plan.units.end(),
        [importer](const ImportUnit& unit) { return unit.importer == importer; });
    return found == plan.units.end() ? nullptr : &*found;
}

} // namespace

class tst_Plan : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reasons_data();
    void reasons();
    void logBesideOneTrace();
    void logBesideTwoRuns();
    void onlyOneFormat();
    void unknownFormat();
    void cancelled();
    void forbiddenFolder();
    void traceBehindALargeMember();
    void hashes();
};

void tst_Plan::reasons_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<std::string>("content");
    QTest::addColumn<QString>("reason");
    QTest::newRow("empty") << QStringLiteral("a.csv") << ""s << QStringLiteral("empty");
    QTest::newRow("JPEG") << QStringLiteral("photo.csv") << "\xff\xd8\xff\xe0\x00\x10JFIF"s
                          << QStringLiteral("JPEG image");
    QTest::newRow("SQLite") << QStringLiteral("runs.trace") << "SQLite format 3\0\x10\x00"s
                            << QStringLiteral("SQLite database");
    QTest::newRow("execution trace")
        << QStringLiteral("rank_0.pt.trace.json")
        << R"({"schema":"1.0.2-chakra.0.0.4","nodes":[]})"s
        << QStringLiteral("PyTorch execution trace, not a Kineto trace");
    QTest::newRow("YAML") << QStringLiteral("launch.yaml") << "trainer:\n  devices: 8\n"s
                          << QStringLiteral("YAML, not telemetry");
    QTest::newRow("text") << QStringLiteral("notes.txt") << "we ran this on Monday\n"s
                          << QStringLiteral("text without known columns");
    QTest::newRow("blanks") << QStringLiteral("b.csv") << "\n\n  \n"s
                            << QStringLiteral("empty: nothing but blanks");
    QTest::newRow("PNG") << QStringLiteral("x") << "\x89PNG\r\n\x1a\n"s
                         << QStringLiteral("PNG image");
    QTest::newRow("JSON") << QStringLiteral("x.json") << "{\"a\": 1}"s
                          << QStringLiteral("JSON without trace events");
    QTest::newRow("emissions table")
        << QStringLiteral("e.csv")
        << "timestamp,project_name,run_id,duration,emissions,gpu_power\n2024-01-01T00:00:00,x,,1,2,3\n"s
        << QStringLiteral("CodeCarbon table, not read by this version");
}

void tst_Plan::reasons() {
    QFETCH(QString, name);
    QFETCH(std::string, content);
    QFETCH(QString, reason);
    const ImportPlan plan = planOf({{name.toStdString(), content}});
    QVERIFY(plan.units.empty());
    QCOMPARE(plan.unrecognised.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(plan.unrecognised[0].reason), reason);
}

void tst_Plan::logBesideOneTrace() {
    const ImportPlan plan = planOf(
        {{"job/trace_rank0.json", kTrace}, {"job/smi.csv", kLog}, {"job/README.md", "# hello\n"}});
    QCOMPARE(plan.units.size(), std::size_t{2});
    const ImportUnit* trace = unitOf(plan, "kineto");
    const ImportUnit* log = unitOf(plan, "nvsmi");
    QVERIFY(trace != nullptr && log != nullptr);
    QCOMPARE(log->runName, trace->runName);
    QVERIFY(!log->notes.empty());
    QCOMPARE(plan.unrecognised.size(), std::size_t{1});
    QCOMPARE(plan.unrecognised[0].path, std::string("job/README.md"));
}

void tst_Plan::logBesideTwoRuns() {
    const ImportPlan plan
        = planOf({{"a/trace.json", kTrace}, {"b/trace.json", kTrace}, {"smi.csv", kLog}});
    const ImportUnit* log = unitOf(plan, "nvsmi");
    QVERIFY(log != nullptr);
    QCOMPARE(log->runName, std::string("smi"));
}

void tst_Plan::onlyOneFormat() {
    const ImportPlan plan = planOf({{"trace.json", kTrace}, {"smi.csv", kLog}}, "kineto");
    QCOMPARE(plan.units.size(), std::size_t{1});
    QCOMPARE(plan.units[0].importer, std::string("kineto"));
    QCOMPARE(plan.unrecognised.size(), std::size_t{1});
}

void tst_Plan::unknownFormat() {
    const auto tree = memoryTree({{"smi.csv", kLog}});
    const auto plan = planImport(*tree, {}, "excel");
    QVERIFY(!plan.hasValue());
    QCOMPARE(plan.error().code, ErrorCode::Usage);
    QVERIFY(plan.error().message.find("nvsmi") != std::string::npos);
}

void tst_Plan::cancelled() {
    const auto tree = memoryTree({{"smi.csv", kLog}});
    const auto plan = planImport(*tree, [](const ProgressState&) { return false; });
    QVERIFY(!plan.hasValue());
    QCOMPARE(plan.error().code, ErrorCode::Cancelled);
}

void tst_Plan::forbiddenFolder() {
    QTemporaryDir dir;
    QVERIFY(QDir(dir.path()).mkdir(QStringLiteral("locked")));
    QFile inside(dir.filePath(QStringLiteral("locked/smi.csv")));
    QVERIFY(inside.open(QIODevice::WriteOnly));
    inside.write(kLog.c_str());
    inside.close();
    const QString locked = dir.filePath(QStringLiteral("locked"));
    QVERIFY(QFile::setPermissions(locked, {}));
    if (QDir(locked).isReadable()) {
        QFile::setPermissions(locked, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        QSKIP("SKIPPED: this user may read everything");
    }
    const auto tree = openDiskTree(dir.path().toStdString());
    QVERIFY(tree.hasValue());
    const auto plan = planImport(*tree.value(), {});
    QFile::setPermissions(locked, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QVERIFY(plan.hasValue());
    QCOMPARE(plan.value().unrecognised.size(), std::size_t{1});
    QVERIFY(plan.value().unrecognised[0].reason.find("ermission") != std::string::npos);
}

void tst_Plan::traceBehindALargeMember() {
    const std::string member = "{\"frames\": \"" + std::string(3'000'000, 'x') + "\", ";
    const std::string events = "\"traceEvents\": [{\"ph\": \"X\", \"name\": \"k\", \"ts\": 1}]}";
    const auto tree = memoryTree({{"a.json", member + events}, {"b.json", member + "\"x\": 1}"}});
    for (const char* only : {"", "kineto"}) {
        const auto plan = planImport(*tree, {}, only);
        QVERIFY(plan.hasValue());
        QCOMPARE(plan.value().units.size(), std::size_t{1});
        QCOMPARE(plan.value().units[0].path, std::string("a.json"));
        QCOMPARE(plan.value().unrecognised.size(), std::size_t{1});
        QCOMPARE(plan.value().unrecognised[0].reason, std::string("JSON without trace events"));
    }
}

void tst_Plan::hashes() {
    const auto hashOf = [](std::vector<std::pair<std::string, std::string>> files) {
        const auto tree = memoryTree(std::move(files));
        const auto plan = planImport(*tree, {});
        return HashingTree(*tree).hashOf(plan.value().units.at(0), {}).valueOr(std::string());
    };
    const std::string one = hashOf({{"a/smi.csv", kLog}});
    QCOMPARE(one.size(), std::size_t{32});
    QCOMPARE(hashOf({{"moved/elsewhere/smi.csv", kLog}}), one);
    QVERIFY(hashOf({{"a/smi.csv", kLog + "2026/04/22 00:00:01.000, 0, 71 W\n"}}) != one);
    QVERIFY(hashOf({{"a/other.csv", kLog}}) != one);
}

TRAINSCOPE_TEST(tst_Plan)
#include "tst_Plan.moc"
